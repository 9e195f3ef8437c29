/* SPDX-License-Identifier: MIT
 *
 * Conjugate gradients on a sparse matrix: in one region the work-shared loops, reductions
 * and barriers of many short iterations.
 */
#include <math.h>
#include "kernel.h"

enum { N = 1400, ROW = 13, OUTER = 300, INNER = 25 };

static int column[N][ROW];
static double value[N][ROW], x[N], b[N], r[N], p[N], q[N];

/* Symmetric, and dominated by its diagonal. */
static void make_matrix(void)
{
    static const int offset[ROW] = {0,   1,    -1,  7,    -7,  31,  -31,
                                    113, -113, 301, -301, 500, -500};
    for (int i = 0; i < N; i++) {
        b[i] = 1;
        for (int k = 0; k < ROW; k++) {
            int to = (i + offset[k] + N) % N;
            column[i][k] = to;
            value[i][k] =
                k == 0 ? 14 : -fraction((uint64_t)(i < to ? i * N + to : to * N + i));
        }
    }
}

static double rho, curvature, next;

static void solve(void)
{
#pragma omp for
    for (int i = 0; i < N; i++) {
        x[i] = 0;
        r[i] = p[i] = b[i];
    }
#pragma omp single
    rho = 0;
#pragma omp for reduction(+ : rho)
    for (int i = 0; i < N; i++)
        rho += r[i] * r[i];
    for (int step = 0; step < INNER; step++) {
#pragma omp single
        curvature = next = 0;
#pragma omp for
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int k = 0; k < ROW; k++)
                sum += value[i][k] * p[column[i][k]];
            q[i] = sum;
        }
#pragma omp for reduction(+ : curvature)
        for (int i = 0; i < N; i++)
            curvature += p[i] * q[i];
        double alpha = rho / curvature;
#pragma omp for reduction(+ : next)
        for (int i = 0; i < N; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
            next += r[i] * r[i];
        }
        double beta = next / rho;
#pragma omp for
        for (int i = 0; i < N; i++)
            p[i] = r[i] + beta * p[i];
#pragma omp single
        rho = next;
    }
}

int main(void)
{
    make_matrix();
#pragma omp parallel
    for (int i = 0; i < OUTER; i++)
        solve();
    double worst = 0;
    for (int i = 0; i < N; i++) {
        double sum = -b[i];
        for (int k = 0; k < ROW; k++)
            sum += value[i][k] * x[column[i][k]];
        worst = fmax(worst, fabs(sum));
    }
    return verdict("gradient", worst < 1e-4);
}
