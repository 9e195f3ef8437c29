/* SPDX-License-Identifier: MIT
 *
 * The OMPD interface, version 2.000 (technical report of 2015-10-30), as libompd-2.so
 * offers it. A debugger loads the library, passes it callbacks, and asks.
 *
 * The section numbers below are those of the report. Rules that hold for every routine:
 *
 *  - Addresses and ids are values of the target, never pointers of the debugger. Segments
 *    are OMPD_SEGMENT_UNSPECIFIED in answers and ignored in questions.
 *  - Out-parameters are written only when the routine returns ompd_rc_ok. The one
 *    exception is ompd_get_thread_handle, where the report asks for more.
 *  - What is returned belongs to the debugger: handles are given back with the
 *    ompd_release_* routine of their kind, vectors and strings with the debugger's own
 *    d_free_memory, unless said otherwise.
 *  - One caller at a time (section 6). The library keeps nothing of the target but what
 *    cannot change while the process lives.
 *
 * Return codes that every routine may give:
 *
 *   ompd_rc_stale_handle          a handle that is NULL, was released, is of another kind,
 *                                 or names an object that has ended in the target
 *   ompd_rc_bad_input             another argument is invalid, for instance NULL
 *   ompd_rc_needs_state_tracking  the runtime does not record this, and could:
 *                                 OMP_OMPD=on or omp_ompd_enable() (section 2)
 *   ompd_rc_target_read_error     the target's memory could not be read
 *   ompd_rc_error                 it could, but holds what cannot be true, or
 *                                 ompd_initialize was not called
 *   ompd_rc_nomem                 d_alloc_memory failed
 *
 * "unavailable" and "unsupported" are named where they can occur.
 */
#ifndef OMPD_H
#define OMPD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Section 15.1: basic types. */

typedef uint64_t ompd_taddr_t;       /* address or segment of the target */
typedef int64_t ompd_tword_t;        /* signed integer of the same width */
typedef uint64_t ompd_size_t;        /* bytes in the debugger */
typedef uint64_t ompd_parallel_id_t; /* unique per process; 0 is none */
typedef uint64_t ompd_task_id_t;     /* unique per process; 0 is none */
typedef uint64_t ompd_wait_id_t;     /* what a thread waits for; 0 is none */

typedef struct {
    ompd_taddr_t segment;
    ompd_taddr_t address;
} ompd_address_t;

#define OMPD_SEGMENT_UNSPECIFIED ((ompd_taddr_t)0)
#define OMPD_SEGMENT_TEXT ((ompd_taddr_t)1)
#define OMPD_SEGMENT_DATA ((ompd_taddr_t)2)

/* Section 15.2: kinds of operating system thread ids. An id is passed by reference, in
 * the target's byte order. Sizes in bytes: pthread as the target's pthread_t; lwp 4 or 8.
 */
typedef enum {
    ompd_osthread_pthread = 0,
    ompd_osthread_lwp = 1,
    ompd_osthread_winthread = 2
} ompd_osthread_kind_t;

/* Section 15.3: handles, opaque to the debugger. */
typedef struct _ompd_address_space_handle_s ompd_address_space_handle_t;
typedef struct _ompd_thread_handle_s ompd_thread_handle_t;
typedef struct _ompd_parallel_handle_s ompd_parallel_handle_t;
typedef struct _ompd_task_handle_s ompd_task_handle_t;

/* Section 15.4: contexts, opaque to the library. */
typedef struct _ompd_address_space_context_s ompd_address_space_context_t;
typedef struct _ompd_thread_context_s ompd_thread_context_t;

/* Section 15.5: return codes. */
typedef enum {
    ompd_rc_ok = 0,
    ompd_rc_unavailable = 1,
    ompd_rc_stale_handle = 2,
    ompd_rc_bad_input = 3,
    ompd_rc_error = 4,
    ompd_rc_unsupported = 5,
    ompd_rc_needs_state_tracking = 6,
    ompd_rc_incompatible = 7,
    ompd_rc_target_read_error = 8,
    ompd_rc_target_write_error = 9,
    ompd_rc_nomem = 10
} ompd_rc_t;

