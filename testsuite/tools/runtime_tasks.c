/* SPDX-License-Identifier: MIT
 *
 * Tasks that the runtime makes by itself: of target constructs, and others from GCC 13 on, with a
 * tool in the program that hears of them. With -DRUNTIME it is what a library around an older libgomp adds to that, made
 * of what that has; runtime_tasks.sh writes the rest.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef omp_depend_t depend_object;

int omp_target_memcpy_async(void *dst, const void *src, size_t length, size_t dst_offset,
                            size_t src_offset, int dst_device, int src_device, int count,
                            depend_object *objects);
int omp_target_memcpy_rect_async(void *dst, const void *src, size_t element, int dimensions,
                                 const size_t *volume, const size_t *dst_offsets,
                                 const size_t *src_offsets, const size_t *dst_dimensions,
                                 const size_t *src_dimensions, int dst_device,
                                 int src_device, int count, depend_object *objects);
void GOMP_taskwait_depend_nowait(void **depend);

#ifdef RUNTIME
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>

#include "names.h"

extern void *slots[];

static void __attribute__((constructor)) fill(void)
{
    void *inner = dlopen(getenv("INNER_RUNTIME"), RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; inner && i < sizeof(names) / sizeof(names[0]); i++)
        slots[i] = dlsym(inner, names[i]);
}

typedef void task_fn(void (*)(void *), void *, void (*)(void *, void *), long, long, bool,
                     unsigned, void **, int, void *);

/* Of libgomp itself, as calls inside of it are. */
static task_fn *inner_task(void)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i], "GOMP_task") == 0)
            return (task_fn *)slots[i];
    abort();
}

static void nothing(void *unused)
{
    (void)unused;
}

void GOMP_taskwait_depend_nowait(void **depend)
{
    inner_task()(nothing, "", NULL, 0, 1, true, 8, depend, 0, NULL);
}

int omp_target_memcpy_async(void *dst, const void *src, size_t length, size_t dst_offset,
                            size_t src_offset, int dst_device, int src_device, int count,
                            depend_object *objects)
{
    (void)count, (void)objects, (void)length, (void)dst_offset, (void)src_offset, (void)dst,
        (void)src;
    if (dst_device > 100 || src_device > 100)
        return 22;
    abort(); /* a copy on the host is made by the hooks */
}

int omp_target_memcpy_rect_async(void *dst, const void *src, size_t element, int dimensions,
                                 const size_t *volume, const size_t *dst_offsets,
                                 const size_t *src_offsets, const size_t *dst_dimensions,
                                 const size_t *src_dimensions, int dst_device,
                                 int src_device, int count, depend_object *objects)
{
    (void)element, (void)dimensions, (void)volume, (void)dst_offsets, (void)src_offsets;
    (void)dst_dimensions, (void)src_dimensions, (void)dst_device, (void)src_device;
    (void)count, (void)objects;
    if (!dst && !src)
        return INT_MAX;
    abort();
}

#else
#include "testsuite/unit/hooks_records.h"
#include <limits.h>
#include <ompd/omp-tools.h>
#include "../common/start-tool.h"
#include <unistd.h>

extern const char __executable_start[], etext[];
static unsigned waits_made, waits_over, copies_made, copies_run, constructs, dependences;
static const void *last_code;

enum { WAIT = 1, COPY = 2 };

static void on_create(ompt_data_t *parent, const ompt_frame_t *frame, ompt_data_t *task,
                      int flags, int depends, const void *code)
{
    (void)parent, (void)frame, (void)depends;
    if (flags & (int)ompt_task_taskwait) {
        task->value = WAIT;
        __atomic_add_fetch(&waits_made, 1, __ATOMIC_RELAXED);
    } else if (flags & ompt_task_target) {
        task->value = COPY;
        __atomic_add_fetch(&copies_made, 1, __ATOMIC_RELAXED);
    }
    last_code = code;
}

static void on_dependences(ompt_data_t *task, const ompt_dependence_t *list, int count)
{
    if (task->value && count == 1 && list[0].variable.ptr)
        __atomic_add_fetch(&dependences, 1, __ATOMIC_RELAXED);
}

static void on_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
    if (prior->value == WAIT && status == ompt_taskwait_complete && !next)
        __atomic_add_fetch(&waits_over, 1, __ATOMIC_RELAXED);
    if (prior->value == COPY && status == ompt_task_complete)
        __atomic_add_fetch(&copies_run, 1, __ATOMIC_RELAXED);
}

