/* SPDX-License-Identifier: MIT
 *
 * The OMPD interface of OpenMP 5.0 to 6.0 as libompd.so offers it. Include
 * <ompd/omp-tools.h> instead.
 *
 * A debugger loads the library, calls ompd_initialize with its callbacks, opens a process
 * or core with ompd_process_initialize, and asks. Sections are named by their titles
 * in the chapter on OMPD of OpenMP 5.2, since their numbers differ from version to version.
 * Rules that hold for every routine:
 *
 *  - Addresses and ids are values of the target, never pointers of the debugger. Segments
 *    are ompd_segment_none in answers and ignored in questions.
 *  - Out-parameters are written only when the routine returns ompd_rc_ok, or
 *    ompd_rc_incomplete where that is named.
 *  - What is returned belongs to the debugger: handles are given back with the ompd_rel_*
 *    routine of their kind, arrays and strings with the debugger's own free_memory, unless
 *    said otherwise.
 *  - One caller at a time. The library keeps nothing of the target but what cannot change
 *    while the process lives.
 *
 * Return codes that every routine with a handle may give:
 *
 *   ompd_rc_stale_handle          a handle that is NULL, was released or is of another kind,
 *                                 or names an object that has ended in the target
 *   ompd_rc_bad_input             another argument is invalid, for instance NULL
 *   ompd_rc_needs_state_tracking  the runtime does not record this, and could:
 *                                 OMP_DEBUG=enabled in the environment
 *   ompd_rc_device_read_error     the target's memory could not be read
 *   ompd_rc_unsupported           this runtime does not hold what is asked for
 *   ompd_rc_error                 it was read and cannot be true, or ompd_initialize was not
 *                                 called
 *   ompd_rc_callback_error        a callback failed with a code that is none
 *   ompd_rc_nomem                 alloc_memory failed
 *
 * When sizeof_type, read_memory or device_to_host fails, its own code is passed on.
 * Other codes, and what "unavailable" means, are named where they can occur.
 */
#ifndef OMP_TOOLS_OMPD_H
#define OMP_TOOLS_OMPD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "OMPD Data Types". */

typedef uint64_t ompd_size_t;      /* bytes */
typedef uint64_t ompd_wait_id_t;   /* what a thread waits for; 0 is none */
typedef uint64_t ompd_addr_t;      /* address of the target */
typedef int64_t ompd_word_t;       /* signed number of the target */
typedef uint64_t ompd_seg_t;       /* segment of an address */
typedef uint64_t ompd_device_t;    /* OMPD_DEVICE_KIND_* of ompd-types.h */
typedef uint64_t ompd_thread_id_t; /* OMPD_THREAD_ID_* of ompd-types.h */
typedef uint64_t ompd_icv_id_t;    /* number of an ICV, from ompd_enumerate_icvs; 0 is none */

#define ompd_segment_none 0

/* What an ICV belongs to, and so which handle a question about it takes: global the address space
 * handle of the host, address_space any, thread a thread handle, parallel a parallel
 * handle, implicit_task and task a task handle. The last two came with 6.0: that of a region which a
 * teams or a target construct created, and of the latter that is an implicit parallel region. */
typedef enum ompd_scope_t {
    ompd_scope_global = 1,
    ompd_scope_address_space = 2,
    ompd_scope_thread = 3,
    ompd_scope_parallel = 4,
    ompd_scope_implicit_task = 5,
    ompd_scope_task = 6,
    ompd_scope_teams = 7,
    ompd_scope_target = 8
} ompd_scope_t;

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
    ompd_rc_callback_error = 12,
    ompd_rc_incompatible_handle = 13 /* 6.0; only after it was asked for in
                                        ompd_initialize, else bad_input */
} ompd_rc_t;

/* 6.0: what generated a team. */
typedef enum ompd_team_generator_t {
    ompd_generator_program = 0,
    ompd_generator_parallel = 1,
    ompd_generator_teams = 2,
    ompd_generator_target = 3
} ompd_team_generator_t;

typedef struct ompd_address_t {
    ompd_seg_t segment;
    ompd_addr_t address;
} ompd_address_t;