/* Section 15.6: loop schedules, omp_sched_t. */
typedef enum {
    ompd_sched_static = 1,
    ompd_sched_dynamic = 2,
    ompd_sched_guided = 3,
    ompd_sched_auto = 4,
    ompd_sched_vendor_lo = 5,
    ompd_sched_vendor_hi = 0x7fffffff
} ompd_sched_t;

/* Section 15.7: thread affinity policies, omp_proc_bind_t. */
typedef enum {
    ompd_proc_bind_false = 0,
    ompd_proc_bind_true = 1,
    ompd_proc_bind_master = 2,
    ompd_proc_bind_close = 3,
    ompd_proc_bind_spread = 4
} ompd_proc_bind_t;

/* Section 15.8: primitive types of the target; sizes in bytes. */
typedef struct {
    int sizeof_char;
    int sizeof_short;
    int sizeof_int;
    int sizeof_long;
    int sizeof_long_long;
    int sizeof_pointer;
} ompd_target_type_sizes_t;

typedef enum {
    ompd_type_char = 0,
    ompd_type_short = 1,
    ompd_type_int = 2,
    ompd_type_long = 3,
    ompd_type_long_long = 4,
    ompd_type_pointer = 5
} ompd_target_prim_types_t;

/* Section 15.9: what a thread is doing. */
typedef enum {
    ompd_state_work_serial = 0x00,    /* user code outside every parallel region */
    ompd_state_work_parallel = 0x01,  /* user code of a parallel region */
    ompd_state_work_reduction = 0x02, /* combines a reduction */

    ompd_state_idle = 0x10, /* member of no team */

    ompd_state_overhead = 0x20, /* inside the runtime without waiting */

    ompd_state_wait_barrier = 0x40,
    ompd_state_wait_barrier_implicit = 0x41,
    ompd_state_wait_barrier_explicit = 0x42,

    ompd_state_wait_taskwait = 0x50,
    ompd_state_wait_taskgroup = 0x51,

    ompd_state_wait_lock = 0x60,
    ompd_state_wait_nest_lock = 0x61,
    ompd_state_wait_critical = 0x62,
    ompd_state_wait_atomic = 0x63,
    ompd_state_wait_ordered = 0x64,

    ompd_state_undefined = 0x70,
    ompd_state_first = 0x71
} ompd_state_t;

/* Section 15.10: what the debugger offers. Every callback answers with an ompd_rc_t and
 * fills its out-parameters only on success. thread_context may be NULL: the question is
 * then about memory and symbols that all threads share. */

typedef ompd_rc_t (*ompd_dmemory_alloc_fn_t)(ompd_size_t bytes, void **ptr);
typedef ompd_rc_t (*ompd_dmemory_free_fn_t)(void *ptr);

typedef ompd_rc_t (*ompd_get_thread_context_for_osthread_fn_t)(
    ompd_address_space_context_t *address_space_context, ompd_osthread_kind_t kind,
    ompd_size_t sizeof_osthread, const void *osthread, ompd_thread_context_t **thread_context);

typedef ompd_rc_t (*ompd_get_address_space_context_for_thread_fn_t)(
    ompd_thread_context_t *thread_context, ompd_address_space_context_t **address_space_context);

typedef ompd_rc_t (*ompd_tsizeof_prim_fn_t)(ompd_address_space_context_t *context,
                                            ompd_target_type_sizes_t *sizes);

/* The symbol is asked for verbatim, without mangling. A symbol that does not exist is a
 * failure; which code is up to the debugger. */
typedef ompd_rc_t (*ompd_tsymbol_addr_fn_t)(ompd_address_space_context_t *address_space_context,
                                            ompd_thread_context_t *thread_context,
                                            const char *symbol_name, ompd_address_t *symbol_addr);

typedef ompd_rc_t (*ompd_tmemory_read_fn_t)(ompd_address_space_context_t *address_space_context,
                                            ompd_thread_context_t *thread_context,
                                            const ompd_address_t *addr, ompd_tword_t nbytes,
                                            void *buffer);

typedef ompd_rc_t (*ompd_tmemory_write_fn_t)(ompd_address_space_context_t *address_space_context,
                                             ompd_thread_context_t *thread_context,
                                             const ompd_address_t *addr, ompd_tword_t nbytes,
                                             const void *buffer);

