/* SPDX-License-Identifier: MIT
 *
 * Critical sections without a name, with names and hints, nested in each other, and
 * outside of regions.
 */
#include <errno.h>
#include <omp.h>
#include "check.h"

enum { THREADS = 4, ROUNDS = 500 };

static long plain, named, hinted, deep;
static int inside_plain, inside_named;

int main(void)
{
    errno = 99;
#pragma omp critical
    plain++;
#pragma omp critical(update)
    named++;
    CHECK(errno == 99);

#pragma omp parallel num_threads(THREADS)
    for (int i = 0; i < ROUNDS; i++) {
#pragma omp critical
        {
            CHECK(__atomic_add_fetch(&inside_plain, 1, __ATOMIC_SEQ_CST) == 1);
            plain++;
            __atomic_sub_fetch(&inside_plain, 1, __ATOMIC_SEQ_CST);
        }
#pragma omp critical(update)
        {
            CHECK(__atomic_add_fetch(&inside_named, 1, __ATOMIC_SEQ_CST) == 1);
            named++;
            __atomic_sub_fetch(&inside_named, 1, __ATOMIC_SEQ_CST);
        }
#pragma omp critical(guess) hint(omp_sync_hint_contended)
        hinted++;
#pragma omp critical(outer)
        {
#pragma omp critical(inner)
            {
#pragma omp critical
                deep++;
            }
        }
    }
    CHECK(plain == 1 + THREADS * ROUNDS && named == plain);
    CHECK(hinted == THREADS * ROUNDS && deep == hinted);
    printf("%ld %ld %ld %ld\n", plain, named, hinted, deep);
    return check_result("critical");
}
