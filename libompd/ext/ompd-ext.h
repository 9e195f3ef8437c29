/* SPDX-License-Identifier: MIT
 *
 * What libompd.so knows beyond the OMPD interface of OpenMP: all threads at once,
 * explicit tasks and their dependences, locks with owners and waiters, arrivals at
 * barriers, and code addresses of constructs. A debugger looks these routines up by name
 * (dlsym) and does without them when it does not find them.
 *
 * Rules, beyond those of omp-tools.h:
 *
 *  - Every structure begins with `known`, in which the bit 1 << OMPD_EXT_..._<FIELD> is set
 *    when the field of that name is known. A field that is not known is 0: the runtime does
 *    not hold it, there is no such thing in this context, what was read cannot be true, or
 *    a read that only this field takes has failed.
 *  - The debugger passes sizeof of the structure as it was compiled. A later version of the
 *    library may know more fields; it fills no more than that size. bad_input: the size is
 *    less than that of the first version, more than 4096, or no multiple of 8.
 *  - Vectors are in the debugger's memory, NULL when empty, and freed with free_memory.
 *  - incomplete: the process claims more objects than the library lists, its lists take
 *    more steps than a query may, a part of it could not be read, or it was stopped
 *    mid-update. What is in the vector is right.
 *  - An object is the address and the id of a thread, region or task. It costs no read,
 *    stays the debugger's, and becomes a handle at any time. Within an answer an object is
 *    always named alike. Ids of objects that have a record are small numbers, unique for the
 *    life of the process. libgomp numbers nothing: the ids of other objects are hashes of
 *    what distinguishes them and have the highest bit. {0, 0} is no object.
 *
 * The readers that know a field are named beside it:
 *
 *   R  the program's records (the hooks are loaded and recording)
 *   G  the runtime's own memory: libgomp's, or that of LLVM's runtime
 *
 * A program that records has both, and G decides what it knows: who is in a team, also
 * before its task has begun, with which number, of how many, who has arrived, and whether a
 * lock is held.
 *
 * LLVM's runtime keeps more than libgomp: the functions of regions and undeferred tasks, which
 * threads have arrived at a barrier, and its locks of the default kind with the threads that
 * wait for them (ompd_ext_get_locks; their address is then that of the lock's object, also as
 * wait_id, and the word of an omp_lock_t or a section's name leads to it in ompd_ext_get_lock).
 * It keeps less of dependences: no addresses and kinds. Whether a thread within a taskgroup is
 * in a taskwait or at the group's end is not known: it has no state then.
 *
 * Reads of the target are given for N threads, T task records, L lock records; each slab
 * of records costs one more read. With R and G they are those of both, and two for each
 * region; of LLVM's runtime one more for each serialised region within it, at most 256.
 */
#ifndef OMPD_EXT_H
#define OMPD_EXT_H

#include "omp-tools.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OMPD_EXT_VERSION 14

typedef struct ompd_ext_object_t {
    uint64_t address;
    uint64_t id;
} ompd_ext_object_t;

/* The version of this interface that the library offers, OMPD_EXT_VERSION when it was
 * built. Later versions only add. */
ompd_rc_t ompd_ext_get_version(ompd_word_t *version);

/* The debugger is at a stop, of a number that it makes up: until it gives another one the process
 * does not run and nobody writes its memory, so that what was read of a runtime's own memory for
 * one question need not be read for the next. 0, as in the beginning: it may run between any two
 * calls. No read. Version 6. */
ompd_rc_t ompd_ext_set_stop(ompd_address_space_handle_t *handle, uint64_t stop);

/* 1 if the process records (R), 0 if only its runtime's own memory is read (G). Goes from 0
 * to 1 when the program, or the user who starts it, turns recording on. One read while
 * hooks are loaded, else none. incompatible, or the code of a read that failed: there are
 * records that cannot be read, and what is known is what G knows. */
ompd_rc_t ompd_ext_get_recording(ompd_address_space_handle_t *handle,
                                 ompd_word_t *recording);

typedef enum ompd_ext_tool_t {
    ompd_ext_tool_none = 0,
    ompd_ext_tool_ompt = 1,    /* OMPT of OpenMP 5.x: ompd_get_tool_data has its words */
    ompd_ext_tool_ompt_2 = 2,  /* OMPT of the 2016 report */
    ompd_ext_tool_runtime = 3, /* the runtime serves tools by itself, the hooks do not */
} ompd_ext_tool_t;

/* How a tool inside the process is served, an ompd_ext_tool_t. One read. unsupported: this
 * runtime does not record that. */
ompd_rc_t ompd_ext_get_tool(ompd_address_space_handle_t *handle, ompd_word_t *tool);

/* Runtimes. A process may have several: the system's libgomp, copies that packages bring with
 * them, LLVM's. Each is an image that exports the entry points of OpenMP, whatever its file
 * is called. */

enum {
    OMPD_EXT_RUNTIME_ENTRY,
    OMPD_EXT_RUNTIME_THREADS,
    OMPD_EXT_RUNTIME_FIRST_VERSION,
    OMPD_EXT_RUNTIME_LAST_VERSION,
    OMPD_EXT_RUNTIME_DAMAGED
};

typedef enum ompd_ext_runtime_kind_t {
    ompd_ext_runtime_libgomp = 1,
    ompd_ext_runtime_libomp = 2 /* LLVM's, or Intel's and others of that code */
} ompd_ext_runtime_kind_t;

typedef enum ompd_ext_recorded_t {
    ompd_ext_recorded_yes = 1,
    ompd_ext_recorded_no_hooks = 2,  /* the hooks are not loaded */
    ompd_ext_recorded_off = 3,       /* they are loaded, and do not record */
    ompd_ext_recorded_other = 4,     /* it is LLVM's, and does not report to them */
    ompd_ext_recorded_not_called = 5 /* they record, and have seen no call of this one */
} ompd_ext_recorded_t;

typedef struct ompd_ext_runtime_t {
    uint64_t known;
    uint32_t number;   /* always known; that of the fields `runtime` */
    uint32_t kind;     /* always known; ompd_ext_runtime_kind_t */
    uint32_t recorded; /* always known; ompd_ext_recorded_t */
    uint32_t threads;  /* threads that have used it and live, idle ones included */
    uint32_t
        first_version; /* of GCC or LLVM: its data are laid out as in these, by evidence of its */
    uint32_t last_version; /* code, and for the newest of its live structures; not known: none */
    uint64_t entry;        /* address of its omp_get_thread_num */
    uint64_t damaged; /* the first object of its memory whose contents no state of it leaves: what
                         is asked of threads there is answered with error; not known: none found */
} ompd_ext_runtime_t;

