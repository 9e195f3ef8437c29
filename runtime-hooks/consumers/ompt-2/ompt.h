/* SPDX-License-Identifier: MIT
 *
 * OMPT as the technical report of February 2016 defines it (interface version 2): what a
 * tool inside the process includes. Names and numbers are those of its Appendix A.
 *
 * A tool defines ompt_tool(). All functions but that and ompt_control() are found through
 * the lookup function that its initializer gets; their types are ompt_NAME_t below. Where
 * the report gives one name to two types, or none, a remark says what is chosen.
 *
 * It is installed as <ompt-2/ompt.h>, away from the directories in which older compilers
 * keep an ompt.h of theirs.
 */
#ifndef OMPT_2_OMPT_H
#define OMPT_2_OMPT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Section 2, A.1 */
typedef enum {
    ompt_state_work_serial = 0x00,
    ompt_state_work_parallel = 0x01,
    ompt_state_work_reduction = 0x02,
    ompt_state_idle = 0x10,
    ompt_state_overhead = 0x20,
    ompt_state_wait_barrier = 0x40,
    ompt_state_wait_barrier_implicit = 0x41,
    ompt_state_wait_barrier_explicit = 0x42,
    ompt_state_wait_taskwait = 0x50,
    ompt_state_wait_taskgroup = 0x51,
    ompt_state_wait_lock = 0x60,
    ompt_state_wait_critical = 0x62,
    ompt_state_wait_atomic = 0x63,
    ompt_state_wait_ordered = 0x64,
    ompt_state_wait_target = 0x70,
    ompt_state_wait_target_data = 0x71,
    ompt_state_wait_target_update = 0x72,
    ompt_state_undefined = 0x80,
    ompt_state_first = 0x81 /* where an enumeration starts, not a state */
} ompt_state_t;

/* Section 3, A.2 */
typedef enum {
    ompt_event_parallel_begin = 1,
    ompt_event_parallel_end = 2,
    ompt_event_task_begin = 3,
    ompt_event_task_end = 4,
    ompt_event_thread_begin = 5,
    ompt_event_thread_end = 6,
    ompt_event_control = 7,
    ompt_event_runtime_shutdown = 8,
    ompt_event_idle_begin = 9,
    ompt_event_idle_end = 10,
    ompt_event_wait_barrier_begin = 11,
    ompt_event_wait_barrier_end = 12,
    ompt_event_wait_taskwait_begin = 13,
    ompt_event_wait_taskwait_end = 14,
    ompt_event_wait_taskgroup_begin = 15,
    ompt_event_wait_taskgroup_end = 16,
    ompt_event_release_lock = 17,
    ompt_event_release_nest_lock_last = 18,
    ompt_event_release_critical = 19,
    ompt_event_release_atomic = 20,
    ompt_event_release_ordered = 21,
    ompt_event_implicit_task_begin = 22,
    ompt_event_implicit_task_end = 23,
    ompt_event_initial_task_begin = 24,
    ompt_event_initial_task_end = 25,
    ompt_event_task_switch = 26,
    ompt_event_worksharing_begin = 35,
    ompt_event_worksharing_end = 36,
    ompt_event_master_begin = 37,
    ompt_event_master_end = 38,
    ompt_event_barrier_begin = 39,
    ompt_event_barrier_end = 40,
    ompt_event_taskwait_begin = 41,
    ompt_event_taskwait_end = 42,
    ompt_event_taskgroup_begin = 43,
    ompt_event_taskgroup_end = 44,
    ompt_event_release_nest_lock_prev = 45,
    ompt_event_wait_lock = 46,
    ompt_event_wait_nest_lock = 47,
    ompt_event_wait_critical = 48,
    ompt_event_wait_atomic = 49,
    ompt_event_wait_ordered = 50,
    ompt_event_acquired_lock = 51,
    ompt_event_acquired_nest_lock_first = 52,
    ompt_event_acquired_nest_lock_next = 53,
    ompt_event_acquired_critical = 54,
    ompt_event_acquired_atomic = 55,
    ompt_event_acquired_ordered = 56,
    ompt_event_init_lock = 57,
    ompt_event_init_nest_lock = 58,
    ompt_event_destroy_lock = 59,
    ompt_event_flush = 61,
    ompt_event_target_task_begin = 62,
    ompt_event_target_task_end = 63,
    ompt_event_target_data_begin = 65,
    ompt_event_target_data_end = 66,
    ompt_event_target_data_map_begin = 67,
    ompt_event_target_data_map_end = 68,
    ompt_event_task_dependences = 69,
    ompt_event_task_dependence_pair = 70
} ompt_event_t;

