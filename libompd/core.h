/* SPDX-License-Identifier: MIT
 *
 * What all layers of the library share: return codes, addresses of the target, facts, and
 * the address space that everything hangs off. Knows neither of the two interfaces.
 */
#ifndef LIBOMPD_CORE_H
#define LIBOMPD_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rc {
#define RC(name, name2, value2, name5, value5) RC_##name,
#include "libompd/tables/rc.def"
#undef RC
};

/* There is an answer, perhaps a part of it. */
static inline bool rc_is_answer(enum rc rc)
{
    return rc == RC_OK || rc == RC_INCOMPLETE;
}

/* Of two steps of an answer: what failed, else whether a part is missing. */
static inline enum rc rc_join(enum rc first, enum rc then)
{
    return then == RC_OK || !rc_is_answer(first) ? first : then;
}

/* The target's memory could not be read. */
static inline bool rc_is_unreadable(enum rc rc)
{
    return rc == RC_READ_ERROR || rc == RC_CALLBACK_ERROR || rc >= RC_CALLBACK_UNAVAILABLE;
}

/* The same, or it holds what cannot be true. */
static inline bool rc_is_damage(enum rc rc)
{
    return rc_is_unreadable(rc) || rc == RC_NONSENSE;
}

/* States of threads; the values are those of the 2.000 report. */
enum state {
#define STATE(name2, value2, name5, value5) STATE_##name2 = value2,
#include "libompd/tables/states.def"
#undef STATE
};

/* An address of the target. Never a pointer: the target may be wider or narrower. */
typedef uint64_t taddr;

/* An object of the runtime: its address, and the id that distinguishes it from a later one
 * in the same memory. Ids are unique for the life of the process and never 0. Those that
 * the process itself has given are small numbers, which its own tools see, too; those that
 * the library makes of what an object holds have the highest bit. */
struct ref {
    taddr address;
    uint64_t id;
};
#define ID_IS_MADE (UINT64_C(1) << 63)

static inline bool ref_is_made(struct ref ref)
{
    return ref.id & ID_IS_MADE;
}

/* An id that is made has the place of its runtime: that of a thread above the kernel id, that of
 * another object in the low bits of an address, because objects are aligned to 8 bytes. */
enum { PLACE_BITS = 3, INSTANCES_MAX = 1 << PLACE_BITS, PLACE_SHIFT_OF_THREAD = 32 };

static inline uint64_t id_of_place(unsigned place, bool is_thread)
{
    return (uint64_t)place << (is_thread ? PLACE_SHIFT_OF_THREAD : 0);
}

static inline unsigned ref_place(struct ref ref, bool is_thread)
{
    uint64_t id = ref_is_made(ref) ? ref.id : 0;
    return (unsigned)(id >> (is_thread ? PLACE_SHIFT_OF_THREAD : 0) & (INSTANCES_MAX - 1));
}

/* How a fact is known. What is not filled in is not held. */
enum known {
    NOT_HELD, /* this runtime does not keep it */
    KNOWN,
    NONE_HERE,      /* there is no such thing in this context */
    NEEDS_TRACKING, /* it would be kept if tracking were on */
    IMPOSSIBLE,     /* it was read and cannot be true */
    UNREADABLE,     /* the target's memory could not be read; + an enum rc
                       minus RC_READ_ERROR: the code of the read */
};

struct fact {
    enum known known;
    uint64_t value;
};

/* A value that was read; one that the target may not claim to be larger; are both known, and
 * the same? */
static inline struct fact fact_of(uint64_t value)
{
    return (struct fact){KNOWN, value};
}
static inline struct fact fact_at_most(struct fact fact, uint64_t last)
{
    if (fact.known == KNOWN && fact.value > last)
        fact.known = IMPOSSIBLE;
    return fact;
}
static inline bool fact_is_equal(struct fact a, struct fact b)
{
    return a.known == KNOWN && b.known == KNOWN && a.value == b.value;
}

struct ref_fact {
    enum known known;
    /* The writer was stopped between address and id: the id is to be taken from the object
     * itself. See fact_ref() in handle/facts.c. */
    bool torn;
    struct ref ref;
};

/* The barriers of a team. */
enum barrier_kind {
    BARRIER_NONE,
    BARRIER_WITHIN, /* explicit, or of a construct in the region */
    BARRIER_END,    /* that ends the region */
};

