/* SPDX-License-Identifier: MIT
 *
 * A timer interrupts all kinds of constructs; the handler asks the runtime where it is,
 * which must answer there, and errno survives.
 */
#include <errno.h>
#include <omp.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include "check.h"

static volatile sig_atomic_t alarms;
static int bad_answers;

static void on_alarm(int number)
{
    (void)number;
    int saved = errno;
    if (omp_get_num_threads() < 1 || omp_get_level() > 2 || omp_get_thread_num() > 2)
        __atomic_add_fetch(&bad_answers, 1, __ATOMIC_RELAXED);
    alarms = 1;
    errno = saved;
}

int main(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_handler = on_alarm;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    struct itimerval every = {{0, 500}, {0, 500}};
    setitimer(ITIMER_REAL, &every, NULL);

    long sum = 0, locked = 0, tasks = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
    double end = omp_get_wtime() + 0.3;
    int rounds = 0;
    do {
        rounds++;
#pragma omp parallel num_threads(3)
        {
#pragma omp for schedule(dynamic) reduction(+ : sum)
            for (int i = 0; i < 20; i++)
                sum++;
#pragma omp critical
            sum++;
            omp_set_lock(&lock);
            locked++;
            omp_unset_lock(&lock);
#pragma omp single
            for (int i = 0; i < 10; i++)
#pragma omp task shared(tasks)
                __atomic_add_fetch(&tasks, 1, __ATOMIC_RELAXED);
        }
    } while (omp_get_wtime() < end || !alarms);
    struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, NULL);
    CHECK(sum == 23L * rounds && locked == 3L * rounds && tasks == 10L * rounds);
    CHECK(bad_answers == 0);
    omp_destroy_lock(&lock);
    return check_result("signals");
}
