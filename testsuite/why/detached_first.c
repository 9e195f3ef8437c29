/* SPDX-License-Identifier: MIT
 *
 * A program that is well, and on which LLVM's runtime hangs up to some version: a detached task outside of
 * regions, then teams of two and of three with tasks.
 */
#include <omp.h>

static int steps, order;

int main(void)
{
    omp_event_handle_t event;
#pragma omp task detach(event)
    omp_fulfill_event(event);
#pragma omp parallel num_threads(2)
#pragma omp master
#pragma omp task
    steps = 1;
#pragma omp parallel num_threads(3)
#pragma omp master
    {
#pragma omp task depend(out : order)
        order = steps + 1;
#pragma omp task depend(in : order)
        steps = order;
    }
    return steps != 2;
}
