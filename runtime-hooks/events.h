/* SPDX-License-Identifier: MIT
 *
 * The seam between state and those who want to hear of it. State functions call these
 * after the records say what the event is about. To add a consumer, call it here.
 *
 * The hidden aliases of the breakpoint functions (breakpoints.c) keep the calls inside
 * this library, where another library could interpose the exported names.
 */
#ifndef OMPD_HOOKS_EVENTS_H
#define OMPD_HOOKS_EVENTS_H

#include "hooks.h"
#include "state.h"

#pragma GCC visibility push(hidden)

void event_ompd_bp_parallel_begin(void);
void event_ompd_bp_parallel_end(void);
void event_ompd_bp_teams_begin(void);
void event_ompd_bp_teams_end(void);
void event_ompd_bp_task_begin(void);
void event_ompd_bp_task_end(void);
void event_ompd_bp_thread_begin(void);
void event_ompd_bp_thread_end(void);
void event_ompd_dll_locations_valid(void);

/* On the master, once the team is known and while its workers are held. */
static inline void event_region_begin(const struct region *r)
{
    if (r->rec.kind == REGION_TEAMS)
        event_ompd_bp_teams_begin();
    else
        event_ompd_bp_parallel_begin();
}

/* On the master, when all its workers are out. */
static inline void event_region_end(const struct region *r)
{
    if (r->rec.kind == REGION_TEAMS)
        event_ompd_bp_teams_end();
    else
        event_ompd_bp_parallel_end();
}

/* On the thread that runs the explicit task, which is its current one. */
static inline void event_task_begin(void)
{
    event_ompd_bp_task_begin();
}

static inline void event_task_end(void)
{
    event_ompd_bp_task_end();
}

/* On a thread whose record has been, or is still, published. */
static inline void event_thread_begin(void)
{
    event_ompd_bp_thread_begin();
}

static inline void event_thread_end(void)
{
    event_ompd_bp_thread_end();
}

#pragma GCC visibility pop

#endif