/* Converts `count` items of `unit_size` bytes between the byte orders of the two sides.
 */
typedef ompd_rc_t (*ompd_target_host_fn_t)(ompd_address_space_context_t *address_space_context,
                                           const void *input, int unit_size, int count,
                                           void *output);

typedef ompd_rc_t (*ompd_print_string_fn_t)(const char *string);

/* Section 16: the callback table. print_string, t_write_memory, host_to_target and the
 * two context callbacks may be NULL. This library calls but get_thread_context_for_osthread
 * of them: it asks with kernel ids of 8 bytes which of a process's threads exist, where its
 * memory may name threads that do not, as in a child that is still inside fork. */
typedef struct {
    ompd_dmemory_alloc_fn_t d_alloc_memory;
    ompd_dmemory_free_fn_t d_free_memory;
    ompd_print_string_fn_t print_string;

    ompd_tsizeof_prim_fn_t t_sizeof_prim_type;
    ompd_tsymbol_addr_fn_t t_symbol_addr_lookup;
    ompd_tmemory_read_fn_t t_read_memory;
    ompd_tmemory_write_fn_t t_write_memory;
    ompd_target_host_fn_t target_to_host;
    ompd_target_host_fn_t host_to_target;

    ompd_get_thread_context_for_osthread_fn_t get_thread_context_for_osthread;
    ompd_get_address_space_context_for_thread_fn_t get_address_space_context_for_thread;
} ompd_callbacks_t;

/* Section 4: initialisation and finalisation. */

/* 4.1 The version of the interface, 2. May be called before ompd_initialize. */
ompd_rc_t ompd_get_version(int *version);

/* 4.1 A sentence about this library; it stays valid while the library is loaded and is
 * not to be freed. May be called before ompd_initialize. */
ompd_rc_t ompd_get_version_string(const char **string);

/* 4.1 Takes a copy of the table. bad_input: NULL, or a callback that is needed is NULL.
 * error: called a second time without ompd_finalize between. */
ompd_rc_t ompd_initialize(const ompd_callbacks_t *callbacks);

/* 4.2 Begins work on a process or core. incompatible: no runtime that this library knows,
 * or a version of it that it does not know. A static program without symbols is that, too,
 * whether it has a runtime or not. bad_input: context is NULL. */
ompd_rc_t ompd_process_initialize(ompd_address_space_context_t *context,
                                  ompd_address_space_handle_t **handle);

/* 4.4 The last call before the library is unloaded; ompd_initialize may follow it.
 * Handles must have been released. */
ompd_rc_t ompd_finalize(void);

/* 7.1 Ends work on a process or core. Thread, parallel and task handles of that address
 * space that have not been released are. */
ompd_rc_t ompd_release_address_space_handle(ompd_address_space_handle_t *handle);

/* Section 7.2: thread handles. */

/* All OpenMP threads, idle ones included. With thread_handle_vector NULL they are only
 * counted. The vector (NULL when there is no thread) is the debugger's to free, after
 * releasing each handle. */
ompd_rc_t ompd_get_threads(ompd_address_space_handle_t *handle,
                           ompd_thread_handle_t ***thread_handle_vector, int *num_handles);

/* The threads of a team that have begun their part, by rising thread number; ownership as
 * in ompd_get_threads. */
ompd_rc_t ompd_get_thread_in_parallel(ompd_parallel_handle_t *parallel_handle,
                                      ompd_thread_handle_t ***thread_handle_vector,
                                      int *num_handles);

/* The thread that encountered the parallel construct. */
ompd_rc_t ompd_get_master_thread_in_parallel(ompd_parallel_handle_t *parallel_handle,
                                             ompd_thread_handle_t **thread_handle);

ompd_rc_t ompd_release_thread_handle(ompd_thread_handle_t *thread_handle);

/* *cmp_value is negative, 0 or positive; handles are equal when they name the same thread
 * of the same address space. The order is total and stays as long as the handles. */
ompd_rc_t ompd_thread_handle_compare(ompd_thread_handle_t *thread_handle_1,
                                     ompd_thread_handle_t *thread_handle_2, int *cmp_value);

/* Letters, digits and underscores. Equal handles have equal strings, handles that are not
 * equal have different ones. The string is the debugger's to free. */
