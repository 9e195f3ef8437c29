/* SPDX-License-Identifier: MIT
 *
 * Recording may begin in the middle: while other threads are in regions, inside of a
 * nested one, in a task. Without hooks there is no omp_ompd_enable() and nothing happens.
 * The argument says where.
 */
#include <omp.h>
#include <pthread.h>
#include <string.h>
#include "check.h"

void omp_ompd_enable(void);
#pragma weak omp_ompd_enable

static const char *where;

static void here(const char *place)
{
    if (omp_ompd_enable && !strcmp(where, place))
        omp_ompd_enable();
}

static int all_constructs(void)
{
    int members = 0, tasks = 0, loops = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(3) reduction(+ : members)
    {
        members++;
        if (omp_get_thread_num() == 0)
            here("master");
        if (omp_get_thread_num() == 2)
            here("worker");
#pragma omp barrier
#pragma omp for schedule(dynamic) reduction(+ : loops)
        for (int i = 0; i < 20; i++) {
            loops++;
            if (i == 10)
                here("loop");
        }
#pragma omp single
        for (int i = 0; i < 20; i++)
#pragma omp task shared(tasks) firstprivate(i)
        {
            if (i == 10)
                here("task");
#pragma omp task shared(tasks)
            __atomic_add_fetch(&tasks, 1, __ATOMIC_RELAXED);
#pragma omp taskwait
        }
#pragma omp critical
        {
            if (omp_get_thread_num() == 1)
                here("critical");
            omp_set_lock(&lock);
            omp_unset_lock(&lock);
        }
#pragma omp parallel num_threads(2) shared(loops)
        {
            if (omp_get_thread_num() == 1)
                here("nested");
#pragma omp taskloop num_tasks(4) shared(loops)
            for (int i = 0; i < 4; i++)
                __atomic_add_fetch(&loops, 1, __ATOMIC_RELAXED);
        }
    }
    omp_destroy_lock(&lock);
    return members + tasks + loops;
}

static void *in_pthread(void *data)
{
    omp_set_max_active_levels(2); /* every initial thread has its own */
    *(int *)data = all_constructs();
    return NULL;
}

int main(int argc, char **argv)
{
    where = argc > 1 ? argv[1] : "";
    omp_set_max_active_levels(2);
    CHECK(all_constructs() == 3 + 20 + 20 + 3 * 2 * 4);
    here("between");
    int other = 0;
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, in_pthread, &other));
    for (int i = 0; i < 10; i++)
        CHECK(all_constructs() == 3 + 20 + 20 + 3 * 2 * 4);
    pthread_join(thread, NULL);
    CHECK(other == 3 + 20 + 20 + 3 * 2 * 4);
    return check_result("enabled_late");
}
