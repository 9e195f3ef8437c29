/* SPDX-License-Identifier: MIT
 *
 * The OMPD interface of OpenMP 5.x and 6.0 as far as libompd.so offers it, compatible in
 * layout and values with the official omp-tools.h. What is declared here works; the rest
 * of the interface is not exported yet.
 *
 * Rules that hold for every routine:
 *
 *  - Out-parameters are written only when the routine returns ompd_rc_ok.
 *  - Handles belong to the debugger, which gives them back with the ompd_rel_* routine of
 *    their kind; strings are freed with its own free_memory callback.
 *  - One caller at a time. Addresses and ids are values of the target.
 *
 * Return codes that every routine may give:
 *
 *   ompd_rc_stale_handle          a handle that is NULL, was released, is of another kind,
 *                                 or names an object that has ended in the target
 *   ompd_rc_bad_input             another argument is invalid, for instance NULL
 *   ompd_rc_needs_state_tracking  the hooks are there but were not told to record
 *   ompd_rc_device_read_error     the target's memory could not be read
 *   ompd_rc_error                 it could, but what stands there makes no sense, or
 *                                 ompd_initialize was not called
 *   ompd_rc_callback_error        the debugger could not describe the target
 *   ompd_rc_nomem                 alloc_memory failed
 */
#ifndef OMPD_5_H
#define OMPD_5_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t ompd_size_t;
typedef uint64_t ompd_wait_id_t;
typedef uint64_t ompd_addr_t;
typedef int64_t ompd_word_t;
typedef uint64_t ompd_seg_t;
typedef uint64_t ompd_thread_id_t; /* a kind of operating system thread id */

#define OMPD_THREAD_ID_PTHREAD ((ompd_thread_id_t)0)
#define OMPD_THREAD_ID_LWP ((ompd_thread_id_t)1)
#define OMPD_SEGMENT_UNSPECIFIED ((ompd_seg_t)0)

typedef enum ompd_rc_t {
    ompd_rc_ok = 0,
    ompd_rc_unavailable = 1,
    ompd_rc_stale_handle = 2,
    ompd_rc_bad_input = 3,
    ompd_rc_error = 4,
    ompd_rc_unsupported = 5,
    ompd_rc_needs_state_tracking = 6,
    ompd_rc_incompatible = 7,
    ompd_rc_device_read_error = 8,
    ompd_rc_device_write_error = 9,
    ompd_rc_nomem = 10,
    ompd_rc_incomplete = 11,
    ompd_rc_callback_error = 12
} ompd_rc_t;

typedef struct ompd_address_t {
    ompd_seg_t segment;
    ompd_addr_t address;
} ompd_address_t;

/* Where a frame is and what the address means: ompt_frame_runtime (0) or
 * ompt_frame_application (1), combined with ompt_frame_cfa (0x10), ompt_frame_framepointer
 * (0x20) or ompt_frame_stackaddress (0x30). */
typedef struct ompd_frame_info_t {
    ompd_address_t frame_address;
    ompd_word_t frame_flag;
} ompd_frame_info_t;

typedef struct _ompd_aspace_handle ompd_address_space_handle_t;
typedef struct _ompd_thread_handle ompd_thread_handle_t;
typedef struct _ompd_parallel_handle ompd_parallel_handle_t;
typedef struct _ompd_task_handle ompd_task_handle_t;

typedef struct _ompd_aspace_cont ompd_address_space_context_t;
typedef struct _ompd_thread_cont ompd_thread_context_t;

/* In bytes. */
typedef struct ompd_device_type_sizes_t {
    uint8_t sizeof_char;
    uint8_t sizeof_short;
    uint8_t sizeof_int;
    uint8_t sizeof_long;
    uint8_t sizeof_long_long;
    uint8_t sizeof_pointer;
} ompd_device_type_sizes_t;

/* Callbacks. thread_context is NULL where memory that all threads share is meant. */

