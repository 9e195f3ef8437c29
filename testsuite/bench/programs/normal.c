/* SPDX-License-Identifier: MIT
 *
 * Pairs of normal deviates, counted by size: one long loop without any synchronisation
 * but its reduction.
 */
#include <math.h>
#include "kernel.h"

enum { PAIRS = 1 << 23, RINGS = 10 };

int main(void)
{
    long count[RINGS] = {0}, accepted = 0;
    double sum_x = 0, sum_y = 0;
#pragma omp parallel for reduction(+ : count[:RINGS], accepted, sum_x, sum_y)
    for (int i = 0; i < PAIRS; i++) {
        double x = 2 * fraction(2 * (uint64_t)i) - 1,
               y = 2 * fraction(2 * (uint64_t)i + 1) - 1;
        double square = x * x + y * y;
        if (square > 1 || square == 0)
            continue;
        double factor = sqrt(-2 * log(square) / square);
        int ring = (int)fmax(fabs(x * factor), fabs(y * factor));
        count[ring < RINGS ? ring : RINGS - 1]++;
        accepted++;
        sum_x += x * factor;
        sum_y += y * factor;
    }
    /* Of pairs of normal deviates 46.6 of 100 have both between -1 and 1. */
    double expected = 0.46607 * (double)accepted;
    long sum = 0;
    for (int i = 0; i < RINGS; i++)
        sum += count[i];
    return verdict("normal", sum == accepted &&
                                 fabs((double)count[0] - expected) < 10000 &&
                                 fabs(sum_x) < 12000 && fabs(sum_y) < 12000);
}
