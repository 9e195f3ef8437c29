/* SPDX-License-Identifier: MIT
 *
 * Threads that OpenMP did not make open regions, several at a time; some use constructs
 * outside of any region, and some end while others go on.
 */
#include <omp.h>
#include <pthread.h>
#include "check.h"

enum { PTHREADS = 4, ROUNDS = 30 };

static long total;
static omp_lock_t lock;

static void *open_regions(void *data)
{
    long me = (long)data, mine = 0;
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel num_threads(2 + me % 2) reduction(+ : mine)
        {
            CHECK(omp_get_level() == 1);
            CHECK(omp_get_num_threads() == 2 + me % 2);
#pragma omp barrier
            mine++;
#pragma omp single
#pragma omp task shared(mine)
            CHECK(omp_in_parallel());
        }
#pragma omp critical
        total++;
        omp_set_lock(&lock);
        total++;
        omp_unset_lock(&lock);
    }
    CHECK(mine == ROUNDS * (2 + me % 2));
    return NULL;
}

static void *no_region(void *data)
{
    (void)data;
    CHECK(!omp_in_parallel() && omp_get_thread_num() == 0);
#pragma omp barrier
#pragma omp critical
    total++;
    int value = 0;
#pragma omp task shared(value)
    value = 1;
#pragma omp taskwait
    CHECK(value == 1);
    return NULL;
}

static void *nothing(void *data)
{
    return data;
}

int main(void)
{
    omp_init_lock(&lock);
    pthread_t threads[PTHREADS], short_lived[2];
    for (long i = 0; i < PTHREADS; i++)
        CHECK(!pthread_create(&threads[i], NULL, open_regions, (void *)i));
    int here = 0;
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel num_threads(2) reduction(+ : here)
        here++;
        CHECK(!pthread_create(&short_lived[0], NULL, no_region, NULL));
        CHECK(!pthread_create(&short_lived[1], NULL, nothing, NULL));
        pthread_join(short_lived[0], NULL);
        pthread_join(short_lived[1], NULL);
    }
    for (int i = 0; i < PTHREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK(here == 2 * ROUNDS);
    omp_destroy_lock(&lock);
    return check_result("pthreads");
}
