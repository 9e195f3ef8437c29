/* SPDX-License-Identifier: MIT
 *
 * A tool that names every type, constant, callback and entry point of OMPT as OpenMP 5.2
 * has them, and nothing else: it compiles with our header as with any other, and runs.
 */
#include <omp-tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define VALUES(X)                                                                        \
    X(ompt_callback_cancel) X(ompt_callback_control_tool) X(ompt_callback_dependences)   \
    X(ompt_callback_device_finalize) X(ompt_callback_device_initialize)                  \
    X(ompt_callback_device_load) X(ompt_callback_device_unload)                          \
    X(ompt_callback_dispatch) X(ompt_callback_error) X(ompt_callback_flush)              \
    X(ompt_callback_implicit_task) X(ompt_callback_lock_destroy)                         \
    X(ompt_callback_lock_init) X(ompt_callback_masked) X(ompt_callback_master)           \
    X(ompt_callback_mutex_acquire) X(ompt_callback_mutex_acquired)                       \
    X(ompt_callback_mutex_released) X(ompt_callback_nest_lock)                           \
    X(ompt_callback_parallel_begin) X(ompt_callback_parallel_end)                        \
    X(ompt_callback_reduction) X(ompt_callback_sync_region)                              \
    X(ompt_callback_sync_region_wait) X(ompt_callback_target)                            \
    X(ompt_callback_target_data_op) X(ompt_callback_target_data_op_emi)                  \
    X(ompt_callback_target_emi) X(ompt_callback_target_map)                              \
    X(ompt_callback_target_map_emi) X(ompt_callback_target_submit)                       \
    X(ompt_callback_target_submit_emi) X(ompt_callback_task_create)                      \
    X(ompt_callback_task_dependence) X(ompt_callback_task_schedule)                      \
    X(ompt_callback_thread_begin) X(ompt_callback_thread_end) X(ompt_callback_work)      \
    X(ompt_cancel_activated) X(ompt_cancel_detected) X(ompt_cancel_discarded_task)       \
    X(ompt_cancel_loop) X(ompt_cancel_parallel) X(ompt_cancel_sections)                  \
    X(ompt_cancel_taskgroup) X(ompt_dependence_type_in) X(ompt_dependence_type_inout)    \
    X(ompt_dependence_type_inout_all_memory) X(ompt_dependence_type_inoutset)            \
    X(ompt_dependence_type_mutexinoutset) X(ompt_dependence_type_out)                    \
    X(ompt_dependence_type_out_all_memory) X(ompt_dependence_type_sink)                  \
    X(ompt_dependence_type_source) X(ompt_dispatch_distribute_chunk)                     \
    X(ompt_dispatch_iteration) X(ompt_dispatch_section)                                  \
    X(ompt_dispatch_taskloop_chunk) X(ompt_dispatch_ws_loop_chunk) X(ompt_fatal)         \
    X(ompt_frame_application) X(ompt_frame_cfa) X(ompt_frame_framepointer)               \
    X(ompt_frame_runtime) X(ompt_frame_stackaddress) X(ompt_hwid_none) X(ompt_id_none)   \
    X(ompt_mutex_atomic) X(ompt_mutex_critical) X(ompt_mutex_impl_none)                  \
    X(ompt_mutex_lock) X(ompt_mutex_nest_lock) X(ompt_mutex_ordered)                     \
    X(ompt_mutex_test_lock) X(ompt_mutex_test_nest_lock)                                 \
    X(ompt_native_data_motion_explicit) X(ompt_native_data_motion_implicit)              \
    X(ompt_native_driver) X(ompt_native_idleness) X(ompt_native_kernel_execution)        \
    X(ompt_native_kernel_invocation) X(ompt_native_overhead) X(ompt_native_runtime)      \
    X(ompt_parallel_invoker_program) X(ompt_parallel_invoker_runtime)                    \
    X(ompt_parallel_league) X(ompt_parallel_team) X(ompt_record_invalid)                 \
    X(ompt_record_native) X(ompt_record_native_event) X(ompt_record_native_info)         \
    X(ompt_record_ompt) X(ompt_scope_begin) X(ompt_scope_beginend) X(ompt_scope_end)     \
    X(ompt_set_always) X(ompt_set_error) X(ompt_set_impossible) X(ompt_set_never)        \
    X(ompt_set_sometimes) X(ompt_set_sometimes_paired) X(ompt_state_idle)                \
    X(ompt_state_overhead) X(ompt_state_undefined) X(ompt_state_wait_atomic)             \
    X(ompt_state_wait_barrier) X(ompt_state_wait_barrier_explicit)                       \
    X(ompt_state_wait_barrier_implementation) X(ompt_state_wait_barrier_implicit)        \
    X(ompt_state_wait_barrier_implicit_parallel)                                         \
    X(ompt_state_wait_barrier_implicit_workshare) X(ompt_state_wait_barrier_teams)       \
    X(ompt_state_wait_critical) X(ompt_state_wait_lock) X(ompt_state_wait_mutex)         \
    X(ompt_state_wait_ordered) X(ompt_state_wait_target) X(ompt_state_wait_target_map)   \
    X(ompt_state_wait_target_update) X(ompt_state_wait_taskgroup)                        \
    X(ompt_state_wait_taskwait) X(ompt_state_work_free_agent)                            \
    X(ompt_state_work_induction) X(ompt_state_work_parallel)                             \
    X(ompt_state_work_reduction) X(ompt_state_work_serial)                               \
    X(ompt_sync_region_barrier_explicit) X(ompt_sync_region_barrier_implementation)      \
    X(ompt_sync_region_barrier_implicit_parallel)                                        \
    X(ompt_sync_region_barrier_implicit_workshare) X(ompt_sync_region_barrier_teams)     \
    X(ompt_sync_region_reduction) X(ompt_sync_region_taskgroup)                          \
    X(ompt_sync_region_taskwait) X(ompt_target) X(ompt_target_data_alloc)                \
    X(ompt_target_data_alloc_async) X(ompt_target_data_associate)                        \
    X(ompt_target_data_delete) X(ompt_target_data_delete_async)                          \
    X(ompt_target_data_disassociate) X(ompt_target_data_memset)                          \
    X(ompt_target_data_memset_async) X(ompt_target_data_transfer)                        \
    X(ompt_target_data_transfer_async) X(ompt_target_data_transfer_from_device)          \
    X(ompt_target_data_transfer_from_device_async) X(ompt_target_data_transfer_rect)     \
    X(ompt_target_data_transfer_rect_async) X(ompt_target_data_transfer_to_device)       \
    X(ompt_target_data_transfer_to_device_async) X(ompt_target_enter_data)               \
    X(ompt_target_enter_data_nowait) X(ompt_target_exit_data)                            \
    X(ompt_target_exit_data_nowait) X(ompt_target_map_flag_alloc)                        \
    X(ompt_target_map_flag_always) X(ompt_target_map_flag_close)                         \
    X(ompt_target_map_flag_delete) X(ompt_target_map_flag_from)                          \
    X(ompt_target_map_flag_implicit) X(ompt_target_map_flag_present)                     \
    X(ompt_target_map_flag_release) X(ompt_target_map_flag_shared)                       \
    X(ompt_target_map_flag_to) X(ompt_target_nowait) X(ompt_target_update)               \
    X(ompt_target_update_nowait) X(ompt_task_cancel) X(ompt_task_complete)               \
    X(ompt_task_detach) X(ompt_task_early_fulfill) X(ompt_task_explicit)                 \
    X(ompt_task_exporting) X(ompt_task_final) X(ompt_task_implicit)                      \
    X(ompt_task_importing) X(ompt_task_initial) X(ompt_task_late_fulfill)                \
    X(ompt_task_mergeable) X(ompt_task_merged) X(ompt_task_switch) X(ompt_task_target)   \
    X(ompt_task_taskwait) X(ompt_task_undeferred) X(ompt_task_untied)                    \
    X(ompt_task_yield) X(ompt_taskwait_complete) X(ompt_thread_initial)                  \
    X(ompt_thread_other) X(ompt_thread_unknown) X(ompt_thread_worker)                    \
    X(ompt_time_none) X(ompt_wait_id_none) X(ompt_warning) X(ompt_work_distribute)       \
    X(ompt_work_loop) X(ompt_work_loop_dynamic) X(ompt_work_loop_guided)                 \
    X(ompt_work_loop_other) X(ompt_work_loop_static) X(ompt_work_scope)                  \
    X(ompt_work_sections) X(ompt_work_single_executor) X(ompt_work_single_other)         \
    X(ompt_work_taskloop) X(ompt_work_workdistribute) X(ompt_work_workshare)

