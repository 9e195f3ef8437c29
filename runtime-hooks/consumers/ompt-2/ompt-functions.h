/* SPDX-License-Identifier: MIT
 *
 * The types of the functions that a tool looks up by name (report of February 2016,
 * section 5 and A.5): ompt_NAME_t points to a function of the name ompt_NAME. All but
 * ompt_set_callback may be called in signal handlers. Included by ompt.h.
 */
#ifndef OMPT_2_FUNCTIONS_H
#define OMPT_2_FUNCTIONS_H

#ifdef __cplusplus
extern "C" {
#endif

/* 0: it cannot be registered, now or ever; 1: the event may occur, but the callback is
 * not invoked; 2: it never occurs; 3: the callback is invoked when that is convenient;
 * 4: the callback is invoked always. */
typedef int (*ompt_set_callback_t)(ompt_event_t event, ompt_callback_t callback);
typedef int (*ompt_get_callback_t)(ompt_event_t event, ompt_callback_t *callback);

/* Each begins with ompt_state_first and the like, and returns 0 after the last. */
typedef int (*ompt_enumerate_state_t)(ompt_state_t current_state, ompt_state_t *next_state,
                                      const char **next_state_name);
typedef int (*ompt_enumerate_lock_types_t)(ompt_lock_type_t current_type,
                                           ompt_lock_type_t *next_type,
                                           const char **next_type_name);
typedef int (*ompt_enumerate_atomic_type_t)(ompt_atomic_type_t current_type,
                                            ompt_atomic_type_t *next_type,
                                            const char **next_type_implementation);

typedef ompt_thread_id_t (*ompt_get_thread_id_t)(void);
typedef ompt_state_t (*ompt_get_state_t)(ompt_wait_id_t *wait_id);
typedef ompt_parallel_id_t (*ompt_get_parallel_id_t)(int ancestor_level);
typedef int (*ompt_get_parallel_team_size_t)(int ancestor_level);
typedef ompt_bool (*ompt_get_task_info_t)(int ancestor_level, ompt_task_type_t *type,
                                          ompt_task_id_t *task_id, ompt_frame_t **task_frame,
                                          ompt_parallel_id_t *par_id);

typedef int (*ompt_get_num_devices_t)(void);
typedef int (*ompt_target_get_device_id_t)(void);
typedef int (*ompt_target_get_device_info_t)(int device_id, const char **type,
                                             ompt_target_device_t **device,
                                             ompt_function_lookup_t *lookup,
                                             const char *documentation);

#ifdef __cplusplus
}
#endif

#endif