typedef ompd_rc_t (*ompd_callback_memory_alloc_fn_t)(ompd_size_t nbytes, void **ptr);
typedef ompd_rc_t (*ompd_callback_memory_free_fn_t)(void *ptr);
typedef ompd_rc_t (*ompd_callback_print_string_fn_t)(const char *string, int category);
typedef ompd_rc_t (*ompd_callback_sizeof_fn_t)(
    ompd_address_space_context_t *address_space_context, ompd_device_type_sizes_t *sizes);
typedef ompd_rc_t (*ompd_callback_symbol_addr_fn_t)(
    ompd_address_space_context_t *address_space_context,
    ompd_thread_context_t *thread_context, const char *symbol_name,
    ompd_address_t *symbol_addr, const char *file_name);
typedef ompd_rc_t (*ompd_callback_memory_read_fn_t)(
    ompd_address_space_context_t *address_space_context,
    ompd_thread_context_t *thread_context, const ompd_address_t *addr, ompd_size_t nbytes,
    void *buffer);
typedef ompd_rc_t (*ompd_callback_memory_write_fn_t)(
    ompd_address_space_context_t *address_space_context,
    ompd_thread_context_t *thread_context, const ompd_address_t *addr, ompd_size_t nbytes,
    const void *buffer);
typedef ompd_rc_t (*ompd_callback_device_host_fn_t)(
    ompd_address_space_context_t *address_space_context, const void *input,
    ompd_size_t unit_size, ompd_size_t count, void *output);
typedef ompd_rc_t (*ompd_callback_get_thread_context_for_thread_id_fn_t)(
    ompd_address_space_context_t *address_space_context, ompd_thread_id_t kind,
    ompd_size_t sizeof_thread_id, const void *thread_id,
    ompd_thread_context_t **thread_context);

/* The library uses alloc_memory, free_memory, sizeof_type, symbol_addr_lookup, read_memory
 * and device_to_host; the others may be NULL. */
typedef struct ompd_callbacks_t {
    ompd_callback_memory_alloc_fn_t alloc_memory;
    ompd_callback_memory_free_fn_t free_memory;
    ompd_callback_print_string_fn_t print_string;
    ompd_callback_sizeof_fn_t sizeof_type;
    ompd_callback_symbol_addr_fn_t symbol_addr_lookup;
    ompd_callback_memory_read_fn_t read_memory;
    ompd_callback_memory_write_fn_t write_memory;
    ompd_callback_memory_read_fn_t read_string;
    ompd_callback_device_host_fn_t device_to_host;
    ompd_callback_device_host_fn_t host_to_device;
    ompd_callback_get_thread_context_for_thread_id_fn_t get_thread_context_for_thread_id;
} ompd_callbacks_t;

/* The library. */

/* api_version is that of the debugger, 201811 (OpenMP 5.0) to 202411 (6.0); others are
 * unsupported. The table is copied. bad_input: it is NULL or lacks a callback that is
 * used. error: called a second time without ompd_finalize between. */
ompd_rc_t ompd_initialize(ompd_word_t api_version, const ompd_callbacks_t *callbacks);
ompd_rc_t ompd_get_api_version(ompd_word_t *version);

/* Stays valid while the library is loaded; not to be freed. */
ompd_rc_t ompd_get_version_string(const char **string);
ompd_rc_t ompd_finalize(void);

/* incompatible: no runtime that this library knows. */
ompd_rc_t ompd_process_initialize(ompd_address_space_context_t *context,
                                  ompd_address_space_handle_t **handle);
ompd_rc_t ompd_rel_address_space_handle(ompd_address_space_handle_t *handle);

/* Threads. */

/* bad_input: the team has no such number. unavailable: that thread has not begun. */
ompd_rc_t ompd_get_thread_in_parallel(ompd_parallel_handle_t *parallel_handle,
                                      int thread_num,
                                      ompd_thread_handle_t **thread_handle);

/* thread_id is in the target's byte order; a pthread_t has the size of the target's, a
 * kernel id 4 or 8 bytes, else bad_input. unavailable: not an OpenMP thread. unsupported:
 * another kind. */
