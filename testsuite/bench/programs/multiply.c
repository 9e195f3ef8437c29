/* SPDX-License-Identifier: MIT
 *
 * The product of two matrices by seven products of halves, each a task, down to small
 * ones.
 */
#include <math.h>
#include "kernel.h"

enum { SIDE = 512, SMALL = 32, TIMES = 3 };

/* A part of a matrix: `stride` numbers from one row to the next. */
struct part {
    double *at;
    int stride;
};

static struct part quarter(struct part p, int n, int row, int column)
{
    return (struct part){p.at + (size_t)row * n * p.stride + column * n, p.stride};
}

static struct part new_part(int n)
{
    return (struct part){allocate((size_t)n * n, sizeof(double)), n};
}

/* to = a + sign * b */
static void add(struct part to, struct part a, double sign, struct part b, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            to.at[i * to.stride + k] =
                a.at[i * a.stride + k] + sign * b.at[i * b.stride + k];
}

static void multiply_small(struct part to, struct part a, struct part b, int n)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++)
            to.at[i * to.stride + k] = 0;
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                to.at[i * to.stride + k] +=
                    a.at[i * a.stride + j] * b.at[j * b.stride + k];
    }
}

static void multiply(struct part to, struct part a, struct part b, int n)
{
    if (n <= SMALL) {
        multiply_small(to, a, b, n);
        return;
    }
    int h = n / 2;
    struct part product[7], left[7], right[7];
    struct part a11 = quarter(a, h, 0, 0), a12 = quarter(a, h, 0, 1);
    struct part a21 = quarter(a, h, 1, 0), a22 = quarter(a, h, 1, 1);
    struct part b11 = quarter(b, h, 0, 0), b12 = quarter(b, h, 0, 1);
    struct part b21 = quarter(b, h, 1, 0), b22 = quarter(b, h, 1, 1);
    for (int i = 0; i < 7; i++) {
        product[i] = new_part(h);
        left[i] = new_part(h);
        right[i] = new_part(h);
    }
    add(left[0], a11, 1, a22, h), add(right[0], b11, 1, b22, h);
    add(left[1], a21, 1, a22, h), add(right[1], b11, 0, b11, h);
    add(left[2], a11, 0, a11, h), add(right[2], b12, -1, b22, h);
    add(left[3], a22, 0, a22, h), add(right[3], b21, -1, b11, h);
    add(left[4], a11, 1, a12, h), add(right[4], b22, 0, b22, h);
    add(left[5], a21, -1, a11, h), add(right[5], b11, 1, b12, h);
    add(left[6], a12, -1, a22, h), add(right[6], b21, 1, b22, h);
    for (int i = 0; i < 7; i++)
#pragma omp task firstprivate(i) shared(product, left, right)
        multiply(product[i], left[i], right[i], h);
#pragma omp taskwait
    struct part c11 = quarter(to, h, 0, 0), c12 = quarter(to, h, 0, 1);
    struct part c21 = quarter(to, h, 1, 0), c22 = quarter(to, h, 1, 1);
    add(c11, product[0], 1, product[3], h), add(c11, c11, -1, product[4], h);
    add(c11, c11, 1, product[6], h);
    add(c12, product[2], 1, product[4], h);
    add(c21, product[1], 1, product[3], h);
    add(c22, product[0], -1, product[1], h), add(c22, c22, 1, product[2], h);
    add(c22, c22, 1, product[5], h);
    for (int i = 0; i < 7; i++) {
        free(product[i].at);
        free(left[i].at);
        free(right[i].at);
    }
}

int main(void)
{
    struct part a = new_part(SIDE), b = new_part(SIDE), c = new_part(SIDE);
    for (int i = 0; i < SIDE * SIDE; i++) {
        a.at[i] = fraction((uint64_t)i);
        b.at[i] = fraction((uint64_t)i + 12345678);
    }
    for (int time = 0; time < TIMES; time++)
#pragma omp parallel
#pragma omp single
        multiply(c, a, b, SIDE);

    /* c x and a (b x) are the same for any x. */
    int right = 1;
    double bx[SIDE];
    for (int i = 0; i < SIDE; i++) {
        bx[i] = 0;
        for (int k = 0; k < SIDE; k++)
            bx[i] += b.at[i * SIDE + k] * (k % 3 - 1);
    }
    for (int i = 0; i < SIDE; i++) {
        double abx = 0, cx = 0;
        for (int k = 0; k < SIDE; k++) {
            abx += a.at[i * SIDE + k] * bx[k];
            cx += c.at[i * SIDE + k] * (k % 3 - 1);
        }
        right &= fabs(abx - cx) < 1e-6;
    }
    return verdict("multiply", right);
}