/* frame_flag is a combination of ompt_frame_flag_t. */
typedef struct ompd_frame_info_t {
    ompd_address_t frame_address;
    ompd_word_t frame_flag;
} ompd_frame_info_t;

/* Handles, opaque to the debugger. */
typedef struct _ompd_aspace_handle ompd_address_space_handle_t;
typedef struct _ompd_thread_handle ompd_thread_handle_t;
typedef struct _ompd_parallel_handle ompd_parallel_handle_t;
typedef struct _ompd_task_handle ompd_task_handle_t;

/* Contexts, opaque to the library. The context of an address space says which process is
 * meant: handles of one process are only equal under the same context. */
typedef struct _ompd_aspace_cont ompd_address_space_context_t;
typedef struct _ompd_thread_cont ompd_thread_context_t;

/* Sizes of the target's types in bytes. */
typedef struct ompd_device_type_sizes_t {
    uint8_t sizeof_char;
    uint8_t sizeof_short;
    uint8_t sizeof_int;
    uint8_t sizeof_long;
    uint8_t sizeof_long_long;
    uint8_t sizeof_pointer;
} ompd_device_type_sizes_t;

/* "OMPD Third-Party Tool Callback Interface": what the debugger offers. Every callback answers with an ompd_rc_t and
 * fills its out-parameters only on success. thread_context is always NULL: the questions are
 * about memory and symbols that all threads share. file_name is that of an image, as the
 * dynamic linker has it, or NULL: any image. */

typedef ompd_rc_t (*ompd_callback_memory_alloc_fn_t)(ompd_size_t nbytes, void **ptr);
typedef ompd_rc_t (*ompd_callback_memory_free_fn_t)(void *ptr);

typedef ompd_rc_t (*ompd_callback_get_thread_context_for_thread_id_fn_t)(
    ompd_address_space_context_t *address_space_context, ompd_thread_id_t kind,
    ompd_size_t sizeof_thread_id, const void *thread_id, ompd_thread_context_t **thread_context);

typedef ompd_rc_t (*ompd_callback_sizeof_fn_t)(ompd_address_space_context_t *address_space_context,
                                               ompd_device_type_sizes_t *sizes);

/* A symbol that does not exist is a failure; which code is up to the debugger, but not
 * device_read_error or nomem. */
typedef ompd_rc_t (*ompd_callback_symbol_addr_fn_t)(
    ompd_address_space_context_t *address_space_context, ompd_thread_context_t *thread_context,
    const char *symbol_name, ompd_address_t *symbol_addr, const char *file_name);

typedef ompd_rc_t (*ompd_callback_memory_read_fn_t)(
    ompd_address_space_context_t *address_space_context, ompd_thread_context_t *thread_context,
    const ompd_address_t *addr, ompd_size_t nbytes, void *buffer);

typedef ompd_rc_t (*ompd_callback_memory_write_fn_t)(
    ompd_address_space_context_t *address_space_context, ompd_thread_context_t *thread_context,
    const ompd_address_t *addr, ompd_size_t nbytes, const void *buffer);

/* Converts `count` items of `unit_size` bytes between the byte orders of the two sides.
 */
typedef ompd_rc_t (*ompd_callback_device_host_fn_t)(
    ompd_address_space_context_t *address_space_context, const void *input, ompd_size_t unit_size,
    ompd_size_t count, void *output);

typedef ompd_rc_t (*ompd_callback_print_string_fn_t)(const char *string, int category);

/* write_memory, read_string and host_to_device may be NULL: this library calls none of them.
 * print_string may be, too; it is given, in category 0, a sentence about why something of a device is
 * not answered. get_thread_context_for_thread_id may be NULL too; it is asked, with
 * kernel ids of 8 bytes, which of a process's threads exist, where its memory may name
 * threads that do not: those of its parent in a child that is still inside fork. */
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

/* "Per OMPD Library Initialization and Finalization". */

