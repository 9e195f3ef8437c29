/* SPDX-License-Identifier: MIT
 *
 * What libompd.so knows beyond the OMPD interface of OpenMP: all threads at once,
 * explicit tasks and what they wait for, locks with owners and waiters, who has arrived
 * at a barrier, and where constructs were met. A debugger looks these routines up by name
 * (dlsym) and does without them when it does not find them.
 *
 * Rules, beyond those of omp-tools.h:
 *
 *  - Every structure begins with `known`, in which the bit 1 << OMPD_EXT_..._<FIELD> is
 * set when the field of that name is. A field that is not known is 0: the runtime does
 * not hold it, there is no such thing in this context, what was read could not be true, or
 * a read that only this field takes has failed.
 *  - The debugger passes sizeof of the structure as it was compiled. A later version of
 * the library may know more fields; it fills no more than that size. bad_input: the size
 * is less than that of the first version, more than 4096, or no multiple of 8.
 *  - Vectors are in the debugger's memory, NULL when empty, and freed with free_memory.
 *  - incomplete: the process claims more objects than the library is willing to list, its
 * lists take more steps than it is willing to go, or it was caught while it changed one;
 * what is in the vector is right.
 *  - An object is the address and the id of a thread, region or task. It costs no read,
 * stays the debugger's, and becomes a handle at any time. Ids are unique for the life of
 * the process where it records what it does; a libgomp without hooks numbers nothing, and
 * its objects' ids are made of what tells them apart. 0 is no object.
 *
 * Reads of the target are given for N threads, T task records, L lock records, which
 * stand in slabs of which each costs one more read.
 */
#ifndef OMPD_EXT_H
#define OMPD_EXT_H

#include "omp-tools.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OMPD_EXT_VERSION 1

typedef struct ompd_ext_object_t {
    uint64_t address;
    uint64_t id;
} ompd_ext_object_t;

/* The version of this interface that the library offers, OMPD_EXT_VERSION when it was
 * built. Later versions only add. */
ompd_rc_t ompd_ext_get_version(ompd_word_t *version);

/* 1 if the process records what it does, 0 if no more is known than its runtime keeps for
 * itself. That goes from 0 to 1 when the program, or somebody who starts it, says so.
 * One read while hooks are there, else none. */
ompd_rc_t ompd_ext_get_recording(ompd_address_space_handle_t *handle,
                                 ompd_word_t *recording);

typedef enum ompd_ext_tool_t {
    ompd_ext_tool_none = 0,
    ompd_ext_tool_ompt = 1,    /* OMPT of OpenMP 5.x: ompd_get_tool_data has its words */
    ompd_ext_tool_ompt_2 = 2,  /* OMPT of the 2016 report */
    ompd_ext_tool_runtime = 3, /* the runtime serves tools by itself, the hooks do not */
} ompd_ext_tool_t;

/* How a tool inside the process is served, an ompd_ext_tool_t. One read. unsupported: this
 * runtime does not tell. */
ompd_rc_t ompd_ext_get_tool(ompd_address_space_handle_t *handle, ompd_word_t *tool);

/* Objects and handles. The handle's object is checked when it is used, as with every
 * handle. bad_input: the object is none. */
ompd_rc_t ompd_ext_get_thread_handle(ompd_address_space_handle_t *handle,
                                     const ompd_ext_object_t *object,
                                     ompd_thread_handle_t **thread_handle);
ompd_rc_t ompd_ext_get_parallel_handle(ompd_address_space_handle_t *handle,
                                       const ompd_ext_object_t *object,
                                       ompd_parallel_handle_t **parallel_handle);
ompd_rc_t ompd_ext_get_task_handle(ompd_address_space_handle_t *handle,
                                   const ompd_ext_object_t *object,
                                   ompd_task_handle_t **task_handle);

/* The object of a handle. scope is thread, parallel, task or implicit_task and says of
 * what kind the handle is. */
ompd_rc_t ompd_ext_get_object(void *handle, ompd_scope_t scope,
                              ompd_ext_object_t *object);

/* Threads. */

enum {
    OMPD_EXT_THREAD_LWP,
    OMPD_EXT_THREAD_PTHREAD,
    OMPD_EXT_THREAD_STATE,
    OMPD_EXT_THREAD_WAIT_ID,
    OMPD_EXT_THREAD_THREAD_NUM,
    OMPD_EXT_THREAD_TEAM_SIZE,
    OMPD_EXT_THREAD_LEVEL,
    OMPD_EXT_THREAD_CODEPTR,
    OMPD_EXT_THREAD_FRAME,
    OMPD_EXT_THREAD_REGION,
    OMPD_EXT_THREAD_TASK
};

