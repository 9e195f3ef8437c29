/* SPDX-License-Identifier: MIT
 *
 * What constructs leave behind is bounded: growth KIND THOUSANDS. The resident memory
 * after so many of a kind is that after the first thousand, and some pages.
 */
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "check.h"

/* Some buffers of the C library and of the kernel's counters settle late. */
enum { ALLOWED_KB = 256 };

static long resident_kb(void)
{
    long pages = 0, ignored;
    FILE *f = fopen("/proc/self/statm", "r");
    CHECK(f && fscanf(f, "%ld %ld", &ignored, &pages) == 2);
    if (f)
        fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void regions(void)
{
    for (int i = 0; i < 1000; i++)
#pragma omp parallel num_threads(2)
        __asm__ volatile("");
}

static void sized_regions(void)
{
    for (int i = 0; i < 1000; i++)
#pragma omp parallel num_threads(1 + i % 4)
        __asm__ volatile("");
}

static void tasks(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 10; i++) {
        for (int k = 0; k < 100; k++)
#pragma omp task firstprivate(i, k)
            __asm__ volatile("" : : "r"(i + k));
#pragma omp taskwait
    }
}

static void orphans(void)
{
    for (int i = 0; i < 1000; i++)
#pragma omp task
        __asm__ volatile("");
}

static void depends(void)
{
    static int of[16] __attribute__((unused));
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 10; i++) {
        for (int k = 0; k < 100; k++)
#pragma omp task depend(inout : of[k % 16]) depend(in : of[(k + 1) % 16])
            __asm__ volatile("");
#pragma omp taskwait
    }
}

static void locks(void)
{
    for (int i = 0; i < 1000; i++) {
        omp_lock_t *lock = malloc(sizeof(*lock) + 64);
        omp_nest_lock_t nest;
        omp_init_lock(lock);
        omp_init_nest_lock(&nest);
        omp_set_lock(lock);
        omp_set_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
        omp_unset_lock(lock);
        omp_destroy_nest_lock(&nest);
        omp_destroy_lock(lock);
        free(lock);
    }
}

static void *one_thread(void *data)
{
#pragma omp critical
    __asm__ volatile("");
#pragma omp parallel num_threads(1)
    __asm__ volatile("");
    return data;
}

static void threads(void)
{
    for (int i = 0; i < 100; i++) {
        pthread_t thread[10];
        for (int k = 0; k < 10; k++)
            CHECK(!pthread_create(&thread[k], NULL, one_thread, NULL));
        for (int k = 0; k < 10; k++)
            pthread_join(thread[k], NULL);
    }
}

static void settings(void)
{
    for (int i = 0; i < 1000; i++) {
        omp_set_num_threads(1 + i % 100);
        omp_set_schedule(omp_sched_dynamic, 1 + i % 50);
#pragma omp task if (0)
        omp_set_dynamic(i % 2);
    }
    omp_set_dynamic(0);
    omp_set_num_threads(2);
}

static void work_sharing(void)
{
    for (int i = 0; i < 100; i++)
#pragma omp parallel num_threads(2)
    {
        int own = i;
#pragma omp for schedule(dynamic) nowait
        for (int k = 0; k < 4; k++)
            __asm__ volatile("");
#pragma omp single copyprivate(own)
        own++;
#pragma omp sections
        {
#pragma omp section
            __asm__ volatile("");
#pragma omp section
            __asm__ volatile("");
        }
#pragma omp for ordered schedule(static, 1)
        for (int k = 0; k < 4; k++)
#pragma omp ordered
            __asm__ volatile("");
#pragma omp taskgroup
#pragma omp taskloop
        for (int k = 0; k < 4; k++)
            __asm__ volatile("");
    }
}

static const struct {
    const char *name;
    void (*thousand)(void);
} kinds[] = {
    {"regions", regions},
    {"sized-regions", sized_regions},
    {"tasks", tasks},
    {"orphans", orphans},
    {"depends", depends},
    {"locks", locks},
    {"threads", threads},
    {"settings", settings},
    {"work-sharing", work_sharing},
};

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (strcmp(kinds[i].name, argv[1]))
            continue;
        kinds[i].thousand();
        resident_kb();
        long before = resident_kb();
        for (int n = atoi(argv[2]); n > 0; n--)
            kinds[i].thousand();
        long grown = resident_kb() - before;
        if (grown > ALLOWED_KB)
            printf("grown by %ld KB\n", grown);
        return check_result(argv[1]);
    }
    return 2;
}