/* All runtimes that are loaded, of which threads, regions and tasks are listed one runtime
 * after the other. Where the debugger does not find symbols by a file's name, or the target has
 * no list of images, it is the one whose symbols are found first. Reads: those of
 * ompd_ext_get_threads (G). Symbols are looked up only when images have come or gone, recording
 * has begun, or a runtime could not be read before. */
ompd_rc_t ompd_ext_get_runtimes(ompd_address_space_handle_t *handle,
                                ompd_size_t element_size, ompd_ext_runtime_t **runtimes,
                                ompd_size_t *count);

/* The name of the runtime's file, as the target has it: "" for the program itself. It is not
 * to be opened or shown as it is. In the debugger's memory, freed with free_memory. bad_input:
 * there is no runtime of that number. unavailable: its file is not known. */
ompd_rc_t ompd_ext_get_runtime_file(ompd_address_space_handle_t *handle, uint32_t number,
                                    const char **file);

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
    OMPD_EXT_THREAD_TASK,
    OMPD_EXT_THREAD_RUNTIME,
    OMPD_EXT_THREAD_BARRIER,
    OMPD_EXT_THREAD_BARRIER_WORD,
    OMPD_EXT_THREAD_DOCK_WORD,
    OMPD_EXT_THREAD_BARRIERS, /* until version 6 `barriers` was known with `barrier` */
    OMPD_EXT_THREAD_WAIT_SINCE,
    OMPD_EXT_THREAD_LAST_WAIT,
    OMPD_EXT_THREAD_TESTED,
    OMPD_EXT_THREAD_TESTS,
    OMPD_EXT_THREAD_TESTED_SINCE,
    OMPD_EXT_THREAD_TARGET,
    OMPD_EXT_THREAD_TARGET_DEVICE,
    OMPD_EXT_THREAD_TARGET_CODEPTR,
    OMPD_EXT_THREAD_TARGET_SINCE
};

typedef enum ompd_ext_target_t {
    ompd_ext_target_region = 1,
    ompd_ext_target_enter_data = 2, /* also the begin of a target data construct */
    ompd_ext_target_exit_data = 3,  /* and its end */
    ompd_ext_target_update = 4
} ompd_ext_target_t;

/* The barriers of a team. Members of one team may wait in both: a program that hangs. */
typedef enum ompd_ext_barrier_kind_t {
    ompd_ext_barrier_none = 0,
    ompd_ext_barrier_within = 1, /* explicit, or of a construct in the region */
    ompd_ext_barrier_end = 2     /* that ends the region */
} ompd_ext_barrier_kind_t;

typedef struct ompd_ext_thread_t {
    uint64_t known;
    ompd_ext_object_t thread; /* R G  always known */
    uint64_t lwp;             /* R G  kernel id */
    uint64_t pthread;         /* R G  pthread_t */
    uint32_t state;           /* R G  ompt_state_t; G has no waits for barriers, locks,
                                      critical sections and ordered regions */
    uint32_t thread_num;      /* R G  in the innermost region */
    uint32_t team_size;       /* R G  of that region, 1 outside */
    uint32_t level;           /* R G  as omp_get_level() */
    uint64_t wait_id;         /* R    what it waits for, 0: nothing; G: always 0 */
    uint64_t codeptr;         /* R    return address in user code of the construct for which
                                      it is in the runtime, 0: it is in user code */
    uint64_t frame;           /* R    stack pointer of that user code at the call, or 0 */
    ompd_ext_object_t region; /* R G  innermost; not known outside all and of idle threads */
    ompd_ext_object_t task;   /* R G  current; not known of idle threads */
    /* since version 2 */
    uint64_t runtime; /* R G  number of the runtime that says this; R: not known where
                                      there are several, but of the region */
    uint32_t barrier;         /* R    ompd_ext_barrier_kind_t: the one of the region that it has
                                      entered and that has not released it; since version 7 G,
                                      too, of LLVM's runtime: none of one that may execute tasks
                                      there, or spin, until others arrive */
    uint32_t barriers;        /* R    barriers of the region that it has entered so far */
    /* since version 4 */
    uint64_t barrier_word; /*   G  address of the futex on which threads sleep that wait at a
                                   barrier of its team; as all below of libgomp only */
    uint64_t dock_word;    /*   G  the same of the dock, where threads of its pool wait for
                                   their next region */
    uint64_t docked;       /*   G  threads that have arrived at the dock, known with its word */
    /* since version 8 */
    uint64_t wait_since; /* R    when the wait of its state began, in nanoseconds of the
                                 CLOCK_MONOTONIC of its time namespace, up to 10 ms too early; of
                                 one that executes tasks while it waits, after the last of these.
                                 Not known of a mutex that may just have been free */
    uint64_t last_wait;  /* R    the same of its latest wait, which may be over. It is now later
                                 than any of these: a core has no other time */
    /* since version 10 */
    uint64_t tested; /* R    address of the lock that its last test of one, by omp_test_lock or
                             omp_test_nest_lock, has not acquired. Not known where it has, or the
                             thread has waited for something since; it may have given up, too */
    uint64_t tests;  /* R    so many tests of that lock in a row have failed, known with it. Of
                             LLVM's runtime a last one is counted when there is another */
    uint64_t tested_since; /* R  as wait_since: when the first of these was */
    /* since version 14 */
    uint32_t target;         /* R  ompd_ext_target_t: the innermost target construct that it is in;
                                   not known: in none, or in one of LLVM's runtime before 17 */
    uint32_t target_device;  /* R  number of the device; not known of the host, and of the end of a
                                   target data construct that began before recording did. A region
                                   for whose device there is no code the host executes, too */
    uint64_t target_codeptr; /* R  return address of its call; of LLVM 17 and 18 not always known */
    uint64_t target_since;   /* R  as wait_since: when it began */
} ompd_ext_thread_t;

/* All OpenMP threads, idle ones included. One that has used several runtimes is there once for
 * each (G). Reads: R at most N/8 + 10; G N and a few for each
 * team.
 *
 * Regions and tasks that R finds mid-update are read again, with a read each and eight at
 * most; those of further threads are not known. When such a read fails the answer is ok
 * and that region or task is not known; likewise all fields but the ids of a thread whose
 * team or pool cannot be read (G). A debugger goes by the bits. Other failures are the
 * return code. The same holds where tasks, locks and barriers are found by way of the
 * threads. */