#define OBJECTS(X)                                                                       \
    X(ompt_any_record_ompt_t) X(ompt_buffer_cursor_t) X(ompt_buffer_t)                   \
    X(ompt_callbacks_t) X(ompt_cancel_flag_t) X(ompt_data_t) X(ompt_dependence_t)        \
    X(ompt_dependence_type_t) X(ompt_device_t) X(ompt_device_time_t)                     \
    X(ompt_dispatch_chunk_t) X(ompt_dispatch_t) X(ompt_frame_flag_t) X(ompt_frame_t)     \
    X(ompt_hwid_t) X(ompt_id_t) X(ompt_mutex_t) X(ompt_native_mon_flag_t)                \
    X(ompt_parallel_flag_t) X(ompt_record_abstract_t) X(ompt_record_cancel_t)            \
    X(ompt_record_control_tool_t) X(ompt_record_dependences_t)                           \
    X(ompt_record_dispatch_t) X(ompt_record_error_t) X(ompt_record_flush_t)              \
    X(ompt_record_implicit_task_t) X(ompt_record_masked_t)                               \
    X(ompt_record_mutex_acquire_t) X(ompt_record_mutex_t) X(ompt_record_native_t)        \
    X(ompt_record_nest_lock_t) X(ompt_record_ompt_t) X(ompt_record_parallel_begin_t)     \
    X(ompt_record_parallel_end_t) X(ompt_record_sync_region_t) X(ompt_record_t)          \
    X(ompt_record_target_data_op_emi_t) X(ompt_record_target_data_op_t)                  \
    X(ompt_record_target_emi_t) X(ompt_record_target_kernel_t)                           \
    X(ompt_record_target_map_emi_t) X(ompt_record_target_map_t)                          \
    X(ompt_record_target_submit_emi_t) X(ompt_record_target_t)                           \
    X(ompt_record_task_create_t) X(ompt_record_task_dependence_t)                        \
    X(ompt_record_task_schedule_t) X(ompt_record_thread_begin_t) X(ompt_record_work_t)   \
    X(ompt_scope_endpoint_t) X(ompt_set_result_t) X(ompt_severity_t)                     \
    X(ompt_start_tool_result_t) X(ompt_state_t) X(ompt_subvolume_t)                      \
    X(ompt_sync_region_t) X(ompt_target_data_op_t) X(ompt_target_map_flag_t)             \
    X(ompt_target_t) X(ompt_task_flag_t) X(ompt_task_status_t) X(ompt_thread_t)          \
    X(ompt_wait_id_t) X(ompt_work_t)

