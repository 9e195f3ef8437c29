/* SPDX-License-Identifier: MIT
 *
 * A library for python.py: teams that call back into Python, which needs its GIL, while the thread
 * that has it waits for them. The function has the name of how.
 */
#include <omp.h>
#include <signal.h>

#include "hang.h"

typedef void callback(void);

static omp_lock_t table_lock;

void gil(callback *back)
{
#pragma omp parallel num_threads(4)
    if (omp_get_thread_num()) /* in Python the first one would hand it on */
        back(); /* gil-wants */
}

void gil_in_task(callback *back)
{
    int begun = 0;
#pragma omp parallel num_threads(2)
#pragma omp master
    {
#pragma omp task shared(begun)
        {
            __atomic_store_n(&begun, 1, __ATOMIC_SEQ_CST);
            back(); /* gil-task-wants */
        }
        while (!__atomic_load_n(&begun, __ATOMIC_SEQ_CST))
            usleep(1000);
#pragma omp taskwait
    }
}

void gil_and_lock(callback *back)
{
    omp_init_lock(&table_lock);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num()) {
        omp_set_lock(&table_lock);
        meet(2);
        back(); /* locked-wants-gil */
        omp_unset_lock(&table_lock);
    } else {
        meet(2);
        omp_set_lock(&table_lock); /* gil-wants-lock */
        omp_unset_lock(&table_lock);
    }
}

void interrupted(callback *back)
{
    (void)back;
    omp_init_lock(&table_lock);
    omp_set_lock(&table_lock);
    raise(SIGINT);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0)
        omp_set_lock(&table_lock); /* interrupted-wants */
}

void team_of_one(callback *back)
{
#pragma omp parallel num_threads(1)
    back();
}

void team(callback *back)
{
#pragma omp parallel num_threads(3)
    for (int i = 0; i < 3; i++) {
        back();
#pragma omp barrier
    }
}
