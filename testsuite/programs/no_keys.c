/* SPDX-License-Identifier: MIT
 *
 * A program that has taken all keys for thread-specific data before recording begins:
 * nobody's values may be touched for want of another key.
 */
#include <omp.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include "check.h"

void omp_ompd_enable(void);
#pragma weak omp_ompd_enable

enum { KEYS = PTHREAD_KEYS_MAX };

static omp_lock_t lock;

static bool ours[KEYS]; /* what records from the beginning has a key of its own */

/* All keys are small numbers here. */
static void look(void *values[KEYS])
{
    for (pthread_key_t key = 0; key < KEYS; key++)
        values[key] = pthread_getspecific(key);
}

/* Met for the first time in a call that opens no region. */
static void *visit(void *unused)
{
    static void *before[KEYS], *after[KEYS];
    look(before);
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
    look(after);
    for (unsigned key = 0; key < KEYS; key++)
        CHECK(!ours[key] || before[key] == after[key]);
    return unused;
}

int main(void)
{
    pthread_key_t key;
    unsigned taken = 0;
    while (pthread_key_create(&key, NULL) == 0) {
        ours[key] = true;
        taken++;
    }
    CHECK(taken > 0);
    if (omp_ompd_enable)
        omp_ompd_enable();
    omp_init_lock(&lock);
    for (unsigned round = 0; round < 3; round++) {
        pthread_t thread;
        int members = 0;
        CHECK(pthread_create(&thread, NULL, visit, NULL) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
#pragma omp parallel num_threads(3) reduction(+ : members)
        members++;
        CHECK(members == 3);
    }
    omp_destroy_lock(&lock);
    return check_result("no_keys");
}
