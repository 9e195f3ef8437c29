/* SPDX-License-Identifier: MIT
 *
 * Does what it reads, a line each, and says "done" after each:
 *
 *   open NAME         dlopen("./NAME.so", RTLD_LOCAL)
 *   load FILE         the same of any library
 *   call NAME WHAT    NAME_WHAT()
 *   begin NAME WHAT [OTHER [INNER]]   the same in a thread, which is given OTHER_INNER(), or
 *                                     OTHER_inner()
 *   close NAME
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct call {
    void (*function)(void (*other)(void));
    void (*other)(void);
};

static void *begin(void *argument)
{
    struct call *call = argument;
    call->function(call->other);
    return NULL;
}

static void *open_file(const char *name, const char *form)
{
    char path[256];
    snprintf(path, sizeof path, form, name);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        puts(dlerror());
    return handle;
}

static void *find(const char *name, const char *what)
{
    char symbol[256];
    void *handle = open_file(name, "./%s.so");
    snprintf(symbol, sizeof symbol, "%s_%s", name, what);
    void *found = handle ? dlsym(handle, symbol) : NULL;
    if (handle)
        dlclose(handle);
    return found;
}

int main(void)
{
    char line[256], verb[16], name[128], what[64], other[64], inner[64];
    static struct call calls[16];
    unsigned count = 0;
    while (fgets(line, sizeof line, stdin)) {
        *what = *other = '\0';
        strcpy(inner, "inner");
        if (sscanf(line, "%15s %127s %63s %63s %63s", verb, name, what, other, inner) < 2)
            return 2;
        if (!strcmp(verb, "open") && open_file(name, "./%s.so")) {
            ((void (*)(void))find(name, "start"))();
        } else if (!strcmp(verb, "load")) {
            open_file(name, "%s");
        } else if (!strcmp(verb, "call")) {
            ((void (*)(void))find(name, what))();
        } else if (!strcmp(verb, "begin") && count < 16) {
            pthread_t thread;
            calls[count].function = (void (*)(void (*)(void)))find(name, what);
            calls[count].other = *other ? (void (*)(void))find(other, inner) : NULL;
            pthread_create(&thread, NULL, begin, &calls[count++]);
        } else if (!strcmp(verb, "close")) {
            void *handle = open_file(name, "./%s.so");
            dlclose(handle);
            dlclose(handle);
        }
        puts("done");
        fflush(stdout);
    }
    return 0;
}
