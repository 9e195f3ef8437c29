/* SPDX-License-Identifier: MIT
 *
 * Team member 0, the primary thread, calls itself as often as the first argument says, by way
 * of a second function if there is another argument; then `bottom` is reached. Member 1 waits
 * in the body all the while.
 */
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int there, waiting;
static int hits;

static void even(int n);

static void odd(int n)
{
    if (n > 0)
        even(n - 1);
    hits++;
}

static void even(int n)
{
    if (n > 0) {
        odd(n - 1);
    } else {
        hits++; /* mark: turned */
        there = 1;
    }
    hits++;
}

static void same(int n)
{
    if (n > 0) {
        same(n - 1);
    } else {
        hits++; /* mark: bottom */
        there = 1;
    }
    hits++;
}

static int climb(int depth, int by_turns)
{
    int unused = 1000 + depth; /* not in the debug information of the body */
#pragma omp parallel num_threads(2) /* mark: region */
    {
        int own = 10 + omp_get_thread_num();
        if (own == 11)
            for (waiting = 1; !there;)
                usleep(1000);
        while (!waiting)
            usleep(1000);
        if (own == 10 && by_turns)
            odd(depth);
        else if (own == 10)
            same(depth);
        hits += own; /* mark: body */
    }
    return unused;
}

int main(int argc, char **argv)
{
    return climb(argc > 1 ? atoi(argv[1]) : 300, argc > 2) < 0;
}
