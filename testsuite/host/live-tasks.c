/* SPDX-License-Identifier: MIT
 *
 * A program that stays where test-live-tasks.py looks at it: of two threads one runs a task that holds
 * a critical section, the other waits for that section; of four more tasks three wait for
 * others and one is ready. It ends by being killed.
 */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

static volatile int began;

int main(void)
{
    int a = 0, b = 0;
    omp_set_schedule(omp_sched_guided, 7);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
#pragma omp task depend(out : a)
#pragma omp critical(held)
        {
            began = 1;
            for (;;)
                pause();
        }
#pragma omp task depend(in : a)
        b += a;
#pragma omp task depend(in : a)
        b += a;
#pragma omp task depend(inout : a)
        a++;
#pragma omp task
        b++;
        while (!began)
            usleep(1000);
        puts("ready");
        fflush(stdout);
#pragma omp critical(held)
        b++;
    }
    return b;
}
