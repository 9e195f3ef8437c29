/* SPDX-License-Identifier: MIT
 *
 * Locks, critical sections, ordered and atomics: a thread gets what it has asked for, and
 * lets go of what it has. That it is free is told later than it is so.
 */
#include "checker.h"

/* With and without test is the same lock. */
static ompt_mutex_t plain(ompt_mutex_t kind)
{
    return kind == ompt_mutex_test_lock        ? ompt_mutex_lock
           : kind == ompt_mutex_test_nest_lock ? ompt_mutex_nest_lock
                                               : kind;
}

static void known(const char *event, ompt_mutex_t kind)
{
    if ((int)kind < ompt_mutex_lock || kind > ompt_mutex_ordered)
        contradiction("kind", event, "it is %d", (int)kind);
}

static struct held *find(ompt_mutex_t kind, ompt_wait_id_t id)
{
    for (int i = 0; i < me->held_count && i < HELD; i++)
        if (me->held[i].id == id && me->held[i].kind == plain(kind))
            return &me->held[i];
    return NULL;
}

static void hold(ompt_mutex_t kind, ompt_wait_id_t id)
{
    if (me->held_count < HELD)
        me->held[me->held_count++] = (struct held){plain(kind), id};
}

void on_mutex_acquire(ompt_mutex_t kind, unsigned int hint, unsigned int impl,
                      ompt_wait_id_t id, const void *codeptr)
{
    BEGIN();
    (void)hint;
    (void)impl;
    known("mutex_acquire", kind);
    check_code("mutex_acquire", codeptr);
    HOLDS(data, id != ompt_wait_id_none, "it has no id");
    HOLDS(mutex, !me->acquiring.id, "it waits for another one");
    if (kind != ompt_mutex_test_lock && kind != ompt_mutex_test_nest_lock) {
        me->acquiring = (struct held){kind, id};
        ompt_wait_id_t awaited = ompt_wait_id_none;
        int state = ask.get_state(&awaited);
        HOLDS(wait_state,
              state >= ompt_state_wait_mutex && state <= ompt_state_wait_ordered,
              "it is %x", (unsigned)state);
        HOLDS(wait_state, awaited == id, "the wait id is another one");
    }
    HOLDS(mutex,
          kind == ompt_mutex_nest_lock || kind == ompt_mutex_test_nest_lock ||
              kind == ompt_mutex_test_lock || !find(kind, id),
          "it has that one");
}

void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void *codeptr)
{
    BEGIN();
    known("mutex_acquired", kind);
    check_code("mutex_acquired", codeptr);
    if (kind != ompt_mutex_test_lock && kind != ompt_mutex_test_nest_lock)
        HOLDS(mutex, me->acquiring.id == id && me->acquiring.kind == kind,
              "it did not ask for that one");
    HOLDS(mutex, !find(kind, id), "it has that one");
    me->acquiring = (struct held){0};
    hold(kind, id);
}

void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t id, const void *codeptr)
{
    BEGIN();
    known("mutex_released", kind);
    check_code("mutex_released", codeptr);
    struct held *held = find(kind, id);
    HOLDS(mutex, held, "it does not have %lx of kind %d", (unsigned long)id, (int)kind);
    if (held)
        *held = me->held[--me->held_count];
}

void on_nest_lock(ompt_scope_endpoint_t at, ompt_wait_id_t id, const void *codeptr)
{
    BEGIN();
    check_code("nest_lock", codeptr);
    HOLDS(endpoint, at == ompt_scope_begin || at == ompt_scope_end, "it is %d", (int)at);
    HOLDS(mutex, find(ompt_mutex_nest_lock, id), "it does not have that one");
    if (at == ompt_scope_begin)
        me->acquiring = (struct held){0};
}

static void existence(const char *event, ompt_mutex_t kind, ompt_wait_id_t id,
                      const void *codeptr)
{
    check_code(event, codeptr);
    if (plain(kind) != ompt_mutex_lock && plain(kind) != ompt_mutex_nest_lock)
        contradiction("kind", event, "it is %d", (int)kind);
    if (id == ompt_wait_id_none)
        contradiction("data", event, "it has no id");
}

void on_lock_init(ompt_mutex_t kind, unsigned int hint, unsigned int impl,
                  ompt_wait_id_t id, const void *codeptr)
{
    BEGIN();
    (void)hint;
    (void)impl;
    existence("lock_init", kind, id, codeptr);
}

void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t id, const void *codeptr)
{
    BEGIN();
    existence("lock_destroy", kind, id, codeptr);
}
