/* SPDX-License-Identifier: MIT
 *
 * What the files of the dialect of OpenMP 5.x share.
 */
#ifndef HOST_ABI5_H
#define HOST_ABI5_H

#include "libompd/abi-5/omp-tools.h"
#include "libompd/abi-5/ompd-types.h"
#include "libompd/ext/ompd-ext.h"
#include "session.h"

#define ROUTINES(X) \
    X(initialize) X(get_api_version) X(get_version_string) X(finalize) \
    X(process_initialize) X(device_initialize) X(rel_address_space_handle) \
    X(get_omp_version) X(get_omp_version_string) X(get_device_thread_id_kinds) \
    X(get_thread_in_parallel) X(get_thread_handle) X(rel_thread_handle) \
    X(thread_handle_compare) X(get_thread_id) X(get_device_from_thread) \
    X(get_curr_parallel_handle) X(get_enclosing_parallel_handle) \
    X(get_task_parallel_handle) X(rel_parallel_handle) X(parallel_handle_compare) \
    X(get_curr_task_handle) X(get_generating_task_handle) \
    X(get_scheduling_task_handle) X(get_task_in_parallel) X(rel_task_handle) \
    X(task_handle_compare) X(get_task_function) X(get_task_frame) X(enumerate_states) \
    X(get_state) X(get_display_control_vars) X(rel_display_control_vars) \
    X(enumerate_icvs) X(get_icv_from_scope) X(get_icv_string_from_scope) X(get_tool_data)

/* Of the extension; NULL when the library has none. */
#define EXTENSION(X) \
    X(ext_get_version) X(ext_set_stop) X(ext_get_object) X(ext_get_region) \
    X(ext_get_thread_handle) X(ext_get_threads) X(ext_get_tasks) \
    X(ext_get_dependences) X(ext_get_locks) X(ext_get_barriers) \
    X(ext_get_lock) X(ext_get_regions) X(ext_get_runtimes) X(ext_get_runtime_file)

struct routines {
#define X(name) __typeof__(ompd_##name) *name;
    ROUTINES(X) EXTENSION(X)
#undef X
};

enum { MAX_ICVS = 128, MAX_STATES = 128 };

struct named_state {
    ompd_word_t value;
    char *name;
};

struct abi5 {
    struct routines call;
    ompd_address_space_handle_t *space;
    struct named_state states[MAX_STATES];
    size_t state_count;
    struct icv icvs[MAX_ICVS];
    ompd_icv_id_t icv_ids[MAX_ICVS];
    ompd_scope_t icv_scopes[MAX_ICVS];
    size_t icv_count;
};

/* Neutral handle types stand for the library's: these casts are where the two meet. */
#define CALL(s) (&((struct abi5 *)(s)->state)->call)
#define THREAD(t) ((ompd_thread_handle_t *)(t))
#define REGION(r) ((ompd_parallel_handle_t *)(r))
#define TASK(t) ((ompd_task_handle_t *)(t))

/* abi5-callbacks.c: the table, and the context of the one address space there is. */
extern const ompd_callbacks_t abi5_callbacks;
ompd_address_space_context_t *abi5_context(struct session *s);
enum answer abi5_answer(ompd_rc_t rc);

/* abi5-library.c */
enum answer abi5_open(struct session *s, struct why *why);
void abi5_close(struct session *s);
/* The name that the library's list has for the state of a thread. */
enum answer abi5_state_name(struct session *s, struct omp_thread *thread, char **text);

/* abi5-icvs.c. Fills the list of ICVs. */
enum answer abi5_load_icvs(struct session *s);
/* An ICV by name, in a scope that may be another than the one it is listed with. */
enum answer abi5_number(struct session *s, const char *name, void *handle,
                        ompd_scope_t scope, int64_t *number);

const struct icv *abi5_icvs(struct session *s, size_t *count);
enum answer abi5_icv_number(struct session *s, size_t icv, void *handle, int64_t *number);
enum answer abi5_icv_text(struct session *s, size_t icv, void *handle, char **text);
enum answer abi5_settings(struct session *s, char ***list, size_t *count);

#endif