ompd_rc_t ompd_ext_get_threads(ompd_address_space_handle_t *handle,
                               ompd_size_t element_size, ompd_ext_thread_t **threads,
                               ompd_size_t *count);

/* The same of one thread. One read; up to three when its region and its task are
 * mid-update. ok although one of these two has failed: it is not known then. */
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
    OMPD_EXT_REGION_MASTER_NUM,
    OMPD_EXT_REGION_RUNTIME,
    OMPD_EXT_REGION_CANCELLED,
    OMPD_EXT_REGION_NUMBER,
    OMPD_EXT_REGION_PARTED,
    OMPD_EXT_REGION_PARTED_FIRST,
    OMPD_EXT_REGION_PARTED_OTHER
};

typedef struct ompd_ext_region_t {
    uint64_t known;
    ompd_ext_object_t region;    /* R G  always known; {0, 0}: the implicit parallel region */
    uint32_t kind;               /* R G  ompd_generator_parallel or ompd_generator_teams */
    uint32_t level;              /* R G  as omp_get_level() inside */
    uint32_t active_level;       /* R G  as omp_get_active_level() inside */
    uint32_t requested;          /* R    num_threads clause; without one 0 or nthreads-var */
    uint32_t num_threads;        /* R G  not known until the team has been made */
    uint32_t master_num;         /*   G  of the primary thread in the enclosing region; R in
                                         ompd_ext_get_regions only */
    uint64_t function;           /* R    entry point of the outlined body */
    uint64_t codeptr;            /* R    return address of the call that opened the region */
    ompd_ext_object_t enclosing; /* R G */
    ompd_ext_object_t task;      /* R G  that encountered the construct */
    ompd_ext_object_t master;    /* R G  primary thread, which encountered the construct */
    /* since version 2 */
    uint64_t runtime;   /* R G  number of the runtime whose region it is */
    uint32_t cancelled; /* R G  1: it is cancelled */
    uint32_t reserved;
    /* since version 5 */
    uint64_t number; /* R    the id of its record, which is the object's own but where LLVM's
                             runtime names the object */
    /* since version 11 */
    uint64_t parted;       /* R    number of its first barrier that two threads have called from
                                   different places, 0: none */
    uint64_t parted_first; /* R    return addresses of these two calls, 0 while they are not known */
    uint64_t parted_other; /* R */
} ompd_ext_region_t;

/* One read. */
ompd_rc_t ompd_ext_get_region(ompd_parallel_handle_t *handle, ompd_size_t size,
                              ompd_ext_region_t *region);

/* All regions that threads are in, each once, those around them included. Reads: those of
 * ompd_ext_get_threads and two for each region. */
ompd_rc_t ompd_ext_get_regions(ompd_address_space_handle_t *handle,
                               ompd_size_t element_size, ompd_ext_region_t **regions,
                               ompd_size_t *count);

/* The size of a team. */

enum {
    OMPD_EXT_TEAM_REQUESTED,
    OMPD_EXT_TEAM_NTHREADS,
    OMPD_EXT_TEAM_NUM_THREADS,
    OMPD_EXT_TEAM_SHORTFALL,
    OMPD_EXT_TEAM_DYNAMIC,
    OMPD_EXT_TEAM_THREAD_LIMIT,
    OMPD_EXT_TEAM_MAX_ACTIVE_LEVELS,
    OMPD_EXT_TEAM_GONE,
    OMPD_EXT_TEAM_UNBEGUN
};

typedef enum ompd_ext_shortfall_t {
    ompd_ext_shortfall_none = 0,    /* it has as many threads as were asked for; serialised by an
                                       if clause, 1 is asked for */
    ompd_ext_shortfall_levels = 1,  /* max-active-levels-var: serialised */
    ompd_ext_shortfall_limit = 2,   /* thread-limit-var */
    ompd_ext_shortfall_dynamic = 3, /* dyn-var: the runtime chose */
    ompd_ext_shortfall_other = 4    /* for no reason that is known */
} ompd_ext_shortfall_t;

/* ICVs are those of the task that encountered the construct. */
typedef struct ompd_ext_team_t {
    uint64_t known;
    uint32_t requested;         /* R    num_threads clause; without one 0 or nthreads-var */
    uint32_t nthreads;          /* R G  nthreads-var: what counts without a clause */
    uint32_t num_threads;       /* R G  what the team has */
    uint32_t shortfall;         /* R    ompd_ext_shortfall_t */
    uint32_t dynamic;           /* R G  dyn-var */
    uint32_t thread_limit;      /* R G  thread-limit-var */
    uint32_t max_active_levels; /* R G  max-active-levels-var; G: not before GCC 11 */
    uint32_t gone;              /*   G  members that do not exist in this process: it is the
                                        child of a fork, or they have ended; x86-64, and those
                                        of which the memory is still there */
    /* since version 7 */
    uint32_t unbegun;           /*   G  of these, such as have not begun: of the parent */
    uint32_t reserved;
} ompd_ext_team_t;

/* Of one region. Reads: R 3, G two for each thread. */
ompd_rc_t ompd_ext_get_team(ompd_parallel_handle_t *handle, ompd_size_t size,
                            ompd_ext_team_t *team);

/* Worksharing loops. */

enum {
    OMPD_EXT_LOOP_ADDRESS,
    OMPD_EXT_LOOP_SCHEDULE,
    OMPD_EXT_LOOP_DIMENSIONS,
    OMPD_EXT_LOOP_CHUNK,
    OMPD_EXT_LOOP_NEXT,
    OMPD_EXT_LOOP_END,
    OMPD_EXT_LOOP_INCREMENT,
    OMPD_EXT_LOOP_TRIPS,
    OMPD_EXT_LOOP_POSTED,
    OMPD_EXT_LOOP_AWAITED
};

/* The numbers of iterations are those of the loop's variable, signed or unsigned as it is; in
 * doacross loops they count from 0. */
