/* SPDX-License-Identifier: MIT
 *
 * The best alignment of each pair of sequences: a loop over the first, a task for each
 * second.
 */
#include <string.h>
#include "kernel.h"

enum { SEQUENCES = 80, LONGEST = 320, GAP = 3 };

static char letter[SEQUENCES][LONGEST];
static int length[SEQUENCES], score[SEQUENCES][SEQUENCES];

static int at_least(int a, int b)
{
    return a > b ? a : b;
}

static int align(int a, int b)
{
    int row[LONGEST + 1] = {0}, best = 0;
    for (int i = 0; i < length[a]; i++) {
        int diagonal = 0;
        for (int k = 0; k < length[b]; k++) {
            int match = diagonal + (letter[a][i] == letter[b][k] ? 4 : -2);
            diagonal = row[k + 1];
            row[k + 1] = at_least(at_least(match, 0), at_least(row[k], diagonal) - GAP);
            best = at_least(best, row[k + 1]);
        }
    }
    return best;
}

int main(void)
{
    for (int s = 0; s < SEQUENCES; s++) {
        length[s] = LONGEST / 2 + (int)(scramble((uint64_t)s) % (LONGEST / 2));
        for (int i = 0; i < length[s]; i++)
            letter[s][i] = "ACGT"[scramble((uint64_t)(s * LONGEST + i)) % 4];
    }
#pragma omp parallel
#pragma omp for schedule(dynamic)
    for (int a = 0; a < SEQUENCES; a++)
        for (int b = a + 1; b < SEQUENCES; b++)
#pragma omp task firstprivate(a, b) untied
            score[a][b] = align(a, b);
    int right = 1;
    for (int a = 0; a < SEQUENCES; a++)
        for (int b = a + 1; b < SEQUENCES; b += 9)
            right &= score[a][b] > 0 && score[a][b] == align(a, b);
    return verdict("pairs", right);
}
