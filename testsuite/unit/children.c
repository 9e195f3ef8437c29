/* SPDX-License-Identifier: MIT
 *
 * A program that starts others, for children.sh. The first argument is how the OpenMP
 * runtime comes into it (linked, or by dlopen: late), the second what it does.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void use_runtime(void *plugin)
{
    void (*use)(void);
    *(void **)&use = dlsym(plugin, "use");
    use();
}

static void load_runtime(void)
{
    const char *name = getenv("PLUGIN");
    void *plugin = name ? dlopen(name, RTLD_NOW) : NULL;
    if (!plugin) {
        printf("no plugin: %s\n", dlerror());
        exit(1);
    }
    use_runtime(plugin);
}

static int finish(pid_t child)
{
    int status;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

static int start(const char *how, char **command)
{
    pid_t child;
    if (strcmp(how, "spawn") == 0)
        return posix_spawnp(&child, command[0], NULL, NULL, command, environ) ? 99 : finish(child);
    if (strcmp(how, "exec") == 0) {
        execvp(command[0], command);
        return 99;
    }
    child = strcmp(how, "vfork") == 0 ? vfork() : fork();
    if (child == 0) {
        execvp(command[0], command);
        _exit(99);
    }
    return finish(child);
}

static void *sleeper(void *end)
{
    pthread_barrier_wait(end);
    return NULL;
}

/* Threads that read and change the environment while the runtime is loaded. */
enum { READERS = 3, VARIABLES = 40 };
static int stop, lost;

static void *reader(void *unused)
{
    char name[VARIABLES][8];
    for (int i = 0; i < VARIABLES; i++)
        snprintf(name[i], sizeof(name[i]), "VAR%d", i);
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        for (int i = 0; i < VARIABLES; i++)
            if (!getenv(name[i]))
                __atomic_store_n(&lost, 1, __ATOMIC_RELEASE);
    }
    return unused;
}

/* Changes one that is there, as that moves nothing. */
static void *writer(void *unused)
{
    char value[16];
    for (int i = 0; !__atomic_load_n(&stop, __ATOMIC_ACQUIRE); i++) {
        snprintf(value, sizeof(value), "%d", i % 100);
        setenv("VAR7", value, 1);
        const char *found = getenv("VAR7");
        if (!found || strcmp(found, value) != 0)
            __atomic_store_n(&lost, 1, __ATOMIC_RELEASE);
    }
    return unused;
}

/* Whether all variables that were there are where they were: a getenv() that has come as
 * far as one of them would miss one that has moved behind it. */
static int has_moved(char **array, char **before)
{
    if (environ != array)
        return 1;
    for (int i = 0; before[i]; i++) {
        int is_ours = strncmp(before[i], "LD_PRELOAD=", 11) == 0 ||
                      strncmp(before[i], "OMP", 3) == 0 ||
                      strncmp(before[i], "ASAN_OPTIONS=", 13) == 0;
        if (!is_ours && strncmp(before[i], "VAR7=", 5) != 0 && array[i] != before[i])
            return 1;
    }
    return 0;
}

static void race(void)
{
    static char *before[4096];
    char **array = environ;
    for (int i = 0; array[i] && i < 4095; i++)
        before[i] = array[i];
    pthread_t threads[READERS + 1];
    for (int i = 0; i < READERS; i++)
        pthread_create(&threads[i], NULL, reader, NULL);
    pthread_create(&threads[READERS], NULL, writer, NULL);
    usleep(2000);
    load_runtime();
    usleep(2000);
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    for (int i = 0; i <= READERS; i++)
        pthread_join(threads[i], NULL);
    printf("%s\n", lost                       ? "lost a variable"
                   : has_moved(array, before) ? "moved a variable"
                                              : "found all");
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 98;
    pthread_barrier_t end;
    pthread_t thread;
    const char *when = argv[1];
    int status = 0;
    if (strstr(when, "append"))
        setenv("APPENDED", "by the program", 1);
    if (strstr(when, "own"))
        setenv("LD_PRELOAD", "", 1);
    if (strstr(when, "thread")) {
        pthread_barrier_init(&end, NULL, 2);
        pthread_create(&thread, NULL, sleeper, &end);
    }
    if (strstr(when, "race"))
        race();
    else if (strstr(when, "late"))
        load_runtime();
#ifdef _OPENMP
#pragma omp parallel num_threads(2)
    __atomic_add_fetch(&status, 0, __ATOMIC_RELAXED);
#endif
    fflush(stdout);
    if (argc > 3)
        status = start(argv[2], argv + 3);
    if (strstr(when, "thread")) {
        pthread_barrier_wait(&end);
        pthread_join(thread, NULL);
    }
    return status;
}
