/* SPDX-License-Identifier: MIT
 *
 * As many deferred tasks as libgomp makes for 64 threads, 4096: independent ones, or with an
 * argument each of which has to wait for the one before. All other threads wait for a lock.
 */
#include <omp.h>
#include <unistd.h>

#include "../common/rest.h"

enum { THREADS = 64, TASKS = 4096 };
static omp_lock_t lock;
static int there, sum;

static void body(int i)
{
    sum += i;
}

int main(int argc, char **argv)
{
    (void)argv;
    omp_init_lock(&lock);
    omp_set_lock(&lock);
#pragma omp parallel num_threads(THREADS)
    {
#pragma omp master
        {
            while (__atomic_load_n(&there, __ATOMIC_SEQ_CST) < THREADS - 1)
                usleep(1000);
            until_others_rest();
            for (int i = 0; i < TASKS; i++) {
                if (argc > 1) {
#pragma omp task depend(inout : sum) /* mark: chained */
                    body(i);
                } else {
#pragma omp task /* mark: free */
                    body(i);
                }
            }
            sum++; /* mark: here */
            omp_unset_lock(&lock);
        }
        if (omp_get_thread_num()) {
            __atomic_add_fetch(&there, 1, __ATOMIC_SEQ_CST);
            omp_set_lock(&lock);
            omp_unset_lock(&lock);
        }
    }
    return sum == 0;
}
