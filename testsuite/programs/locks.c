/* SPDX-License-Identifier: MIT
 *
 * Locks and nest locks: with hints, tested, contended, passed from one task to another,
 * outside of regions and in threads that OpenMP did not make.
 */
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include "check.h"

/* omp.h declares these; libgomp 12 does not have them, later ones may. */
#pragma weak omp_init_lock_with_hint
#pragma weak omp_init_nest_lock_with_hint

enum { THREADS = 4, ROUNDS = 500 };

static omp_lock_t lock, hinted;
static omp_nest_lock_t nest, nest_hinted;
static long counter[4];

static void recurse(int depth)
{
    omp_set_nest_lock(&nest);
    counter[2]++;
    if (depth > 0)
        recurse(depth - 1);
    omp_unset_nest_lock(&nest);
}

static void *from_pthread(void *data)
{
    for (int i = 0; i < ROUNDS; i++) {
        omp_set_lock(&lock);
        ++*(long *)data;
        omp_unset_lock(&lock);
    }
    return NULL;
}

static void alone(void)
{
    errno = 55;
    omp_set_lock(&lock);
    CHECK(!omp_test_lock(&lock));
    omp_unset_lock(&lock);
    CHECK(omp_test_lock(&lock));
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    CHECK(omp_test_nest_lock(&nest) == 2);
    CHECK(omp_test_nest_lock(&nest) == 3);
    for (int i = 0; i < 3; i++)
        omp_unset_nest_lock(&nest);
    CHECK(errno == 55);
}

static void contended(void)
{
#pragma omp parallel num_threads(THREADS)
    for (int i = 0; i < ROUNDS; i++) {
        omp_set_lock(&lock);
        counter[0]++;
        omp_unset_lock(&lock);

        omp_set_lock(&hinted);
        counter[1]++;
        omp_unset_lock(&hinted);

        recurse(3);

        while (!omp_test_nest_lock(&nest_hinted)) {
#pragma omp taskyield
        }
        counter[3]++;
        omp_unset_nest_lock(&nest_hinted);
    }
    CHECK(counter[0] == THREADS * ROUNDS && counter[1] == counter[0]);
    CHECK(counter[2] == 4 * THREADS * ROUNDS && counter[3] == counter[0]);
}

/* A nest lock belongs to a task, not to a thread. */
static void owned_by_task(void)
{
    int other_got_it = -1;
#pragma omp parallel num_threads(1)
    {
        omp_set_nest_lock(&nest);
#pragma omp task if (0) shared(other_got_it)
        other_got_it = omp_test_nest_lock(&nest);
        CHECK(other_got_it == 0);
        omp_unset_nest_lock(&nest);
    }
}

int main(void)
{
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
    if (omp_init_lock_with_hint && omp_init_nest_lock_with_hint) {
        omp_init_lock_with_hint(&hinted,
                                omp_sync_hint_contended | omp_sync_hint_speculative);
        omp_init_nest_lock_with_hint(&nest_hinted, omp_sync_hint_uncontended);
    } else {
        omp_init_lock(&hinted);
        omp_init_nest_lock(&nest_hinted);
    }

    alone();
    contended();
    owned_by_task();
    alone();

    long shared = 0;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        CHECK(!pthread_create(&threads[i], NULL, from_pthread, &shared));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    CHECK(shared == 2 * ROUNDS);

    omp_destroy_lock(&lock);
    omp_destroy_lock(&hinted);
    omp_destroy_nest_lock(&nest);
    omp_destroy_nest_lock(&nest_hinted);
    printf("%ld %ld\n", counter[0], counter[2]);
    return check_result("locks");
}