/* What a thread may wait for a device in. */
enum target_construct {
    TARGET_CONSTRUCT_REGION = 1,
    TARGET_CONSTRUCT_ENTER_DATA,
    TARGET_CONSTRUCT_EXIT_DATA,
    TARGET_CONSTRUCT_UPDATE,
};

struct thread_facts {
    struct fact state;   /* enum state */
    struct fact initial; /* 1: outside of regions it runs an initial task */
    struct fact wait_id;
    struct fact wait_since;    /* nanoseconds of CLOCK_MONOTONIC */
    struct fact last_wait;     /* the same of its latest wait, also if that is over */
    struct fact tested;        /* address of the lock that it tests in vain */
    struct fact tests;         /* so often in a row */
    struct fact tested_since;  /* as wait_since */
    struct fact target;        /* enum target_construct: innermost that it is in */
    struct fact target_device; /* its number, where it is not the host's */
    struct fact target_codeptr;
    struct fact target_since; /* as wait_since */
    struct fact thread_num;
    struct fact team_size;
    struct fact level;
    struct fact lwp;
    struct fact pthread;
    struct fact codeptr;          /* of the construct it is inside the runtime for; 0: user code */
    struct fact frame;            /* stack pointer of the user code that called, 0 alike */
    struct fact barrier;          /* enum barrier_kind: the one of its region in which it is */
    bool is_released;             /* from the barrier that it sleeps in: it has not run since */
    struct fact barriers_entered; /* how many of these in its implicit task, that included */
    struct fact targets;          /* target constructs that it is in */
    struct fact barrier_word;     /* address of what waiters at its team's barrier sleep on */
    struct fact dock_word;    /* the same where threads of its pool wait for their next region */
    struct fact docked;       /* how many have arrived there */
    struct fact tool_data;    /* word that a tool of the process has attached */
    struct fact outside_data; /* the same of the implicit region around its initial task */
    struct ref_fact region;   /* innermost */
    struct ref_fact task;     /* current */
};

/* The construct that created a team; the values are those of 6.0. */
enum team_generator {
    TEAM_GENERATOR_PARALLEL = 1,
    TEAM_GENERATOR_TEAMS,
};

struct region_facts {
    struct fact league;    /* 1: a league of teams, 0: a team of threads */
    struct fact requested; /* threads asked for, 0: none */
    struct fact codeptr;
    struct fact num_threads;
    struct fact league_size; /* of a league: its teams */
    struct fact level;
    struct fact active_level;
    struct fact function;
    struct fact runtime; /* that runs it: address of its omp_get_thread_num */
    struct fact tool_data;
    struct fact cancelled; /* 0 or 1 */
    struct fact generator; /* enum team_generator */
    struct fact record;    /* address of what is recorded of it, in the runtime's own memory, or of
                            * a region within it, by the level */
    struct fact word;      /* of a record: where the runtime has that address; 0: nowhere */
    struct fact number;    /* of a record: its id */
    struct fact parted; /* number of the first barrier that was called from two places, 0: none */
    struct fact parted_first, parted_other; /* return addresses of these calls, 0 while not known */
    struct fact not_held;                   /* of an ICV that no runtime keeps */
    struct ref_fact enclosing;
    struct ref_fact encountering_task;
    struct ref_fact master;
    struct fact master_num; /* of the master in the enclosing region */
};

enum tool_interface {
    TOOL_INTERFACE_NONE,
    TOOL_INTERFACE_OMPT,    /* of OpenMP 5.x: it has data words */
    TOOL_INTERFACE_OMPT_2,  /* of the 2016 report */
    TOOL_INTERFACE_RUNTIME, /* the runtime serves tools by itself */
};

enum task_kind {
    TASK_KIND_INITIAL = 1,
    TASK_KIND_IMPLICIT,
    TASK_KIND_EXPLICIT,
};

/* Progress of a task, as the runtime records it. Whether a created one is ready and a
 * running one suspended follows from other tasks and threads; see survey/tasks.c. */
enum task_progress {
    TASK_PROGRESS_CREATED = 1,
    TASK_PROGRESS_RUNNING,
    TASK_PROGRESS_COMPLETED,
    TASK_PROGRESS_DETACHED, /* its body has returned, its event is not fulfilled */
    TASK_PROGRESS_READY,    /* created, and the runtime itself keeps that it */
    TASK_PROGRESS_WAITING,  /* could begin, or waits for other tasks */
};