ompd_rc_t ompd_get_thread_handle_string_id(ompd_thread_handle_t *thread_handle, char **string_id);

/* Section 7.3: parallel region handles. */

/* unavailable: the thread is in no parallel region, or was in one before tracking began.
 */
ompd_rc_t ompd_get_top_parallel_region(ompd_thread_handle_t *thread_handle,
                                       ompd_parallel_handle_t **parallel_handle);

/* unavailable: the region is an outermost one. */
ompd_rc_t ompd_get_enclosing_parallel_handle(ompd_parallel_handle_t *parallel_handle,
                                             ompd_parallel_handle_t **enclosing_parallel_handle);

/* unavailable: the task is in no parallel region. */
ompd_rc_t ompd_get_task_parallel_handle(ompd_task_handle_t *task_handle,
                                        ompd_parallel_handle_t **task_parallel_handle);

ompd_rc_t ompd_release_parallel_handle(ompd_parallel_handle_t *parallel_handle);

/* As for threads. */
ompd_rc_t ompd_parallel_handle_compare(ompd_parallel_handle_t *parallel_handle_1,
                                       ompd_parallel_handle_t *parallel_handle_2, int *cmp_value);

/* As for threads. */
ompd_rc_t ompd_get_parallel_handle_string_id(ompd_parallel_handle_t *parallel_handle,
                                             char **string_id);

/* Section 7.4: task handles. */

/* unavailable: the thread is idle, or was in a region before tracking began. */
ompd_rc_t ompd_get_top_task_region(ompd_thread_handle_t *thread_handle,
                                   ompd_task_handle_t **task_handle);

/* The task that generated this one. unavailable: an initial task. */
ompd_rc_t ompd_get_ancestor_task_region(ompd_task_handle_t *task_handle,
                                        ompd_task_handle_t **parent_task_handle);

/* The implicit tasks that have begun, by rising thread number; vector and ownership as in
 * ompd_get_threads. */
ompd_rc_t ompd_get_implicit_task_in_parallel(ompd_parallel_handle_t *parallel_handle,
                                             ompd_task_handle_t ***task_handle_vector,
                                             int *num_handles);

ompd_rc_t ompd_release_task_handle(ompd_task_handle_t *task_handle);

/* As for threads. */
ompd_rc_t ompd_task_handle_compare(ompd_task_handle_t *task_handle_1,
                                   ompd_task_handle_t *task_handle_2, int *cmp_value);

/* As for threads. */
ompd_rc_t ompd_get_task_handle_string_id(ompd_task_handle_t *task_handle, char **string_id);

/* Section 8: settings. unsupported: the runtime does not hold them. */

/* Processors available to the process. */
ompd_rc_t ompd_get_num_procs(ompd_address_space_handle_t *handle, ompd_tword_t *val);

/* The most threads that the process may have, as it was set at its start. */
ompd_rc_t ompd_get_thread_limit(ompd_address_space_handle_t *handle, ompd_tword_t *val);

/* Section 9: parallel region inquiries. */

/* The size of the team. unavailable: the region is only just being opened and its size is
 * not settled. */
ompd_rc_t ompd_get_num_threads(ompd_parallel_handle_t *parallel_handle, ompd_tword_t *val);

/* Parallel regions around the task, active or not: omp_get_level() as called there. */
ompd_rc_t ompd_get_level(ompd_task_handle_t *task_handle, ompd_tword_t *val);

/* Parallel regions around the task that have more than one thread. */
ompd_rc_t ompd_get_active_level(ompd_task_handle_t *task_handle, ompd_tword_t *val);

ompd_rc_t ompd_get_parallel_id(ompd_parallel_handle_t *parallel_handle, ompd_parallel_id_t *id);

/* Entry point of the region's outlined body. */
ompd_rc_t ompd_get_parallel_function(ompd_parallel_handle_t *parallel_handle,
                                     ompd_address_t *entry_point);

/* Section 10: thread inquiries. */

/* The OpenMP thread on an operating system thread. bad_input: it is none, and then
 * *thread_handle is set to NULL; or the size does not fit the kind. unsupported: the kind
 * does not exist here. */