/* Takes a copy of the table. api_version is a date in the form of the macro _OPENMP, from
 * 201811 (OpenMP 5.0) to 202411 (6.0). unsupported: it is outside. bad_input: the table
 * or a callback that is needed is NULL. Called again with the same callbacks, as a debugger
 * does that begins anew, the last version counts. error: with other callbacks, without
 * ompd_finalize between. */
ompd_rc_t ompd_initialize(ompd_word_t api_version, const ompd_callbacks_t *callbacks);

/* The newest version of the interface that the library offers, 202411. May be called
 * before ompd_initialize. */
ompd_rc_t ompd_get_api_version(ompd_word_t *version);

/* A sentence about this library; it stays valid while the library is loaded and is not to
 * be freed. May be called before ompd_initialize. */
ompd_rc_t ompd_get_version_string(const char **string);

/* The last call before the library is unloaded; ompd_initialize may follow it. Handles
 * must have been released. unsupported: the library is not initialised. */
ompd_rc_t ompd_finalize(void);

/* "Per OpenMP Process Initialization and Finalization". */

/* Begins work on a process or core. incompatible: no runtime that this library knows, or
 * a version of it that it does not know. A static program without symbols is that, too,
 * whether it has a runtime or not. bad_input: context is NULL. */
ompd_rc_t ompd_process_initialize(ompd_address_space_context_t *context,
                                  ompd_address_space_handle_t **host_handle);

/* The address space of a device. `id` is its number in device clauses, 4 or 8 bytes in the target's
 * byte order, whatever the kind. A device is OMPD_DEVICE_KIND_HOST if it executes the host's code in
 * the host's memory, as that of LLVM's plugin for the host, which answers all that is asked with an
 * address space handle, but for its threads and the ICVs that may be set for one device alone. Of
 * others only ICVs of scope global and device-num-var are known: device_context is never used.
 * bad_input: there is no such device, it is of another kind, or ids have another size. unavailable:
 * it is known that the program has not used it, or does not any more. unsupported: no such kind here, or
 * it is not known which device that is. */
ompd_rc_t ompd_device_initialize(ompd_address_space_handle_t *host_handle,
                                 ompd_address_space_context_t *device_context, ompd_device_t kind,
                                 ompd_size_t sizeof_id, void *id,
                                 ompd_address_space_handle_t **device_handle);

/* Ends work on a process or core. Handles of it that have not been released are, those of its devices,
 * too. The handle of a device ends alone. */
ompd_rc_t ompd_rel_address_space_handle(ompd_address_space_handle_t *handle);

/* Two arrays of *count elements: kinds of native thread ids and their sizes in bytes. */
ompd_rc_t ompd_get_device_thread_id_kinds(ompd_address_space_handle_t *device_handle,
                                          ompd_thread_id_t **kinds, ompd_size_t **thread_id_sizes,
                                          int *count);

/* "Address Space Information": the version of OpenMP that the runtime says it implements, as the macro
 * _OPENMP would. unsupported: it does not say. */
ompd_rc_t ompd_get_omp_version(ompd_address_space_handle_t *address_space,
                               ompd_word_t *omp_version);

/* The same in words; the string is the debugger's to free. */
ompd_rc_t ompd_get_omp_version_string(ompd_address_space_handle_t *address_space,
                                      const char **string);

/* "Thread Handles". */

/* The thread with this number in the region's team. bad_input: the team has no such
 * number. unavailable: that thread has not begun its part. */
ompd_rc_t ompd_get_thread_in_parallel(ompd_parallel_handle_t *parallel_handle, int thread_num,
                                      ompd_thread_handle_t **thread_handle);

/* The OpenMP thread on a native thread; the id is in the target's byte order.
 * unavailable: it is none. bad_input: ids of that kind have another size (pthread: the
 * target's long; LWP: 4 or 8 bytes). unsupported: no such kind here, or which threads execute the code of
 * a device. */
ompd_rc_t ompd_get_thread_handle(ompd_address_space_handle_t *handle, ompd_thread_id_t kind,
                                 ompd_size_t sizeof_thread_id, const void *thread_id,
                                 ompd_thread_handle_t **thread_handle);

/* Gives a handle back; whatever the process does, this costs no read and succeeds once. */
ompd_rc_t ompd_rel_thread_handle(ompd_thread_handle_t *thread_handle);

