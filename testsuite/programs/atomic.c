/* SPDX-License-Identifier: MIT
 *
 * Atomics, those the compiler makes instructions of and those it hands to the runtime
 * (long double goes through GOMP_atomic_start).
 */
#include <omp.h>
#include "check.h"

enum { THREADS = 4, ROUNDS = 500 };

int main(void)
{
    int plain = 0;
    double real = 0;
    long double wide = 0;
    long double captured_sum = 0;
#pragma omp atomic
    wide += 1;
    wide = 0;

#pragma omp parallel num_threads(THREADS) reduction(+ : captured_sum)
    for (int i = 0; i < ROUNDS; i++) {
#pragma omp atomic
        plain++;
#pragma omp atomic
        real += 0.5;
        long double before;
#pragma omp atomic capture
        {
            before = wide;
            wide += 1;
        }
        captured_sum += before;
        long double now;
#pragma omp atomic read
        now = wide;
        CHECK(now >= before + 1);
#pragma omp atomic update seq_cst
        wide = wide + 0;
    }
    CHECK(plain == THREADS * ROUNDS && real == 0.5 * plain);
    CHECK(wide == plain);
    CHECK(captured_sum == (long double)plain * (plain - 1) / 2);
#pragma omp atomic write
    wide = 3;
    printf("%d %.1f %.1Lf\n", plain, real, wide);
    return check_result("atomic");
}