typedef struct ompd_ext_thread_t {
    uint64_t known;
    ompd_ext_object_t thread; /* always known */
    uint64_t lwp;             /* kernel id */
    uint64_t pthread;         /* pthread_t */
    uint32_t state;           /* ompt_state_t */
    uint32_t thread_num;      /* in the innermost region */
    uint32_t team_size;       /* of that region, 1 outside */
    uint32_t level;           /* as omp_get_level() */
    uint64_t wait_id;         /* what it waits for, 0: nothing */
    uint64_t codeptr; /* return address in user code of the construct it is inside the
                         runtime for, 0: it is in user code */
    uint64_t frame;   /* stack pointer of that user code at the call, 0 alike */
    ompd_ext_object_t
        region;             /* innermost; not known outside of all and for idle threads */
    ompd_ext_object_t task; /* current; not known for idle threads */
} ompd_ext_thread_t;

/* All OpenMP threads, idle ones included. At most N/8 + 10 reads; of a libgomp without
 * hooks, whose threads stand on their stacks, N and a few for each team.
 *
 * Regions and tasks of threads that were just changing them are settled with a read each,
 * eight at most; those of further threads are not known. ok, although such a read has
 * failed: the threads are answered for, and that region or task is not known, so a
 * debugger goes by the bits of OMPD_EXT_THREAD_REGION and OMPD_EXT_THREAD_TASK. Failures
 * of other reads are told by the return code. This holds as well where tasks, locks and
 * barriers are found by way of the threads. */
ompd_rc_t ompd_ext_get_threads(ompd_address_space_handle_t *handle,
                               ompd_size_t element_size, ompd_ext_thread_t **threads,
                               ompd_size_t *count);

/* The same of one thread. One read; up to three when the thread was just changing its
 * region and its task, for their ids are read from the objects then. ok, although such a
 * read has failed: the thread is answered for, and its region or task is not known. */
ompd_rc_t ompd_ext_get_thread(ompd_thread_handle_t *handle, ompd_size_t size,
                              ompd_ext_thread_t *thread);

/* Regions. */

enum {
    OMPD_EXT_REGION_KIND,
    OMPD_EXT_REGION_LEVEL,
    OMPD_EXT_REGION_ACTIVE_LEVEL,
    OMPD_EXT_REGION_REQUESTED,
    OMPD_EXT_REGION_NUM_THREADS,
    OMPD_EXT_REGION_FUNCTION,
    OMPD_EXT_REGION_CODEPTR,
    OMPD_EXT_REGION_ENCLOSING,
    OMPD_EXT_REGION_TASK,
    OMPD_EXT_REGION_MASTER,
    OMPD_EXT_REGION_MASTER_NUM
};

typedef struct ompd_ext_region_t {
    uint64_t known;
    ompd_ext_object_t region; /* always known; {0, 0}: the implicit parallel region */
    uint32_t kind;         /* ompd_generator_parallel or ompd_generator_teams */
    uint32_t level;        /* as omp_get_level() inside */
    uint32_t active_level; /* as omp_get_active_level() inside */
    uint32_t requested;    /* num_threads clause, 0: none */
    uint32_t num_threads;  /* not known until the team has been made */
    uint32_t master_num;   /* of the master in the enclosing region */
    uint64_t function; /* entry point of the outlined body */
    uint64_t codeptr;  /* return address of the call that opened the region */
    ompd_ext_object_t enclosing;
    ompd_ext_object_t task;   /* that met the construct */
    ompd_ext_object_t master; /* thread that met the construct */
} ompd_ext_region_t;

/* One read. The number of the master is not known to all runtimes here. */
ompd_rc_t ompd_ext_get_region(ompd_parallel_handle_t *handle, ompd_size_t size,
                              ompd_ext_region_t *region);

/* All regions that threads are in, each once, those around them included. Reads: those of
 * ompd_ext_get_threads and two for each region. */
ompd_rc_t ompd_ext_get_regions(ompd_address_space_handle_t *handle,
                               ompd_size_t element_size, ompd_ext_region_t **regions,
                               ompd_size_t *count);

/* Tasks. */

