/* SPDX-License-Identifier: MIT
 *
 * Events: raised by the state functions, after the records describe them. Debuggers have
 * breakpoints; tools in the process are consumers, each with a table of functions for the
 * events of events.def.
 *
 * hooks_words.events has the bits of all events that a consumer wants: without one, an
 * event is the test of a word that is in the cache.
 */
#ifndef OMPD_HOOKS_EVENTS_H
#define OMPD_HOOKS_EVENTS_H

#include "core/hooks.h"
#include "state/state.h"

#pragma GCC visibility push(hidden)

/* The hidden aliases of the breakpoint functions (breakpoints.c) keep the calls inside
 * this library, where another library could interpose the exported names. */
void event_ompd_bp_parallel_begin(void);
void event_ompd_bp_parallel_end(void);
void event_ompd_bp_teams_begin(void);
void event_ompd_bp_teams_end(void);
void event_ompd_bp_task_begin(void);
void event_ompd_bp_task_end(void);
void event_ompd_bp_thread_begin(void);
void event_ompd_bp_thread_end(void);
void event_ompd_bp_target_begin(void);
void event_ompd_bp_target_end(void);
void event_ompd_bp_device_begin(void);
void event_ompd_bp_device_end(void);
void event_ompd_dll_locations_valid(void);

/* Does a debugger stop at the begin of regions? Its instruction is in the function then. */
bool breakpoint_is_planted(void);

/* On the primary thread, when the team size is known and, if a debugger stops there, before the
 * workers go on. */
static inline void breakpoint_region_begin(const struct region *r)
{
    if (r->rec.kind == REGION_TEAMS)
        event_ompd_bp_teams_begin();
    else
        event_ompd_bp_parallel_begin();
}

/* On the primary thread, after the region's last barrier. */
static inline void breakpoint_region_end(const struct region *r)
{
    if (r->rec.kind == REGION_TEAMS)
        event_ompd_bp_teams_end();
    else
        event_ompd_bp_parallel_end();
}

/* These enums have the values of OMPT in OpenMP 5.1 and later. */
enum endpoint { EVENT_BEGIN = 1, EVENT_END = 2 };

enum sync_kind {
    SYNC_BARRIER_EXPLICIT = 3,
    SYNC_TASKWAIT = 5,
    SYNC_TASKGROUP = 6,
    SYNC_BARRIER_WORKSHARE = 8,
    SYNC_BARRIER_PARALLEL = 9,
};

enum mutex_kind {
    MUTEX_LOCK = 1,
    MUTEX_TEST_LOCK = 2,
    MUTEX_NEST_LOCK = 3,
    MUTEX_TEST_NEST_LOCK = 4,
    MUTEX_CRITICAL = 5,
    MUTEX_ATOMIC = 6,
    MUTEX_ORDERED = 7,
};

enum work_kind {
    WORK_LOOP = 1,
    WORK_SECTIONS = 2,
    WORK_SINGLE_EXECUTOR = 3,
    WORK_SINGLE_OTHER = 4,
    WORK_TASKLOOP = 7,
    WORK_SCOPE = 8,
};

enum schedule {
    SCHEDULE_COMPLETE = 1,
    SCHEDULE_CANCEL = 3,
    SCHEDULE_DETACH = 4,
    SCHEDULE_EARLY_FULFIL = 5,
    SCHEDULE_LATE_FULFIL = 6,
    SCHEDULE_SWITCH = 7,
};

enum {
    CANCEL_PARALLEL = 0x01,
    CANCEL_SECTIONS = 0x02,
    CANCEL_LOOP = 0x04,
    CANCEL_TASKGROUP = 0x08,
    CANCEL_ACTIVATED = 0x10,
    CANCEL_DETECTED = 0x20,
};

/* EVENT_NUMBER_thread_begin, ... */
enum {
#define EVENT(name, parameters, arguments) EVENT_NUMBER_##name,
#include "state/events.def"
#undef EVENT
    EVENT_COUNT,
    EVENT_NUMBER_data = 31, /* no event: a consumer uses the data words of the records */
};
_Static_assert(EVENT_COUNT <= EVENT_NUMBER_data, "an event has no bit");
#define EVENT_BIT(name) (1u << EVENT_NUMBER_##name)

