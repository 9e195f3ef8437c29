/* SPDX-License-Identifier: MIT
 *
 * Short regions one after the other, of two threads. Each says in the body that it has begun the
 * region of that number. */
#include <omp.h>

static volatile long entered[2];
static volatile long started;

static void enter(long number)
{
    __atomic_store_n(&entered[omp_get_thread_num()], number, __ATOMIC_SEQ_CST);
}

int main(void)
{
    for (;;) {
        long number = started + 1;
        __atomic_store_n(&started, number, __ATOMIC_SEQ_CST);
#pragma omp parallel num_threads(2)
        {
            enter(number);
            for (volatile int i = 0; i < 10; i++)
                ;
        }
    }
}