ompd_rc_t ompd_get_thread_handle(ompd_address_space_handle_t *handle,
                                 ompd_thread_id_t kind, ompd_size_t sizeof_thread_id,
                                 const void *thread_id,
                                 ompd_thread_handle_t **thread_handle);
ompd_rc_t ompd_rel_thread_handle(ompd_thread_handle_t *thread_handle);

/* *cmp_value is negative, 0 or positive, by a total order in which handles are equal when
 * they name the same thread of the same address space. */
ompd_rc_t ompd_thread_handle_compare(ompd_thread_handle_t *thread_handle_1,
                                     ompd_thread_handle_t *thread_handle_2,
                                     int *cmp_value);
ompd_rc_t ompd_get_thread_id(ompd_thread_handle_t *thread_handle, ompd_thread_id_t kind,
                             ompd_size_t sizeof_thread_id, void *thread_id);

/* Parallel regions. */

/* unavailable: the thread is in none, or was in one before tracking began. */
ompd_rc_t ompd_get_curr_parallel_handle(ompd_thread_handle_t *thread_handle,
                                        ompd_parallel_handle_t **parallel_handle);

/* unavailable: there is none around it. */
ompd_rc_t
ompd_get_enclosing_parallel_handle(ompd_parallel_handle_t *parallel_handle,
                                   ompd_parallel_handle_t **enclosing_parallel_handle);

/* unavailable: the task is in none. */
ompd_rc_t ompd_get_task_parallel_handle(ompd_task_handle_t *task_handle,
                                        ompd_parallel_handle_t **task_parallel_handle);
ompd_rc_t ompd_rel_parallel_handle(ompd_parallel_handle_t *parallel_handle);
ompd_rc_t ompd_parallel_handle_compare(ompd_parallel_handle_t *parallel_handle_1,
                                       ompd_parallel_handle_t *parallel_handle_2,
                                       int *cmp_value);

/* Tasks. */

/* unavailable: the thread is idle, or was in a region before tracking began. */
ompd_rc_t ompd_get_curr_task_handle(ompd_thread_handle_t *thread_handle,
                                    ompd_task_handle_t **task_handle);

/* unavailable: an initial task. */
ompd_rc_t ompd_get_generating_task_handle(ompd_task_handle_t *task_handle,
                                          ompd_task_handle_t **generating_task_handle);

/* The implicit task of a thread number. bad_input: the team has no such number.
 * unavailable: it has not begun. */
ompd_rc_t ompd_get_task_in_parallel(ompd_parallel_handle_t *parallel_handle,
                                    int thread_num, ompd_task_handle_t **task_handle);
ompd_rc_t ompd_rel_task_handle(ompd_task_handle_t *task_handle);
ompd_rc_t ompd_task_handle_compare(ompd_task_handle_t *task_handle_1,
                                   ompd_task_handle_t *task_handle_2, int *cmp_value);

/* Entry point of the outlined body. unavailable: an initial task has none. */
ompd_rc_t ompd_get_task_function(ompd_task_handle_t *task_handle,
                                 ompd_address_t *entry_point);

/* Both are canonical frame addresses of frames of the runtime (flag 0x10): of the one that
 * called the task's body, and of the one that the task's code called into. Address 0: there
 * is no such frame. */
ompd_rc_t ompd_get_task_frame(ompd_task_handle_t *task_handle,
                              ompd_frame_info_t *exit_frame,
                              ompd_frame_info_t *enter_frame);

/* States. */

/* The states that ompd_get_state may give: begin with current_state 0x102 (undefined) and
 * go on with *next_state while *more_enums is 1. bad_input: no such state. */
ompd_rc_t ompd_enumerate_states(ompd_address_space_handle_t *address_space_handle,
                                ompd_word_t current_state, ompd_word_t *next_state,
                                const char **next_state_name, ompd_word_t *more_enums);

/* A value of ompt_state_t. wait_id may be NULL; 0 when the thread does not wait. */
ompd_rc_t ompd_get_state(ompd_thread_handle_t *thread_handle, ompd_word_t *state,
                         ompd_wait_id_t *wait_id);

#ifdef __cplusplus
}
#endif

#endif
