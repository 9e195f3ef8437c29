/* SPDX-License-Identifier: MIT
 *
 * The ends of worksharing constructs, which are barriers, and single with copyprivate.
 */
#include "work.h"
#include "waits.h"

#define IMPLICIT_BARRIER(call)                                                           \
    do {                                                                                 \
        struct wait w;                                                                   \
        struct place here = HERE;                                                        \
        sync_begin(&w, t, SYNC_BARRIER_WORKSHARE, STATE_WAIT_BARRIER_IMPLICIT,           \
                   region_wait_id(t), here);                                             \
        call;                                                                            \
        sync_end(&w, t, SYNC_BARRIER_WORKSHARE, here);                                   \
    } while (0)

void GOMP_loop_end(void)
{
    FORWARD_UNLESS_TRACKED(t, real.GOMP_loop_end());
    IMPLICIT_BARRIER(real.GOMP_loop_end());
}

bool GOMP_loop_end_cancel(void)
{
    FORWARD_UNLESS_TRACKED(t, real.GOMP_loop_end_cancel());
    bool cancelled;
    IMPLICIT_BARRIER(cancelled = real.GOMP_loop_end_cancel());
    return cancelled;
}

void GOMP_sections_end(void)
{
    FORWARD_UNLESS_TRACKED(t, real.GOMP_sections_end());
    IMPLICIT_BARRIER(real.GOMP_sections_end());
}

bool GOMP_sections_end_cancel(void)
{
    FORWARD_UNLESS_TRACKED(t, real.GOMP_sections_end_cancel());
    bool cancelled;
    IMPLICIT_BARRIER(cancelled = real.GOMP_sections_end_cancel());
    return cancelled;
}

/* All but the thread that runs the block wait here for it. */
void *GOMP_single_copy_start(void)
{
    FORWARD_UNLESS_TRACKED(t, real.GOMP_single_copy_start());
    void *copy;
    IMPLICIT_BARRIER(copy = real.GOMP_single_copy_start());
    return copy;
}

/* And that one meets them here. */
void GOMP_single_copy_end(void *data)
{
    FORWARD_UNLESS_TRACKED(t, real.GOMP_single_copy_end(data));
    IMPLICIT_BARRIER(real.GOMP_single_copy_end(data));
}

/* The end of a construct with task reductions: its task group, then its barrier. */
void GOMP_workshare_task_reduction_unregister(bool cancelled)
{
    FORWARD_UNLESS_TRACKED(t, real.GOMP_workshare_task_reduction_unregister(cancelled));
    IMPLICIT_BARRIER(real.GOMP_workshare_task_reduction_unregister(cancelled));
}
