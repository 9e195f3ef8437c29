/* SPDX-License-Identifier: MIT
 *
 * The first use of the runtime is by a thread that has the least stack that a thread may have.
 */
#include <omp.h>
#include <pthread.h>
#include "check.h"

static int members, tasks;

static void *use(void *data)
{
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
    {
        omp_set_lock(&lock);
        members++;
        omp_unset_lock(&lock);
#pragma omp single
        {
#pragma omp task
#pragma omp critical
            tasks++;
        }
#pragma omp barrier
    }
    omp_destroy_lock(&lock);
    return data;
}

int main(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    CHECK(!pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN));
    CHECK(!pthread_create(&thread, &attributes, use, NULL));
    pthread_join(thread, NULL);
    CHECK(members == 2 && tasks == 1);
    return check_result("least");
}
