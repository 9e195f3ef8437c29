/* SPDX-License-Identifier: MIT
 *
 * All ways to place queens: a task for each queen of the first rows, with a board of its
 * own.
 */
#include <stdbool.h>
#include <string.h>
#include "kernel.h"

enum { SIDE = 12, TASK_ROWS = 5, WANTED = 14200 };

struct board {
    signed char column[SIDE];
};

static bool is_safe(const struct board *b, int row, int column)
{
    for (int i = 0; i < row; i++) {
        int apart = b->column[i] - column;
        if (apart == 0 || apart == row - i || apart == i - row)
            return false;
    }
    return true;
}

static long place(struct board board, int row)
{
    if (row == SIDE)
        return 1;
    long found[SIDE] = {0}, sum = 0;
    for (int column = 0; column < SIDE; column++) {
        if (!is_safe(&board, row, column))
            continue;
        board.column[row] = (signed char)column;
        if (row < TASK_ROWS) {
#pragma omp task shared(found) firstprivate(board, row, column)
            found[column] = place(board, row + 1);
        } else {
            found[column] = place(board, row + 1);
        }
    }
#pragma omp taskwait
    for (int column = 0; column < SIDE; column++)
        sum += found[column];
    return sum;
}

int main(void)
{
    struct board empty;
    memset(&empty, 0, sizeof(empty));
    long result = 0;
#pragma omp parallel
#pragma omp single
    result = place(empty, 0);
    return verdict("queens", result == WANTED);
}
