/* SPDX-License-Identifier: MIT
 *
 * ordered loops of every schedule: the ordered blocks run in the order of iterations.
 */
#include <limits.h>
#include <omp.h>
#include "check.h"

enum { N = 120 };

static int next;

/* Keeps the compiler from counting the loops over unsigned long long in long. */
static unsigned long long low = ULLONG_MAX - 1000;

#define PRAGMA(x) _Pragma(#x)
#define IN_ORDER(...)                                                                  \
    do {                                                                               \
        next = 0;                                                                      \
        PRAGMA(omp parallel for num_threads(3) ordered schedule(__VA_ARGS__))          \
        for (int i = 0; i < N; i++) {                                                  \
            PRAGMA(omp ordered)                                                        \
            {                                                                          \
                CHECK(next == i);                                                      \
                next++;                                                                \
            }                                                                          \
        }                                                                              \
        CHECK(next == N);                                                              \
        next = 0;                                                                      \
        PRAGMA(omp parallel num_threads(3))                                            \
        PRAGMA(omp for ordered schedule(__VA_ARGS__))                                  \
        for (unsigned long long u = low; u < low + N; u++) {                           \
            int i = (int)(u - low);                                                    \
            if (i % 3 == 1)                                                            \
                continue;                                                              \
            PRAGMA(omp ordered threads)                                                \
            {                                                                          \
                CHECK(next < i + 1);                                                   \
                next = i + 1;                                                          \
            }                                                                          \
        }                                                                              \
        CHECK(next == N);                                                              \
    } while (0)

int main(void)
{
    IN_ORDER(static);
    IN_ORDER(static, 4);
    IN_ORDER(dynamic);
    IN_ORDER(dynamic, 5);
    IN_ORDER(guided);
    IN_ORDER(runtime);
    IN_ORDER(auto);

    next = 0;
#pragma omp for ordered schedule(dynamic)
    for (int i = 0; i < 5; i++)
#pragma omp ordered
        next += i;
    CHECK(next == 10);
    return check_result("ordered");
}
