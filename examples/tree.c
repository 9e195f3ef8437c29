/* SPDX-License-Identifier: MIT
 *
 * The sum of a tree by tasks, on two threads: its left half, its right half, and a task that
 * depends on both. The leaves wait for each other, so that every run is the same.
 */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>

struct node {
    int value;
    const struct node *left, *right;
};

static const struct node leaves[] = {{1, NULL, NULL}, {2, NULL, NULL}, {3, NULL, NULL}};
static const struct node inner = {4, &leaves[1], &leaves[2]};
static const struct node root = {5, &leaves[0], &inner};

static atomic_int visited;

static int visit(const struct node *leaf)
{
    visited++;
    while (visited < 2)
        ;
    return leaf->value;
}

static int sum(const struct node *node)
{
    int left = 0, right = 0;
    if (!node->left)
        return visit(node);
#pragma omp task shared(left)
    left = sum(node->left);
#pragma omp task shared(right)
    right = sum(node->right);
#pragma omp taskwait
    return left + right + node->value;
}

int main(void)
{
    int left = 0, right = 0;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
#pragma omp task depend(out : left)
        left = sum(root.left);
        while (visited < 1)
            ;
#pragma omp task depend(out : right)
        right = sum(root.right);
#pragma omp task depend(in : left, right)
        printf("%d\n", left + right + root.value);
    }
    return 0;
}