/* *cmp_value is negative, 0 or positive; handles are equal when they name the same thread
 * of the same address space. The order is total and stays as long as the handles. */
ompd_rc_t ompd_thread_handle_compare(ompd_thread_handle_t *thread_handle_1,
                                     ompd_thread_handle_t *thread_handle_2, int *cmp_value);

/* The reverse of ompd_get_thread_handle; thread_id is a buffer of the debugger. */
ompd_rc_t ompd_get_thread_id(ompd_thread_handle_t *thread_handle, ompd_thread_id_t kind,
                             ompd_size_t sizeof_thread_id, void *thread_id);

/* The very handle that ompd_process_initialize gave, since all threads that are known are the host's; it
 * is not to be released for this call. */
ompd_rc_t ompd_get_device_from_thread(ompd_thread_handle_t *thread_handle,
                                      ompd_address_space_handle_t **device);

/* "Parallel Region Handles". */

/* The innermost region. Outside of all that constructs opened it is the implicit parallel
 * region of the initial thread: that thread and the initial task are its team, its level is
 * 0. unavailable: the thread is idle, or was in a region before tracking began. */
ompd_rc_t ompd_get_curr_parallel_handle(ompd_thread_handle_t *thread_handle,
                                        ompd_parallel_handle_t **parallel_handle);

/* The region that encloses it; for an outermost one the implicit parallel region.
 * unavailable: it is that one. */
ompd_rc_t ompd_get_enclosing_parallel_handle(ompd_parallel_handle_t *parallel_handle,
                                             ompd_parallel_handle_t **enclosing_parallel_handle);

/* The innermost region around the task; for an initial task the implicit parallel region.
 * unavailable: an explicit task outside of all regions that no thread runs. */
ompd_rc_t ompd_get_task_parallel_handle(ompd_task_handle_t *task_handle,
                                        ompd_parallel_handle_t **task_parallel_handle);

/* As for threads. */
ompd_rc_t ompd_rel_parallel_handle(ompd_parallel_handle_t *parallel_handle);

/* As for threads. */
ompd_rc_t ompd_parallel_handle_compare(ompd_parallel_handle_t *parallel_handle_1,
                                       ompd_parallel_handle_t *parallel_handle_2, int *cmp_value);

/* "Task Handles". */

/* unavailable: the thread is idle, or was in a region before tracking began. */
ompd_rc_t ompd_get_curr_task_handle(ompd_thread_handle_t *thread_handle,
                                    ompd_task_handle_t **task_handle);

/* The task that encountered the construct which created this one. unavailable: an initial
 * task. */
ompd_rc_t ompd_get_generating_task_handle(ompd_task_handle_t *task_handle,
                                          ompd_task_handle_t **generating_task_handle);

/* The task that was suspended so that this one could run on its thread. unavailable: the
 * task does not run, or nothing was suspended for it. */
ompd_rc_t ompd_get_scheduling_task_handle(ompd_task_handle_t *task_handle,
                                          ompd_task_handle_t **scheduling_task_handle);

/* The implicit task of the thread with this number; of the implicit parallel region the
 * initial task. Codes as for ompd_get_thread_in_parallel. */
ompd_rc_t ompd_get_task_in_parallel(ompd_parallel_handle_t *parallel_handle, int thread_num,
                                    ompd_task_handle_t **task_handle);

/* As for threads. */
ompd_rc_t ompd_rel_task_handle(ompd_task_handle_t *task_handle);

/* As for threads. */
ompd_rc_t ompd_task_handle_compare(ompd_task_handle_t *task_handle_1,
                                   ompd_task_handle_t *task_handle_2, int *cmp_value);

/* Entry point of the task's outlined body; for an implicit task that of the region.
 * unavailable: an initial task, which has none. */
ompd_rc_t ompd_get_task_function(ompd_task_handle_t *task_handle, ompd_address_t *entry_point);

/* Canonical frame addresses of frames of the runtime, both flagged so: exit_frame of the
 * one that called the task's body, enter_frame of the one that the task's user code
 * called into for a construct that may run other tasks on this stack. Where there is no
 * such frame, address and flags are 0: enter_frame also while the thread waits for a lock,
 * a critical section, an atomic or an ordered region. */
