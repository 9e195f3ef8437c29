/* SPDX-License-Identifier: MIT
 *
 * Tasks that the runtime creates internally, for a taskwait with nowait and for
 * asynchronous copies. That cannot be wrapped, so an equivalent task is created here by
 * GOMP_task().
 */
#include "wrappers/task-block.h"
#include "state/waits.h"

enum { MAX_DEPEND_OBJECTS = 64 };

bool generation_begin(struct generation *g, struct thread *t, body_fn fn, uint32_t flags,
                      bool undeferred, void **depend, struct place here)
{
    struct rec_task *task =
        t->untracked
            ? NULL
            : task_create(t, fn, flags | (depend ? TASK_FLAG_DEPEND : 0), here.codeptr, NULL);
    if (!task)
        return false;
    if (depend)
        task_depends(task, depend);
    g->task = task;
    g->outer_creating = t->creating;
    t->creating = task;
    schedule_begin(&g->wait, t, STATE_OVERHEAD, 0, here);
    if (flags & TASK_FLAG_TASKWAIT)
        event_taskwait_depend(t, task, EVENT_BEGIN);
    else
        task_created(t, task,
                     undeferred || ((struct rec_task *)task->parent)->flags & TASK_FLAG_FINAL);
    return true;
}

void generation_end(const struct generation *g, struct thread *t)
{
    schedule_end(&g->wait, t);
    t->creating = g->outer_creating;
}

bool task_in_place(struct thread *t, const struct runtime *real, body_fn run,
                   struct created_task *block, size_t size, uint32_t flags, body_fn fn,
                   void **depend, struct place here)
{
    struct generation g;
    if (!generation_begin(&g, t, fn, flags, !t->region, depend, here))
        return false;
    block->task = g.task;
    real->GOMP_task(run, block, NULL, (long)size, BLOCK_ALIGN, true, depend ? GOMP_DEPEND : 0,
                    depend, 0, NULL);
    generation_end(&g, t);
    return true;
}

/* The body of the task, which runs when its dependences are fulfilled. */
static void taskwait_over(void *block)
{
    const struct created_task *made = block;
    struct thread *t = hooks_self;
    if (!t)
        return;
    event_taskwait_depend(t, made->task, EVENT_END);
    task_release(t, made->task);
}

WRAPPER(void, GOMP_taskwait_depend_nowait, (void **depend), (depend))
{
    FORWARD_UNLESS_TRACKED(t, real->GOMP_taskwait_depend_nowait(depend));
    struct created_task block;
    if (!task_in_place(t, real, taskwait_over, &block, sizeof(block),
                       TASK_FLAG_TASKWAIT | TASK_FLAG_MERGEABLE,
                       (body_fn)(uintptr_t)real->GOMP_taskwait_depend_nowait, depend, HERE))
        real->GOMP_taskwait_depend_nowait(depend);
}

/* A copy on the host, with the arguments of the call. */
struct copy_task {
    struct created_task made;
    const struct runtime *real;
    void *dst;
    const void *src;
    size_t length, dst_offset, src_offset; /* in bytes; of an array the element's length */
    int dimensions;                        /* 0: bytes */
    const size_t *volume, *dst_offsets, *src_offsets, *dst_dimensions, *src_dimensions;
    int dst_device, src_device;
};

/* The asynchronous function ends the program if the copy fails, so a failure is repeated
 * in it. */
static void copy(const struct copy_task *c)
{
    const struct runtime *real = c->real;
    if (!c->dimensions) {
        if (real->omp_target_memcpy(c->dst, c->src, c->length, c->dst_offset, c->src_offset,
                                    c->dst_device, c->src_device))
            real->omp_target_memcpy_async(c->dst, c->src, c->length, c->dst_offset, c->src_offset,
                                          c->dst_device, c->src_device, 0, NULL);
    } else if (real->omp_target_memcpy_rect(c->dst, c->src, c->length, c->dimensions, c->volume,
                                            c->dst_offsets, c->src_offsets, c->dst_dimensions,
                                            c->src_dimensions, c->dst_device, c->src_device)) {
        real->omp_target_memcpy_rect_async(
            c->dst, c->src, c->length, c->dimensions, c->volume, c->dst_offsets, c->src_offsets,
            c->dst_dimensions, c->src_dimensions, c->dst_device, c->src_device, 0, NULL);
    }
}