/* A.3. No id is 0. */
#define OMPT_API
#define OMPT_TARG_API
typedef uint64_t ompt_thread_id_t;
typedef uint64_t ompt_task_id_t;
typedef uint64_t ompt_parallel_id_t;
typedef uint64_t ompt_wait_id_t;
typedef uint64_t ompt_target_activity_id_t;
typedef uint32_t ompt_bool;
typedef uint32_t ompt_lock_hint_t;
typedef uint32_t ompt_lock_impl_t; /* the report calls it either */
typedef ompt_lock_impl_t ompt_lock_type_t;
typedef uint32_t ompt_atomic_type_t;
typedef void ompt_target_device_t;
typedef uint64_t ompt_target_time_t;
#define ompt_lock_type_first 0
#define ompt_lock_impl_first 0
#define ompt_atomic_type_first 0

typedef enum ompt_thread_type_e {
    ompt_thread_initial = 1,
    ompt_thread_worker = 2,
    ompt_thread_other = 3
} ompt_thread_type_t;

typedef enum ompt_scope_endpoint_e {
    ompt_scope_begin = 1,
    ompt_scope_end = 2
} ompt_scope_endpoint_t;

typedef enum ompt_sync_region_kind_e {
    ompt_sync_region_barrier = 0,
    ompt_sync_region_taskwait = 1,
    ompt_sync_region_taskgroup = 2
} ompt_sync_region_kind_t;

typedef enum ompt_worksharing_type_e {
    ompt_worksharing_loop = 0,
    ompt_worksharing_sections = 1,
    ompt_worksharing_single = 2,
    ompt_worksharing_workshare = 3
} ompt_worksharing_type_t;

typedef enum ompt_mutex_kind_e {
    ompt_mutex = 0x10,
    ompt_mutex_lock = 0x11,
    ompt_mutex_nest_lock = 0x12,
    ompt_mutex_critical = 0x13,
    ompt_mutex_atomic = 0x14,
    ompt_mutex_ordered = 0x20
} ompt_mutex_kind_t;

typedef enum ompt_target_task_type_e {
    ompt_target_task_target = 1,
    ompt_target_task_enter_data = 2,
    ompt_target_task_exit_data = 3,
    ompt_target_task_update = 4
} ompt_target_task_type_t;

typedef enum ompt_task_type_e {
    ompt_task_initial = 1,
    ompt_task_implicit = 2,
    ompt_task_explicit = 3,
    ompt_task_target = 4,
    ompt_task_degenerate = 5
} ompt_task_type_t;

typedef enum ompt_invoker_e { ompt_invoker_program = 0, ompt_invoker_runtime = 1 } ompt_invoker_t;

typedef enum ompt_task_dependence_flag_e {
    ompt_task_dependence_type_out = 1,
    ompt_task_dependence_type_in = 2,
    ompt_task_dependence_type_inout = 3
} ompt_task_dependence_flag_t;

typedef struct ompt_task_dependence_s {
    void *variable_addr;
    uint32_t dependence_flags;
} ompt_task_dependence_t;

/* Section 4.5 */
typedef struct ompt_frame_s {
    void *exit_runtime_frame;
    void *reenter_runtime_frame;
} ompt_frame_t;

/* A.4: callbacks. The generic type serves for registration and for runtime_shutdown. */
typedef void (*ompt_callback_t)(void);
/* The report has two types of this name. The text of thread_begin wants the type of the
 * thread, and thread_end has the same type. */
typedef void (*ompt_thread_callback_t)(ompt_thread_type_t thread_type, ompt_thread_id_t thread_id);
typedef void (*ompt_scoped_sync_region_callback_t)(ompt_sync_region_kind_t kind,
                                                   ompt_scope_endpoint_t endpoint,
                                                   ompt_parallel_id_t parallel_id,
                                                   ompt_task_id_t task_id, const void *codeptr_ra);
