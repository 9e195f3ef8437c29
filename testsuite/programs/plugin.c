/* SPDX-License-Identifier: MIT
 *
 * A main program without OpenMP that loads, uses, unloads and loads again a plugin with
 * OpenMP (plugin_lib.c), whose libgomp is thereby local to the plugin and comes late. Once
 * it has threads, libgomp itself must stay: they would run in unmapped code.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include "check.h"

static char path[4096];

static int use_plugin(int flags, int call, int keep)
{
    void *handle = dlopen(path, flags);
    if (!handle) {
        printf("%s\n", dlerror());
        exit(1);
    }
    int (*work)(int) = (int (*)(int))dlsym(handle, "plugin_work");
    CHECK(work != NULL);
    int result = work && call ? work(3) : -1;
    if (!keep)
        dlclose(handle);
    return result;
}

static void *in_thread(void *data)
{
    *(int *)data = use_plugin(RTLD_NOW | RTLD_LOCAL, 1, 0);
    return NULL;
}

int main(int argc, char **argv)
{
    (void)argc;
    /* The driver leaves the plugin beside this program, under its name and ".so". */
    snprintf(path, sizeof(path), "%s.so", argv[0]);
    use_plugin(RTLD_LAZY | RTLD_LOCAL, 0, 0);
    CHECK(dlopen("libgomp.so.1", RTLD_NOW | RTLD_LOCAL) != NULL);
    for (int i = 0; i < 5; i++)
        CHECK(use_plugin(RTLD_LAZY | RTLD_LOCAL, 1, 0) == 33);
    int result = 0;
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, in_thread, &result));
    pthread_join(thread, NULL);
    CHECK(result == 33);
    CHECK(use_plugin(RTLD_NOW | RTLD_GLOBAL, 1, 1) == 33);
    return check_result("plugin");
}
