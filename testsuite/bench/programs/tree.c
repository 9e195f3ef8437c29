/* SPDX-License-Identifier: MIT
 *
 * Counts the nodes of a random tree of which nobody knows the shape before: a task for
 * each child, whose number of children follows from its own random state.
 */
#include "kernel.h"

enum { ROOT_CHILDREN = 400, CHILDREN = 8, MOST_DEEP = 400 };
#define PROBABILITY 0.1235

static int children_of(uint64_t node, int depth)
{
    if (depth == 0)
        return ROOT_CHILDREN;
    return depth < MOST_DEEP && fraction(node) < PROBABILITY ? CHILDREN : 0;
}

static uint64_t child_of(uint64_t node, int i)
{
    return scramble(node * 31 + (uint64_t)i);
}

static long count_serial(uint64_t node, int depth)
{
    long sum = 1;
    for (int i = children_of(node, depth) - 1; i >= 0; i--)
        sum += count_serial(child_of(node, i), depth + 1);
    return sum;
}

static long count(uint64_t node, int depth)
{
    int n = children_of(node, depth);
    long below[n + 1], sum = 1;
    for (int i = 0; i < n; i++)
#pragma omp task shared(below) firstprivate(i)
        below[i] = count(child_of(node, i), depth + 1);
#pragma omp taskwait
    for (int i = 0; i < n; i++)
        sum += below[i];
    return sum;
}

int main(void)
{
    int right = 1;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        long sum = 0, wanted = count_serial(seed, 0);
#pragma omp parallel
#pragma omp single
        sum = count(seed, 0);
        right &= sum == wanted;
    }
    return verdict("tree", right);
}
