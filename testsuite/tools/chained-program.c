/* SPDX-License-Identifier: MIT
 *
 * What a chained tool is told of is the same in each run of this program: its two threads have
 * an order wherever events need one.
 */
#include <omp.h>
#include <stdio.h>

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;
static int sum, first, second;

static void meet(void)
{
#pragma omp barrier
}

static void mutexes(void)
{
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
    for (int i = 0; i < 3; i++) {
        omp_set_lock(&lock);
        omp_unset_lock(&lock);
        sum += omp_test_lock(&lock);
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nest_lock);
        omp_set_nest_lock(&nest_lock);
        omp_unset_nest_lock(&nest_lock);
        omp_unset_nest_lock(&nest_lock);
#pragma omp critical
        sum++;
    }
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest_lock);
}

static void loops(void)
{
    int total = 0;
#pragma omp parallel num_threads(2) reduction(+ : total)
    {
#pragma omp for schedule(static)
        for (int i = 0; i < 8; i++)
            total += i;
#pragma omp for ordered
        for (int i = 0; i < 4; i++)
#pragma omp ordered
            sum += i;
#pragma omp master
        sum++;
#pragma omp barrier
    }
    sum += total;
}

static int tree(int depth)
{
    int left = 0, right = 0;
    if (!depth)
        return 1;
#pragma omp task shared(left)
    left = tree(depth - 1);
#pragma omp task shared(right) if (depth > 1)
    right = tree(depth - 1);
#pragma omp taskwait
    return left + right;
}

/* Tasks of a team of one are executed in an order; regions within them, too. */
static void tasks(void)
{
#pragma omp parallel num_threads(1)
    {
        sum += tree(3);
#pragma omp taskgroup
        {
#pragma omp task depend(out : first)
            first++;
#pragma omp task depend(in : first) depend(out : second)
            second = first;
#pragma omp task
#pragma omp parallel num_threads(2)
            meet();
        }
#pragma omp taskloop grainsize(2)
        for (int i = 0; i < 6; i++)
            sum += i;
#pragma omp taskyield
    }
}

static void nested(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
#pragma omp master
#pragma omp parallel num_threads(1)
#pragma omp parallel num_threads(1)
        sum++;
#pragma omp barrier
    }
#pragma omp parallel num_threads(1)
#pragma omp parallel num_threads(2)
    meet();
}

int main(void)
{
    for (int round = 0; round < 40; round++) {
        loops();
        mutexes();
        tasks();
        nested();
        if (round == 20)
            printf("control %d\n", omp_control_tool(4, 5, &sum));
    }
    printf("%d\n", sum);
    return 0;
}
