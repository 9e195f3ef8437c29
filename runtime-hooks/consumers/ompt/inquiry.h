/* SPDX-License-Identifier: MIT
 *
 * The inquiry entry points, under the names by which a tool looks them up.
 */
#ifndef OMPD_HOOKS_OMPT_INQUIRY_H
#define OMPD_HOOKS_OMPT_INQUIRY_H

#include "omp-tools-ompt.h"

#pragma GCC visibility push(hidden)

/* The bound of a walk along enclosing regions or tasks. */
#define MAX_ANCESTORS 100000

/* inquiry.c */
ompt_data_t *ompt_get_thread_data(void);
int ompt_get_state(ompt_wait_id_t *wait_id);
int ompt_get_parallel_info(int ancestor_level, ompt_data_t **parallel_data, int *team_size);
int ompt_get_task_info(int ancestor_level, int *flags, ompt_data_t **task_data,
                       ompt_frame_t **task_frame, ompt_data_t **parallel_data, int *thread_num);
int ompt_get_task_memory(void **addr, size_t *size, int block);
int ompt_get_target_info(uint64_t *device_num, ompt_id_t *target_id, ompt_id_t *host_op_id);
uint64_t ompt_get_unique_id(void);

/* places.c */
int ompt_get_num_procs(void);
int ompt_get_num_places(void);
int ompt_get_place_proc_ids(int place_num, int ids_size, int *ids);
int ompt_get_place_num(void);
int ompt_get_partition_place_nums(int place_nums_size, int *place_nums);
int ompt_get_proc_id(void);
int ompt_get_num_devices(void);

#pragma GCC visibility pop

#endif
