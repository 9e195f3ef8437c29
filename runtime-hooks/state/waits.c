/* SPDX-License-Identifier: MIT
 *
 * The cold halves of waits.h, where somebody wants to hear of synchronisation.
 */
#include "state/waits.h"
#include "state/work.h"

void told_sync_begin(struct thread *t, enum sync_kind kind, uintptr_t codeptr)
{
    if (sync_is_barrier(kind))
        work_close(t);
    event_sync_region(t, kind, EVENT_BEGIN, codeptr);
    event_sync_wait(t, kind, EVENT_BEGIN, codeptr);
}

void told_sync_end(struct thread *t, enum sync_kind kind, uintptr_t codeptr)
{
    event_sync_wait(t, kind, EVENT_END, codeptr);
    event_sync_region(t, kind, EVENT_END, codeptr);
}

void told_contention_begin(struct thread *t, enum mutex_kind kind, bool held)
{
    t->asked = held ? MUTEX_HELD : MUTEX_FREE;
    if (held)
        event_mutex_wait(t, kind, EVENT_BEGIN);
}

void told_contention_end(struct thread *t, enum mutex_kind kind)
{
    if (t->asked == MUTEX_HELD)
        event_mutex_wait(t, kind, EVENT_END);
    t->asked = MUTEX_UNWATCHED;
}

void told_mutex_left(bool still_held, enum mutex_kind kind, uintptr_t address,
                     uintptr_t codeptr)
{
    struct thread *t = thread_known(); /* none while a tool is being started */
    if (!t)
        return;
    if (still_held)
        event_nest_lock(t, EVENT_END, address, codeptr);
    else if (kind != MUTEX_NEST_LOCK || lock_find(address))
        event_mutex_released(t, kind, address, codeptr);
}