struct task_facts {
    struct fact kind;       /* enum task_kind */
    struct fact progress;   /* enum task_progress */
    struct fact undeferred; /* 0 or 1, like the next five */
    struct fact untied;
    struct fact mergeable;
    struct fact detachable;
    struct fact taskloop;
    struct fact codeptr;     /* return address of the task construct, 0: none */
    struct fact serial;      /* by rising order among the tasks of one parent, 0: not explicit */
    struct fact event;       /* handle of a detachable task's event, 0: none known */
    struct fact dependences; /* address of an array that reader->dependences reads */
    struct fact dependence_count; /* items of the depend clauses */
    struct fact dependences_held; /* how many of them are in the array */
    struct fact is_explicit;      /* 0 or 1 */
    struct fact implicit;         /* its contrary: the initial task counts as implicit */
    struct fact final;            /* 0 or 1 */
    struct fact level;
    struct fact active_level;
    struct fact thread_num;
    struct fact function;
    bool is_of_device;  /* a target task that waits or that a device executes: it has no record */
    struct fact device; /* of a target task: where its device is described */
    struct fact exit_frame; /* canonical frame addresses; 0 when not there */
    struct fact enter_frame;
    struct fact reported_exit;  /* the same as the runtime keeps them for a tool: */
    struct fact reported_enter; /* of no meaning in a task that no tool was notified of */
    struct fact cancelled;      /* 0 or 1: its innermost taskgroup */
    struct fact tool_data;
    struct fact record; /* as of a region; or the block that the runtime hands to `function` */
    struct fact word;
    struct fact number;
    struct ref_fact parent;     /* generating task */
    struct ref_fact scheduling; /* what its thread ran before it */
    struct ref_fact region;
    struct ref_fact thread;
};

/* A list in the target: its first value, and the address of the rest. */
struct list_fact {
    struct fact first;
    taddr rest; /* array of 4-byte numbers */
    uint32_t rest_count;
};

/* ICVs of a data environment. Enumerations are those of omp.h. */
struct icv_facts {
    struct list_fact nthreads;
    struct list_fact bind;
    struct fact dynamic;
    struct fact max_active_levels;
    struct fact schedule;
    struct fact schedule_monotonic; /* 0 or 1 */
    struct fact schedule_chunk;     /* 0: none */
    struct fact thread_limit;
    struct fact default_device;
    struct fact place_first;
    struct fact place_count;
    struct fact default_allocator;
    struct fact not_held; /* of an ICV that no runtime keeps */
};

/* ICVs of which a process has one. Those named *_text are addresses of strings in the
 * target. */
struct global_facts {
    struct fact cancel;
    struct fact max_task_priority;
    struct fact display_affinity;
    struct fact target_offload;
    struct fact debug;
    struct fact tool;
    struct fact num_procs;
    struct fact num_devices;
    struct fact wait_policy;
    struct fact def_schedule;
    struct fact nteams;
    struct fact teams_thread_limit;
    struct fact stacksize;
    struct fact affinity_format_text;
    struct fact tool_libraries_text;
    struct fact tool_verbose_init_text;
    struct fact available_devices_text;
};

enum dependence_kind {
    DEPEND_IN = 1,
    DEPEND_OUT, /* or inout */
    DEPEND_MUTEXINOUTSET,
    DEPEND_INOUTSET,
    DEPEND_UNKNOWN,
};

struct dependence {
    uint64_t address;
    enum dependence_kind kind;
};

/* A task that waits for another one. */
struct depender {
    struct ref task;
    uint64_t address; /* both named it; 0: not known */
    enum dependence_kind predecessor_kind, kind;
};

enum lock_kind {
    LOCK_KIND_SIMPLE = 1,
    LOCK_KIND_NEST,
    LOCK_KIND_CRITICAL,
    LOCK_KIND_ATOMIC,
};

/* What the program was seen to do with a lock. */
enum lock_life {
    LOCK_LIFE_UNSEEN, /* neither of them */
    LOCK_LIFE_MADE,
    LOCK_LIFE_DESTROYED,
};

struct lock_facts {
    struct fact address;   /* the wait id of its waiters */
    struct fact kind;      /* enum lock_kind */
    struct fact hint;      /* omp_sync_hint_t, 0: none */
    struct fact count;     /* times it is held */
    struct fact codeptr;   /* of the call that acquired it */
    struct fact frame;     /* stack pointer of user code at that call */
    struct fact life;      /* enum lock_life */
    struct ref_fact owner; /* thread */
    struct ref_fact owner_task;
};

