/* SPDX-License-Identifier: MIT
 *
 * What the files of the report's dialect share.
 */
#ifndef HOST_ABI2_H
#define HOST_ABI2_H

#include "libompd/abi-2/ompd.h"
#include "session.h"

/* Routines without which the library is of no use, and those it may lack. */
#define REQUIRED(X) \
    X(get_version) X(get_version_string) X(initialize) X(finalize) X(process_initialize) \
    X(release_address_space_handle) X(get_threads) X(get_thread_in_parallel) \
    X(get_master_thread_in_parallel) X(release_thread_handle) X(thread_handle_compare) \
    X(get_thread_handle_string_id) X(get_top_parallel_region) \
    X(get_enclosing_parallel_handle) X(get_task_parallel_handle) \
    X(release_parallel_handle) X(parallel_handle_compare) \
    X(get_parallel_handle_string_id) X(get_top_task_region) X(get_ancestor_task_region) \
    X(get_implicit_task_in_parallel) X(release_task_handle) X(task_handle_compare) \
    X(get_task_handle_string_id) X(get_num_threads) X(get_level) X(get_active_level) \
    X(get_parallel_id) X(get_parallel_function) X(get_thread_handle) X(get_osthread) \
    X(get_state) X(get_task_function) X(get_task_frame) X(get_task_id)
#define OPTIONAL(X) \
    X(get_thread_num) X(is_implicit) X(in_final) X(get_num_procs) X(get_thread_limit) \
    X(get_max_threads) X(in_parallel) X(get_dynamic) X(get_nested) \
    X(get_max_active_levels) X(get_schedule) X(get_proc_bind) \
    X(get_display_control_vars) X(release_display_control_vars)

struct routines {
#define X(name) __typeof__(ompd_##name) *name;
    REQUIRED(X) OPTIONAL(X)
#undef X
};

struct abi2 {
    struct routines call;
    ompd_address_space_handle_t *space;
};

/* Neutral handle types stand for the library's: these casts are where the two meet. */
#define CALL(s) (&((struct abi2 *)(s)->state)->call)
#define THREAD(t) ((ompd_thread_handle_t *)(t))
#define REGION(r) ((ompd_parallel_handle_t *)(r))
#define TASK(t) ((ompd_task_handle_t *)(t))

/* abi2-callbacks.c: the table, and the context of the one address space there is. */
extern const ompd_callbacks_t abi2_callbacks;
ompd_address_space_context_t *abi2_context(struct session *s);
enum answer abi2_answer(ompd_rc_t rc);

/* abi2-library.c */
enum answer abi2_open(struct session *s, struct why *why);
void abi2_close(struct session *s);

/* abi2-icvs.c */
const struct icv *abi2_icvs(struct session *s, size_t *count);
enum answer abi2_icv_number(struct session *s, size_t icv, void *handle, int64_t *number);
enum answer abi2_icv_text(struct session *s, size_t icv, void *handle, char **text);
enum answer abi2_settings(struct session *s, char ***list, size_t *count);

#endif
