/* SPDX-License-Identifier: MIT
 *
 * Hands events to the consumers; see events.h.
 */
#include "events.h"

#define CONSUMER(name) extern struct consumer consumer_##name;
#include "consumers.def"
#undef CONSUMER

static struct consumer *const consumers[] = {
#define CONSUMER(name) &consumer_##name,
#include "consumers.def"
#undef CONSUMER
    NULL,
};

static uint32_t wanted_by_any(void)
{
    uint32_t all = 0;
    for (struct consumer *const *c = consumers; *c; c++)
        all |= __atomic_load_n(&(*c)->wants, __ATOMIC_SEQ_CST);
    return all;
}

/* Several threads may be here: each looks again after it has written, so the last one
 * leaves what is true. */
void consumer_wants(struct consumer *consumer, uint32_t bits)
{
    uint32_t all;
    __atomic_store_n(&consumer->wants, bits, __ATOMIC_SEQ_CST);
    do {
        all = wanted_by_any();
        __atomic_store_n(&hooks_words.events, all, __ATOMIC_SEQ_CST);
    } while (wanted_by_any() != all);
}

void consumers_forked(void)
{
    for (struct consumer *const *c = consumers; *c; c++)
        (*c)->wants = 0;
    hooks_words.events = 0;
    for (struct consumer *const *c = consumers; *c; c++)
        if ((*c)->forked)
            (*c)->forked();
}

/* A tool hears of the thread before it hears of anything that the thread does, also when
 * it came later than the thread. */
static bool introduced(struct thread *t)
{
    if (likely(t->introduced))
        return true;
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

uintptr_t event_code(const struct thread *t, uintptr_t codeptr)
{
    extern const char __ehdr_start[] __attribute__((visibility("hidden")));
    extern const char etext[] __attribute__((visibility("hidden")));
    const struct rec_task *task = current_task(t);
    bool ours = codeptr >= (uintptr_t)__ehdr_start && codeptr < (uintptr_t)etext;
    return ours && task && task->function ? task->function + 1 : codeptr;
}

void event_introduce(struct thread *t)
{
    introduced(t);
}

/* Also when a tool leaves by an exception. */
static void told(struct thread *const *t)
{
    (*t)->telling = false;
}

/* What a tool does of OpenMP itself is not told: it would tell of its telling for ever. */
#define EVENT(name, parameters, arguments)                                               \
    void raise_##name parameters                                                         \
    {                                                                                    \
        if (t->telling || !introduced(t))                                                \
            return;                                                                      \
        __attribute__((cleanup(told))) struct thread *teller = t;                        \
        teller->telling = true;                                                          \
        for (struct consumer *const *c = consumers; *c; c++)                             \
            if (__atomic_load_n(&(*c)->wants, __ATOMIC_ACQUIRE) & EVENT_BIT(name))       \
                (*c)->name arguments;                                                    \
    }
#include "events.def"
#undef EVENT
