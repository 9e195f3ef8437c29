/* SPDX-License-Identifier: MIT
 *
 * The OMPT tool that records what LLVM's runtime does: its callbacks call the state functions
 * as the wrappers do for libgomp. It has no part in a process that nobody wants to record. A
 * tool of the user is chained to it (chain.h).
 *
 * The data words of the runtime lead to our records (words.h), so that a debugger gets from the
 * runtime's objects to them and back (`word` in records.def).
 */
#ifndef OMPD_HOOKS_OMPT_SOURCE_H
#define OMPD_HOOKS_OMPT_SOURCE_H

#include "omp-tools-ompt.h"
#include "state/events.h"

#pragma GCC visibility push(hidden)

/* start.c: ours, whatever the name is bound to. */
#define SOURCE_START "ompt_start_tool"
ompt_start_tool_result_t *source_start_tool(unsigned version, const char *runtime);

/* start.c: getenv() for a runtime that would log that it found a tool, ours, where the user's
 * is searched for by us: that is logged in its place. */
#define SOURCE_LOG "OMP_TOOL_VERBOSE_INIT"
char *source_getenv(const char *name);

/* regions.c */
void source_thread_begin(ompt_thread_t type, ompt_data_t *thread_data);
void source_parallel_begin(ompt_data_t *encountering, const ompt_frame_t *frame,
                           ompt_data_t *parallel_data, unsigned requested, int flags,
                           const void *codeptr);
void source_parallel_end(ompt_data_t *parallel_data, ompt_data_t *encountering, int flags,
                         const void *codeptr);
/* That of the region whose end was reported last on this thread, NULL: it has no record. */
ompt_data_t *source_ended_word(void);
void source_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
                          ompt_data_t *task_data, unsigned actual, unsigned index, int flags);

/* tasks.c */
void source_task_create(ompt_data_t *encountering, const ompt_frame_t *frame,
                        ompt_data_t *task_data, int flags, int has_dependences,
                        const void *codeptr);
void source_dependences(ompt_data_t *task_data, const ompt_dependence_t *items, int count);
void source_task_schedule(ompt_data_t *prior_data, ompt_task_status_t status,
                          ompt_data_t *next_data);
/* Does the prior task end with that status? */
bool source_is_over(ompt_task_status_t status);

/* targets.c */
void source_target_emi(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device,
                       ompt_data_t *task, ompt_data_t *target_task, ompt_data_t *target,
                       const void *codeptr);
void source_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device,
                   ompt_data_t *task, ompt_id_t target, const void *codeptr);
void source_target_data_op_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target_task,
                               ompt_data_t *target, ompt_id_t *host_op, ompt_target_data_op_t type,
                               void *from, int from_device, void *to, int to_device, size_t bytes,
                               const void *codeptr);
void source_device_initialize(int number, const char *type, ompt_device_t *device,
                              ompt_function_lookup_t lookup, const char *documentation);
void source_device_finalize(int number);

/* sync.c */
void source_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                             ompt_data_t *parallel_data, ompt_data_t *task_data,
                             const void *codeptr);
void source_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned implementation,
                          ompt_wait_id_t wait_id, const void *codeptr);
void source_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr);
void source_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id, const void *codeptr);
void source_lock_init(ompt_mutex_t kind, unsigned hint, unsigned implementation,
                      ompt_wait_id_t wait_id, const void *codeptr);
void source_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr);

#pragma GCC visibility pop

#endif
