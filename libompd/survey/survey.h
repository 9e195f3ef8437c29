/* SPDX-License-Identifier: MIT
 *
 * Questions about all threads, tasks and locks of a runtime, and about all runtimes. Each
 * function fills arrays that the caller frees, also when it fails. RC_INCOMPLETE: what is in
 * them is right and not all.
 *
 * They hold what was found, never what a target claims, and no more than this; so a hostile
 * target costs the debugger at most two hundred megabytes.
 */
#ifndef LIBOMPD_SURVEY_H
#define LIBOMPD_SURVEY_H

#include "libompd/array.h"

enum {
    SURVEY_TASKS_MAX = 1 << 17,
    SURVEY_LOCKS_MAX = 1 << 17,
    SURVEY_ITEMS_MAX = 1 << 18, /* of depend clauses */
    SURVEY_EDGES_MAX = 1 << 18, /* dependences */
    SURVEY_REGIONS_MAX = 1 << 16,
    SURVEY_LEVELS_MAX = 256,     /* of regions around those that threads are in */
    SURVEY_EVENTS_MAX = 1 << 14, /* of one thread */
    SURVEY_SUMS_MAX = 1 << 18,
    SURVEY_MAPPINGS_MAX = 1 << 17,
    SURVEY_TORN_MAX = 8, /* torn references that are read again */
};

/* Of one runtime. Each fills an array that the caller frees, also when it fails. */
typedef enum rc survey_function(struct instance *instance, struct array *out);

struct survey_part {
    struct instance *instance;
    struct array elements;
};
struct survey_parts {
    unsigned count;
    struct survey_part part[INSTANCES_MAX];
};

/* parts.c: of all runtimes of a process, which the caller frees. RC_INCOMPLETE: of some what
 * was asked for could not be had. */
enum rc survey_each(struct space *space, survey_function *survey, struct survey_parts *parts);
void survey_parts_free(struct survey_parts *parts);

/* Whether what a runtime does is recorded, or why not. */
enum recorded {
    RECORDED_YES = 1,
    RECORDED_NO_HOOKS,   /* they are not loaded */
    RECORDED_OFF,        /* they are loaded, and off */
    RECORDED_OTHER,      /* it is LLVM's, and does not report to them */
    RECORDED_NOT_CALLED, /* nobody has called it, or not by way of them */
};

struct surveyed_runtime {
    unsigned place;
    bool is_kmp;
    struct fact entry;         /* address of omp_get_thread_num */
    struct fact first_version; /* of GCC or LLVM, with the layout that it has */
    struct fact last_version;
    struct fact threads;
    enum recorded recorded;
    struct fact damaged; /* address of an object that has been overwritten */
};

/* runtimes.c: of struct surveyed_runtime. */
enum rc survey_runtimes(struct space *space, struct array *runtimes);

/* devices.c: of struct device_facts, or of struct mapping_facts, of all runtimes. RC_UNAVAILABLE: the
 * program has not asked for devices yet. The caller frees the parts, also when it fails. */
enum rc survey_devices(struct space *space, bool mappings, struct survey_parts *parts);

/* What is answered about one object of several: one that has just ended is left out, and so is
 * one that cannot be read of a runtime's own memory, which is freed and reused. Records are
 * not: there a read that fails is the answer. */
enum rc survey_one(const struct instance *instance, enum rc rc);

struct surveyed_thread {
    struct ref ref;
    struct thread_facts facts;
};

/* threads.c: of struct surveyed_thread. Torn references are resolved with a read each, up
 * to SURVEY_TORN_MAX of them; others are unknown. */
enum rc survey_threads(struct instance *instance, struct array *threads);

enum task_state {
    TASK_STATE_CREATED = 1,
    TASK_STATE_READY,
    TASK_STATE_WAITING,
    TASK_STATE_RUNNING,
    TASK_STATE_SUSPENDED,
    TASK_STATE_COMPLETED,
    TASK_STATE_DETACHED,
};