typedef struct ompd_ext_loop_t {
    uint64_t known;
    uint64_t address;    /*   G  the same for all threads of the team that are in the loop */
    uint32_t schedule;   /*   G  omp_sched_t */
    uint32_t dimensions; /*   G  loops of a doacross loop, 0: it is none */
    uint64_t chunk;      /*   G  iterations, in a dynamic schedule times the increment */
    uint64_t next;       /*   G  that is handed out next; not of a static schedule */
    uint64_t end;        /*   G  first that there is no more */
    uint64_t increment;  /*   G */
    uint64_t trips;      /*   G  chunks of a static schedule that the thread has had */
    uint64_t posted;     /*   G  the outermost loop's, that the thread has posted last; of a
                                 doacross loop with a static schedule */
    uint64_t awaited;    /* R    the outermost loop's, that it waits for in a doacross loop */
} ompd_ext_loop_t;

/* The loop that a thread is in, or sections, which are handed out as iterations 1, 2, ... G:
 * libgomp keeps the worksharing construct that the thread began last, not whether it still is
 * in it, and not what kind it is: a debugger asks when the code that the thread runs is that
 * of a loop whose iterations the runtime hands out. (Static loops without `ordered` are
 * handed out by the program itself.) unavailable: the thread is in none; R: it waits for no
 * iteration. Reads: R 1, G six and as many as it takes to find the thread's team. */
ompd_rc_t ompd_ext_get_loop(ompd_thread_handle_t *handle, ompd_size_t size,
                            ompd_ext_loop_t *loop);

/* Stacks. */

enum { OMPD_EXT_STACK_LOW, OMPD_EXT_STACK_HIGH, OMPD_EXT_STACK_GUARD };

typedef struct ompd_ext_stack_t {
    uint64_t known;
    uint64_t low;   /*   G  its lowest address, of the guard */
    uint64_t high;  /*   G  the first address above it */
    uint64_t guard; /*   G  bytes from the lowest address on that cannot be used */
} ompd_ext_stack_t;

/* The stack of a thread that glibc has made, found in its struct pthread. unavailable: the main
 * thread, and a thread whose stack the program has brought. Two reads. */
ompd_rc_t ompd_ext_get_stack(ompd_thread_handle_t *handle, ompd_size_t size,
                             ompd_ext_stack_t *stack);

/* The flight recorder. */

/* What an event is about; objects are named by their ids. Those of the last five are added to the
 * numbers that OpenMP gives kinds: ompt_sync_region_t, ompt_mutex_t, ompt_work_t, ompt_target_t. */
typedef enum ompd_ext_event_kind_t {
    ompd_ext_event_region_begin = 1, /* object: the region, as in what follows */
    ompd_ext_event_region_end = 2,
    ompd_ext_event_join = 3,        /* a worker begins its implicit task */
    ompd_ext_event_task_create = 4, /* object: the task, as in what follows */
    ompd_ext_event_task_begin = 5,  /* or is resumed */
    ompd_ext_event_task_end = 6,
    ompd_ext_event_cancel = 7,      /* object: ompt_cancel_flag_t */
    ompd_ext_event_sync = 0x100,    /* a wait; object: the region */
    ompd_ext_event_mutex = 0x200,   /* a wait, and the acquisition; object: the wait id */
    ompd_ext_event_release = 0x300, /* object: likewise */
    ompd_ext_event_work = 0x400,    /* begins; object: iterations or sections, 0: unknown */
    ompd_ext_event_target = 0x500,  /* a wait for the end of a target construct; object: the device,
                                       from 0xfffffffe on the host or not known */
    ompd_ext_event_class = 0xf00    /* mask: the rest of a kind is OpenMP's number */
} ompd_ext_event_kind_t;

enum { OMPD_EXT_EVENT_TIME, OMPD_EXT_EVENT_WAITED, OMPD_EXT_EVENT_OPEN };

typedef struct ompd_ext_event_t {
    uint64_t known;
    uint64_t number;  /* R    1, 2, ... of its thread */
    uint64_t time;    /* R    when it was, of a wait when that began: nanoseconds of
                              CLOCK_MONOTONIC */
    uint64_t waited;  /* R    nanoseconds that a wait has lasted */
    uint64_t object;  /* R    by its kind */
    uint64_t codeptr; /* R    return address of the call in user code, 0: none */
    uint32_t kind;    /* R    ompd_ext_event_kind_t, and what is added to it */
    uint32_t open;    /* R    1: a wait that is not over */
} ompd_ext_event_t;

/* The last events of a thread, oldest first; their numbers ascend, and one may be missing that was
 * being stored. The caller releases the vector. unavailable: the program runs without
 * OMP_OMPD=history. Reads: four, and one for each 4 KiB of events. Version 9. */
ompd_rc_t ompd_ext_get_history(ompd_thread_handle_t *handle, ompd_size_t event_size,
                               ompd_ext_event_t **events, ompd_size_t *count);

/* Sums. */

/* What a sum is of. The last is added to the numbers that OpenMP gives ompt_mutex_t. */
typedef enum ompd_ext_sum_kind_t {
    ompd_ext_sum_region = 1,
    ompd_ext_sum_member = 2,
    ompd_ext_sum_barrier = 3,
    ompd_ext_sum_taskwait = 4,
    ompd_ext_sum_task_created = 5,
    ompd_ext_sum_task = 6,
    ompd_ext_sum_threads = 0x10,
    ompd_ext_sum_mutex = 0x200
} ompd_ext_sum_kind_t;

enum {
    OMPD_EXT_SUM_TIME,
    OMPD_EXT_SUM_WAITED,
    OMPD_EXT_SUM_LONGEST,
    OMPD_EXT_SUM_CONTENDED,
    OMPD_EXT_SUM_TYPICAL,
    OMPD_EXT_SUM_SEVERAL
};

/* Times are nanoseconds, without those of waits, tasks and regions inside.
 *
 *                 count          time                   waited              longest  contended
 *   region        that are over  of the primary thread  that times threads  region   threads
 *   member        regions ended  work after the last    before it begins              see below
 *                                of the barriers
 *   barrier       waits          work before it         of the waits        wait
 *   taskwait      waits                                 of the waits        wait
 *   task_created  tasks
 *   task          that are over  work                                       work
 *   mutex         acquisitions   it was held            of the waits        wait     acquisitions
 *   threads       that were made when the first began,  of their last event          events without
 *                                of CLOCK_MONOTONIC     likewise                     room for a sum
 *
 * Those of one thread follow its sum `threads`, of which `number` is its kernel thread id.
 * `contended` of a member: until it has arrived at the end, and what it works there. */