static void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device,
                      ompt_data_t *task, ompt_data_t *own, ompt_data_t *target, const void *code)
{
    (void)kind, (void)endpoint, (void)device, (void)target, (void)code;
    if (own && own->value == COPY && task != own)
        __atomic_add_fetch(&constructs, 1, __ATOMIC_RELAXED);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    (void)device, (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    set(ompt_callback_task_create, (ompt_callback_t)on_create);
    set(ompt_callback_task_schedule, (ompt_callback_t)on_schedule);
    set(ompt_callback_dependences, (ompt_callback_t)on_dependences);
    set(ompt_callback_target_emi, (ompt_callback_t)on_target);
    return 1;
}

START_TOOL(initialize, finalize_nothing)

static uint64_t child_of(const struct rec_task *parent, uint32_t serial)
{
    uint64_t found = 0;
    const struct rec_slab *slab = (const struct rec_slab *)records_root()->task_slab;
    for (; slab; slab = (const struct rec_slab *)slab->next)
        for (uint32_t i = 0; i < slab->capacity; i++) {
            const struct rec_task *task =
                (const struct rec_task *)(slab->first + (uintptr_t)i * slab->stride);
            if (task->id && task->parent_id == parent->id && task->serial == serial &&
                task->dependence_count == 1)
                found = task->id;
        }
    return found;
}

static void waits(void)
{
    int x = 0, order = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        bool go = false;
#pragma omp task depend(out : x) shared(x, go)
        {
            while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE))
                usleep(100);
            x = 1;
        }
        void *depend[] = {(void *)1, (void *)1, &x};
        unsigned over = waits_over;
        GOMP_taskwait_depend_nowait(depend);
        const char *code = last_code;
        CHECK("it has a code pointer in the program",
              code >= __executable_start && code < etext);
        CHECK("a taskwait with nowait is recorded until what it waits for is over",
              child_of(task_of(records_self()), 2) && waits_over == over);
#pragma omp task depend(in : x) shared(x, order)
        order = x;
        __atomic_store_n(&go, true, __ATOMIC_RELEASE);
#pragma omp taskwait
        CHECK("and no longer", !child_of(task_of(records_self()), 2));
    }
    CHECK("what depends on it comes after", order == 1);
}

static void copies(void)
{
    int host = omp_get_initial_device();
    char from[64] = "asynchronous", to[64] = "", corner[4] = "";
    size_t volume[] = {2, 2}, zero[] = {0, 0}, offset[] = {0, 1}, wide[] = {2, 32},
           narrow[] = {2, 2};
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        omp_depend_t object;
#pragma omp depobj(object) depend(inout : to)
        CHECK("a copy is made",
              omp_target_memcpy_async(to, from, 6, 1, 2, host, -1, 1,
                                      &object) == 0);
        CHECK("a copy of an array is made",
              omp_target_memcpy_rect_async(corner, from, 1, 2, volume, zero, offset, narrow,
                                           wide, host, host, 0, NULL) == 0);
        CHECK("without addresses it says how many dimensions",
              omp_target_memcpy_rect_async(NULL, NULL, 1, 2, volume, zero, offset, narrow,
                                           wide, host, host, 0, NULL) == INT_MAX);
        CHECK("a device that is none is refused",
              omp_target_memcpy_async(to, from, 6, 0, 0, 12345, host, 0, NULL) != 0);
#pragma omp taskwait
#pragma omp depobj(object) destroy
    }
    CHECK("bytes are copied", memcmp(to, "\0ynchro", 7) == 0);
    CHECK("so is a part of an array", corner[0] == 's' && corner[1] == 'y' && !corner[2]);
}

/* Each is held by the one before; the first waits until all are there. */
static void targets(void)
{
    int x = 0, seen = 0, big[100] = {[99] = 1};
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        const struct rec_task *parent = task_of(records_self());
        bool go = false;
#pragma omp task depend(out : x) shared(x, go)
        while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE))
            usleep(100);
#pragma omp target nowait depend(inout : x) map(tofrom : x) firstprivate(big)
        {
            x += big[99];
#pragma omp parallel num_threads(2) reduction(+ : x)
            x += omp_get_level();
        }
#pragma omp target update nowait to(x) depend(inout : x)
#pragma omp target enter data nowait map(to : x) depend(inout : x)
#pragma omp target exit data nowait map(from : x) depend(inout : x)
#pragma omp task depend(in : x) shared(x, seen)
        seen = x;
        bool are_there = true;
        for (uint32_t serial = 2; serial <= 6; serial++)
            are_there &= child_of(parent, serial) != 0;
        CHECK("tasks of target constructs are recorded", are_there);
        big[99] = 7;
        __atomic_store_n(&go, true, __ATOMIC_RELEASE);
#pragma omp taskwait
        CHECK("and no longer than they are there", !child_of(parent, 2) && !child_of(parent, 5));
    }
    CHECK("what depends on them comes after", x == 3 && seen == 3);
}

int main(void)
{
    for (int i = 0; i < 50; i++) {
        waits();
        copies();
        targets();
    }
    CHECK("each taskwait is told and over", waits_made == 50 && waits_over == 50);
    CHECK("each target task is told and complete",
          copies_made == 300 && copies_run == 300 && constructs == 400);
    CHECK("with what they depend on", dependences == 300);

    char from[8] = "serial", to[8] = "";
    CHECK("outside of regions a copy is made at once",
          omp_target_memcpy_async(to, from, 8, 0, 0, -1, -1, 0, NULL) == 0 &&
              !strcmp(to, "serial"));
    int x = 0;
#pragma omp target nowait map(tofrom : x)
    x++;
#pragma omp taskwait
    CHECK("a target construct is a task there, too", x == 1 && copies_run == 302);
    return checks_done();
}
#endif
