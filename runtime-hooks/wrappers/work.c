/* SPDX-License-Identifier: MIT
 *
 * The ends of worksharing constructs, which are barriers, and single with copyprivate.
 */
#include "state/waits.h"
#include "state/work.h"

#define IMPLICIT_BARRIER(call)                                                                     \
    do {                                                                                           \
        struct wait w;                                                                             \
        struct place here = HERE;                                                                  \
        sync_begin(&w, t, SYNC_BARRIER_WORKSHARE, STATE_WAIT_BARRIER_IMPLICIT, region_wait_id(t),  \
                   here);                                                                          \
        call;                                                                                      \
        sync_end(&w, t, SYNC_BARRIER_WORKSHARE, here);                                             \
    } while (0)

/* The construct ends before its barrier. */
#define WORK_END(kind)                                                                             \
    if (event_wanted(EVENT_BIT(work)))                                                             \
    work_end(t, kind, HERE.codeptr)

#define END(construct, kind)                                                                       \
    WRAPPER(void, GOMP_##construct##_end, (void), ())                                              \
    {                                                                                              \
        FORWARD_UNLESS_TRACKED(t, real->GOMP_##construct##_end());                                 \
        WORK_END(kind);                                                                            \
        IMPLICIT_BARRIER(real->GOMP_##construct##_end());                                          \
    }                                                                                              \
    WRAPPER(bool, GOMP_##construct##_end_cancel, (void), ())                                       \
    {                                                                                              \
        FORWARD_UNLESS_TRACKED(t, real->GOMP_##construct##_end_cancel());                          \
        bool cancelled;                                                                            \
        WORK_END(kind);                                                                            \
        IMPLICIT_BARRIER(cancelled = real->GOMP_##construct##_end_cancel());                       \
        if (cancelled)                                                                             \
            event_cancel(t, CANCEL_PARALLEL | CANCEL_DETECTED, HERE.codeptr);                      \
        return cancelled;                                                                          \
    }

END(loop, WORK_LOOP)
END(sections, WORK_SECTIONS)

/* Only after the call is it known which thread executes the block, so the events of the
 * others' wait are delayed. */
static NOINLINE void notify_single(struct thread *t, bool executes, uintptr_t codeptr)
{
    if (executes) {
        work_begin(t, WORK_SINGLE_EXECUTOR, 1, codeptr);
        return;
    }
    work_begin(t, WORK_SINGLE_OTHER, 1, codeptr);
    work_end(t, WORK_SINGLE_OTHER, codeptr);
    notify_sync_begin(t, SYNC_BARRIER_WORKSHARE, codeptr);
    notify_sync_end(t, SYNC_BARRIER_WORKSHARE, codeptr);
}

/* All but the thread that executes the block wait here for it. */
WRAPPER(void *, GOMP_single_copy_start, (void), ())
{
    FORWARD_UNLESS_TRACKED(t, real->GOMP_single_copy_start());
    struct wait w;
    struct place here = HERE;
    barrier_enter(t->rec, 0);
    schedule_begin(&w, t, STATE_WAIT_BARRIER_IMPLICIT, region_wait_id(t), here);
    void *copy = real->GOMP_single_copy_start();
    if (event_wanted(SYNC_EVENTS))
        notify_single(t, !copy, here.codeptr);
    schedule_end(&w, t);
    if (copy)
        barrier_leave(t->rec);
    else
        barrier_withdraw(t->rec); /* at the end of the block */
    return copy;
}

WRAPPER(void, GOMP_single_copy_end, (void *data), (data))
{
    FORWARD_UNLESS_TRACKED(t, real->GOMP_single_copy_end(data));
    WORK_END(WORK_SINGLE_EXECUTOR);
    IMPLICIT_BARRIER(real->GOMP_single_copy_end(data));
}

/* The end of a construct with task reductions: its task group, then its barrier. */
WRAPPER(void, GOMP_workshare_task_reduction_unregister, (bool cancelled), (cancelled))
{
    FORWARD_UNLESS_TRACKED(t, real->GOMP_workshare_task_reduction_unregister(cancelled));
    IMPLICIT_BARRIER(real->GOMP_workshare_task_reduction_unregister(cancelled));
}
