/* SPDX-License-Identifier: MIT
 *
 * Registration of callbacks, and the shutdown of the tool that has registered them; events.def lists the
 * events and how far each is supported.
 */
#include "consumers/ompt-2/ompt-2.h"
#include "state/threads.h"

#include <stdlib.h>

enum { COUNT = ompt_event_task_dependence_pair + 1 };
enum { UNSEEN = 1, CONVENIENT = 3, ALWAYS = 4 };

static const struct {
    uint8_t answer;
    uint32_t needs;
} events[COUNT] = {
#define NEEDS(event) EVENT_BIT(event)
#define NOTHING 0
#define OMPT_2_EVENT(name, code, signature, needs, answer, remark) [code] = {answer, needs},
#include "consumers/ompt-2/events.def"
#undef OMPT_2_EVENT
};

#define OMPT_2_EVENT(name, code, signature, needs, answer, remark)                                 \
    _Static_assert(ompt_event_##name == (code), "events.def and the header differ");
#include "consumers/ompt-2/events.def"
#undef OMPT_2_EVENT

static ompt_callback_t callbacks[COUNT];
static bool is_open;
static struct consumer *consumer;
static bool is_active; /* a tool, in this process */

ompt_callback_t ompt_2_callback(ompt_event_t event)
{
    return __atomic_load_n(&callbacks[event], __ATOMIC_RELAXED);
}

int ompt_2_set_callback(ompt_event_t event, ompt_callback_t callback)
{
    unsigned code = (unsigned)event;
    if (!is_open || code >= COUNT || !events[code].answer)
        return 0;
    if (events[code].answer != UNSEEN)
        __atomic_store_n(&callbacks[code], callback, __ATOMIC_RELAXED);
    return events[code].answer;
}

int ompt_2_get_callback(ompt_event_t event, ompt_callback_t *callback)
{
    unsigned code = (unsigned)event;
    ompt_callback_t registered = code < COUNT ? ompt_2_callback(event) : NULL;
    if (!registered || !callback)
        return 0;
    *callback = registered;
    return 1;
}

/* An atexit() handler. It is registered before main(), so that it runs before the
 * destructors of libraries, which the tool may need to write its data, and again when the
 * runtime creates its first team: as with a runtime that is initialized then, it runs
 * before the handlers that the program has registered by then. */
static void shut_down(void)
{
    if (!is_active)
        return;
    threads_finalize(true);
    is_active = false;
    ompt_callback_t callback = ompt_2_callback(ompt_event_runtime_shutdown);
    if (callback)
        callback();
    ompt_2_forget();
}

void ompt_2_used(void)
{
    static bool used;
    if (!__atomic_exchange_n(&used, true, __ATOMIC_RELAXED))
        atexit(shut_down);
}

void ompt_2_open(struct consumer *of_tool)
{
    static bool at_exit;
    if (!at_exit)
        at_exit = atexit(shut_down) == 0;
    consumer = of_tool;
    is_active = is_open = true;
}

void ompt_2_close(void)
{
    /* For ompt_get_task_info, and the shutdown. */
    uint32_t wants = EVENT_BIT(target) | EVENT_BIT(parallel_begin);
    is_open = false;
    for (unsigned i = 0; i < COUNT; i++)
        if (callbacks[i])
            wants |= events[i].needs;
    consumer_wants(consumer, wants);
}

void ompt_2_forget(void)
{
    is_active = false;
    consumer_wants(consumer, 0);
    for (unsigned i = 0; i < COUNT; i++)
        __atomic_store_n(&callbacks[i], NULL, __ATOMIC_RELAXED);
}
