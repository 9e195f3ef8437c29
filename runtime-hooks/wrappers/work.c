/* SPDX-License-Identifier: MIT
 *
 * The ends of worksharing constructs, which are barriers, and single with copyprivate.
 */
#include "state/waits.h"
#include "state/work.h"

#define IMPLICIT_BARRIER(call)                                                           \
    do {                                                                                 \
        struct wait w;                                                                   \
        struct place here = HERE;                                                        \
        sync_begin(&w, t, SYNC_BARRIER_WORKSHARE, STATE_WAIT_BARRIER_IMPLICIT,           \
                   region_wait_id(t), here);                                             \
        call;                                                                            \
        sync_end(&w, t, SYNC_BARRIER_WORKSHARE, here);                                   \
    } while (0)

/* The construct is over before its barrier. */
#define WORK_OVER(kind)                                                                  \
    if (event_wanted(EVENT_BIT(work)))                                                   \
    work_end(t, kind, HERE.codeptr)

#define BARRIER_CANCELLED                                                                \
    if (cancelled)                                                                       \
    event_cancel(t, CANCEL_PARALLEL | CANCEL_DETECTED, HERE.codeptr)

WRAPPER(void, GOMP_loop_end, (void), ())
{
    FORWARD_UNLESS_TRACKED(t, real->GOMP_loop_end());
    WORK_OVER(WORK_LOOP);
    IMPLICIT_BARRIER(real->GOMP_loop_end());
}

WRAPPER(bool, GOMP_loop_end_cancel, (void), ())
{
    FORWARD_UNLESS_TRACKED(t, real->GOMP_loop_end_cancel());
    bool cancelled;
    WORK_OVER(WORK_LOOP);
    IMPLICIT_BARRIER(cancelled = real->GOMP_loop_end_cancel());
    BARRIER_CANCELLED;
    return cancelled;
}

WRAPPER(void, GOMP_sections_end, (void), ())
{
    FORWARD_UNLESS_TRACKED(t, real->GOMP_sections_end());
    WORK_OVER(WORK_SECTIONS);
    IMPLICIT_BARRIER(real->GOMP_sections_end());
}

WRAPPER(bool, GOMP_sections_end_cancel, (void), ())
{
    FORWARD_UNLESS_TRACKED(t, real->GOMP_sections_end_cancel());
    bool cancelled;
    WORK_OVER(WORK_SECTIONS);
    IMPLICIT_BARRIER(cancelled = real->GOMP_sections_end_cancel());
    BARRIER_CANCELLED;
    return cancelled;
}

/* Who runs the block is known when the call returns, so the others' wait is told late. */
static NOINLINE void told_single(struct thread *t, bool executes, uintptr_t codeptr)
{
    if (executes) {
        work_begin(t, WORK_SINGLE_EXECUTOR, 1, codeptr);
        return;
    }
    work_begin(t, WORK_SINGLE_OTHER, 1, codeptr);
    work_end(t, WORK_SINGLE_OTHER, codeptr);
    told_sync_begin(t, SYNC_BARRIER_WORKSHARE, codeptr);
    told_sync_end(t, SYNC_BARRIER_WORKSHARE, codeptr);
}

/* All but the thread that runs the block wait here for it. */
WRAPPER(void *, GOMP_single_copy_start, (void), ())
{
    FORWARD_UNLESS_TRACKED(t, real->GOMP_single_copy_start());
    struct wait w;
    struct place here = HERE;
    barrier_enter(t->rec, 0);
    schedule_begin(&w, t, STATE_WAIT_BARRIER_IMPLICIT, region_wait_id(t), here);
    void *copy = real->GOMP_single_copy_start();
    if (event_wanted(SYNC_EVENTS))
        told_single(t, !copy, here.codeptr);
    schedule_end(&w, t);
    barrier_leave(t->rec);
    return copy;
}

/* And that one meets them here. */
WRAPPER(void, GOMP_single_copy_end, (void *data), (data))
{
    FORWARD_UNLESS_TRACKED(t, real->GOMP_single_copy_end(data));
    WORK_OVER(WORK_SINGLE_EXECUTOR);
    IMPLICIT_BARRIER(real->GOMP_single_copy_end(data));
}

/* The end of a construct with task reductions: its task group, then its barrier. */
WRAPPER(void, GOMP_workshare_task_reduction_unregister, (bool cancelled), (cancelled))
{
    FORWARD_UNLESS_TRACKED(t, real->GOMP_workshare_task_reduction_unregister(cancelled));
    IMPLICIT_BARRIER(real->GOMP_workshare_task_reduction_unregister(cancelled));
}
