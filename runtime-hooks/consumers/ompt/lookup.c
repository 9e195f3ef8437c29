/* SPDX-License-Identifier: MIT
 *
 * The lookup of entry points, and the enumeration of states and mutex implementations.
 */
#include "state/globals.h"
#include "consumers/ompt/inquiry.h"
#include "consumers/ompt/ompt.h"

#include <string.h>

/* The states that ompt_get_state returns. */
static const struct {
    int state;
    const char *name;
} states[] = {
#define STATE(name) {name, #name},
    STATE(ompt_state_work_serial) STATE(ompt_state_work_parallel)
        STATE(ompt_state_wait_barrier_implicit_parallel)
            STATE(ompt_state_wait_barrier_implicit_workshare) STATE(ompt_state_wait_barrier)
                STATE(ompt_state_wait_taskwait) STATE(ompt_state_wait_taskgroup)
                    STATE(ompt_state_wait_lock) STATE(ompt_state_wait_critical)
                        STATE(ompt_state_wait_atomic) STATE(ompt_state_wait_ordered)
                            STATE(ompt_state_idle) STATE(ompt_state_overhead)
                                STATE(ompt_state_undefined)
#undef STATE
};
#define STATES (sizeof(states) / sizeof(states[0]))

/* An enumeration starts with ompt_state_undefined, which is last and not enumerated. */
static int ompt_enumerate_states(int current_state, int *next_state, const char **next_state_name)
{
    unsigned next = 0;
    if (current_state != ompt_state_undefined) {
        while (next < STATES && states[next].state != current_state)
            next++;
        next++;
    }
    if (next >= STATES - 1)
        return 0;
    *next_state = states[next].state;
    *next_state_name = states[next].name;
    return 1;
}

/* libgomp has one implementation of each kind of mutex. */
enum { MUTEX_IMPL_FUTEX = 1 };

static int ompt_enumerate_mutex_impls(int current_impl, int *next_impl, const char **next_impl_name)
{
    if (current_impl != ompt_mutex_impl_none)
        return 0;
    *next_impl = MUTEX_IMPL_FUTEX;
    *next_impl_name = "libgomp_mutex";
    return 1;
}

static ompt_set_result_t ompt_set_callback(ompt_callbacks_t event, ompt_callback_t callback)
{
    return ompt_set(event, callback);
}

static int ompt_get_callback(ompt_callbacks_t event, ompt_callback_t *callback)
{
    return ompt_get(event, callback);
}

static void ompt_finalize_tool(void)
{
    threads_finalize(false);
    ompt_stop();
}

ompt_interface_fn_t ompt_lookup(const char *name)
{
    static const struct {
        const char *name;
        ompt_interface_fn_t function;
    } entries[] = {
#define ENTRY(name) {#name, (ompt_interface_fn_t)name},
        ENTRY(ompt_enumerate_states) ENTRY(ompt_enumerate_mutex_impls) ENTRY(ompt_set_callback)
            ENTRY(ompt_get_callback) ENTRY(ompt_get_thread_data) ENTRY(ompt_get_num_procs)
                ENTRY(ompt_get_num_places) ENTRY(ompt_get_place_proc_ids) ENTRY(ompt_get_place_num)
                    ENTRY(ompt_get_partition_place_nums) ENTRY(ompt_get_proc_id)
                        ENTRY(ompt_get_state) ENTRY(ompt_get_parallel_info)
                            ENTRY(ompt_get_task_info) ENTRY(ompt_get_task_memory)
                                ENTRY(ompt_get_target_info) ENTRY(ompt_get_num_devices)
                                    ENTRY(ompt_get_unique_id) ENTRY(ompt_finalize_tool)
#undef ENTRY
    };
    for (unsigned i = 0; name && i < sizeof(entries) / sizeof(entries[0]); i++) {
        if (strcmp(entries[i].name, name) != 0)
            continue;
        /* Called here, as the entry point must be async-signal-safe. */
        if (entries[i].function == (ompt_interface_fn_t)ompt_get_num_devices &&
            globals.num_devices == NUM_DEVICES_UNKNOWN)
            globals.num_devices = (uint32_t)globals_runtime->omp_get_num_devices();
        return entries[i].function;
    }
    return NULL;
}