ompd_rc_t ompd_get_thread_handle(ompd_address_space_handle_t *handle, ompd_osthread_kind_t kind,
                                 ompd_size_t sizeof_osthread, const void *osthread,
                                 ompd_thread_handle_t **thread_handle);

/* The reverse; osthread is a buffer of the debugger of sizeof_osthread bytes. */
ompd_rc_t ompd_get_osthread(ompd_thread_handle_t *thread_handle, ompd_osthread_kind_t kind,
                            ompd_size_t sizeof_osthread, void *osthread);

/* What the thread is doing. wait_id may be NULL; it is 0 when the thread does not wait.
 */
ompd_rc_t ompd_get_state(ompd_thread_handle_t *thread_handle, ompd_state_t *state,
                         ompd_wait_id_t *wait_id);

/* Section 11.1: the entry point of the task's outlined body. unavailable: an initial
 * task, which has none. */
ompd_rc_t ompd_get_task_function(ompd_task_handle_t *task_handle, ompd_address_t *entry_point);

/* Section 11.2: task settings. unsupported: the runtime does not hold them. Truth values
 * are 0 or 1. */

/* Threads that a parallel construct without num_threads clause would ask for. */
ompd_rc_t ompd_get_max_threads(const ompd_task_handle_t *task_handle, ompd_tword_t *val);

/* omp_get_thread_num() as called there. unavailable: the thread is idle, or was in a
 * region before tracking began. */
ompd_rc_t ompd_get_thread_num(const ompd_thread_handle_t *thread_handle, ompd_tword_t *val);

ompd_rc_t ompd_in_parallel(const ompd_task_handle_t *task_handle, ompd_tword_t *val);
ompd_rc_t ompd_in_final(const ompd_task_handle_t *task_handle, ompd_tword_t *val);
ompd_rc_t ompd_get_dynamic(const ompd_task_handle_t *task_handle, ompd_tword_t *val);

/* Whether more than one nested region may be active. */
ompd_rc_t ompd_get_nested(const ompd_task_handle_t *task_handle, ompd_tword_t *val);

/* The value in the thread's current task. unavailable: it is idle. */
ompd_rc_t ompd_get_max_active_levels(const ompd_thread_handle_t *thread_handle, ompd_tword_t *val);

/* *modifier is the chunk size, 0 when none was given. */
ompd_rc_t ompd_get_schedule(ompd_task_handle_t *task_handle, ompd_sched_t *kind,
                            ompd_tword_t *modifier);

/* The policy for the next inner level. */
ompd_rc_t ompd_get_proc_bind(ompd_task_handle_t *task_handle, ompd_proc_bind_t *bind);
ompd_rc_t ompd_is_implicit(ompd_task_handle_t *task_handle, ompd_tword_t *val);

/* Sections 11.3 and 11.4: identity and frames. */

/* Both addresses are canonical frame addresses or, on x86, equal to them: the value of
 * the stack pointer before the call instruction pushed its return address.
 *   exit_runtime_addr     of the runtime's frame that called the task's outlined body;
 *                         0 before it is called and for an initial task
 *   reenter_runtime_addr  of the runtime's frame that the task's user code called into for
 *                         a construct that may run other tasks on this stack: a region, a
 *                         barrier, a taskwait, the end of a taskgroup, a task. It equals
 *                         the stack pointer of the calling user frame. 0 otherwise: in
 *                         user code, and also while the thread waits for a lock, a
 *                         critical section, an atomic or an ordered region
 * Frames between one task's exit address and the reenter address of the task that
 * generated it belong to the runtime. */
ompd_rc_t ompd_get_task_frame(ompd_task_handle_t *task_handle, ompd_address_t *exit_runtime_addr,
                              ompd_address_t *reenter_runtime_addr);

ompd_rc_t ompd_get_task_id(ompd_task_handle_t *task_handle, ompd_task_id_t *task_id);

/* Section 13: display control variables. unavailable: the runtime has not read them yet.
 */

/* A vector of "name=value", ended by NULL, to be given back with the routine below. */
ompd_rc_t ompd_get_display_control_vars(ompd_address_space_handle_t *handle,
                                        const char *const **control_var_values);
ompd_rc_t ompd_release_display_control_vars(const char *const *control_var_values);

#ifdef __cplusplus
}
#endif

#endif