typedef struct ompd_ext_sum_t {
    uint64_t known;
    uint64_t count;
    uint64_t time;
    uint64_t waited;
    uint64_t longest;
    uint64_t contended;
    uint64_t typical; /* work of one before a barrier or end: the geometric mean */
    uint64_t object;  /* R    wait id of a mutex */
    uint64_t region;  /* R    of a barrier, the codeptr of its region */
    uint64_t codeptr; /* R    return address of the call in user code, 0: none */
    uint64_t holder;  /* R    likewise of who had the mutex during the longest wait */
    uint32_t kind;    /* R    ompd_ext_sum_kind_t, and what is added to it */
    uint32_t number;  /* R    of the thread in its team */
    uint32_t several; /* R    1: the mutex was not always the same */
    uint32_t unused;
} ompd_ext_sum_t;

/* What each thread has added up at each place, since it was begun or forked; the caller releases
 * the vector. unavailable: the program runs without OMP_OMPD=sums. Reads: two, and two for each
 * thread. Version 13. */
ompd_rc_t ompd_ext_get_sums(ompd_address_space_handle_t *handle, ompd_size_t sum_size,
                            ompd_ext_sum_t **sums, ompd_size_t *count);

/* R. Forks between the process that began to record and this one, 0: it is the same. One
 * read. unsupported: this is not recorded. */
ompd_rc_t ompd_ext_get_forks(ompd_address_space_handle_t *handle, ompd_word_t *forks);

/* Orders of locks. Each has its record once with thread 0, then once for each thread that has met it between
 * two barriers of a region, of the last ones. Where these are the same for two threads, nothing but a lock that
 * both held has ordered them. Explicit tasks and what follows an ordered construct are left out. */
typedef struct ompd_ext_order_t {
    uint64_t known;   /* 0 */
    uint64_t order;   /* R    identifies it */
    uint64_t parent;  /* R    the order of the lock that was acquired before and is held; 0: of none */
    uint64_t lock;    /* R    identifies the lock while it lives */
    uint64_t address; /* R    its wait id */
    uint64_t codeptr; /* R    return address of the first such call in user code, 0: none */
    uint64_t thread;  /* R    id of a thread, which may have ended */
    uint64_t region;  /* R    id of its region, which may be over */
    uint32_t barrier; /* R    barriers that it had entered there */
    uint32_t kind;    /* R    ompd_ext_lock_kind_t */
} ompd_ext_order_t;

/* The caller releases the vector. incomplete: there were more, or a thread has held too many locks at a time.
 * unavailable: the program runs without OMP_OMPD=orders. Version 13. */
ompd_rc_t ompd_ext_get_orders(ompd_address_space_handle_t *handle, ompd_size_t order_size,
                              ompd_ext_order_t **orders, ompd_size_t *count);

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
    OMPD_EXT_TASK_SCHEDULING,
    OMPD_EXT_TASK_CANCELLED,
    OMPD_EXT_TASK_NUMBER,
    OMPD_EXT_TASK_DEVICE
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
    ompd_ext_task_running = 4, /* its thread's current task; that thread may wait in it */
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
    ompd_ext_object_t task;       /* R G */
    uint32_t kind;                /* R G  ompd_ext_task_kind_t */
    uint32_t state;               /* R G  ompd_ext_task_state_t */
    uint32_t flags;               /* R G  OMPD_EXT_TASK_UNDEFERRED, ...; G: that and FINAL */
    uint32_t level;               /* R G  as omp_get_level() inside */
    uint64_t function;            /* R G  entry point; G: not of undeferred and implicit
                                          tasks */
    uint64_t codeptr;             /* R    return address of the task construct */
    uint64_t serial;              /* R    1, 2, ... in the order in which the parent
                                          encountered the constructs */
    uint64_t event;               /* R G  handle of a detachable task's event; G: of undeferred
                                          tasks */
    uint64_t dependences;         /* R G  items of its depend clauses; G: not of undeferred
                                          and implicit tasks */
    ompd_ext_object_t parent;     /* R G  generating task; G: not once that has ended */
    ompd_ext_object_t region;     /* R G */
    ompd_ext_object_t thread;     /* R G  that runs it; G: not of a suspended task of which
                                          other threads run children */
    ompd_ext_object_t scheduling; /* R    what that thread ran before it */
    /* since version 2 */
    uint32_t cancelled; /*   G  1: its innermost taskgroup is cancelled */
    uint32_t reserved;
    /* since version 5 */
    uint64_t number; /* R    as of a region */
    /* since version 14 */
    uint64_t device; /*   G  of a target task: the descriptor of its device */
} ompd_ext_task_t;

/* All initial and explicit tasks. (Implicit ones: ompd_get_task_in_parallel.) G: a task is
 * missing while it is moved from a queue to the thread that takes it. Reads: those of
 * ompd_ext_get_threads and ompd_ext_get_dependences. */
ompd_rc_t ompd_ext_get_tasks(ompd_address_space_handle_t *handle,
                             ompd_size_t element_size, ompd_ext_task_t **tasks,
                             ompd_size_t *count);

/* The same of one task, of any kind. Its state is created where ompd_ext_get_tasks
 * distinguishes ready from waiting, and running where that distinguishes running from
 * suspended. One read. */
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

/* `successor` waits for `predecessor`, which is not complete. R and G know all fields; where
 * G does not find what both name, the address is 0 and the kinds are unknown. libgomp
 * treats mutexinoutset as inout. */
typedef struct ompd_ext_dependence_t {
    uint64_t known;
    ompd_ext_object_t predecessor;
    ompd_ext_object_t successor;
    uint64_t address;          /* both named it */
    uint32_t predecessor_kind; /* ompd_ext_depend_kind_t */
    uint32_t successor_kind;
} ompd_ext_dependence_t;

/* What tasks that have not begun wait for. A task that waits for another one only because
 * it waits for a third is not listed with it, unless libgomp keeps it so (G).
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
    OMPD_EXT_LOCK_OWNER_TASK,
    OMPD_EXT_LOCK_FRAME,
    OMPD_EXT_LOCK_LIFE
};

typedef enum ompd_ext_lock_kind_t {
    ompd_ext_lock_simple = 1,
    ompd_ext_lock_nest = 2,
    ompd_ext_lock_critical = 3, /* the address is that of the section's name */
    ompd_ext_lock_atomic = 4
} ompd_ext_lock_kind_t;

typedef enum ompd_ext_lock_life_t {
    ompd_ext_life_unseen = 0,   /* the program was not seen to initialise it since recording
                                   began; critical sections and atomics always */
    ompd_ext_life_made = 1,     /* it was, and not to destroy it since */
    ompd_ext_life_destroyed = 2 /* it was seen to destroy it, and not to initialise it since;
                                   of many destroyed locks the last 64 are known */
} ompd_ext_lock_life_t;

