/* SPDX-License-Identifier: MIT
 *
 * The callbacks for target devices of the report of February 2016 (A.4). Tracing on a
 * device (its section 6) has no part in a runtime whose target regions run on the host,
 * and no types here. Included by ompt.h.
 */
#ifndef OMPT_2_TARGET_H
#define OMPT_2_TARGET_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ompt_target_map_flag_e {
    ompt_target_map_flag_to = 1,
    ompt_target_map_flag_from = 2,
    ompt_target_map_flag_tofrom = 3,
    ompt_target_map_flag_alloc = 4,
    ompt_target_map_flag_release = 5,
    ompt_target_map_flag_delete = 6,
    ompt_target_map_flag_sync = 8 /* added to the others */
} ompt_target_map_flag_t;

typedef struct ompt_target_map_entry_s {
    void *host_addr;
    void *device_addr;
    size_t bytes;
    uint32_t mapping_flags;
} ompt_target_map_entry_t;

typedef void (*ompt_target_task_begin_callback_t)(ompt_task_id_t parent_task_id,
                                                  const ompt_frame_t *parent_frame,
                                                  ompt_task_id_t host_task_id, int device_id,
                                                  const void *target_task_code,
                                                  ompt_target_task_type_t task_type);
typedef void (*ompt_target_task_end_callback_t)(ompt_task_id_t host_task_id);
typedef void (*ompt_target_data_begin_callback_t)(ompt_task_id_t task_id, int device_id,
                                                  const void *codeptr_ra);
typedef void (*ompt_target_data_map_begin_callback_t)(ompt_task_id_t task_id, int device_id,
                                                      const ompt_target_map_entry_t *items,
                                                      uint32_t nitems,
                                                      ompt_target_activity_id_t map_id);
typedef void (*ompt_target_data_map_end_callback_t)(int device_id,
                                                    ompt_target_activity_id_t map_id);

#ifdef __cplusplus
}
#endif

#endif
