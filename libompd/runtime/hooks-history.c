/* SPDX-License-Identifier: MIT
 *
 * The flight recorder of a thread: the events in its ring, oldest first, with the times that the
 * process's two readings of the clock give them.
 */
#include "libompd/runtime/hooks.h"

enum { SHORTEST_SPAN = 5000 }; /* nanoseconds between them from which on they give a rate */

struct ring {
    taddr events;
    uint64_t count;
    uint32_t capacity;
    struct hooks_clock clock;
};

struct ring_walk {
    const struct instance *instance;
    const struct ring *ring;
    uint32_t first; /* index of the element that is visited first */
    event_visitor *visit;
    void *arg;
    bool is_idle; /* the end of its last region is stored when it is in a team again */
    bool stopped;
};

enum rc hooks_read_clock(struct instance *instance, struct hooks_clock *out)
{
    struct hooks_bytes root, record;
    enum rc rc = hooks_read_root(instance, &root);
    taddr address = rc == RC_OK ? hooks_field(instance, root.bytes, FIELD_root_clock) : 0;
    if (!address)
        return rc;
    rc = hooks_fetch(instance, RECORD_clock, address, &record);
    if (rc != RC_OK)
        return rc;
#define FIELD_OF(name) hooks_field(instance, record.bytes, FIELD_clock_##name)
    uint64_t last_ticks = FIELD_OF(last_ticks), last_time = FIELD_OF(last_time);
    out->start_ticks = FIELD_OF(start_ticks);
    out->start_time = FIELD_OF(start_time);
    if (!(FIELD_OF(seq) & 1) && out->start_time && last_ticks > out->start_ticks &&
        last_time > out->start_time && last_time - out->start_time >= SHORTEST_SPAN)
        out->rate = (double)(last_time - out->start_time) / (double)(last_ticks - out->start_ticks);
#undef FIELD_OF
    return RC_OK;
}

static enum rc read_ring(struct instance *instance, taddr address, struct ring *out)
{
    struct hooks_bytes record;
    enum rc rc = hooks_fetch(instance, RECORD_history, address, &record);
    if (rc != RC_OK)
        return rc;
    uint64_t capacity = hooks_field(instance, record.bytes, FIELD_history_capacity);
    *out = (struct ring){
        .events = hooks_field(instance, record.bytes, FIELD_history_events),
        .count = hooks_field(instance, record.bytes, FIELD_history_count),
        .capacity = (uint32_t)capacity,
    };
    if (!capacity || capacity > HOOKS_EVENTS_MAX || !out->events)
        return RC_NONSENSE;
    return hooks_read_clock(instance, &out->clock);
}

struct fact hooks_nanoseconds(const struct hooks_clock *clock, uint64_t ticks, uint64_t since)
{
    double passed = (double)ticks * clock->rate;
    if (clock->rate <= 0 || passed >= (double)(UINT64_MAX / 2) || since > UINT64_MAX / 2)
        return (struct fact){.known = NONE_HERE};
    return (struct fact){KNOWN, since + (uint64_t)passed};
}

static bool visit_event(void *arg, uint32_t index, taddr address, const void *bytes)
{
    (void)address;
    struct ring_walk *walk = arg;
    const struct ring *ring = walk->ring;
#define FIELD_OF(name) hooks_field(walk->instance, bytes, FIELD_event_##name)
    uint64_t number = FIELD_OF(number), ticks = FIELD_OF(ticks), waited = FIELD_OF(waited);
    /* Of one that is being stored the ring may not have the number yet. */
    bool is_whole = number && number - 1 <= ring->count &&
                    (number - 1) % ring->capacity == walk->first + index &&
                    ring->count < number + ring->capacity;
    if (!is_whole)
        return true;
    struct event_facts facts = {
        .number = number,
        .object = FIELD_OF(object),
        .codeptr = FIELD_OF(codeptr),
        .kind = (uint32_t)FIELD_OF(kind),
        .open = {.known = NONE_HERE},
        .time = {.known = NONE_HERE},
        .waited = {.known = NONE_HERE},
    };
#undef FIELD_OF
    uint32_t class = facts.kind & HISTORY_CLASS;
    if (class == HISTORY_SYNC || class == HISTORY_MUTEX || class == HISTORY_TARGET)
        facts.open = (struct fact){KNOWN, !waited && !walk->is_idle};
    const struct hooks_clock *clock = &ring->clock;
    if (ticks >= clock->start_ticks)
        facts.time = hooks_nanoseconds(clock, ticks - clock->start_ticks, clock->start_time);
    if (waited && waited != HISTORY_OVER)
        facts.waited = hooks_nanoseconds(clock, waited, 0);
    walk->stopped = !walk->visit(walk->arg, &facts);
    return !walk->stopped;
}

enum rc hooks_history(struct instance *instance, struct ref thread, event_visitor *visit, void *arg)
{
    const struct hooks_state *state = hooks_state(instance);
    struct hooks_bytes record;
    struct ring ring;
    if (!state->field[FIELD_thread_history].size || !state->record_need[RECORD_event])
        return RC_UNSUPPORTED;
    enum rc rc = hooks_fetch_ref(instance, RECORD_thread, thread, &record);
    if (rc != RC_OK)
        return rc;
    taddr address = hooks_field(instance, record.bytes, FIELD_thread_history);
    if (!address)
        return RC_UNAVAILABLE;
    rc = read_ring(instance, address, &ring);
    if (rc != RC_OK)
        return rc;
    uint32_t stride = state->record_size[RECORD_event];
    uint32_t next = ring.count >= ring.capacity ? (uint32_t)(ring.count % ring.capacity) : 0;
    uint32_t held = ring.count >= ring.capacity ? ring.capacity : (uint32_t)ring.count;
    bool is_idle = (hooks_field(instance, record.bytes, FIELD_thread_status) & 0xff) == STATE_idle;
    struct ring_walk walk = {instance, &ring, next, visit, arg, is_idle, false};
    rc = target_each(instance->space, ring.events + (taddr)next * stride, stride, held - next,
                     visit_event, &walk);
    walk.first = 0;
    if (rc != RC_OK || walk.stopped || !next)
        return rc;
    return target_each(instance->space, ring.events, stride, next, visit_event, &walk);
}