typedef struct ompd_ext_lock_t {
    uint64_t known;
    ompd_ext_object_t lock;       /* R    not known: only its waiters are */
    uint64_t address;             /* R G  the wait_id of its waiters */
    uint32_t kind;                /* R G  ompd_ext_lock_kind_t */
    uint32_t hint;                /* R    omp_sync_hint_t */
    uint32_t count;               /* R G  times it is held, 0: not held */
    uint32_t waiters;             /* R    threads that wait for it */
    uint64_t first_waiter;        /* R    index of the first of them in the second vector */
    uint64_t codeptr;             /* R    return address of the call that acquired it */
    ompd_ext_object_t owner;      /* R G  thread; not known: nobody; G: of nest locks */
    ompd_ext_object_t owner_task; /* R G  G: of nest locks */
    /* since version 2 */
    uint64_t frame; /* R    stack pointer of user code at that call: the frame whose code it is
                            has it while the lock is held there; a frame that has returned is
                            deeper */
    uint32_t life;  /* R    ompd_ext_lock_life_t */
    uint32_t reserved;
} ompd_ext_lock_t;

/* R. Locks, critical sections and atomics that the program has used, held or not, and in a
 * second vector the threads that wait, lock by lock. Reads: those of
 * ompd_ext_get_threads, and L in bulk, at least 16 at a time. unsupported: libgomp has no
 * list of locks. */
ompd_rc_t ompd_ext_get_locks(ompd_address_space_handle_t *handle,
                             ompd_size_t element_size, ompd_ext_lock_t **locks,
                             ompd_size_t *count, ompd_ext_object_t **waiters,
                             ompd_size_t *waiter_count);

/* R G. One lock by its address, which a debugger has from a variable or an argument; that
 * of a critical section is its name's symbol. kind is what it is, as ompd_ext_lock_kind_t:
 * the memory of a lock does not say. first_waiter is 0. Reads: R those of
 * ompd_ext_get_locks.
 *
 * unavailable (R): the program has not used it. incomplete (R): it is not among the locks
 * that the library lists. bad_input (G): the memory is not that of such a lock. The owner
 * of a nest lock is not known while the lock changes hands, and when its task has ended
 * (G). */
ompd_rc_t ompd_ext_get_lock(ompd_address_space_handle_t *handle, uint64_t address,
                            uint32_t kind, ompd_size_t size, ompd_ext_lock_t *lock);

/* Barriers. */

enum {
    OMPD_EXT_BARRIER_TEAM_SIZE,
    OMPD_EXT_BARRIER_STATE,
    OMPD_EXT_BARRIER_KIND,
    OMPD_EXT_BARRIER_CODEPTR,
    OMPD_EXT_BARRIER_GENERATION
};

typedef struct ompd_ext_barrier_t {
    uint64_t known;
    ompd_ext_object_t region; /* R G */
    uint32_t team_size;       /* R G  threads that the barrier waits for */
    uint32_t members;         /* R G  threads of which the region is the innermost one; the
                                      others have not begun or are in a nested region */
    uint32_t arrived;         /* R G  arrived threads; never 0 */
    uint32_t state;           /* R G  ompt_state_t of those; not known when they differ */
    /* version 2 */
    uint32_t kind;            /* R G  ompd_ext_barrier_kind_t; G: not when all have arrived and
                                      run the remaining tasks */
    uint32_t generation;      /*   G  barriers completed before, by teams in this memory */
    uint64_t codeptr;         /* R    return address of the construct; not known where those
                                      who wait have encountered different ones */
} ompd_ext_barrier_t;

/* Teams of which threads wait in a barrier. Reads: those of ompd_ext_get_threads. A thread's
 * own is the one of its region with the kind that ompd_ext_thread_t names.
 *
 * Of LLVM's runtime without records those are counted that its memory shows to have arrived:
 * there may be more, which execute tasks in the barrier or spin there until others arrive.
 *
 * libgomp counts the arrived threads and does not know which they are, so the states of
 * threads do not show them (G). Its state is ompt_state_wait_barrier_implicit for the end
 * of the region and ompt_state_wait_barrier for all others, and when all have arrived and
 * run the remaining tasks. Members of one team may wait in both kinds: two elements, and a
 * program that hangs. */
ompd_rc_t ompd_ext_get_barriers(ompd_address_space_handle_t *handle,
                                ompd_size_t element_size, ompd_ext_barrier_t **barriers,
                                ompd_size_t *count);

/* Devices (since version 12), as libgomp and LLVM's libomptarget keep them (G). What is in a
 * device's own memory is not read: which of two copies is newer is not known. */

enum {
    OMPD_EXT_DEVICE_STATE,
    OMPD_EXT_DEVICE_NAME,
    OMPD_EXT_DEVICE_PLUGIN,
    OMPD_EXT_DEVICE_DESCRIPTOR
};

typedef enum ompd_ext_device_state_t {
    ompd_ext_device_unused = 1, /* it is not initialised */
    ompd_ext_device_ready = 2,
    ompd_ext_device_finalised = 3
} ompd_ext_device_state_t;

typedef struct ompd_ext_device_t {
    uint64_t known;
    uint32_t number;  /* always known; as in the device clause */
    uint32_t runtime; /* always known; number of the runtime whose device it is */
    uint64_t state;   /* ompd_ext_device_state_t; of libomptarget 14 and of libgomp */
    uint64_t name;    /* address of a string with the name that its plugin has; of libgomp */
    uint64_t plugin;  /* address of code of its plugin; of libomptarget 14 and of libgomp */
    /* since version 14 */
    uint64_t descriptor; /* address of the structure in which the runtime describes it */
} ompd_ext_device_t;

/* All devices but the host. Reads: of each one or two. unavailable: the program has not asked its runtime for
 * devices yet. unsupported: where this version has them is not known, or its machine is not x86-64;
 * those of GCC 10 to 16 are known, and LLVM 14 to 21. */
ompd_rc_t ompd_ext_get_devices(ompd_address_space_handle_t *handle,
                               ompd_size_t element_size, ompd_ext_device_t **devices,
                               ompd_size_t *count);

