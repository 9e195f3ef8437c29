/* SPDX-License-Identifier: MIT
 *
 * The callbacks and the lookup of a chained tool; see chain.h.
 *
 * Each function here passes an event to ours and then to the tool, whose words are at other
 * addresses than the runtime's. Callbacks without words of regions or tasks are set as they
 * are, unless ours wants the event as well.
 */
#include "ompt-source/chain.h"
#include "ompt-source/source.h"
#include "ompt-source/words.h"

#include <string.h>

#define EVENTS (ompt_callback_error + 1)

static bool chained;
static ompt_function_lookup_t lookup_of_runtime;
static ompt_set_callback_t set_in_runtime;
static ompt_get_callback_t get_from_runtime;
static ompt_get_task_info_t get_task_info;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_callback_t callbacks[EVENTS]; /* of the tool */

#define ONLY_TOOL(name, parameters, arguments)                                           \
    static void chain_##name parameters                                                  \
    {                                                                                    \
        __typeof__(&chain_##name) callback = (__typeof__(callback))__atomic_load_n(      \
            &callbacks[ompt_callback_##name], __ATOMIC_ACQUIRE);                         \
        if (callback)                                                                    \
            callback arguments;                                                          \
    }

/* `end`: what is done when the tool has been called. */
#define OURS_AND_TOOL(name, parameters, ours, arguments, end)                            \
    static void record_##name parameters                                                 \
    {                                                                                    \
        bool outer = event_is_reported;                                                  \
        event_is_reported = true;                                                        \
        source_##name ours;                                                              \
        event_is_reported = outer;                                                       \
    }                                                                                    \
    static void chain_##name parameters                                                  \
    {                                                                                    \
        record_##name ours;                                                              \
        __typeof__(&chain_##name) callback = (__typeof__(callback))__atomic_load_n(      \
            &callbacks[ompt_callback_##name], __ATOMIC_ACQUIRE);                         \
        if (callback)                                                                    \
            callback arguments;                                                          \
        end;                                                                             \
    }

#define WORD word_of_tool
#include "ompt-source/chained.def"
#undef ONLY_TOOL
#undef OURS_AND_TOOL

static const struct {
    ompt_callback_t chain; /* NULL: the tool's is set as it is */
    ompt_callback_t ours;
} events[EVENTS] = {
#define ONLY_TOOL(name, parameters, arguments)                                           \
    [ompt_callback_##name] = {(ompt_callback_t)chain_##name, NULL},
#define OURS_AND_TOOL(name, parameters, ours, arguments, end)                            \
    [ompt_callback_##                                                                    \
        name] = {(ompt_callback_t)chain_##name, (ompt_callback_t)record_##name},
#include "ompt-source/chained.def"
#undef ONLY_TOOL
#undef OURS_AND_TOOL
};

void source_set_callbacks(ompt_set_callback_t set)
{
    for (unsigned i = 0; i < EVENTS; i++)
        if (events[i].ours)
            set((ompt_callbacks_t)i, chained ? events[i].chain : events[i].ours);
}

/* An event that is not known here may have words that are not the tool's. */
static ompt_set_result_t chain_set_callback(ompt_callbacks_t event,
                                            ompt_callback_t callback)
{
    if ((unsigned)event >= EVENTS)
        return ompt_set_error;
    ompt_callback_t chain = events[event].chain;
    if (!chain)
        return set_in_runtime(event, callback);
    ompt_callback_t old = callbacks[event];
    __atomic_store_n(&callbacks[event], callback, __ATOMIC_RELEASE);
    ompt_set_result_t result =
        set_in_runtime(event, callback || events[event].ours ? chain : NULL);
    if (result == ompt_set_error || result == ompt_set_never)
        __atomic_store_n(&callbacks[event], result == ompt_set_error ? old : NULL,
                         __ATOMIC_RELEASE);
    return result;
}

static int chain_get_callback(ompt_callbacks_t event, ompt_callback_t *callback)
{
    if ((unsigned)event >= EVENTS || !callback)
        return 0;
    if (!events[event].chain)
        return get_from_runtime(event, callback);
    ompt_callback_t any, set = __atomic_load_n(&callbacks[event], __ATOMIC_ACQUIRE);
    if (!set || !get_from_runtime(event, &any))
        return 0;
    *callback = set;
    return 1;
}

static int chain_get_task_info(int ancestor, int *flags, ompt_data_t **task,
                               ompt_frame_t **frame, ompt_data_t **parallel, int *number)
{
    int available = get_task_info(ancestor, flags, task, frame, parallel, number);
    if (available == 2 && task)
        *task = WORD(*task);
    if (available == 2 && parallel)
        *parallel = WORD(*parallel);
    return available;
}

static int chain_get_parallel_info(int ancestor, ompt_data_t **parallel, int *size)
{
    int available = get_parallel_info(ancestor, parallel, size);
    if (available == 2 && parallel)
        *parallel = WORD(*parallel);
    return available;
}

static ompt_interface_fn_t chain_lookup(const char *name)
{
    static const struct {
        const char *name;
        ompt_interface_fn_t function;
    } entries[] = {
#define ENTRY(name) {"ompt_" #name, (ompt_interface_fn_t)chain_##name}
        ENTRY(set_callback),
        ENTRY(get_callback),
        ENTRY(get_task_info),
        ENTRY(get_parallel_info),
#undef ENTRY
    };
    ompt_interface_fn_t found = lookup_of_runtime(name);
    for (unsigned i = 0; found && i < sizeof(entries) / sizeof(entries[0]); i++)
        if (!strcmp(entries[i].name, name))
            return entries[i].function;
    return found;
}

/* A tool that is not active may have set callbacks. */
static void forget_callbacks(void)
{
    for (unsigned i = 0; i < EVENTS; i++) {
        callbacks[i] = NULL;
        set_in_runtime((ompt_callbacks_t)i, events[i].ours);
    }
}

bool chain_start(ompt_function_lookup_t lookup, int device,
                 ompt_start_tool_result_t *tool)
{
    lookup_of_runtime = lookup;
    set_in_runtime = (ompt_set_callback_t)lookup("ompt_set_callback");
    get_from_runtime = (ompt_get_callback_t)lookup("ompt_get_callback");
    get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
    get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
    chained = true;
    source_set_callbacks(set_in_runtime);
    words_share();
    if (tool->initialize(chain_lookup, device, &tool->tool_data))
        return true;
    chained = false;
    words_unshare();
    forget_callbacks();
    return false;
}