static void NOINLINE ompd_hooks_copy(void *block)
{
    const struct copy_task *c = block;
    struct thread *t = hooks_self;
    if (t)
        task_begin(t, c->made.task, (uintptr_t)__builtin_dwarf_cfa());
    copy(c);
    if (t)
        task_end(t, c->made.task);
}

/* The host has two numbers. */
static bool is_host(int device, int host)
{
    return device == -1 || device == host;
}

/* False if the call must be forwarded: with another device, or without memory for the
 * task. */
static bool copy_here(struct thread *t, struct copy_task *c, body_fn fn, int count, void *objects,
                      struct place here)
{
    void *depend[MAX_DEPEND_OBJECTS + 5] = {NULL, (void *)(uintptr_t)(unsigned)count};
    bool depends = count > 0 && objects;
    const struct runtime *real = c->real;
    int host = real->omp_get_num_devices();
    if (count < 0 || count > MAX_DEPEND_OBJECTS || !is_host(c->dst_device, host) ||
        !is_host(c->src_device, host) || !real->omp_target_memcpy || !real->omp_target_memcpy_rect)
        return false;
    c->dst_device = c->src_device = host;
    for (int i = 0; depends && i < count; i++)
        depend[5 + i] = (char *)objects + (size_t)i * 2 * sizeof(void *);
    return task_in_place(t, real, ompd_hooks_copy, &c->made, sizeof(*c), TASK_FLAG_TARGET, fn,
                         depends ? depend : NULL, here);
}

WRAPPER(int, omp_target_memcpy_async,
        (void *dst, const void *src, size_t length, size_t dst_offset, size_t src_offset,
         int dst_device, int src_device, int count, void *objects),
        (dst, src, length, dst_offset, src_offset, dst_device, src_device, count, objects))
{
    ROUTE_CALL;
    TRACKED_OR_FORWARD(t, real->omp_target_memcpy_async(dst, src, length, dst_offset, src_offset,
                                                        dst_device, src_device, count, objects));
    struct copy_task c = {.real = real,
                          .dst = dst,
                          .src = src,
                          .length = length,
                          .dst_offset = dst_offset,
                          .src_offset = src_offset,
                          .dst_device = dst_device,
                          .src_device = src_device};
    if (copy_here(t, &c, (body_fn)(uintptr_t)real->omp_target_memcpy_async, count, objects, HERE))
        return 0;
    return real->omp_target_memcpy_async(dst, src, length, dst_offset, src_offset, dst_device,
                                         src_device, count, objects);
}

#define RECT_PARAMETERS                                                                            \
    (void *dst, const void *src, size_t element, int dimensions, const size_t *volume,             \
     const size_t *dst_offsets, const size_t *src_offsets, const size_t *dst_dimensions,           \
     const size_t *src_dimensions, int dst_device, int src_device, int count, void *objects)
#define RECT_ARGUMENTS                                                                             \
    (dst, src, element, dimensions, volume, dst_offsets, src_offsets, dst_dimensions,              \
     src_dimensions, dst_device, src_device, count, objects)

/* Without addresses the call returns the supported number of dimensions. */
WRAPPER(int, omp_target_memcpy_rect_async, RECT_PARAMETERS, RECT_ARGUMENTS)
{
    ROUTE_CALL;
    TRACKED_OR_FORWARD(t, real->omp_target_memcpy_rect_async RECT_ARGUMENTS);
    struct copy_task c = {.real = real,
                          .dst = dst,
                          .src = src,
                          .length = element,
                          .dimensions = dimensions,
                          .volume = volume,
                          .dst_offsets = dst_offsets,
                          .src_offsets = src_offsets,
                          .dst_dimensions = dst_dimensions,
                          .src_dimensions = src_dimensions,
                          .dst_device = dst_device,
                          .src_device = src_device};
    if ((dst || src) && dimensions > 0 &&
        copy_here(t, &c, (body_fn)(uintptr_t)real->omp_target_memcpy_rect_async, count, objects,
                  HERE))
        return 0;
    return real->omp_target_memcpy_rect_async RECT_ARGUMENTS;
}
