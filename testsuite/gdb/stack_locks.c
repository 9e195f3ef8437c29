/* SPDX-License-Identifier: MIT
 *
 * Threads wait for locks that are variables of functions, and tasks for such, too; one is on the
 * heap. */
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

#include "../common/rest.h"

struct table {
    int rows;
    omp_lock_t lock;
    pthread_mutex_t mutex;
};

static int sink;

static void use(struct table *shared, struct table *heap, omp_nest_lock_t *nest, int number)
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
        break;
    case 5:
        omp_set_lock(&heap->lock);
    }
}

static void wait_here(int *value)
{
    *value = 1;
    until_others_rest();
    sink = *value; /* mark: here */
}

int main(void)
{
    struct table s = {.mutex = PTHREAD_MUTEX_INITIALIZER}, *heap = malloc(sizeof *heap);
    omp_nest_lock_t nest;
    omp_init_lock(&s.lock);
    omp_init_nest_lock(&nest);
    omp_init_lock(&heap->lock);
    omp_set_lock(&s.lock);
    omp_set_lock(&heap->lock);
    omp_set_nest_lock(&nest);
    pthread_mutex_lock(&s.mutex);
    int value = 0;
#pragma omp parallel num_threads(6)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp task depend(out : value) if (0)
            {
#pragma omp task depend(in : s.rows) shared(s)
                sink += s.rows;
                wait_here(&value);
            }
        } else
            use(&s, heap, &nest, omp_get_thread_num());
    }
    return 0;
}