#define FUNCTIONS(X)                                                                     \
    X(ompt_advance_buffer_cursor_t) X(ompt_callback_buffer_complete_t)                   \
    X(ompt_callback_buffer_request_t) X(ompt_callback_t)                                 \
    X(ompt_enumerate_mutex_impls_t) X(ompt_enumerate_states_t) X(ompt_finalize_t)        \
    X(ompt_finalize_tool_t) X(ompt_flush_trace_t) X(ompt_function_lookup_t)              \
    X(ompt_get_buffer_limits_t) X(ompt_get_callback_t) X(ompt_get_device_num_procs_t)    \
    X(ompt_get_device_time_t) X(ompt_get_num_devices_t) X(ompt_get_num_places_t)         \
    X(ompt_get_num_procs_t) X(ompt_get_parallel_info_t)                                  \
    X(ompt_get_partition_place_nums_t) X(ompt_get_place_num_t)                           \
    X(ompt_get_place_proc_ids_t) X(ompt_get_proc_id_t) X(ompt_get_record_abstract_t)     \
    X(ompt_get_record_native_t) X(ompt_get_record_ompt_t) X(ompt_get_record_type_t)      \
    X(ompt_get_state_t) X(ompt_get_target_info_t) X(ompt_get_task_info_t)                \
    X(ompt_get_task_memory_t) X(ompt_get_thread_data_t) X(ompt_get_unique_id_t)          \
    X(ompt_initialize_t) X(ompt_interface_fn_t) X(ompt_pause_trace_t)                    \
    X(ompt_set_callback_t) X(ompt_set_trace_native_t) X(ompt_set_trace_ompt_t)           \
    X(ompt_start_trace_t) X(ompt_stop_trace_t) X(ompt_translate_time_t)

#define EVENTS(X)                                                                        \
    X(cancel) X(control_tool) X(dependences) X(device_finalize) X(device_initialize)     \
    X(device_load) X(device_unload) X(dispatch) X(error) X(flush) X(implicit_task)       \
    X(masked) X(mutex_acquire) X(lock_init) X(mutex_acquired) X(mutex_released)          \
    X(lock_destroy) X(nest_lock) X(parallel_begin) X(parallel_end) X(sync_region)        \
    X(sync_region_wait) X(reduction) X(target_data_op) X(target_map) X(target_submit)    \
    X(target) X(task_create) X(task_dependence) X(task_schedule) X(thread_begin)         \
    X(thread_end) X(work)
