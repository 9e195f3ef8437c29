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
static ompt_get_state_t get_state;
static ompt_get_thread_data_t get_thread_data;
static ompt_get_proc_id_t get_proc_id;
static ompt_get_place_num_t get_place_num;
static ompt_get_partition_place_nums_t get_partition_place_nums;
static ompt_callback_t callbacks[EVENTS]; /* of the tool */

#define ONLY_TOOL(name, parameters, arguments)                                                     \
    static void chain_##name parameters                                                            \
    {                                                                                              \
        __typeof__(&chain_##name) callback = (__typeof__(callback))__atomic_load_n(                \
            &callbacks[ompt_callback_##name], __ATOMIC_ACQUIRE);                                   \
        if (callback)                                                                              \
            callback arguments;                                                                    \
    }

/* `end`: what is done when the tool has been called. */
#define OURS_AND_TOOL(name, parameters, ours, arguments, end)                                      \
    static void record_##name parameters                                                           \
    {                                                                                              \
        bool outer = event_is_reported;                                                            \
        event_is_reported = true;                                                                  \
        source_##name ours;                                                                        \
        event_is_reported = outer;                                                                 \
    }                                                                                              \
    static void chain_##name parameters                                                            \
    {                                                                                              \
        record_##name ours;                                                                        \
        __typeof__(&chain_##name) callback = (__typeof__(callback))__atomic_load_n(                \
            &callbacks[ompt_callback_##name], __ATOMIC_ACQUIRE);                                   \
        if (callback)                                                                              \
            callback arguments;                                                                    \
        end;                                                                                       \
    }

#define WORD word_of_tool
#include "ompt-source/chained.def"
#undef ONLY_TOOL
#undef OURS_AND_TOOL

static const struct {
    ompt_callback_t chain; /* NULL: the tool's is set as it is */
    ompt_callback_t ours;
} events[EVENTS] = {
#define ONLY_TOOL(name, parameters, arguments)                                                     \
    [ompt_callback_##name] = {(ompt_callback_t)chain_##name, NULL},
#define OURS_AND_TOOL(name, parameters, ours, arguments, end)                                      \
    [ompt_callback_##name] = {(ompt_callback_t)chain_##name, (ompt_callback_t)record_##name},
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

/* Of an event in two forms the runtime raises the one with `_emi` alone where that is set: ours is not
 * where the tool has set the other. */
static void choose_form(ompt_callbacks_t event, ompt_callbacks_t plain, ompt_callbacks_t emi)
{
    if (event == plain || event == emi)
        set_in_runtime(emi, callbacks[plain] && !callbacks[emi] ? NULL : events[emi].chain);
}

/* An event that is not known here may have words that are not the tool's. */
static ompt_set_result_t chain_set_callback(ompt_callbacks_t event, ompt_callback_t callback)
{
    if ((unsigned)event >= EVENTS)
        return ompt_set_error;
    ompt_callback_t chain = events[event].chain;
    if (!chain)
        return set_in_runtime(event, callback);
    ompt_callback_t old = callbacks[event];
    __atomic_store_n(&callbacks[event], callback, __ATOMIC_RELEASE);
    ompt_set_result_t result = set_in_runtime(event, callback || events[event].ours ? chain : NULL);
    if (result == ompt_set_error || result == ompt_set_never)
        __atomic_store_n(&callbacks[event], result == ompt_set_error ? old : NULL,
                         __ATOMIC_RELEASE);
    choose_form(event, ompt_callback_target, ompt_callback_target_emi);
    choose_form(event, ompt_callback_target_data_op, ompt_callback_target_data_op_emi);
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

/* A tool that is not active may keep the entry points. Ours is, so that the runtime answers. */
static int chain_get_task_info(int ancestor, int *flags, ompt_data_t **task, ompt_frame_t **frame,
                               ompt_data_t **parallel, int *number)
{
    int available = chained ? get_task_info(ancestor, flags, task, frame, parallel, number) : 0;
    if (available == 2 && task)
        *task = WORD(*task);
    if (available == 2 && parallel)
        *parallel = WORD(*parallel);
    return available;
}

static int chain_get_parallel_info(int ancestor, ompt_data_t **parallel, int *size)
{
    int available = chained ? get_parallel_info(ancestor, parallel, size) : 0;
    if (available == 2 && parallel)
        *parallel = WORD(*parallel);
    return available;
}

#define IF_ACTIVE(type, name, parameters, arguments, otherwise)                                    \
    static type chain_##name parameters                                                            \
    {                                                                                              \
        return chained ? name arguments : otherwise;                                               \
    }
IF_ACTIVE(int, get_state, (ompt_wait_id_t * wait_id), (wait_id), 0)
IF_ACTIVE(ompt_data_t *, get_thread_data, (void), (), NULL)
IF_ACTIVE(int, get_proc_id, (void), (), -1)
IF_ACTIVE(int, get_place_num, (void), (), -1)
IF_ACTIVE(int, get_partition_place_nums, (int size, int *nums), (size, nums), 0)
#undef IF_ACTIVE

static ompt_interface_fn_t chain_lookup(const char *name)
{
    static const struct {
        const char *name;
        ompt_interface_fn_t function;
    } entries[] = {
#define ENTRY(name) {"ompt_" #name, (ompt_interface_fn_t)chain_##name}
        ENTRY(set_callback),      ENTRY(get_callback),  ENTRY(get_task_info),
        ENTRY(get_parallel_info), ENTRY(get_state),     ENTRY(get_thread_data),
        ENTRY(get_proc_id),       ENTRY(get_place_num), ENTRY(get_partition_place_nums),
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

bool chain_start(ompt_function_lookup_t lookup, int device, ompt_start_tool_result_t *tool)
{
    lookup_of_runtime = lookup;
    set_in_runtime = (ompt_set_callback_t)lookup("ompt_set_callback");
    get_from_runtime = (ompt_get_callback_t)lookup("ompt_get_callback");
#define ENTRY(name) name = (ompt_##name##_t)lookup("ompt_" #name)
    ENTRY(get_task_info);
    ENTRY(get_parallel_info);
    ENTRY(get_state);
    ENTRY(get_thread_data);
    ENTRY(get_proc_id);
    ENTRY(get_place_num);
    ENTRY(get_partition_place_nums);
#undef ENTRY
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
