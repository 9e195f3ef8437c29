/* SPDX-License-Identifier: MIT
 *
 * What a generated program says of what it has mapped (targets.h). */
#define _GNU_SOURCE
#include "targets.h"
#include "truth.h"

#include <omp.h>
#include <semaphore.h>
#include <stdlib.h>

char pool[RANGES * LONGEST];
static sem_t turns[RANGES]; /* a kernel releases what its construct has acquired */

/* LLVM 14 fails where several threads at once are the first with a deferred target task, and with one in
 * a team of one thread. */
void prepare_devices(void)
{
    for (int i = 0; i < RANGES; i++)
        sem_init(&turns[i], 0, 1);
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp target nowait
    work(1);
    for (int i = 0; i < RANGES - OF_TASKS; i++)
        for (int times = i % 4; times; times--) {
            begin_map(i);
#pragma omp target enter data map(to : pool [i * LONGEST:ranges[i].bytes]) device(ranges[i].device)
            end_enter(i);
        }
}

void begin_map(long range)
{
    while (sem_wait(&turns[range]))
        ;
    ranges[range].maybe++;
}

static void end(long range, long count, long copy)
{
    ranges[range].count += count;
    ranges[range].copy = copy;
    ranges[range].maybe--;
    sem_post(&turns[range]);
}

void in_kernel(long range, long copy)
{
    end(range, 1, copy);
}

void end_map(long range, long count)
{
    struct range *of = &ranges[range];
    char *copy = (char *)of->host;
    if (of->ever || of->count + count) {
#pragma omp target data use_device_ptr(copy) device(of->device)
        of->copy = (long)copy;
    }
    end(range, count, of->copy);
}

void end_enter(long range)
{
    ranges[range].entered++;
    end_map(range, 1);
}

long begin_exit(long range)
{
    begin_map(range);
    if (ranges[range].entered) {
        ranges[range].entered--;
        return 1;
    }
    end_map(range, 0);
    return 0;
}

void associate(long range)
{
    struct range *of = &ranges[range];
    begin_map(range);
    if (!of->count && of->ever) {
        of->ever = omp_target_disassociate_ptr((void *)of->host, (int)of->device) != 0;
    } else if (!of->count) {
        void *copy = omp_target_alloc((size_t)of->bytes, (int)of->device);
        of->ever = omp_target_associate_ptr((void *)of->host, copy, (size_t)of->bytes, 0,
                                            (int)of->device) == 0;
    }
    end_map(range, 0);
}

static void change(long range, long count, long maybe)
{
    __atomic_add_fetch(&ranges[range].count, count, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&ranges[range].maybe, maybe, __ATOMIC_SEQ_CST);
}

void will_map(long range)
{
    change(range, 0, 1);
}

void in_task(long range, long copy)
{
    ranges[range].copy = copy;
    change(range, 1, -1);
}

void leave_task(long range)
{
    change(range, -1, 1);
}