/* The worksharing loop of a thread, or the sections, which are counted from 1. */
struct loop_facts {
    struct fact address;  /* the same for all threads of the team that are in it */
    struct fact schedule; /* omp_sched_t */
    struct fact chunk;
    struct fact next; /* iteration that is handed out next */
    struct fact end;
    struct fact increment;
    struct fact trips;      /* chunks of a static schedule that the thread has had */
    struct fact dimensions; /* of a doacross loop, 0: it is none */
    struct fact posted;     /* last iteration of its outermost loop that the thread posted */
    struct fact awaited;    /* likewise that it waits for */
};

/* An event of a thread, as the process has recorded it (runtime-hooks/records/layout.h). */
struct event_facts {
    uint64_t number;          /* of its thread */
    struct fact time, waited; /* nanoseconds of CLOCK_MONOTONIC */
    struct fact open;         /* of a wait: it is not over */
    uint64_t object;
    taddr codeptr; /* 0: none */
    uint32_t kind;
};

/* That a lock was acquired while others were held: `parent` is the order of the last of these, 0 that of the
 * outermost lock. `thread` is one that has done so between two barriers of a region; 0: the next ones are. */
struct order_facts {
    uint64_t id, parent;
    uint64_t lock; /* identifies it for as long as it lives */
    taddr address, codeptr;
    uint64_t thread, region, barrier;
    uint32_t kind; /* enum lock_kind */
};

/* What all that happened at one place adds up to, or what sums of one thread are about: SUM_THREADS. */
enum { SUM_THREADS = 0x10 };
struct sum_facts {
    uint32_t kind, number; /* SUM_* */
    uint64_t count, object;
    taddr region, codeptr, holder;                /* 0: none */
    struct fact time, waited, longest, contended; /* nanoseconds; the last a number */
    struct fact typical;                          /* work before a barrier: nanoseconds */
    struct fact several;                          /* the object is one of several */
};

/* Members of a team that are no threads of this process: they have ended, or it is a child of
 * fork. `unbegun`: those that have not fetched what they were to execute, which have not ended. */
struct absence_facts {
    uint32_t gone, unbegun;
};

/* The stack of a thread. */
struct stack_facts {
    taddr low, high; /* the first address of it, and the first behind it */
    uint64_t guard;  /* bytes at its low end that cannot be used */
};

/* Why a team is smaller than it was asked to be. */
enum shortfall {
    SHORTFALL_NONE,
    SHORTFALL_LEVELS,  /* max-active-levels-var */
    SHORTFALL_LIMIT,   /* thread-limit-var */
    SHORTFALL_DYNAMIC, /* dyn-var: the runtime may choose */
    SHORTFALL_OTHER,
};

/* Threads of a team that have arrived at a barrier, where the runtime counts them. */
struct barrier_facts {
    uint32_t arrived;
    enum state state;       /* of theirs */
    enum barrier_kind kind; /* BARRIER_NONE: one of the two, and all have arrived */
    struct fact generation; /* barriers that the team's memory has seen completed */
};

enum device_state {
    DEVICE_STATE_UNUSED = 1, /* not initialised: the program has not used it */
    DEVICE_STATE_READY,
    DEVICE_STATE_FINALISED,
};

/* Whose code a device executes, and so who reads its memory. */
enum device_kind {
    DEVICE_KIND_HOST = 1, /* the host's, in the host's memory */
    DEVICE_KIND_CUDA,
    DEVICE_KIND_HSA,
};

/* A device that target regions can be executed on. */
struct device_facts {
    uint32_t number;    /* as in the device clause */
    struct fact kind;   /* enum device_kind */
    struct fact state;  /* enum device_state */
    struct fact name;   /* address of a string */
    struct fact plugin; /* address of code of the library that drives it */
    taddr descriptor;   /* where the runtime describes it */
};

/* A range of the host's memory of which a device has a copy. */
struct mapping_facts {
    uint32_t device; /* its number */
    taddr host;
    uint64_t bytes;
    struct fact address;    /* of the copy, as the device has it */
    struct fact references; /* how often it is mapped */
    struct fact held;       /* that many of these by ompx_hold */
    struct fact forever;    /* 1: it stays mapped, and is not counted */
    struct fact source;     /* address of the string in which the compiler names it and its line */
    struct fact codeptr;    /* of the construct that has mapped it */
};

