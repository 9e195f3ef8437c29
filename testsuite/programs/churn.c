/* SPDX-License-Identifier: MIT
 *
 * Threads come and go: each opens a region with its own team and ends. Thousands of
 * thread ids and stacks are used again.
 */
#include <omp.h>
#include <pthread.h>
#include <time.h>
#include "check.h"

enum { ROUNDS = 400 };

static int regions;

static void *one_region(void *data)
{
    int size = 0;
#pragma omp parallel num_threads(2) reduction(+ : size)
    {
        size++;
#pragma omp critical
        regions++;
    }
    CHECK(size == 2);
    return data;
}

static void *detached(void *data)
{
    one_region(NULL);
    __atomic_add_fetch((int *)data, 1, __ATOMIC_RELEASE);
    pthread_exit(NULL);
}

int main(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t a, b;
        CHECK(!pthread_create(&a, NULL, one_region, NULL));
        CHECK(!pthread_create(&b, NULL, one_region, NULL));
        pthread_join(a, NULL);
        pthread_join(b, NULL);
    }
    int ended = 0;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    for (int i = 0; i < 20; i++) {
        pthread_t t;
        CHECK(!pthread_create(&t, &attr, detached, &ended));
        while (__atomic_load_n(&ended, __ATOMIC_ACQUIRE) != i + 1) {
            struct timespec tick = {0, 100000};
            nanosleep(&tick, NULL);
        }
    }
    pthread_attr_destroy(&attr);
    printf("regions %d\n", regions);
    CHECK(regions == 2 * (2 * ROUNDS + 20));
    return check_result("churn");
}