typedef void (*ompt_mutex_release_callback_t)(ompt_mutex_kind_t kind, ompt_wait_id_t wait_id);
typedef void (*ompt_scoped_mutex_callback_t)(ompt_mutex_kind_t kind, ompt_scope_endpoint_t endpoint,
                                             ompt_wait_id_t wait_id);
typedef void (*ompt_scoped_nested_lock_callback_t)(ompt_scope_endpoint_t endpoint,
                                                   ompt_wait_id_t wait_id);
typedef void (*ompt_wait_callback_t)(ompt_wait_id_t wait_id);
typedef void (*ompt_atomic_callback_t)(ompt_wait_id_t wait_id, uint32_t atomic_type);
typedef void (*ompt_sync_callback_t)(ompt_parallel_id_t parallel_id, ompt_task_id_t task_id,
                                     const void *codeptr_ra);
typedef void (*ompt_worksharing_begin_callback_t)(ompt_worksharing_type_t wstype,
                                                  ompt_parallel_id_t parallel_id,
                                                  ompt_task_id_t task_id, const void *codeptr_ra);
typedef void (*ompt_worksharing_end_callback_t)(ompt_worksharing_type_t wstype,
                                                ompt_parallel_id_t parallel_id,
                                                ompt_task_id_t task_id);
typedef void (*ompt_parallel_begin_callback_t)(ompt_task_id_t parent_task_id,
                                               const ompt_frame_t *parent_frame,
                                               ompt_parallel_id_t parallel_id,
                                               uint32_t requested_team_size,
                                               const void *codeptr_ofn, ompt_invoker_t invoker);
typedef void (*ompt_parallel_callback_t)(ompt_parallel_id_t parallel_id, ompt_task_id_t task_id);
typedef void (*ompt_parallel_end_callback_t)(ompt_parallel_id_t parallel_id, ompt_task_id_t task_id,
                                             ompt_invoker_t invoker);
typedef void (*ompt_scoped_parallel_callback_t)(ompt_scope_endpoint_t endpoint,
                                                ompt_parallel_id_t parallel_id,
                                                ompt_task_id_t task_id);
typedef void (*ompt_scoped_task_callback_t)(ompt_scope_endpoint_t endpoint, ompt_task_id_t task_id);
typedef void (*ompt_scoped_callback_t)(ompt_scope_endpoint_t endpoint);
typedef void (*ompt_task_begin_callback_t)(ompt_task_id_t parent_task_id,
                                           const ompt_frame_t *parent_frame,
                                           ompt_task_id_t new_task_id, const void *codeptr_ofn);
typedef void (*ompt_task_callback_t)(ompt_task_id_t task_id); /* named, not defined there */
typedef void (*ompt_lock_callback_t)(ompt_bool is_nested, ompt_wait_id_t wait_id,
                                     ompt_lock_hint_t hint, ompt_lock_impl_t impl);
typedef void (*ompt_task_dependences_callback_t)(ompt_task_id_t task_id,
                                                 const ompt_task_dependence_t *deps, int ndeps);
typedef void (*ompt_task_pair_callback_t)(ompt_task_id_t first_task_id,
                                          ompt_task_id_t second_task_id);
typedef void (*ompt_control_callback_t)(uint64_t command, uint64_t modifier);

/* Section 7.2, A.7: initialisation */
typedef void (*ompt_interface_fn_t)(void);
typedef ompt_interface_fn_t (*ompt_function_lookup_t)(const char *entry_point);
typedef void (*ompt_initialize_fn_t)(ompt_function_lookup_t lookup, const char *runtime_version,
                                     unsigned int ompt_version);
ompt_initialize_fn_t ompt_tool(void); /* the tool defines it */

/* Section 8: for the program. 1 starts the tool, 2 pauses it, 3 flushes it, 4 ends it;
 * from 64 on a tool's own. Provided by libompd-hooks.so. */
void ompt_control(uint64_t command, uint64_t modifier);

#ifdef __cplusplus
}
#endif

#include "ompt-target.h"
#include "ompt-functions.h"

#endif
