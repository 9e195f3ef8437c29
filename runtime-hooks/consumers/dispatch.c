/* SPDX-License-Identifier: MIT
 *
 * Hands events to the consumers; see events.h.
 */
#include "state/events.h"

#include <string.h>

#define CONSUMER(name) extern struct consumer consumer_##name;
#include "consumers/consumers.def"
#undef CONSUMER

static struct consumer *const consumers[] = {
#define CONSUMER(name) &consumer_##name,
#include "consumers/consumers.def"
#undef CONSUMER
    NULL,
};

enum { CONSUMERS = sizeof(consumers) / sizeof(consumers[0]) - 1 };

/* For each event the function that it is handed to: the consumer's own when one alone wants
 * it, else one that asks each. Never NULL. */
#define EVENT(name, parameters, arguments)                                               \
    static void ask_all_##name parameters                                                \
    {                                                                                    \
        for (struct consumer *const *c = consumers; *c; c++)                             \
            if (__atomic_load_n(&(*c)->wants, __ATOMIC_ACQUIRE) & EVENT_BIT(name))       \
                (*c)->name arguments;                                                    \
    }                                                                                    \
    static void(*receiver_##name) parameters = ask_all_##name;
#include "state/events.def"
#undef EVENT

struct wanted {
    uint32_t by[CONSUMERS];
};

static struct wanted look(void)
{
    struct wanted wanted;
    for (unsigned i = 0; i < CONSUMERS; i++)
        wanted.by[i] = __atomic_load_n(&consumers[i]->wants, __ATOMIC_SEQ_CST);
    return wanted;
}

/* The only consumer that wants the event; NULL if none or several do. */
static const struct consumer *only(const struct wanted *wanted, uint32_t bit)
{
    const struct consumer *found = NULL;
    for (unsigned i = 0; i < CONSUMERS; i++) {
        if (!(wanted->by[i] & bit))
            continue;
        if (found)
            return NULL;
        found = consumers[i];
    }
    return found;
}

static void choose_receivers(const struct wanted *wanted)
{
    const struct consumer *c;
#define EVENT(name, parameters, arguments)                                               \
    c = only(wanted, EVENT_BIT(name));                                                   \
    __atomic_store_n(&receiver_##name, c ? c->name : ask_all_##name, __ATOMIC_RELEASE);
#include "state/events.def"
#undef EVENT
}

/* Several threads may be here: each looks again after it has written, so the last one
 * leaves what is true. The receivers come before the word that lets events through. */
void consumer_wants(struct consumer *consumer, uint32_t bits)
{
    struct wanted wanted, now;
    __atomic_store_n(&consumer->wants, bits, __ATOMIC_SEQ_CST);
    do {
        wanted = look();
        choose_receivers(&wanted);
        uint32_t all = 0;
        for (unsigned i = 0; i < CONSUMERS; i++)
            all |= wanted.by[i];
        __atomic_store_n(&hooks_words.events, all, __ATOMIC_SEQ_CST);
        now = look();
    } while (memcmp(&wanted, &now, sizeof(now)) != 0);
}

void consumers_forked(void)
{
    for (struct consumer *const *c = consumers; *c; c++)
        (*c)->wants = 0;
    hooks_words.events = 0;
    choose_receivers(&(struct wanted){{0}});
    for (struct consumer *const *c = consumers; *c; c++)
        if ((*c)->forked)
            (*c)->forked();
}

/* A tool hears of the thread before it hears of anything that the thread does, also when
 * it came later than the thread. */
static NOINLINE bool introduce(struct thread *t)
{
    if (t->untracked)
        return false;
    t->introduced = true;
    t->rec->tool_data = t->rec->outside_data = 0;
    if (t->initial)
        t->initial->tool_data = 0;
    event_thread_begin(t);
    if (t->initial)
        event_initial_task(t, t->initial, EVENT_BEGIN);
    return true;
}

uintptr_t event_code_inside(const struct thread *t, uintptr_t codeptr)
{
    const struct rec_task *task = current_task(t);
    return task && task->function ? task->function + 1 : codeptr;
}

void event_report_thread(struct thread *t)
{
    if (!t->introduced)
        introduce(t);
}

/* Also when a tool leaves by an exception. */
static inline void told(struct thread *const *t)
{
    (*t)->telling = false;
}

/* What a tool does of OpenMP itself is not told: it would tell of its telling for ever. */
#define EVENT(name, parameters, arguments)                                               \
    void raise_##name parameters                                                         \
    {                                                                                    \
        if (unlikely(t->telling) || (unlikely(!t->introduced) && !introduce(t)))         \
            return;                                                                      \
        __attribute__((cleanup(told))) struct thread *teller = t;                        \
        teller->telling = true;                                                          \
        __atomic_load_n(&receiver_##name, __ATOMIC_ACQUIRE) arguments;                   \
    }
#include "state/events.def"
#undef EVENT
