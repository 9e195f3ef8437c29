/* SPDX-License-Identifier: MIT
 *
 * Dispatches events to the consumers; see state/events.h.
 */
#include "state/events.h"

#include <string.h>

static struct consumer *consumers[CONSUMERS]; /* by rank; NULL: it has wanted nothing yet */

static struct consumer *consumer_at(unsigned rank)
{
    return __atomic_load_n(&consumers[rank], __ATOMIC_ACQUIRE);
}

static uint32_t wants_of(const struct consumer *consumer)
{
    return consumer ? __atomic_load_n(&consumer->wants, __ATOMIC_SEQ_CST) : 0;
}

__thread bool event_is_reported;
uint32_t events_reported;

/* For each event the function that it is dispatched to: the consumer's own if only one
 * wants the event, else one that calls all that do. Never NULL. */
#define EVENT(name, parameters, arguments)                                                         \
    static void call_all_##name parameters                                                         \
    {                                                                                              \
        for (unsigned i = 0; i < CONSUMERS; i++) {                                                 \
            const struct consumer *c = consumer_at(i);                                             \
            if (wants_of(c) & EVENT_BIT(name) && (!event_is_reported || c->wants_reported))        \
                c->name arguments;                                                                 \
        }                                                                                          \
    }                                                                                              \
    static void(*dispatch_##name) parameters = call_all_##name;
#include "state/events.def"
#undef EVENT

struct wanted {
    uint32_t by[CONSUMERS];
};

static struct wanted read_wanted(void)
{
    struct wanted wanted;
    for (unsigned i = 0; i < CONSUMERS; i++)
        wanted.by[i] = wants_of(consumer_at(i));
    return wanted;
}

/* The only consumer that wants the event; NULL if none or several do. */
static const struct consumer *sole_consumer(const struct wanted *wanted, uint32_t bit)
{
    const struct consumer *found = NULL;
    for (unsigned i = 0; i < CONSUMERS; i++) {
        if (!(wanted->by[i] & bit))
            continue;
        if (found)
            return NULL;
        found = consumer_at(i);
    }
    return found;
}

static void publish_dispatch(const struct wanted *wanted)
{
    const struct consumer *c;
#define EVENT(name, parameters, arguments)                                                         \
    c = sole_consumer(wanted, EVENT_BIT(name));                                                    \
    __atomic_store_n(&dispatch_##name, c ? c->name : call_all_##name, __ATOMIC_RELEASE);
#include "state/events.def"
#undef EVENT
}

/* May run on several threads at once: each reads the bits again after it has published,
 * and repeats if they have changed, so the last one publishes the current state. The
 * functions are published before the word that enables the events. */
void consumer_wants(struct consumer *consumer, uint32_t bits)
{
    struct wanted wanted, now;
    __atomic_store_n(&consumers[consumer->rank], consumer, __ATOMIC_RELEASE);
    __atomic_store_n(&consumer->wants, bits, __ATOMIC_SEQ_CST);
    do {
        wanted = read_wanted();
        publish_dispatch(&wanted);
        uint32_t all = 0, reported = 0;
        for (unsigned i = 0; i < CONSUMERS; i++) {
            all |= wanted.by[i];
            reported |= wanted.by[i] && consumer_at(i)->wants_reported ? wanted.by[i] : 0;
        }
        __atomic_store_n(&events_reported, reported, __ATOMIC_SEQ_CST);
        __atomic_store_n(&hooks_words.events, all, __ATOMIC_SEQ_CST);
        now = read_wanted();
    } while (memcmp(&wanted, &now, sizeof(now)) != 0);
}

void consumers_forked(void)
{
    for (unsigned i = 0; i < CONSUMERS; i++)
        if (consumers[i])
            consumers[i]->wants = 0;
    hooks_words.events = events_reported = 0;
    publish_dispatch(&(struct wanted){{0}});
    for (unsigned i = 0; i < CONSUMERS; i++)
        if (consumers[i] && consumers[i]->forked)
            consumers[i]->forked();
}

/* Raises thread_begin and the begin of the initial task before the first other event of
 * the thread, also for a consumer that started after the thread, and for one that does not
 * want that event. False for a thread that is untracked: its events are dropped. */
static NOINLINE bool report_thread(struct thread *t)
{
    bool is_reported = event_is_reported;
    if (t->untracked)
        return false;
    event_is_reported = false;
    t->reported = true;
    t->rec->tool_data = t->rec->outside_data = 0;
    if (t->initial)
        t->initial->tool_data = 0;
    event_thread_begin(t);
    if (t->initial)
        event_initial_task(t, t->initial, EVENT_BEGIN);
    event_is_reported = is_reported;
    return true;
}

uintptr_t event_code_inside(const struct thread *t, uintptr_t codeptr)
{
    const struct rec_task *task = current_task(t);
    return task && task->function ? task->function + 1 : codeptr;
}

void event_report_thread(struct thread *t)
{
    if (!t->reported)
        report_thread(t);
}

/* A cleanup function, as a consumer may throw. */
static inline void leave_consumer(struct thread *const *t)
{
    (*t)->in_callback = false;
}

/* Events that a consumer's own OpenMP calls raise are dropped: they would recurse. */
#define EVENT(name, parameters, arguments)                                                         \
    void raise_##name parameters                                                                   \
    {                                                                                              \
        if (unlikely(t->in_callback) || (unlikely(!t->reported) && !report_thread(t)))             \
            return;                                                                                \
        __attribute__((cleanup(leave_consumer))) struct thread *raising = t;                       \
        raising->in_callback = true;                                                               \
        (unlikely(event_is_reported) ? call_all_##name                                             \
                                     : __atomic_load_n(&dispatch_##name, __ATOMIC_ACQUIRE))        \
            arguments;                                                                             \
    }
#include "state/events.def"
#undef EVENT
