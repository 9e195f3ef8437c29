/* SPDX-License-Identifier: MIT
 *
 * The truth target at rest: every thread settles and stays where it is, two pthreads with
 * teams of their own, one nested, tasks that run and one who waits for his; then it aborts,
 * or with an argument says that it is ready and waits. For cores of emulators, which do not
 * stop the other threads while they write one. Linked to a fixed address as well: gdb does not
 * find the libraries of an emulator's core otherwise.
 */
#define main never_rests
#include "testsuite/host/gomp-truth-target.c"
#undef main

enum { SETTLED = 9 };
static int settled;

static void park(int explicit_task)
{
    settle(explicit_task);
    __atomic_add_fetch(&settled, 1, __ATOMIC_SEQ_CST);
    for (;;)
        pause();
}

static void nested_team(void)
{
    unsettle();
#pragma omp parallel num_threads(2)
    park(0);
}

static void *team_of_three(void *unused)
{
    (void)unused;
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp task
            park(1);
#pragma omp taskwait
        } else if (omp_get_thread_num() == 1) {
            park(0);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    (void)argv;
    pthread_t stranger, visitor;
    truth_start();
    omp_set_nested(1);
    omp_set_max_active_levels(3);
    omp_set_dynamic(0);
    alarm(600);
    if (pthread_create(&stranger, NULL, foreigner, gomp_truths) ||
        pthread_create(&visitor, NULL, team_of_three, NULL))
        return 1;
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 1)
            nested_team();
        if (omp_get_thread_num() > 1)
            park(0);
        settle(0);
        while (__atomic_load_n(&settled, __ATOMIC_SEQ_CST) < SETTLED - 3)
            usleep(1000);
        usleep(300000);
        if (argc < 2)
            abort();
        puts("ready");
        fflush(stdout);
        for (;;)
            pause();
    }
}