/* The consumers of events, tool interfaces and what is kept for debuggers, in the order in which events are
 * dispatched to them. */
enum consumer_rank {
    CONSUMER_OMPT,
    CONSUMER_COLLECTOR,
    CONSUMER_OMPT_2,
    CONSUMER_HISTORY,
    CONSUMER_ORDERS,
    CONSUMER_SUMS,
    CONSUMERS,
};

/* Functions for events that the consumer never wants may be NULL. */
struct consumer {
    enum consumer_rank rank;
    uint32_t wants;       /* EVENT_BITs; changed by consumer_wants() only */
    bool wants_reported;  /* also those of a runtime that itself reports them to tools */
    void (*forked)(void); /* in the child of a fork; `wants` has been set to 0 */
#define EVENT(name, parameters, arguments) void(*name) parameters;
#include "state/events.def"
#undef EVENT
};

/* Sets the events that the consumer wants, which is known from the first call on. May be called at any
 * time, also in a signal handler; events that are being dispatched are still delivered. */
void consumer_wants(struct consumer *consumer, uint32_t bits);

/* In the child of a fork. */
void consumers_forked(void);

/* The code pointer for tools. After a tail call from an outlined function the return
 * address is in the hooks: then it is the function's address, plus 1, as tools subtract 1
 * from a return address to get into the call. */
uintptr_t event_code_inside(const struct thread *t, uintptr_t codeptr);
static inline uintptr_t event_code(const struct thread *t, uintptr_t codeptr)
{
    extern const char __ehdr_start[] __attribute__((visibility("hidden")));
    extern const char etext[] __attribute__((visibility("hidden")));
    bool ours = codeptr - (uintptr_t)__ehdr_start < (uintptr_t)(etext - __ehdr_start);
    return unlikely(ours) ? event_code_inside(t, codeptr) : codeptr;
}

/* Raises thread_begin, which the first other event would do as well. */
void event_report_thread(struct thread *t);

/* The calling thread is in a callback of a runtime that reports to tools, too. */
extern __thread bool event_is_reported;

/* The events of such a runtime that a consumer wants. */
extern uint32_t events_reported;

static inline bool event_wanted(uint32_t bits)
{
    return unlikely(__atomic_load_n(&hooks_words.events, __ATOMIC_RELAXED) & bits) &&
           (likely(!event_is_reported) ||
            __atomic_load_n(&events_reported, __ATOMIC_RELAXED) & bits);
}

/* For the beginning of a wrapper that only raises events: declares `t`, the calling
 * thread, or returns the result of the real call if no consumer wants the events. */
#define FORWARD_UNLESS_WANTED(t, bits, real_call)                                                  \
    FORWARD_IF_OFF(real_call);                                                                     \
    struct thread *t = event_wanted(bits) && hooks_on(real) ? thread_self(real) : NULL;            \
    if (likely(!t))                                                                                \
    return real_call

/* raise_*() dispatches the event (consumers/dispatch.c). */
#define EVENT(name, parameters, arguments)                                                         \
    void raise_##name parameters;                                                                  \
    static inline void event_##name parameters                                                     \
    {                                                                                              \
        if (event_wanted(EVENT_BIT(name)))                                                         \
            raise_##name arguments;                                                                \
    }
#include "state/events.def"
#undef EVENT

/* The generating thread is in the construct. */
#define CREATION_EVENTS (EVENT_BIT(task_create) | EVENT_BIT(task_dependences))
void notify_task_created(struct thread *t, struct rec_task *task, bool undeferred);
static inline void task_created(struct thread *t, struct rec_task *task, bool undeferred)
{
    if (event_wanted(CREATION_EVENTS))
        notify_task_created(t, task, undeferred);
}

/* The task and the region of an event that may be about t->late; 0 outside. */
static inline uint64_t event_task_id(const struct thread *t)
{
    return t->late.pending ? t->late.task_id : t->rec->task_id;
}

static inline uint64_t event_region_id(const struct thread *t)
{
    return t->late.pending ? t->late.region_id : STATUS_REGION(t->rec->status);
}

#pragma GCC visibility pop

#endif