ompd_rc_t ompd_get_task_frame(ompd_task_handle_t *task_handle, ompd_frame_info_t *exit_frame,
                              ompd_frame_info_t *enter_frame);

/* "Querying Thread States". */

/* Begin with ompt_state_undefined, then pass *next_state on, until *more_enums is 0. The
 * name is the debugger's to free. bad_input: current_state is not one of them. */
ompd_rc_t ompd_enumerate_states(ompd_address_space_handle_t *address_space_handle,
                                ompd_word_t current_state, ompd_word_t *next_state,
                                const char **next_state_name, ompd_word_t *more_enums);

/* What the thread is doing, an ompt_state_t. wait_id may be NULL; it is 0 when the thread
 * does not wait. */
ompd_rc_t ompd_get_state(ompd_thread_handle_t *thread_handle, ompd_word_t *state,
                         ompd_wait_id_t *wait_id);

/* "Display Control Variables". */

/* A vector of "name=value", ended by NULL, given back with the routine below. Of a runtime that is
 * not recorded, and of LLVM's, only what is set in the environment, as it is now. unsupported: that
 * is not found. needs_state_tracking or unavailable: the settings are not recorded (yet). */
ompd_rc_t ompd_get_display_control_vars(ompd_address_space_handle_t *address_space_handle,
                                        const char *const **control_vars);
/* bad_input: not such a vector, or given back before. */
ompd_rc_t ompd_rel_display_control_vars(const char *const **control_vars);

/* "Accessing Scope-Specific Information". */

/* Begin with 0, then pass *next_id on, until *more is 0. The debugger frees the name. ICVs
 * of 6.0 are enumerated when ompd_initialize asked for 6.0, place-partition-var not for
 * 201811. bad_input: current is no ICV. */
ompd_rc_t ompd_enumerate_icvs(ompd_address_space_handle_t *handle, ompd_icv_id_t current,
                              ompd_icv_id_t *next_id, const char **next_icv_name,
                              ompd_scope_t *next_scope, int *more);

/* An ICV as a number. The scope is the one that ompd_enumerate_icvs gave, or the one of
 * the standard where that is another; the handle is of the kind that the scope asks for.
 * incomplete: it is a list and this its first item (written nevertheless). incompatible:
 * it is a string, an empty list, or a schedule with chunk or modifier. bad_input: no such
 * ICV, or not of that scope. */
ompd_rc_t ompd_get_icv_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t icv_id,
                                  ompd_word_t *icv_value);

/* The same as words, lists in full. The string is the debugger's to free. */
ompd_rc_t ompd_get_icv_string_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t icv_id,
                                         const char **icv_string);

/* What an OMPT tool in the process has attached: the same word as a number and as an
 * address. unavailable: there is no tool. unsupported: the runtime takes none, or one of an
 * interface without such words. bad_input: nothing can be attached to that scope. */
ompd_rc_t ompd_get_tool_data(void *handle, ompd_scope_t scope, ompd_word_t *value,
                             ompd_address_t *ptr);

/* "Runtime Entry Points for OMPD" and "Enabling Support for OMPD at Runtime": symbols of the process for a debugger to stop at and to read, here for
 * their names only. ompd_dll_locations ends with NULL. */
void ompd_bp_parallel_begin(void);
void ompd_bp_parallel_end(void);
void ompd_bp_teams_begin(void); /* 6.0 */
void ompd_bp_teams_end(void);   /* 6.0 */
void ompd_bp_task_begin(void);
void ompd_bp_task_end(void);
void ompd_bp_thread_begin(void);
void ompd_bp_thread_end(void);
void ompd_bp_device_begin(void);
void ompd_bp_device_end(void);
void ompd_bp_target_begin(void); /* 6.0 */
void ompd_bp_target_end(void);   /* 6.0 */
extern const char **ompd_dll_locations;
void ompd_dll_locations_valid(void);

#ifdef __cplusplus
}
#endif

#endif
