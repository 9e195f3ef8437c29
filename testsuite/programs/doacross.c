/* SPDX-License-Identifier: MIT
 *
 * Loops whose iterations wait for others: one, three and nine dimensions (the runtime
 * gets those as variable arguments), signed and unsigned long long, every schedule.
 */
#include <limits.h>
#include <omp.h>
#include "check.h"

enum { N = 100, E = 4 };

#define PRAGMA(x) _Pragma(#x)

/* Where the loops start. Not known to the compiler, or it would count them in long. */
static unsigned long long low;

/* value[i] = value[i - 1] + i, whoever computes it. */
#define CHAIN(type, ...)                                                               \
    do {                                                                               \
        long value[N] = {0};                                                           \
        PRAGMA(omp parallel for num_threads(3) ordered(1) schedule(__VA_ARGS__))       \
        for (type i = (type)low + 1; i < (type)low + N; i++) {                         \
            PRAGMA(omp ordered depend(sink : i - 1))                                   \
            value[i - low] = value[i - low - 1] + (long)(i - low);                     \
            PRAGMA(omp ordered depend(source))                                         \
        }                                                                              \
        CHECK(value[N - 1] == (N - 1L) * N / 2);                                       \
    } while (0)

/* Paths through a lattice: each point sums what is before it in three directions. */
#define LATTICE(type, ...)                                                             \
    do {                                                                               \
        static long grid[E + 1][E + 1][E + 1];                                         \
        grid[0][1][1] = 1;                                                             \
        PRAGMA(omp parallel for num_threads(3) ordered(3) schedule(__VA_ARGS__))       \
        for (type x = (type)low + 1; x <= (type)low + E; x++)                          \
            for (type y = (type)low + 1; y <= (type)low + E; y++)                      \
                for (type z = (type)low + 1; z <= (type)low + E; z++) {                \
                    PRAGMA(omp ordered depend(sink : x - 1, y, z)                      \
                               depend(sink : x, y - 1, z) depend(sink : x, y, z - 1))  \
                    int i = (int)(x - low), j = (int)(y - low), k = (int)(z - low);    \
                    grid[i][j][k] =                                                    \
                        grid[i - 1][j][k] + grid[i][j - 1][k] + grid[i][j][k - 1];     \
                    PRAGMA(omp ordered depend(source))                                 \
                }                                                                      \
        CHECK(grid[E][E][E] == 1680);                                                  \
    } while (0)

#define NINE(type, ...)                                                                \
    do {                                                                               \
        long last = 0, out_of_order = 0;                                               \
        PRAGMA(omp parallel for num_threads(3) ordered(9) schedule(__VA_ARGS__))       \
        for (type a = (type)low + 1; a <= (type)low + 6; a++)                          \
            for (type b = 0; b < 1; b++)                                               \
                for (type c = 0; c < 2; c++)                                           \
                    for (type d = 0; d < 1; d++)                                       \
                        for (type e = 0; e < 2; e++)                                   \
                            for (type f = 0; f < 1; f++)                               \
                                for (type g = 0; g < 1; g++)                           \
                                    for (type h = 0; h < 1; h++)                       \
                                        for (type i = 0; i < 2; i++) {                 \
                                            PRAGMA(omp ordered depend(                 \
                                                sink : a - 1, b, c, d, e, f, g, h, i)) \
                                            if (c + e + i == 3) {                      \
                                                if (last != (long)(a - low) - 1)       \
                                                    out_of_order++;                    \
                                                last = (long)(a - low);                \
                                            }                                          \
                                            PRAGMA(omp ordered depend(source))         \
                                        }                                              \
        CHECK(last == 6 && out_of_order == 0);                                         \
    } while (0)

#define ALL(type)                                                                      \
    CHAIN(type, static);                                                               \
    CHAIN(type, static, 3);                                                            \
    CHAIN(type, dynamic);                                                              \
    CHAIN(type, guided);                                                               \
    CHAIN(type, runtime);                                                              \
    LATTICE(type, static);                                                             \
    LATTICE(type, dynamic);                                                            \
    LATTICE(type, guided);                                                             \
    LATTICE(type, runtime);                                                            \
    NINE(type, static);                                                                \
    NINE(type, dynamic)

int main(void)
{
    ALL(long);
    low = ULLONG_MAX - 1000;
    ALL(unsigned long long);

    long alone = 0;
#pragma omp for ordered(1)
    for (int i = 1; i < 5; i++) {
#pragma omp ordered depend(sink : i - 1)
        alone = alone * 10 + i;
#pragma omp ordered depend(source)
    }
    CHECK(alone == 1234);
    return check_result("doacross");
}
