/* SPDX-License-Identifier: MIT
 *
 * Ranks of small integers: each thread counts its own, counts are added under a lock, and
 * offsets are found by one thread between barriers.
 */
#include <string.h>
#include "kernel.h"

enum { KEYS = 1 << 16, VALUES = 1 << 11, ROUNDS = 600 };

static int key[KEYS], sorted[KEYS], first[VALUES + 1], place[VALUES];

static void rank_keys(void)
{
    int own[VALUES] = {0};
#pragma omp for nowait
    for (int i = 0; i < KEYS; i++)
        own[key[i]]++;
#pragma omp critical
    for (int v = 0; v < VALUES; v++)
        first[v + 1] += own[v];
#pragma omp barrier
#pragma omp single
    for (int v = 0; v < VALUES; v++) {
        first[v + 1] += first[v];
        place[v] = first[v];
    }
#pragma omp for
    for (int i = 0; i < KEYS; i++) {
        int to;
#pragma omp atomic capture
        to = place[key[i]]++;
        sorted[to] = key[i];
    }
}

int main(void)
{
    int right = 1;
    for (int i = 0; i < KEYS; i++)
        key[i] = (int)(scramble((uint64_t)i) % VALUES);
#pragma omp parallel
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp single
        {
            memset(first, 0, sizeof(first));
            key[round] = round % VALUES;
            key[KEYS - 1 - round] = VALUES - 1 - round % VALUES;
        }
        rank_keys();
    }
    for (int i = 1; i < KEYS; i++)
        right &= sorted[i - 1] <= sorted[i];
    return verdict("buckets", right && first[VALUES] == KEYS);
}