enum {
    OMPD_EXT_MAPPING_ADDRESS,
    OMPD_EXT_MAPPING_REFERENCES,
    OMPD_EXT_MAPPING_HELD,
    OMPD_EXT_MAPPING_FOREVER,
    OMPD_EXT_MAPPING_SOURCE,
    OMPD_EXT_MAPPING_CODEPTR
};

typedef struct ompd_ext_mapping_t {
    uint64_t known;
    uint32_t device;     /* always known; its number */
    uint32_t runtime;    /* always known */
    uint64_t host;       /* always known; first address of the range */
    uint64_t bytes;      /* always known */
    uint64_t address;    /* that the copy has on the device */
    uint64_t references; /* times that it is mapped; not known of one that stays */
    uint64_t held;       /* so many of these by ompx_hold; of libomptarget */
    uint64_t forever;    /* 1: it stays mapped, as what omp_target_associate_ptr has associated */
    uint64_t source;     /* address of the string ";variable;file;line;column;;" that clang has
                            made of its declaration; of libomptarget, where it was compiled with -g */
    /* since version 14 */
    uint64_t codeptr; /* R  return address of the construct's call that has mapped it: of libgomp a
                         construct for data during which no other one used a device; of LLVM's runtime
                         from 17 on any construct or routine */
} ompd_ext_mapping_t;

/* The ranges that are mapped, device by device, in no order. Reads: three of each at most. incomplete:
 * also where a list was mid-update. */
ompd_rc_t ompd_ext_get_mappings(ompd_address_space_handle_t *handle,
                                ompd_size_t element_size, ompd_ext_mapping_t **mappings,
                                ompd_size_t *count);

/* Why a program makes no progress (since version 3; teams, members, doing unknown, semaphores since
 * version 7, polls and loops since version 10).
 *
 * A debugger hands in all that it knows of who waits for what, from the structures above,
 * stacks, libc, the kernel and the source, and gets what is wrong, as data: the sentences
 * are its own. Nothing of the target is read. Ids are the debugger's own numbers, unique
 * among threads, things, tasks and teams, not 0; the order of the evidence does not matter.
 *
 *   kind     what            id        other                number
 *   process  0               0         0                    0
 *   thread   ..._doing_t     thread    0                    the debugger's
 *   thing    ..._thing_t     thing     its team, or 0       the debugger's
 *   task     ..._progress_t  task      its team, or 0       the debugger's
 *   waits    0               thread    the thing            0
 *   needs    0               thing or  who has to act: a    0
 *                            task      thread, thing, task
 *   team     0               team      0                    the debugger's
 *   member   0               team      a thread             0
 *   polls    0               thread    the lock             0
 *
 * A thing that somebody waits for needs its holder, members that have not arrived, tasks that
 * are not complete, the thread that is joined. It happens when all that it needs have acted; a
 * turn in an ordered loop, and an iteration, when one has. What it needs may be unknown:
 * OMPD_EXT_FLAG_WHOEVER. What is waited for in a team has that team, whose members are all listed,
 * each that the team should have and that is not known as a thread that is ..._doing_unknown.
 *
 * A verdict is certain if each link is known to the runtime, the records, libc or the kernel
 * and nothing outside can end any of the waits, as <ompd/verdicts.def> has it; likely if a link
 * was inferred; possible if it is a pattern that healthy programs show, too. A wait counts for more than that only
 * with OMPD_EXT_FLAG_CONFIRMED: a thread that was released and has not run yet still seems
 * to wait. A thread that polls does not wait, as OpenMP has it, and may give up: what it is a link
 * of is likely at most. */

typedef enum ompd_ext_evidence_kind_t {
    ompd_ext_evidence_process = 1,
    ompd_ext_evidence_thread = 2,
    ompd_ext_evidence_thing = 3,
    ompd_ext_evidence_task = 4,
    ompd_ext_evidence_waits = 5,
    ompd_ext_evidence_needs = 6,
    ompd_ext_evidence_team = 7,
    ompd_ext_evidence_member = 8,
    ompd_ext_evidence_polls = 9
} ompd_ext_evidence_kind_t;

typedef enum ompd_ext_witness_t {
    ompd_ext_witness_recorded = 1,
    ompd_ext_witness_runtime = 2, /* the runtime's own memory */
    ompd_ext_witness_libc = 3,
    ompd_ext_witness_kernel = 4,
    ompd_ext_witness_stacks = 5, /* inferred from them */
    ompd_ext_witness_source = 6
} ompd_ext_witness_t;

typedef enum ompd_ext_doing_t {
    ompd_ext_doing_works = 1,
    ompd_ext_doing_waits = 2,
    ompd_ext_doing_asleep = 3,  /* for something outside of the process, or for a time */
    ompd_ext_doing_mpi = 4,     /* in a call of MPI */
    ompd_ext_doing_idle = 5,    /* in the runtime's pool */
    ompd_ext_doing_endless = 6, /* in a loop without an exit */
    ompd_ext_doing_ended = 7,
    ompd_ext_doing_absent = 8, /* never was in this process: it is a child of fork */
    ompd_ext_doing_crashed = 9,
    ompd_ext_doing_unknown = 10 /* a member that is being born, or ends, or cannot be read */
} ompd_ext_doing_t;

typedef enum ompd_ext_thing_t {
    ompd_ext_thing_lock = 1,
    ompd_ext_thing_nest_lock = 2,
    ompd_ext_thing_critical = 3,
    ompd_ext_thing_atomic = 4,
    ompd_ext_thing_mutex = 5, /* of libc */
    ompd_ext_thing_barrier = 6,
    ompd_ext_thing_region_end = 7,
    ompd_ext_thing_taskwait = 8,
    ompd_ext_thing_taskgroup = 9,
    ompd_ext_thing_ordered = 10,
    ompd_ext_thing_event = 11,
    ompd_ext_thing_join = 12, /* the end of a thread */
    ompd_ext_thing_other = 13,
    ompd_ext_thing_iteration = 14, /* of a doacross loop: that it is posted */
    ompd_ext_thing_share = 15, /* iterations or sections that no thread has begun: it needs the
                                  members of the team */
    ompd_ext_thing_team = 16,  /* threads that a team lacks of those asked for: the same */
    ompd_ext_thing_semaphore = 17 /* which a signal handler may post, by POSIX */
} ompd_ext_thing_t;

typedef enum ompd_ext_progress_t {
    ompd_ext_progress_created = 1,
    ompd_ext_progress_begun = 2,
    ompd_ext_progress_detached = 3
} ompd_ext_progress_t;