enum {
    OMPD_EXT_TASK_KIND,
    OMPD_EXT_TASK_STATE,
    OMPD_EXT_TASK_FLAGS,
    OMPD_EXT_TASK_LEVEL,
    OMPD_EXT_TASK_FUNCTION,
    OMPD_EXT_TASK_CODEPTR,
    OMPD_EXT_TASK_SERIAL,
    OMPD_EXT_TASK_EVENT,
    OMPD_EXT_TASK_DEPENDENCES,
    OMPD_EXT_TASK_PARENT,
    OMPD_EXT_TASK_REGION,
    OMPD_EXT_TASK_THREAD,
    OMPD_EXT_TASK_SCHEDULING
};

typedef enum ompd_ext_task_kind_t {
    ompd_ext_task_initial = 1,
    ompd_ext_task_implicit = 2,
    ompd_ext_task_explicit = 3
} ompd_ext_task_kind_t;

typedef enum ompd_ext_task_state_t {
    ompd_ext_task_created = 1, /* has not begun; whether it could is not known */
    ompd_ext_task_ready = 2,   /* has not begun and waits for no other task */
    ompd_ext_task_waiting = 3, /* has not begun and waits for the tasks that
                                  ompd_ext_get_dependences names */
    ompd_ext_task_running =
        4, /* is its thread's current task; that thread may wait in it */
    ompd_ext_task_suspended = 5, /* has begun; its thread runs another task */
    ompd_ext_task_completed = 6, /* its body has returned */
    ompd_ext_task_detached = 7   /* its body has returned, its event is not fulfilled */
} ompd_ext_task_state_t;

enum {
    OMPD_EXT_TASK_UNDEFERRED = 1, /* runs inside the construct that created it */
    OMPD_EXT_TASK_FINAL = 2,
    OMPD_EXT_TASK_UNTIED = 4,
    OMPD_EXT_TASK_MERGEABLE = 8,
    OMPD_EXT_TASK_DETACHABLE = 16,
    OMPD_EXT_TASK_TASKLOOP = 32
};

typedef struct ompd_ext_task_t {
    uint64_t known;
    ompd_ext_object_t task;
    uint32_t kind;  /* ompd_ext_task_kind_t */
    uint32_t state; /* ompd_ext_task_state_t */
    uint32_t flags; /* OMPD_EXT_TASK_UNDEFERRED, ... */
    uint32_t level; /* as omp_get_level() inside */
    uint64_t function;
    uint64_t codeptr; /* return address of the task construct */
    uint64_t serial;  /* 1, 2, ... in the order in which the parent met the constructs */
    uint64_t event;   /* handle of a detachable task's event */
    uint64_t dependences;     /* items of its depend clauses */
    ompd_ext_object_t parent; /* generating task */
    ompd_ext_object_t region;
    ompd_ext_object_t thread;     /* that runs it */
    ompd_ext_object_t scheduling; /* what that thread ran before it */
} ompd_ext_task_t;

/* All initial and explicit tasks. (Implicit ones: ompd_get_task_in_parallel.) Of a libgomp
 * without hooks a task is missing while it is between a queue and the thread that takes
 * it. Reads: those of ompd_ext_get_threads and ompd_ext_get_dependences. */
ompd_rc_t ompd_ext_get_tasks(ompd_address_space_handle_t *handle,
                             ompd_size_t element_size, ompd_ext_task_t **tasks,
                             ompd_size_t *count);

/* The same of one task, of any kind. Its state is created where ompd_ext_get_tasks would
 * tell ready from waiting, and running where that would tell it from suspended. One read.
 */
ompd_rc_t ompd_ext_get_task(ompd_task_handle_t *handle, ompd_size_t size,
                            ompd_ext_task_t *task);

/* Dependences. */

typedef enum ompd_ext_depend_kind_t {
    ompd_ext_depend_in = 1,
    ompd_ext_depend_out = 2, /* or inout */
    ompd_ext_depend_mutexinoutset = 3,
    ompd_ext_depend_inoutset = 4,
    ompd_ext_depend_unknown = 5
} ompd_ext_depend_kind_t;

/* `successor` waits for `predecessor`, which is not complete. All fields are always known,
 * but what libgomp without hooks does not tell: address 0, and kinds unknown. It holds
 * mutexinoutset for inout. */
typedef struct ompd_ext_dependence_t {
    uint64_t known;
    ompd_ext_object_t predecessor;
    ompd_ext_object_t successor;
    uint64_t address;          /* both named it */
    uint32_t predecessor_kind; /* ompd_ext_depend_kind_t */
    uint32_t successor_kind;
} ompd_ext_dependence_t;

