/* SPDX-License-Identifier: MIT
 *
 * LU of a matrix of blocks, most of which are empty: a task for each block of each step,
 * phases held apart by taskwait and, in a second run, by dependences.
 */
#include <string.h>
#include "kernel.h"

enum { BLOCKS = 48, SIDE = 16 };
typedef double block[SIDE][SIDE];
typedef block *matrix[BLOCKS][BLOCKS];

static block *new_block(int i, int k, int filled)
{
    block *b = allocate(1, sizeof(*b));
    for (int r = 0; filled && r < SIDE; r++)
        for (int c = 0; c < SIDE; c++)
            (*b)[r][c] = fraction((uint64_t)(((i * BLOCKS + k) * SIDE + r) * SIDE + c)) +
                         (i == k && r == c ? 2.0 * SIDE * BLOCKS : 0);
    return b;
}

/* Blocks that the factors fill are there from the beginning, empty: tasks make none. */
static void make_matrix(matrix m)
{
    for (int i = 0; i < BLOCKS; i++)
        for (int k = 0; k < BLOCKS; k++)
            m[i][k] =
                i == k || abs(i - k) == 1 || (i + 2 * k) % 5 == 0 || (i * k) % 7 == 3
                    ? new_block(i, k, 1)
                    : NULL;
    for (int s = 0; s < BLOCKS; s++)
        for (int i = s + 1; i < BLOCKS; i++)
            for (int k = s + 1; k < BLOCKS; k++)
                if (m[i][s] && m[s][k] && !m[i][k])
                    m[i][k] = new_block(i, k, 0);
}

static void factor(block *d)
{
    for (int s = 0; s < SIDE; s++)
        for (int i = s + 1; i < SIDE; i++) {
            (*d)[i][s] /= (*d)[s][s];
            for (int k = s + 1; k < SIDE; k++)
                (*d)[i][k] -= (*d)[i][s] * (*d)[s][k];
        }
}

static void below(block *d, block *b)
{
    for (int i = 0; i < SIDE; i++)
        for (int s = 0; s < SIDE; s++) {
            (*b)[i][s] /= (*d)[s][s];
            for (int k = s + 1; k < SIDE; k++)
                (*b)[i][k] -= (*b)[i][s] * (*d)[s][k];
        }
}

static void right_of(block *d, block *b)
{
    for (int s = 0; s < SIDE; s++)
        for (int i = s + 1; i < SIDE; i++)
            for (int k = 0; k < SIDE; k++)
                (*b)[i][k] -= (*d)[i][s] * (*b)[s][k];
}

static void update(block *row, block *column, block *b)
{
    for (int i = 0; i < SIDE; i++)
        for (int s = 0; s < SIDE; s++)
            for (int k = 0; k < SIDE; k++)
                (*b)[i][k] -= (*row)[i][s] * (*column)[s][k];
}

static void by_phases(matrix m)
{
    for (int s = 0; s < BLOCKS; s++) {
        factor(m[s][s]);
        for (int i = s + 1; i < BLOCKS; i++) {
            if (m[s][i])
#pragma omp task firstprivate(i, s)
                right_of(m[s][s], m[s][i]);
            if (m[i][s])
#pragma omp task firstprivate(i, s)
                below(m[s][s], m[i][s]);
        }
#pragma omp taskwait
        for (int i = s + 1; i < BLOCKS; i++)
            for (int k = s + 1; k < BLOCKS; k++)
                if (m[i][s] && m[s][k])
#pragma omp task firstprivate(i, k, s)
                    update(m[i][s], m[s][k], m[i][k]);
#pragma omp taskwait
    }
}

static void by_dependences(matrix m)
{
    for (int s = 0; s < BLOCKS; s++) {
        block *d = m[s][s];
#pragma omp task depend(inout : *d)
        factor(d);
        for (int i = s + 1; i < BLOCKS; i++) {
            block *row = m[s][i], *column = m[i][s];
            if (row)
#pragma omp task depend(in : *d) depend(inout : *row)
                right_of(d, row);
            if (column)
#pragma omp task depend(in : *d) depend(inout : *column)
                below(d, column);
        }
        for (int i = s + 1; i < BLOCKS; i++)
            for (int k = s + 1; k < BLOCKS; k++) {
                block *row = m[i][s], *column = m[s][k], *to = m[i][k];
                if (row && column)
#pragma omp task depend(in : *row, *column) depend(inout : *to)
                    update(row, column, to);
            }
    }
#pragma omp taskwait
}

int main(void)
{
    static matrix serial, phases, dependences;
    make_matrix(serial);
    make_matrix(phases);
    make_matrix(dependences);
    by_phases(serial);
#pragma omp parallel
#pragma omp single
    {
        by_phases(phases);
        by_dependences(dependences);
    }
    int right = 1;
    for (int i = 0; i < BLOCKS; i++)
        for (int k = 0; k < BLOCKS; k++)
            if (serial[i][k])
                right &= !memcmp(serial[i][k], phases[i][k], sizeof(block)) &&
                         !memcmp(serial[i][k], dependences[i][k], sizeof(block));
    return verdict("sparse", right);
}