/* A construct that has mapped a range, and may hold it no longer. */
struct mapped_facts {
    uint64_t id;   /* of two the later one is larger */
    taddr runtime; /* the entry by which an image is known */
    uint32_t device;
    taddr host;
    uint64_t bytes;
    taddr copy; /* 0: not known */
    taddr codeptr;
};

/* Kinds of operating system thread ids. */
enum os_thread_kind {
    OS_THREAD_PTHREAD,
    OS_THREAD_LWP,
};

/* Sizes of the target's types in bytes, as far as the library needs them. */
struct type_sizes {
    unsigned sizeof_long;
    unsigned sizeof_pointer;
};

/* What the library needs from the debugger. Each interface fills this table in its
 * callbacks.c. All functions answer RC_OK and fill their out-parameter, or another code and
 * leave it. */
struct target_ops {
    enum rc (*alloc)(size_t bytes, void **out); /* RC_NOMEM */
    void (*release)(void *memory);
    enum rc (*type_sizes)(void *context, struct type_sizes *out);
    /* Of the image with this file name; NULL: of any. RC_UNAVAILABLE: it has none. */
    bool goes_by_file; /* what follows knows names of files */
    enum rc (*symbol)(void *context, const char *file, const char *name, taddr *out);
    enum rc (*read)(void *context, taddr address, size_t bytes, void *out);
    enum rc (*to_host)(void *context, const void *in, int unit, int count, void *out);
    /* Does the debugger know a thread by its kernel id, a number of the target?
     * RC_UNAVAILABLE: it does not. RC_UNSUPPORTED: it does not say. */
    enum rc (*has_thread)(void *context, size_t bytes, const void *lwp);
    /* Shows a sentence to a person, or does nothing. */
    void (*log)(const char *sentence);
};

/* An image's dynamic symbol table, as the dynamic linker looks symbols up in it. */
struct exports {
    taddr base; /* to which values are relative */
    taddr hash, symbols, strings;
    taddr versions; /* 0: it has none */
};

/* Where a runtime's code is. */
struct image {
    taddr node;             /* of the dynamic linker's list, 0: not known */
    taddr start, end;       /* the addresses of its own and no other image's; 0, 0: not known */
    taddr entry;            /* of omp_get_thread_num, 0: not known */
    char *file;             /* "": the program; NULL: not known, symbols are found in any.
                             * In the debugger's memory */
    struct exports exports; /* where the debugger does not go by file names, else hash 0 */
    bool is_kmp;            /* LLVM's runtime or a kin of it */
    bool absent;            /* there is none: only records are read */
};

/* What may be known later. */
enum awaits {
    AWAITS_NOTHING,
    AWAITS_RECORDS, /* none are kept yet of what the reader reads */
    AWAITS_RUNTIME, /* there is none yet, and nothing is recorded */
    AWAITS_MEMORY,  /* a witness could not be read */
};

/* A runtime of a process: an image that exports the entry points, and the reader that knows
 * its memory. */
struct instance {
    struct space *space;
    uint32_t serial; /* never that of another one; 0: free */
    unsigned place;  /* among those of the space */
    bool recorded;   /* what it does is known to be in the records */
    struct image image;
    enum rc opened;              /* why there is no reader */
    const struct reader *reader; /* NULL: it cannot be read */
    void *reader_state;          /* owned by the reader */
    enum awaits awaited;
    void *asleep;   /* state of the reader of the records that are awaited, else NULL */
    enum rc unread; /* why the records are not read that are there, else RC_OK */
};

/* By which it is known whether images were loaded or unloaded; see target/images.c. */
struct image_mark {
    taddr head;   /* of the list, 0: there is none */
    taddr counts; /* where the dynamic linker counts images, 0: not known */
    uint64_t count;
    taddr tail; /* the last node, and what is in it */
    uint64_t tail_word[5];
};

/* A process or core: the address space handle. Holds what cannot change while the process
 * lives. Made and released by handle/space.c. */
struct space {
    uint64_t magic;
    const struct target_ops *ops;
    void *context; /* the debugger's; says which process is meant */
    struct type_sizes sizes;
    bool big_endian;
    uint64_t stop;    /* number of the stop that the debugger is at; 0: it may run between calls */
    uint32_t serials; /* given so far */
    struct image_mark images;                 /* when the instances were found */
    struct instance instances[INSTANCES_MAX]; /* their places stay */
    struct handle *handles;                   /* that were not released yet */
};

#endif
