/* SPDX-License-Identifier: MIT
 *
 * One thread makes tasks and another runs every one of them, in numbers around a power of
 * two, before both threads end: whatever is pooled for tasks piles up in the second.
 */
#include <omp.h>
#include <pthread.h>
#include "check.h"

enum { FEW = 50, MANY = 80, BURST = 120 };

static void spin_until(const int *count, int wanted)
{
    while (__atomic_load_n(count, __ATOMIC_ACQUIRE) != wanted)
        ;
}

/* Thread 1 does not come to a task scheduling point while its tasks are run, so thread 0
 * runs them all in its barrier. */
static void drift(int tasks)
{
    int done = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            for (int i = 0; i < tasks; i++)
#pragma omp task shared(done)
            {
                CHECK(omp_get_thread_num() == 0);
                __atomic_add_fetch(&done, 1, __ATOMIC_RELEASE);
            }
            spin_until(&done, tasks);
        }
    }
    CHECK(done == tasks);
}

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all_done;

/* None ends before the last has drifted, so none begins with what another left. */
static void *drift_and_end(void *data)
{
    pthread_mutex_lock(&turn);
    drift((int)(long)data);
    pthread_mutex_unlock(&turn);
    pthread_barrier_wait(&all_done);
    return NULL;
}

int main(void)
{
    pthread_t threads[MANY - FEW];
    pthread_barrier_init(&all_done, NULL, MANY - FEW);
    for (long i = 0; i < MANY - FEW; i++)
        CHECK(!pthread_create(&threads[i], NULL, drift_and_end, (void *)(FEW + i)));
    for (int i = 0; i < MANY - FEW; i++)
        pthread_join(threads[i], NULL);
    for (int round = 0; round < 50; round++)
        drift(BURST);
    return check_result("task_drift");
}