struct surveyed_task {
    struct ref ref;
    struct task_facts facts;
    enum task_state state; /* 0: not known */
};

/* Of one task's own facts. */
enum task_state task_state_of(const struct task_facts *facts);

/* tasks.c: of struct surveyed_task, initial and explicit ones. */
enum rc survey_tasks(struct instance *instance, struct array *tasks);

/* Finds out which created tasks are ready and which wait, and which running ones are
 * suspended; which are ready only where these are all tasks. */
enum rc survey_task_states(struct instance *instance, struct array *tasks, bool is_all);

/* Both, in one query: what it has read it does not read again. */
enum rc survey_tasks_and_states(struct instance *instance, struct array *tasks);

struct surveyed_dependence {
    struct ref predecessor;
    struct ref successor;
    size_t successor_index; /* in the tasks */
    uint64_t address;
    enum dependence_kind predecessor_kind;
    enum dependence_kind successor_kind;
};

/* dependences.c: of struct surveyed_dependence, between tasks of the array. A dependence
 * that follows from others is left out. */
enum rc survey_dependences(struct instance *instance, const struct array *tasks,
                           struct array *dependences);

/* Between all tasks, likewise. */
enum rc survey_all_dependences(struct instance *instance, struct array *dependences);

struct surveyed_lock {
    struct ref ref; /* id 0: only its waiters are known */
    struct lock_facts facts;
    size_t first_waiter;
    uint32_t waiters;
};

/* locks.c: of struct surveyed_lock, and of struct ref, the threads that wait. */
enum rc survey_locks(struct instance *instance, struct array *locks, struct array *waiters);
/* The same of all runtimes that list theirs. All waiters are in one part. */
enum rc survey_all_locks(struct space *space, struct survey_parts *locks,
                         struct survey_parts *waiters);

/* The lock at an address, with the number of threads that wait for it as far as they are
 * known. RC_UNAVAILABLE: the runtime lists its locks, and this is none of them. */
enum rc survey_lock(struct instance *instance, taddr address, enum lock_kind kind,
                    struct surveyed_lock *out);

/* The same by the runtime that knows its owner. */
enum rc survey_lock_anywhere(struct space *space, taddr address, enum lock_kind kind,
                             struct surveyed_lock *out, struct instance **of);

struct surveyed_region {
    struct ref ref;
    struct region_facts facts;
};

/* regions.c: of struct surveyed_region, by and by outwards. */
enum rc survey_regions(struct instance *instance, struct array *regions);

struct surveyed_team {
    struct region_facts region;
    /* ICVs of the task that encountered the region. */
    struct fact nthreads, dynamic, thread_limit, max_active_levels;
    struct fact shortfall; /* enum shortfall */
    struct fact gone;      /* members that do not exist in this process */
    struct fact unbegun;   /* of these, such as have not begun */
};

/* team-size.c: of one region. */
struct handle;
enum rc survey_team(const struct handle *region, struct surveyed_team *out);

/* one-thread.c */
enum rc survey_loop(const struct handle *thread, struct loop_facts *out);
enum rc survey_history(const struct handle *thread, struct array *events); /* event_facts */
enum rc survey_stack(const struct handle *thread, struct stack_facts *out);
enum rc survey_forks(struct space *space, uint32_t *out);
enum rc survey_orders(struct space *space, struct array *orders); /* order_facts */
enum rc survey_sums(struct space *space, struct array *sums);     /* sum_facts */

struct surveyed_barrier {
    struct ref region;
    struct fact team_size;
    struct fact state;   /* enum state of those that have arrived */
    struct fact kind;    /* enum barrier_kind */
    struct fact codeptr; /* of those that wait in it */
    struct fact generation;
    uint32_t members;
    uint32_t arrived;
};

/* barriers.c: of struct surveyed_barrier. */
enum rc survey_barriers(struct instance *instance, struct array *barriers);

#endif