/* What tasks that have not begun wait for. A task that waits for another one only because
 * it waits for a third is not listed with it, unless libgomp without hooks keeps it so.
 * Reads: T in bulk, at least 16 at a time, and one for each task that is not complete and
 * has a depend clause. */
ompd_rc_t ompd_ext_get_dependences(ompd_address_space_handle_t *handle,
                                   ompd_size_t element_size,
                                   ompd_ext_dependence_t **dependences,
                                   ompd_size_t *count);

/* Locks. */

enum {
    OMPD_EXT_LOCK_LOCK,
    OMPD_EXT_LOCK_KIND,
    OMPD_EXT_LOCK_HINT,
    OMPD_EXT_LOCK_COUNT,
    OMPD_EXT_LOCK_CODEPTR,
    OMPD_EXT_LOCK_OWNER,
    OMPD_EXT_LOCK_OWNER_TASK
};

typedef enum ompd_ext_lock_kind_t {
    ompd_ext_lock_simple = 1,
    ompd_ext_lock_nest = 2,
    ompd_ext_lock_critical = 3, /* the address is that of the section's name */
    ompd_ext_lock_atomic = 4
} ompd_ext_lock_kind_t;

typedef struct ompd_ext_lock_t {
    uint64_t known;
    ompd_ext_object_t lock;  /* not known: only its waiters are */
    uint64_t address;        /* what its waiters have as wait_id */
    uint32_t kind;           /* ompd_ext_lock_kind_t */
    uint32_t hint;           /* omp_sync_hint_t */
    uint32_t count;          /* times it is held, 0: not held */
    uint32_t waiters;        /* threads that wait for it */
    uint64_t first_waiter;   /* index of the first of them in the second vector */
    uint64_t codeptr;        /* return address of the call that took it */
    ompd_ext_object_t owner; /* thread; not known: nobody */
    ompd_ext_object_t owner_task;
} ompd_ext_lock_t;

/* Locks, critical sections and atomics that the program has used, held or not, and in a
 * second vector the threads that wait, lock by lock. Reads: those of
 * ompd_ext_get_threads, and L in bulk, at least 16 at a time. */
ompd_rc_t ompd_ext_get_locks(ompd_address_space_handle_t *handle,
                             ompd_size_t element_size, ompd_ext_lock_t **locks,
                             ompd_size_t *count, ompd_ext_object_t **waiters,
                             ompd_size_t *waiter_count);

/* One lock by its address, which a debugger has from a variable or an argument; that of a
 * critical section is its name's symbol. kind is what it is, as ompd_ext_lock_kind_t: the
 * memory of a lock does not say. Waiters are counted where they are known; first_waiter is
 * 0. Reads: those of ompd_ext_get_locks. unavailable: the program has not used it.
 * incomplete: it is not among the locks that the library is willing to list.
 *
 * A libgomp without hooks has no list of locks, so ompd_ext_get_locks is unsupported there
 * and this routine is not. It tells whether the lock is held, and of a nest lock how often
 * and by which task. The owner is not known while the lock changes hands, and when its task
 * has ended. bad_input: what stands there is no lock of that kind. */
ompd_rc_t ompd_ext_get_lock(ompd_address_space_handle_t *handle, uint64_t address,
                            uint32_t kind, ompd_size_t size, ompd_ext_lock_t *lock);

/* Barriers. */

enum { OMPD_EXT_BARRIER_TEAM_SIZE, OMPD_EXT_BARRIER_STATE };

typedef struct ompd_ext_barrier_t {
    uint64_t known;
    ompd_ext_object_t region;
    uint32_t team_size; /* threads that the barrier waits for */
    uint32_t members;   /* threads for which the region is the innermost one; the others
                           have not begun their part or are in a region inside */
    uint32_t arrived;   /* of them, those that wait in the barrier; never 0 */
    uint32_t state;     /* ompt_state_t of those; not known when they differ */
} ompd_ext_barrier_t;

/* Teams of which somebody waits in a barrier. Reads: those of ompd_ext_get_threads.
 *
 * A libgomp without hooks counts who has arrived and does not say who, so the states of
 * threads do not show it. Its state is ompt_state_wait_barrier_implicit for the end of the
 * region and ompt_state_wait_barrier for all others, and also when all have arrived and
 * run the tasks that are left. Members of one team may stand in both kinds: two elements,
 * and a program that hangs. */
ompd_rc_t ompd_ext_get_barriers(ompd_address_space_handle_t *handle,
                                ompd_size_t element_size, ompd_ext_barrier_t **barriers,
                                ompd_size_t *count);

#ifdef __cplusplus
}
#endif

#endif