/* clang-format on */

/* The type of each callback has the parameters that the standard lists. */
#define CALLBACK(name, result, ...)                                                      \
    _Static_assert(__builtin_types_compatible_p(ompt_callback_##name##_t,                \
                                                result (*)(__VA_ARGS__)),                \
                   #name);
CALLBACK(cancel, void, ompt_data_t *, int, const void *)
CALLBACK(control_tool, int, uint64_t, uint64_t, void *, const void *)
CALLBACK(dependences, void, ompt_data_t *, const ompt_dependence_t *, int)
CALLBACK(device_finalize, void, int)
CALLBACK(device_initialize, void, int, const char *, ompt_device_t *,
         ompt_function_lookup_t, const char *)
CALLBACK(device_load, void, int, const char *, int64_t, void *, size_t, void *, void *,
         uint64_t)
CALLBACK(device_unload, void, int, uint64_t)
CALLBACK(dispatch, void, ompt_data_t *, ompt_data_t *, ompt_dispatch_t, ompt_data_t)
CALLBACK(error, void, ompt_severity_t, const char *, size_t, const void *)
CALLBACK(flush, void, ompt_data_t *, const void *)
CALLBACK(implicit_task, void, ompt_scope_endpoint_t, ompt_data_t *, ompt_data_t *,
         unsigned int, unsigned int, int)
CALLBACK(masked, void, ompt_scope_endpoint_t, ompt_data_t *, ompt_data_t *, const void *)
CALLBACK(mutex_acquire, void, ompt_mutex_t, unsigned int, unsigned int, ompt_wait_id_t,
         const void *)
CALLBACK(mutex, void, ompt_mutex_t, ompt_wait_id_t, const void *)
CALLBACK(nest_lock, void, ompt_scope_endpoint_t, ompt_wait_id_t, const void *)
CALLBACK(parallel_begin, void, ompt_data_t *, const ompt_frame_t *, ompt_data_t *,
         unsigned int, int, const void *)
CALLBACK(parallel_end, void, ompt_data_t *, ompt_data_t *, int, const void *)
CALLBACK(sync_region, void, ompt_sync_region_t, ompt_scope_endpoint_t, ompt_data_t *,
         ompt_data_t *, const void *)
CALLBACK(target_data_op, void, ompt_id_t, ompt_id_t, ompt_target_data_op_t, void *, int,
         void *, int, size_t, const void *)
CALLBACK(target_map, void, ompt_id_t, unsigned int, void **, void **, size_t *,
         unsigned int *, const void *)
CALLBACK(target_submit, void, ompt_id_t, ompt_id_t, unsigned int)
CALLBACK(target, void, ompt_target_t, ompt_scope_endpoint_t, int, ompt_data_t *,
         ompt_id_t, const void *)
CALLBACK(task_create, void, ompt_data_t *, const ompt_frame_t *, ompt_data_t *, int, int,
         const void *)
CALLBACK(task_dependence, void, ompt_data_t *, ompt_data_t *)
CALLBACK(task_schedule, void, ompt_data_t *, ompt_task_status_t, ompt_data_t *)
CALLBACK(thread_begin, void, ompt_thread_t, ompt_data_t *)
CALLBACK(thread_end, void, ompt_data_t *)
CALLBACK(work, void, ompt_work_t, ompt_scope_endpoint_t, ompt_data_t *, ompt_data_t *,
         uint64_t, const void *)
#undef CALLBACK

/* The function for all of them: the register of a result is 0 where one is expected. */
static int nothing(void)
{
    return 0;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    static const ompt_callbacks_t events[] = {
#define X(name) ompt_callback_##name,
        EVENTS(X)
#undef X
    };
    static const long long values[] = {
#define X(name) (long long)(name),
        VALUES(X)
#undef X
    };
    static const size_t sizes[] = {
#define X(name) sizeof(name),
        OBJECTS(X) FUNCTIONS(X)
#undef X
    };
    static const ompt_data_t none = ompt_data_none;
    unsigned refused = 0;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    (void)device, (void)data;
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        refused += set(events[i], (ompt_callback_t)(void (*)(void))nothing) == ompt_set_error;
    printf("names: %d values, %d types, %u callbacks are unknown\n",
           (int)(sizeof(values) / sizeof(values[0])),
           (int)(sizeof(sizes) / sizeof(sizes[0])), refused + (none.value != 0));
    return 1;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
    printf("names: over\n");
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime)
{
    static ompt_start_tool_result_t result = {initialize, finalize, ompt_data_none};
    return version >= 201811 && runtime ? &result : NULL;
}
