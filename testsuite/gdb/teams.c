/* SPDX-License-Identifier: MIT
 *
 * Two initial threads with a team each. In that of main(), of three threads, two open
 * regions of their own. `all_here` is reached when everybody stands still; `counted` is
 * passed 50 times by each of the three before that. With an argument only main() opens
 * regions.
 */
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int arrived, done;
static int hits;

static void count(int round)
{
    __atomic_fetch_add(&hits, round != 0, __ATOMIC_RELAXED); /* mark: counted */
}

static void stand(void)
{
    arrived++;
    while (!done)
        usleep(1000);
}

static void inner(int outer)
{
#pragma omp parallel num_threads(2) /* mark: inner */
    {
        int deep = 10 * outer + omp_get_thread_num();
        stand(); /* mark: inner_body */
        hits += deep;
    }
}

static void *other(void *arg)
{
    (void)arg;
#pragma omp parallel num_threads(2) /* mark: other */
    {
        int elsewhere = 100 + omp_get_thread_num();
        stand();
        hits += elsewhere;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    (void)argv;
    omp_set_nested(1); /* GCC 10 does not nest otherwise */
    omp_set_max_active_levels(2);
    if (argc == 1)
        pthread_create(&thread, NULL, other, NULL);
    hits = 0; /* mark: first */
#pragma omp parallel num_threads(3) /* mark: outer */
    {
        int own = omp_get_thread_num();
        for (int i = 0; i < 50; i++)
            count(i);
        if (own) {
            inner(own);
        } else {
            while (arrived < (argc == 1 ? 6 : 4))
                usleep(1000);
            hits += own; /* mark: all_here */
            done = 1;
        }
    }
    if (argc == 1)
        pthread_join(thread, NULL);
    hits++; /* mark: after */
    return 0;
}
