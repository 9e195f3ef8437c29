/* SPDX-License-Identifier: MIT
 *
 * How a program ends. The argument chooses: by exit, _exit, quick_exit or a signal, from
 * the master or a worker, inside regions, tasks, critical sections and with locks held.
 */
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "check.h"

static void at_exit(void)
{
    puts("atexit ran");
}

static void at_quick_exit_(void)
{
    puts("at_quick_exit ran");
    fflush(stdout);
}

static void *last_thread(void *data)
{
    int n = 0;
    pthread_join(*(pthread_t *)data, NULL);
#pragma omp parallel num_threads(2) reduction(+ : n)
    n++;
    printf("main is gone, team of %d\n", n);
    return NULL;
}

/* Others of the team wait at a barrier while one ends the process. */
#define WORKER_DOES(what)                                                              \
    do {                                                                               \
        _Pragma("omp parallel num_threads(3)")                                         \
        {                                                                              \
            if (omp_get_thread_num() == 1) {                                           \
                what;                                                                  \
            }                                                                          \
            _Pragma("omp barrier")                                                     \
        }                                                                              \
    } while (0)

#define MASTER_DOES(what)                                                              \
    do {                                                                               \
        _Pragma("omp parallel num_threads(3)")                                         \
        {                                                                              \
            if (omp_get_thread_num() == 0) {                                           \
                what;                                                                  \
            }                                                                          \
            _Pragma("omp barrier")                                                     \
        }                                                                              \
    } while (0)

static void end(const char *how)
{
    volatile int *nowhere = NULL;
    if (!strcmp(how, "exit-master"))
        MASTER_DOES(exit(11));
    else if (!strcmp(how, "exit-worker"))
        WORKER_DOES(exit(12));
    else if (!strcmp(how, "exit-task")) {
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
        exit(13);
    } else if (!strcmp(how, "exit-critical")) {
#pragma omp parallel num_threads(2)
#pragma omp critical
        exit(14);
    } else if (!strcmp(how, "exit-nested")) {
        omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
        WORKER_DOES({
#pragma omp critical
            exit(15);
        });
    } else if (!strcmp(how, "exit-ordered")) {
#pragma omp parallel for num_threads(2) ordered
        for (int i = 0; i < 4; i++)
#pragma omp ordered
            exit(16);
    } else if (!strcmp(how, "exit-outside"))
        exit(17);
    else if (!strcmp(how, "_exit-worker"))
        WORKER_DOES(_exit(18));
    else if (!strcmp(how, "quick_exit"))
        WORKER_DOES(quick_exit(19));
    else if (!strcmp(how, "abort-worker"))
        WORKER_DOES(abort());
    else if (!strcmp(how, "abort-task")) {
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
        abort();
    } else if (!strcmp(how, "raise-segv"))
        WORKER_DOES(raise(SIGSEGV));
    else if (!strcmp(how, "real-segv"))
        WORKER_DOES(*nowhere = 1);
    else if (!strcmp(how, "kill-self"))
        MASTER_DOES(kill(getpid(), SIGTERM); pause());
    else if (!strcmp(how, "kill-hard")) {
#pragma omp parallel num_threads(2)
#pragma omp critical
        {
            kill(getpid(), SIGKILL);
            pause();
        }
    } else if (!strcmp(how, "trap"))
        __builtin_trap();
    else if (!strcmp(how, "main-pthread_exit")) {
        static pthread_t self, other;
        self = pthread_self();
        if (pthread_create(&other, NULL, last_thread, &self))
            exit(97);
        int n = 0;
#pragma omp parallel num_threads(2) reduction(+ : n)
        n++;
        pthread_exit(NULL);
    } else if (!strcmp(how, "return"))
        return;
    else
        exit(96);
}

int main(int argc, char **argv)
{
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    atexit(at_exit);
    at_quick_exit(at_quick_exit_);
    int n = 0;
#pragma omp parallel num_threads(3) reduction(+ : n)
    n++;
    printf("team of %d\n", n);
    fflush(stdout);
    if (argc > 1)
        end(argv[1]);
    return 20;
}
