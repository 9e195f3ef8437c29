/* SPDX-License-Identifier: MIT
 *
 * Signals arrive a thousand times a second for each processor second (SIGPROF), as under
 * a profiler: handlers HOW. "asks": the handler asks the runtime where it is.
 * "constructs": a handler on a stack of its own that enters constructs, raised where the
 * program allows it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include "check.h"
#include "work.h"

enum { SECONDS_OF_WORK = 1, LEVELS = 3 };

static int bad, handled;

/* What the runtime knows of this thread is changed by this thread only: it is the initial
 * thread, or in a body. Of a worker between two regions libgomp has a team that may be freed,
 * and the primary thread writes its next place: any answer may be wrong, hooks or none. */
static _Thread_local int settled;

static void asks(int number)
{
    (void)number;
    int saved = errno;
    int level = omp_get_level();
    int own = omp_get_thread_num(), members = omp_get_num_threads();
    int ancestor = omp_get_ancestor_thread_num(level);
    if (settled &&
        (level < 0 || level > LEVELS || own < 0 || members < 1 || ancestor != own))
        __atomic_add_fetch(&bad, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&handled, 1, __ATOMIC_RELAXED);
    errno = saved;
}

static void constructs(int number)
{
    (void)number;
    int saved = errno, members = 0, task = 0;
#pragma omp parallel num_threads(1) reduction(+ : members)
    {
        members++;
#pragma omp critical(in_handler)
        members += 0;
#pragma omp task if (0)
        task++;
#pragma omp barrier
    }
    if (members != 1 || task != 1)
        __atomic_add_fetch(&bad, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&handled, 1, __ATOMIC_RELAXED);
    errno = saved;
}

static void on_signal(int number, void (*handler)(int), int flags)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART | flags;
    sigaction(number, &action, NULL);
}

static void sampled(void)
{
    on_signal(SIGPROF, asks, 0);
    struct itimerval every = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_PROF, &every, NULL);
    double end = omp_get_wtime() + SECONDS_OF_WORK / 2.0;
    settled = 1;
    do {
        CHECK(small_work(3));
#pragma omp parallel num_threads(2)
        {
            settled++;
            CHECK(small_work(1));
            settled--;
        }
    } while (omp_get_wtime() < end || !__atomic_load_n(&handled, __ATOMIC_RELAXED));
    setitimer(ITIMER_PROF, &never, NULL);
}

/* A team of one inside a handler, which interrupts a body, a task and serial code. */
static void raised(void)
{
    static char stack[1 << 17];
    stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};
    CHECK(!sigaltstack(&other, NULL));
    on_signal(SIGUSR1, constructs, SA_ONSTACK);
    on_signal(SIGUSR2, constructs, 0);
    for (int i = 0; i < 50; i++) {
        raise(SIGUSR1);
#pragma omp parallel num_threads(2)
        {
            raise(SIGUSR2);
#pragma omp single
            {
#pragma omp task
                raise(SIGUSR2);
#pragma omp task if (0)
                raise(SIGUSR2);
            }
#pragma omp critical
            raise(SIGUSR2);
        }
    }
    CHECK(handled == 50 * (1 + 2 + 2 + 2));
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    if (strcmp(argv[1], "asks") == 0)
        sampled();
    else if (strcmp(argv[1], "constructs") == 0)
        raised();
    else
        return 2;
    CHECK(bad == 0);
    return check_result(argv[1]);
}
