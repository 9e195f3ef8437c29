/* SPDX-License-Identifier: MIT
 *
 * Poisson's equation on a cube by V-cycles: loops over grids from 32 to 4 a side, each a
 * region of its own, most of them tiny.
 */
#include <math.h>
#include <string.h>
#include "kernel.h"

enum { LEVELS = 4, SIDE = 32, CYCLES = 120, MOST = (SIDE + 1) * (SIDE + 1) * (SIDE + 1) };

static double solution[LEVELS][MOST], right_side[LEVELS][MOST], residue[LEVELS][MOST];

static int at(int n, int x, int y, int z)
{
    return (z * (n + 1) + y) * (n + 1) + x;
}

static double around(const double *u, int n, int i)
{
    int row = n + 1, plane = row * row;
    return u[i - 1] + u[i + 1] + u[i - row] + u[i + row] + u[i - plane] + u[i + plane];
}

/* Points of one colour after the other, so that the result depends on no order. */
static void smooth(int level, int n)
{
    double *u = solution[level];
    for (int colour = 0; colour < 2; colour++)
#pragma omp parallel for schedule(static)
        for (int z = 1; z < n; z++)
            for (int y = 1; y < n; y++)
                for (int x = 1 + (y + z + colour) % 2; x < n; x += 2) {
                    int i = at(n, x, y, z);
                    u[i] = (around(u, n, i) + right_side[level][i]) / 6;
                }
}

static void find_residue(int level, int n)
{
#pragma omp parallel for schedule(static)
    for (int z = 1; z < n; z++)
        for (int y = 1; y < n; y++)
            for (int x = 1; x < n; x++) {
                int i = at(n, x, y, z);
                residue[level][i] =
                    right_side[level][i] -
                    (6 * solution[level][i] - around(solution[level], n, i));
            }
}

static void cycle(int level, int n)
{
    smooth(level, n);
    smooth(level, n);
    if (level + 1 == LEVELS)
        return;
    find_residue(level, n);
    int half = n / 2;
    memset(solution[level + 1], 0, sizeof(solution[level + 1]));
#pragma omp parallel for schedule(static)
    for (int z = 1; z < half; z++)
        for (int y = 1; y < half; y++)
            for (int x = 1; x < half; x++) {
                double sum = 0;
                for (int d = 0; d < 27; d++) {
                    int dx = d % 3 - 1, dy = d / 3 % 3 - 1, dz = d / 9 - 1;
                    sum += residue[level][at(n, 2 * x + dx, 2 * y + dy, 2 * z + dz)] /
                           (double)(1 << (abs(dx) + abs(dy) + abs(dz)));
                }
                /* The mean of eight cells, on a grid twice as wide. */
                right_side[level + 1][at(half, x, y, z)] = sum / 8 * 4;
            }
    cycle(level + 1, half);
#pragma omp parallel for schedule(static)
    for (int z = 1; z < n; z++)
        for (int y = 1; y < n; y++)
            for (int x = 1; x < n; x++) {
                double sum = 0;
                for (int c = 0; c < 8; c++)
                    sum += solution[level + 1]
                                   [at(half, (x + (c & 1)) / 2, (y + (c >> 1 & 1)) / 2,
                                       (z + (c >> 2)) / 2)];
                solution[level][at(n, x, y, z)] += sum / 8;
            }
    smooth(level, n);
    smooth(level, n);
}

static double norm(void)
{
    double sum = 0;
    find_residue(0, SIDE);
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < MOST; i++)
        sum += residue[0][i] * residue[0][i];
    return sqrt(sum);
}

int main(void)
{
    for (int i = 0; i < 20; i++) {
        int x = 1 + (int)(scramble(3 * (uint64_t)i) % (SIDE - 1));
        int y = 1 + (int)(scramble(3 * (uint64_t)i + 1) % (SIDE - 1));
        int z = 1 + (int)(scramble(3 * (uint64_t)i + 2) % (SIDE - 1));
        right_side[0][at(SIDE, x, y, z)] = i % 2 ? 1 : -1;
    }
    double before = norm();
    for (int i = 0; i < CYCLES; i++)
        cycle(0, SIDE);
    return verdict("multigrid", norm() < 1e-6 * before);
}
