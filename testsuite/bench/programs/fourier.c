/* SPDX-License-Identifier: MIT
 *
 * A three-dimensional Fourier transform there and back: loops over the lines of each
 * direction, each line a transform of its own.
 */
#include <complex.h>
#include <math.h>
#include "kernel.h"

enum { BITS = 5, SIDE = 1 << BITS, ALL = SIDE * SIDE * SIDE, TIMES = 80 };

static double complex field[ALL], root[SIDE];

static void transform_line(double complex *line, int stride, int back)
{
    double complex v[SIDE];
    for (int i = 0; i < SIDE; i++) {
        int reversed = 0;
        for (int bit = 0; bit < BITS; bit++)
            reversed |= (i >> bit & 1) << (BITS - 1 - bit);
        v[reversed] = line[i * stride];
    }
    for (int half = 1; half < SIDE; half *= 2)
        for (int begin = 0; begin < SIDE; begin += 2 * half)
            for (int i = 0; i < half; i++) {
                double complex w = root[i * (SIDE / 2 / half)];
                double complex odd = v[begin + i + half] * (back ? conj(w) : w);
                v[begin + i + half] = v[begin + i] - odd;
                v[begin + i] += odd;
            }
    for (int i = 0; i < SIDE; i++)
        line[i * stride] = back ? v[i] / SIDE : v[i];
}

static void transform(int back)
{
#pragma omp parallel for
    for (int i = 0; i < SIDE * SIDE; i++)
        transform_line(field + i * SIDE, 1, back);
#pragma omp parallel for collapse(2)
    for (int z = 0; z < SIDE; z++)
        for (int x = 0; x < SIDE; x++)
            transform_line(field + z * SIDE * SIDE + x, SIDE, back);
#pragma omp parallel for schedule(dynamic, 16)
    for (int i = 0; i < SIDE * SIDE; i++)
        transform_line(field + i, SIDE * SIDE, back);
}

int main(void)
{
    for (int i = 0; i < SIDE; i++)
        root[i] = cexp(-2 * I * acos(-1) * i / SIDE);
    for (int i = 0; i < ALL; i++)
        field[i] = fraction(2 * (uint64_t)i) + I * fraction(2 * (uint64_t)i + 1);
    for (int time = 0; time < TIMES; time++) {
        transform(0);
        transform(1);
    }
    double worst = 0;
#pragma omp parallel for reduction(max : worst)
    for (int i = 0; i < ALL; i++)
        worst = fmax(worst, cabs(field[i] - fraction(2 * (uint64_t)i) -
                                 I * fraction(2 * (uint64_t)i + 1)));
    return verdict("fourier", worst < 1e-9);
}
