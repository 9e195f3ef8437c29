/* SPDX-License-Identifier: MIT
 *
 * Waits for dependences where LLVM's runtime has an assertion on a data word of tools: on a thread
 * that has been through the end of a region, in one, and within another such wait. A thread whose
 * turn it is not executes no task: the runtime of LLVM 14 crashes, with tools or without, where
 * another thread ends the one that is waited for.
 */
#include <omp.h>
#include <sched.h>
#include <stdio.h>

static int wait_for_child(void)
{
    int done = 0;
#pragma omp task depend(out : done) shared(done)
    done = 1;
#pragma omp taskwait depend(in : done)
    return done;
}

static int wait_undeferred(void)
{
    int done = 0, seen = 0;
#pragma omp task depend(out : done) shared(done)
    done = 1;
#pragma omp task depend(in : done) shared(done, seen) if (0)
    seen = done;
    return seen;
}

static int wait_within(void)
{
    int done = 0;
#pragma omp task depend(out : done) shared(done)
    done = wait_for_child() + wait_undeferred();
#pragma omp taskwait depend(in : done)
    return done;
}

static void spin_until(const int *flag, int value)
{
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) != value)
        sched_yield();
}

int main(void)
{
    int sum = 0;
    for (int round = 0; round < 20; round++) {
        int done = 0, turn = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
        {
            spin_until(&turn, omp_get_thread_num());
            sum += wait_for_child() + wait_undeferred();
            __atomic_add_fetch(&turn, 1, __ATOMIC_RELEASE);
            spin_until(&turn, 2);
        }
#pragma omp parallel num_threads(2)
#pragma omp master
        {
#pragma omp task shared(done)
            __atomic_store_n(&done, wait_for_child() + wait_undeferred() + wait_within(),
                             __ATOMIC_RELEASE);
            spin_until(&done, 4);
        }
        sum += done;
    }
    printf("%d\n", sum);
    return 0;
}