enum {
    OMPD_EXT_FLAG_CONFIRMED = 1, /* waits, idle thread: what would end it has not happened; polls:
                                    they went on between two looks, without success */
    OMPD_EXT_FLAG_HELD = 2,      /* thing: its memory says that it is not free, or not met */
    OMPD_EXT_FLAG_WHOEVER = 4,   /* thing, task: some thread of the process may end it */
    OMPD_EXT_FLAG_COMPLETE = 8,  /* process: all its threads are in the evidence */
    OMPD_EXT_FLAG_RETURNED = 16, /* needs: the function that acquired the lock has returned */
    OMPD_EXT_FLAG_DESTROYED = 32,  /* thing */
    OMPD_EXT_FLAG_SAME_PLACE = 64, /* thread: it is where it was some time ago; if it waits: in the
                                      same wait, not a later one at the same place; process:
                                      that is known of its threads, as far as it can be */
    OMPD_EXT_FLAG_MOVED = 128,     /* thread: it is not; if it waits: its wait is another one */
    OMPD_EXT_FLAG_OVERFLOW = 256,  /* crashed thread: its stack is full */
    OMPD_EXT_FLAG_UNCAUGHT = 512,  /* crashed thread: by an exception */
    OMPD_EXT_FLAG_RECORDED = 1024, /* process: it records */
    OMPD_EXT_FLAG_CANCELLED = 2048, /* barrier: its region is cancelled */
    OMPD_EXT_FLAG_UNMADE = 4096,    /* lock: it was not seen to be initialised */
    OMPD_EXT_FLAG_FORKED = 8192,    /* process: it is a child of fork */
    OMPD_EXT_FLAG_THROTTLED = 16384, /* task: so many wait that its creator executes one */
    OMPD_EXT_FLAG_REPEATS = 32768,   /* thread: it ran, and came back to the same values */
    OMPD_EXT_FLAG_INITIAL = 65536,   /* crashed thread: the one that the process began with */
    OMPD_EXT_FLAG_SUSPENDED = 131072, /* needs: a task acquired it that its thread suspended */
    OMPD_EXT_FLAG_ONE_CALL = 262144,  /* needs: it was acquired by the call in which the thread that
                                        has it waits: in a loop, or in a function called again */
    OMPD_EXT_FLAG_HANDLED = 524288,   /* process: it may have handlers of signals that come from
                                         outside or with time */
    OMPD_EXT_FLAG_ALONE = 1048576,    /* team: one of its members is in this process, no other */
    OMPD_EXT_FLAG_LOOPS = 2097152,    /* thread: by its code it is in a loop that only reads the same
                                         words of memory, which another thread may write */
    OMPD_EXT_FLAG_PLAIN = 4194304,    /* crashed thread: no runtime has made it */
    OMPD_EXT_FLAG_MIXED = 8388608,    /* barrier: threads have come to it at different directives */
    OMPD_EXT_FLAG_TORN = 16777216,    /* process: some of it was read later, when it ran again */
    OMPD_EXT_FLAG_STRAY = 33554432,   /* thread: it runs on the stack of another one, which does, too */
    OMPD_EXT_FLAG_INSIDE = 67108864,  /* team: all of its threads have stayed inside the runtime */
    OMPD_EXT_FLAG_RUNNING = 134217728 /* process: not all of it is stopped; unknown thread: it runs */
};

typedef struct ompd_ext_evidence_t {
    uint64_t known;   /* 0: no fields beyond these */
    uint32_t kind;    /* ompd_ext_evidence_kind_t */
    uint32_t witness; /* ompd_ext_witness_t */
    uint32_t what;
    uint32_t flags; /* OMPD_EXT_FLAG_CONFIRMED, ... */
    uint64_t id;
    uint64_t other;
    uint64_t number;
} ompd_ext_evidence_t;

typedef enum ompd_ext_verdict_kind_t {
    ompd_ext_verdict_nothing = 0,
    ompd_ext_verdict_slow = 1,
    ompd_ext_verdict_spin = 2,
    ompd_ext_verdict_stuck = 3,
    ompd_ext_verdict_deadlock = 4,
    ompd_ext_verdict_crash = 5,
    ompd_ext_verdict_waiting = 6
} ompd_ext_verdict_kind_t;

typedef enum ompd_ext_certainty_t {
    ompd_ext_certainty_none = 0,
    ompd_ext_certainty_possible = 1,
    ompd_ext_certainty_likely = 2,
    ompd_ext_certainty_certain = 3
} ompd_ext_certainty_t;

/* Verdicts, causes and what to type next are rows of <ompd/verdicts.def>, each by its
 * number from 0 on: it has their ids and sentences. Later versions only add rows. */
typedef struct ompd_ext_verdict_t {
    uint64_t known;     /* 0: all fields are */
    uint32_t verdict;   /* VERDICT row */
    uint32_t kind;      /* ompd_ext_verdict_kind_t */
    uint32_t certainty; /* ompd_ext_certainty_t */
    uint32_t cause;     /* CAUSE row */
    uint32_t next;      /* bits 1 << NEXT row */
    uint32_t threads;   /* that are part of the cause; certainty none: that work */
    uint32_t others;    /* that wait for these */
    uint32_t links;     /* in the second vector */
    uint64_t first_link;
    uint64_t subject; /* id of what it is about, or 0 */
} ompd_ext_verdict_t;

typedef enum ompd_ext_role_t {
    ompd_ext_role_waits = 1, /* a wait that is part of the cause */
    ompd_ext_role_holds = 2, /* a need, likewise */
    ompd_ext_role_at = 3,    /* the thread, thing or task that it is about */
    ompd_ext_role_other = 4  /* a wait of a thread that waits for these */
} ompd_ext_role_t;

typedef struct ompd_ext_link_t {
    uint32_t role;     /* ompd_ext_role_t */
    uint32_t evidence; /* index of the evidence */
} ompd_ext_link_t;

/* Verdicts, the root cause first; there is always one. Takes n log n steps for n pieces of
 * evidence. bad_input: more than 2^22 pieces, or one that no enumeration above knows. */
ompd_rc_t ompd_ext_get_verdicts(const ompd_ext_evidence_t *evidence,
                                ompd_size_t evidence_size, ompd_size_t evidence_count,
                                ompd_size_t verdict_size, ompd_ext_verdict_t **verdicts,
                                ompd_size_t *verdict_count, ompd_ext_link_t **links,
                                ompd_size_t *link_count);

#ifdef __cplusplus
}
#endif

#endif
