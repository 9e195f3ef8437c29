/* SPDX-License-Identifier: MIT
 *
 * What the hooks and the library that reads them agree on beyond the fields of
 * records.def: numbers of records and fields, the exported descriptor, the values of
 * coded fields and the hash of the thread index. Nothing here depends on the compiler's
 * idea of a pointer, so both sides of a debugger may include it.
 */
#ifndef OMPD_HOOKS_LAYOUT_H
#define OMPD_HOOKS_LAYOUT_H

#include <stdint.h>

/* Symbols that the hooks export for readers. */
#define HOOKS_SYMBOL_DESCRIPTOR "ompd_hooks_layout"
#define HOOKS_SYMBOL_ROOT "ompd_hooks_root"

/* Record numbers: RECORD_root, RECORD_slab, ... */
enum hooks_record {
#define RECORD(r, comment) RECORD_##r,
#define FIELD(r, type, f)
#define END_RECORD(r)
#include "records.def"
#undef RECORD
#undef FIELD
#undef END_RECORD
    RECORD_COUNT
};

/* Field numbers over all records: FIELD_root_tracking, ... */
enum hooks_field {
#define RECORD(r, comment)
#define FIELD(r, type, f) FIELD_##r##_##f,
#define END_RECORD(r)
#include "records.def"
#undef RECORD
#undef FIELD
#undef END_RECORD
    FIELD_COUNT
};

#define HOOKS_COOKIE "OMPDHKS" /* eight bytes with its NUL */
#define HOOKS_BYTE_ORDER 0x01020304u
#define HOOKS_VERSION_MAJOR 1u
#define HOOKS_VERSION_MINOR 14u

/* The descriptor, in the target's byte order: this header, then `record_count` u32 record
 * sizes, then `field_count` pairs of u32 {offset, size} in the order of records.def. The
 * offsets of a record ascend from 0, so a reader finds where the next record begins: a
 * later minor version may append fields to any record. */
struct hooks_descriptor_header {
    char cookie[8];
    uint32_t byte_order;
    uint32_t version_major;
    uint32_t version_minor;
    uint32_t record_count;
    uint32_t field_count;
    uint32_t pointer_size;
};

struct hooks_field_place {
    uint32_t offset; /* bytes from the start of the record */
    uint32_t size;   /* 4 or 8 */
};

/* Values of coded fields. States of threads are those of the OMPD report, section
 * 15.9. */
enum {
    THREAD_INITIAL = 1u << 0,   /* not a worker of any team when it was first seen */
    THREAD_UNTRACKED = 1u << 1, /* tracking began while it was inside a region: region, task,
                                   thread_num and level are unknown until it leaves */
    THREAD_REPORTED = 1u << 2,  /* its region is of the runtime that reports by OMPT, or that has
                                   created it (1.5) */
};

/* Bits of thread.barrier below its count (1.4). A thread in a barrier may run tasks
 * there. */
enum {
    BARRIER_INSIDE = 1u << 0, /* it has not left the last of them */
    BARRIER_AT_END = 1u << 1, /* which is the one that ends the region */
    BARRIER_SHIFT = 2,
};

enum {
    REGION_PARALLEL = 1,
    REGION_TEAMS = 2,
};

enum {
    TASK_INITIAL = 1,
    TASK_IMPLICIT = 2,
    TASK_EXPLICIT = 3,
};

enum {
    TASK_FLAG_UNDEFERRED = 1u << 0,
    TASK_FLAG_FINAL = 1u << 1,
    TASK_FLAG_UNTIED = 1u << 2,
    TASK_FLAG_MERGEABLE = 1u << 3,
    TASK_FLAG_DEPEND = 1u << 4,
    TASK_FLAG_DETACH = 1u << 5,
    TASK_FLAG_TASKLOOP = 1u << 6,
    TASK_FLAG_TASKWAIT = 1u << 7, /* of a taskwait with dependences; published with nowait only */
    TASK_FLAG_TARGET = 1u << 8,   /* an asynchronous copy */
};

enum {
    TASK_CREATED = 1,
    TASK_RUNNING = 2,
    TASK_COMPLETED = 3, /* its body has returned */
    TASK_DETACHED = 4,  /* likewise, but its event is not fulfilled (1.1). A running task that
                           is not the current one of its thread is suspended */
};

/* Target constructs (1.13), by the numbers that OpenMP 5.1 has for them. */
enum target_kind {
    TARGET_REGION = 1,
    TARGET_ENTER_DATA = 2, /* also the begin of a target data construct */
    TARGET_EXIT_DATA = 3,  /* and its end */
    TARGET_UPDATE = 4,
    TARGET_NOWAIT = 8, /* or'ed with the others */
};
#define TARGET_HOST 0xffffffffu
#define TARGET_DEVICE_UNKNOWN 0xfffffffeu

