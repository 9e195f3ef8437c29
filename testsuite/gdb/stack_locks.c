/* SPDX-License-Identifier: MIT
 *
 * Threads wait for locks that are variables of functions, and tasks for such, too. */
#include <omp.h>
#include <pthread.h>

#include "sleepers.h"

struct table {
    int rows;
    omp_lock_t lock;
    pthread_mutex_t mutex;
};

static int sink;

static void use(struct table *shared, omp_nest_lock_t *nest, int number)
{
    omp_lock_t own[2];
    omp_init_lock(&own[0]);
    omp_init_lock(&own[1]);
    switch (number) {
    case 1:
        omp_set_lock(&shared->lock);
        break;
    case 2:
        omp_set_nest_lock(nest);
        break;
    case 3:
        pthread_mutex_lock(&shared->mutex);
        break;
    case 4:
        omp_set_lock(&own[1]);
        omp_set_lock(&own[1]);
    }
}

static void wait_here(int *value)
{
    *value = 1;
    until_others_sleep();
    sink = *value; /* mark: here */
}

int main(void)
{
    struct table s = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    omp_nest_lock_t nest;
    omp_init_lock(&s.lock);
    omp_init_nest_lock(&nest);
    omp_set_lock(&s.lock);
    omp_set_nest_lock(&nest);
    pthread_mutex_lock(&s.mutex);
    int value = 0;
#pragma omp parallel num_threads(5)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp task depend(out : value) if (0)
            {
#pragma omp task depend(in : s.rows) shared(s)
                sink += s.rows;
                wait_here(&value);
            }
        } else
            use(&s, &nest, omp_get_thread_num());
    }
    return 0;
}
