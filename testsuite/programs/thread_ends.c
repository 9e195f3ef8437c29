/* SPDX-License-Identifier: MIT
 *
 * Threads use OpenMP while they end: in destructors of thread-specific data, whichever
 * order they come in, in cleanup handlers, after a cancellation and after pthread_exit.
 */
#include <omp.h>
#include <pthread.h>
#include <unistd.h>
#include "check.h"

enum { KEYS = 8, ROUNDS = 20 };

static pthread_key_t early[KEYS], late[KEYS];
static omp_lock_t lock;
static int destroyed, cleaned;

static void use_openmp(void)
{
#pragma omp critical
    destroyed++;
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
#pragma omp barrier
}

/* Once more in the next round of destructors, after everybody else's first. */
static void destroy(void *data)
{
    static __thread int rounds;
    use_openmp();
    if (++rounds == 1)
        pthread_setspecific(late[0], data);
}

static void clean(void *data)
{
    (void)data;
    use_openmp();
    __atomic_add_fetch(&cleaned, 1, __ATOMIC_RELAXED);
}

static int small_region(void)
{
    int n = 0;
#pragma omp parallel num_threads(2) reduction(+ : n)
    n++;
    return n;
}

static void set_keys(void)
{
    for (int i = 0; i < KEYS; i++) {
        pthread_setspecific(early[i], &lock);
        pthread_setspecific(late[i], &lock);
    }
}

static void *returns(void *data)
{
    set_keys();
    CHECK(small_region() == 2);
    return data;
}

static void *exits(void *data)
{
    pthread_cleanup_push(clean, NULL);
    CHECK(small_region() == 2);
    set_keys();
    pthread_exit(data);
    pthread_cleanup_pop(0);
}

static void *is_cancelled(void *data)
{
    (void)data;
    pthread_cleanup_push(clean, NULL);
    CHECK(small_region() == 2);
    set_keys();
    for (;;)
        pause();
    pthread_cleanup_pop(0);
}

/* Ends without ever having used OpenMP before its destructors. */
static void *only_keys(void *data)
{
    set_keys();
    return data;
}

int main(void)
{
    omp_init_lock(&lock);
    for (int i = 0; i < KEYS; i++)
        pthread_key_create(&early[i], destroy);
    CHECK(small_region() == 2);
    for (int i = 0; i < KEYS; i++)
        pthread_key_create(&late[i], destroy);
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t t[4];
        CHECK(!pthread_create(&t[0], NULL, returns, NULL));
        CHECK(!pthread_create(&t[1], NULL, exits, NULL));
        CHECK(!pthread_create(&t[2], NULL, is_cancelled, NULL));
        CHECK(!pthread_create(&t[3], NULL, only_keys, NULL));
        pthread_cancel(t[2]);
        for (int i = 0; i < 4; i++)
            pthread_join(t[i], NULL);
    }
    CHECK(cleaned >= ROUNDS && cleaned <= 2 * ROUNDS);
    CHECK(destroyed >= ROUNDS * 3 * 2 * KEYS);
    return check_result("thread_ends");
}