/* Kinds of dependences (1.1). */
enum {
    DEPENDENCE_IN = 1,
    DEPENDENCE_OUT = 2, /* out or inout, which the runtime does not distinguish */
    DEPENDENCE_MUTEXINOUTSET = 3,
    DEPENDENCE_INOUTSET = 4,
    DEPENDENCE_UNKNOWN = 5, /* another kind of a depend object */
};

/* Kinds of locks (1.1). */
enum {
    LOCK_SIMPLE = 1,
    LOCK_NEST = 2,
    LOCK_CRITICAL = 3,
    LOCK_ATOMIC = 4,
};

/* Calls that have been recorded of a lock (1.4). */
enum {
    LOCK_UNSEEN = 0,    /* none; critical regions and atomics have none */
    LOCK_MADE = 1,      /* initialized */
    LOCK_DESTROYED = 2, /* destroyed; the last of these keep their records */
};

/* Tool interfaces (1.2). */
enum {
    TOOL_NONE = 0,
    TOOL_OMPT_5 = 1,     /* ompt_start_tool of OpenMP 5.x */
    TOOL_OMPT_2 = 2,     /* ompt_tool of the 2016 report */
    TOOL_OF_RUNTIME = 3, /* the runtime looks for tools itself, so the hooks do not */
};

/* Kinds of events (1.8). With what they are added to, the numbers that OpenMP 5.1 has for sync
 * regions, mutexes and work. */
enum {
    HISTORY_REGION_BEGIN = 1, /* object: the region, as in what follows */
    HISTORY_REGION_END = 2,
    HISTORY_JOIN = 3,        /* a worker begins its part */
    HISTORY_TASK_CREATE = 4, /* object: the task */
    HISTORY_TASK_BEGIN = 5,  /* or goes on with it */
    HISTORY_TASK_END = 6,
    HISTORY_CANCEL = 7,      /* object: what, as in the event of the tool interface */
    HISTORY_SYNC = 0x100,    /* waits; object: the region */
    HISTORY_MUTEX = 0x200,   /* waits for it, and has it then; object: the wait id */
    HISTORY_RELEASE = 0x300, /* object: likewise */
    HISTORY_WORK = 0x400,    /* begins; object: how many iterations or sections, 0: not known */
    HISTORY_TARGET = 0x500,  /* waits for its end; object: as thread.target_device (1.13) */
    HISTORY_CLASS = 0xf00,
};
#define HISTORY_OVER UINT64_MAX /* a wait that is over, it is not known for how long */
#define HISTORY_CAPACITY 256u

/* Orders of locks (1.12). */
#define ORDER_BITS 10u
#define ORDER_MEETINGS 8u
#define ORDER_PHASE_BITS 20u

/* Kinds of sums (1.12). What is work in a construct is not a wait in it, nor is it that of a task or
 * region in it.
 *
 *                      count          ticks                waited                  longest
 *   SUM_REGION         regions        their length         length times team size  the length
 *   SUM_MEMBER         ends reached   work after the last  before it begins
 *                                     of the barriers
 *   SUM_BARRIER        waits          work before it, and  the waits               wait
 *                                     of tasks in it
 *   SUM_TASKWAIT       waits                               the waits               wait
 *   SUM_TASK_CREATED   tasks
 *   SUM_TASK           tasks          their work                                   work
 *   SUM_MUTEX + kind   acquisitions   how long it is held  the waits               wait
 *
 * `contended`: of a region the sizes of its teams, of a member the ticks until it is at the end, and what it
 * works there, of a mutex the acquisitions that had to wait. */
enum {
    SUM_REGION = 1,
    SUM_MEMBER = 2,
    SUM_BARRIER = 3,
    SUM_TASKWAIT = 4,
    SUM_TASK_CREATED = 5,
    SUM_TASK = 6,
    SUM_MUTEX = 0x200, /* added to the numbers that OpenMP 5.1 has */
};
enum {
    SUM_SEVERAL = 1u << 0,  /* the mutex was not always the same */
    SUM_REPORTED = 1u << 1, /* by a runtime that tells neither contention nor releases */
};
#define SUMS_CAPACITY 256u
#define SUM_LOG_ONE 256u

#define NUM_DEVICES_UNKNOWN 0xffffffffu

/* The first entry of the window of `key`. */
static inline uint64_t records_hash(uint64_t key, unsigned bits)
{
    return key * UINT64_C(0x9E3779B97F4A7C15) >> (64 - bits);
}

#endif
