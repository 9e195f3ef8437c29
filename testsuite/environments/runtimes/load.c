/* SPDX-License-Identifier: MIT
 *
 * Opens modules as plugins and uses them in turn and in one another's regions. With
 * -fopenmp it has regions of its own besides.
 *
 *   load [MODULE[:OPTION]...]... [keep:LIBRARY]... [close] [again]
 *
 * MODULE is a file NAME.so beside this program; OPTION is global, deep, late (opened when
 * the others have run) or now. "close" closes all of them in the end, "again" closes,
 * opens and runs each once more. A runtime whose threads live must be kept then: it is
 * not made to go.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include "work.h"
#define OWN_REGION()                                                                     \
    (small_work(3) ? (void)0 : (void)puts("a region of the program: WRONG"))
#else
#define OWN_REGION() ((void)0)
#endif

enum { MOST = 6 };

struct module {
    char name[64];
    void *handle;
    int flags, late;
};

static struct module modules[MOST];
static int n_modules;

static void *symbol(const struct module *m, const char *function)
{
    char name[128];
    snprintf(name, sizeof(name), "%s_%s", m->name, function);
    void *found = dlsym(m->handle, name);
    if (!found) {
        printf("%s\n", dlerror());
        exit(2);
    }
    return found;
}

#define CALL(m, function, type, ...) ((type)symbol(m, function))(__VA_ARGS__)

static void open_module(struct module *m)
{
    char path[128];
    snprintf(path, sizeof(path), "./%s.so", m->name);
    m->handle = dlopen(path, m->flags);
    if (!m->handle) {
        printf("%s\n", dlerror());
        exit(2);
    }
}

static void run_module(struct module *m)
{
    CALL(m, "team", void (*)(int), 4);
    CALL(m, "work", void (*)(int), 3);
    CALL(m, "set", void (*)(int), 3);
    CALL(m, "nested", void (*)(int), 2);
    CALL(m, "tails", void (*)(int), 3);
}

/* Each in the regions of the other, directly and by way of a library without OpenMP. */
static void (*relayed)(void);
static void (*relay)(void (*)(void)), (*relay_tail)(void (*)(void));

static void by_relay(void)
{
    relay(relayed);
    relay_tail(relayed);
}

static void run_both(struct module *a, struct module *b)
{
    CALL(a, "set", void (*)(int), 2);
    CALL(b, "set", void (*)(int), 3);
    printf("max of %s %d, of %s %d\n", a->name, CALL(a, "max", int (*)(void)), b->name,
           CALL(b, "max", int (*)(void)));
    void *add = symbol(b, "add"), *tail = symbol(b, "tail_parallel");
    CALL(a, "calls", void (*)(int, void (*)(void)), 3, (void (*)(void))add);
    CALL(a, "calls", void (*)(int, void (*)(void)), 2, (void (*)(void))tail);
    relayed = (void (*)(void))tail;
    CALL(a, "calls", void (*)(int, void (*)(void)), 3, by_relay);
    relayed = (void (*)(void))add;
    CALL(a, "calls", void (*)(int, void (*)(void)), 2, by_relay);
    printf("total of %s %ld\n", b->name, CALL(b, "total", long (*)(void)));
}

int main(int argc, char **argv)
{
    int close_all = 0, again = 0, any_late = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "close") == 0)
            close_all = 1;
        else if (strcmp(argv[i], "again") == 0)
            again = 1;
        else if (strncmp(argv[i], "keep:", 5) == 0) {
            if (!dlopen(argv[i] + 5, RTLD_LAZY))
                return 2;
        } else if (n_modules < MOST) {
            struct module *m = &modules[n_modules++];
            char *option = strtok(argv[i], ":");
            snprintf(m->name, sizeof(m->name), "%s", option);
            m->flags = RTLD_LAZY;
            while ((option = strtok(NULL, ":"))) {
                if (strcmp(option, "global") == 0)
                    m->flags |= RTLD_GLOBAL;
                else if (strcmp(option, "deep") == 0)
                    m->flags |= RTLD_DEEPBIND;
                else if (strcmp(option, "now") == 0)
                    m->flags = (m->flags & ~RTLD_LAZY) | RTLD_NOW;
                else if (strcmp(option, "late") == 0)
                    m->late = any_late = 1;
                else
                    return 2;
            }
        }
    }
    void *library = dlopen("./relay.so", RTLD_NOW);
    if (!library)
        return 2;
    relay = (void (*)(void (*)(void)))dlsym(library, "relay");
    relay_tail = (void (*)(void (*)(void)))dlsym(library, "relay_tail");

    OWN_REGION();
    for (int late = 0; late < 1 + any_late; late++) {
        for (int i = 0; i < n_modules; i++)
            if (modules[i].late == late)
                open_module(&modules[i]);
        for (int i = 0; i < n_modules; i++)
            if (modules[i].handle)
                run_module(&modules[i]);
    }
    for (int i = 0; i < n_modules; i++)
        for (int k = 0; k < n_modules; k++)
            if (i != k) {
                run_both(&modules[i], &modules[k]);
                OWN_REGION();
            }
    for (int i = 0; again && i < n_modules; i++) {
        printf("closed %d\n", dlclose(modules[i].handle));
        open_module(&modules[i]);
        run_module(&modules[i]);
    }
    for (int i = 0; close_all && i < n_modules; i++)
        printf("closed %d\n", dlclose(modules[i].handle));
    OWN_REGION();
    puts("end");
    return 0;
}
