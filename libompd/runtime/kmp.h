/* SPDX-License-Identifier: MIT
 *
 * The reader of LLVM's runtime (libomp, libiomp5, ...) as packages have it, stripped: its
 * state, threads, teams, tasks and locks.
 *
 * The runtime numbers nothing, so the id in a struct ref is made of what the object holds:
 *
 *   thread  kernel id of the thread, unique among living threads
 *   region  address of its team, low 48 bits; above them 16 bits of a hash of the team's
 *           size, its parent, the primary thread's number there, and the regions that the
 *           team has completed
 *   task    address of its kmp_taskdata likewise; the hash is of the region for an implicit
 *           task, of team, parent and routine for an explicit one
 *
 * A team that was serialised k times represents k levels, each with a team of one thread. The
 * address in a reference to such a region has the number of the level, 1 to k, above the
 * address of the team; in its id it is added to the hash.
 *
 * When the object no longer has this id the handle is stale. Not distinguished, because the
 * runtime leaves no trace of it: a task, or a serialised region, that ended, and another of
 * the same origin in the same memory. With distributed barriers (KMP_*_BARRIER_PATTERN) the
 * runtime does not count completed regions.
 */
#ifndef LIBOMPD_KMP_H
#define LIBOMPD_KMP_H

#include "libompd/array.h"
#include "libompd/runtime/address-set.h"
#include "libompd/runtime/kmp-layout.h"
#include "libompd/runtime/memory-reader.h"
#include "libompd/runtime/probe.h"
#include "libompd/runtime/pthreads.h"
#include "libompd/target/target.h"

/* Bounds on what a target may claim, far above what a process can have. */
enum {
    KMP_TEAM_MAX = 1 << 16,
    KMP_THREADS_MAX = 1 << 17,
    KMP_TASKS_MAX = 1 << 14, /* of one survey; each takes some KiB */
    KMP_LOCKS_MAX = 1 << 20,
    KMP_LEVELS_MAX = 1 << 10,
    KMP_OBJECT_BYTES_MAX = 2048,
    KMP_DEQUE_MAX = 1 << 20,
};

/* What a thread waits for in the queue of a lock. */
struct kmp_waiter {
    uint32_t gtid;
    enum lock_kind kind;
    taddr lock; /* 0: a free place */
};

/* A variable that an accessor returns, once the word at `initialised` is set. */
struct kmp_global {
    taddr address; /* 0: not known */
    taddr initialised;
    unsigned size;
};

struct kmp_state {
    struct memory memory;
    const struct kmp_layout *layout;
    taddr threads;    /* variable: array of pointers; the next variable is that of roots */
    taddr lock_table; /* 0: not known */
    struct kmp_global global[KMP_GLOBALS];
    struct array waiters; /* of struct kmp_waiter, by rising gtid; of the query under way */
    bool waiters_known;
};

static inline struct kmp_state *kmp_state(const struct instance *instance)
{
    return instance->reader_state;
}

/* kmp-open.c */
enum rc kmp_open(struct instance *instance);
void kmp_close(struct instance *instance);
void kmp_begin(struct instance *instance);

/* False: the threads contradict the layout. It is proven once a thread was found to be as the
 * layout says. */
bool kmp_threads_agree(struct instance *instance);

/* kmp-read.c. An object that was read, and its fields as numbers. RC_NONSENSE: it is not
 * aligned. */
struct kmp_bytes {
    unsigned char bytes[KMP_OBJECT_BYTES_MAX];
};
enum rc kmp_fetch(const struct instance *instance, enum kmp_struct object, taddr address,
                  struct kmp_bytes *out);
uint64_t kmp_field(const struct instance *instance, const void *bytes, enum kmp_field field);
static inline uint32_t kmp_offset(const struct instance *instance, enum kmp_field field)
{
    return kmp_state(instance)->layout->place[field].offset;
}
static inline uint32_t kmp_size(const struct instance *instance, enum kmp_struct object)
{
    return kmp_state(instance)->layout->size[object];
}

struct kmp_thread {
    taddr address, pthread;
    uint64_t tid;
    uint32_t gtid;
    uint32_t number; /* in the team */
    taddr team, root, task, task_team;
    bool in_pool;
    taddr sleeps_on; /* a flag that it waits for in a barrier, 0: it does not sleep */
    bool spins;      /* in the queue of a lock, or about to be */
    uint32_t next_waiting;
    uint64_t arrived[KMP_BARRIERS];
};
/* RC_NONSENSE: no thread is there. RC_UNAVAILABLE: it has not begun, or has ended. */
enum rc kmp_read_thread(const struct instance *instance, taddr address, struct kmp_thread *out);
/* The same without its kernel id, for less. */
enum rc kmp_read_thread_part(const struct instance *instance, taddr address,
                             struct kmp_thread *out);
enum rc kmp_read_thread_ref(const struct instance *instance, struct ref ref,
                            struct kmp_thread *out);

struct kmp_team {
    taddr address;
    taddr parent, threads, implicit_task, function, arguments;
    taddr record; /* the word of a tool */
    taddr task_team[2];
    uint32_t nproc, level, active_level, serialized, master_number, cancel_request;
    uint32_t argument_count; /* of the function */
    uint64_t arrived[KMP_BARRIERS];
};
/* RC_NONSENSE: no team is there. */
enum rc kmp_read_team(const struct instance *instance, taddr address, struct kmp_team *out);
/* The kmp_base_info of a member, by the team's list. */
enum rc kmp_listed(const struct instance *instance, const struct kmp_team *team, uint32_t number,
                   taddr *out);

struct kmp_task {
    taddr address;
    taddr team, parent, taskgroup, depnode, routine;
    taddr record; /* the word of a tool */
    uint32_t flags;
    int32_t taskwait_thread;
    uint32_t children;
    struct kmp_bytes bytes;
};
/* RC_NONSENSE: no task is there. */
enum rc kmp_read_task(const struct instance *instance, taddr address, struct kmp_task *out);
static inline bool kmp_flag(const struct instance *instance, const struct kmp_task *task,
                            enum kmp_flag flag)
{
    return task->flags >> kmp_state(instance)->layout->bit[flag] & 1;
}

/* kmp-threads.c. The array of threads: a pointer for each gtid, some of them 0. */
struct kmp_table {
    taddr first;
    uint32_t capacity; /* 0: the runtime is not initialised yet */
};
enum rc kmp_thread_table(const struct instance *instance, struct kmp_table *out);
/* RC_UNAVAILABLE: there is none of that gtid. */
enum rc kmp_thread_of_gtid(const struct instance *instance, uint32_t gtid, taddr *out);
static inline struct ref kmp_thread_ref(const struct instance *instance,
                                        const struct kmp_thread *thread)
{
    return (struct ref){thread->address, memory_thread_id(instance, thread->tid)};
}
/* One that cannot be read is left out and sets *part. */
typedef bool kmp_thread_visitor(void *arg, const struct kmp_thread *thread);
enum rc kmp_walk_known(struct instance *instance, kmp_thread_visitor *visit, void *arg, bool *part);
enum rc kmp_find_thread(struct instance *instance, enum os_thread_kind kind, uint64_t os_id,
                        struct ref *out);

/* kmp-classify.c: what a thread is to the runtime. */
enum kmp_thread_kind {
    KMP_IDLE,          /* in reserve, or a worker of a team whose region is over */
    KMP_INITIAL,       /* outside all regions */
    KMP_MEMBER,        /* of a team */
    KMP_HELPER,        /* a hidden helper thread, which executes hidden tasks */
    KMP_IN_TRANSITION, /* on its way from one team to another */
};
/* Fills in *team for KMP_INITIAL, KMP_MEMBER and KMP_HELPER. */
enum rc kmp_classify(const struct instance *instance, const struct kmp_thread *thread,
                     enum kmp_thread_kind *out, struct kmp_team *team);
static inline bool kmp_may_have_tasks(enum kmp_thread_kind kind)
{
    return kind == KMP_INITIAL || kind == KMP_MEMBER || kind == KMP_HELPER;
}
/* Is a team that of the hidden helper threads, which is in no region of the program? */
enum rc kmp_is_of_helpers(const struct instance *instance, const struct kmp_team *team, bool *out);

/* kmp-team.c: a region that threads are in. */
struct kmp_region {
    struct kmp_team team;
    uint32_t depth;  /* of a serialised team: which of its levels, from 1; else 0 */
    uint32_t number; /* of the thread in it */
};
static inline uint32_t kmp_region_level(const struct kmp_region *region)
{
    return region->depth ? region->team.level - region->team.serialized + region->depth
                         : region->team.level;
}
static inline uint32_t kmp_region_size(const struct kmp_region *region)
{
    return region->depth ? 1 : region->team.nproc;
}
/* The innermost region of a member of a team; the one around a region. RC_UNAVAILABLE: there
 * is none. */
enum rc kmp_innermost(const struct kmp_team *team, uint32_t number, struct kmp_region *out);
enum rc kmp_enclosing(const struct instance *instance, const struct kmp_region *region,
                      struct kmp_region *out);
struct ref kmp_region_ref(const struct instance *instance, const struct kmp_region *region);
/* Of a region, and of its implicit tasks. */
struct fact kmp_region_function(const struct instance *instance, const struct kmp_team *team);
enum rc kmp_read_region(const struct instance *instance, struct ref ref, struct kmp_region *out);
/* RC_UNAVAILABLE: it has not begun its part, or has ended it. */
enum rc kmp_member(const struct instance *instance, const struct kmp_region *region,
                   uint32_t number, struct kmp_thread *out);
enum rc kmp_region(struct instance *instance, struct ref ref, struct region_facts *out);
enum rc kmp_walk_members(struct instance *instance, struct ref region, enum members members,
                         ref_visitor *visit, void *arg);
enum rc kmp_find_member(struct instance *instance, struct ref region, enum members members,
                        uint32_t number, struct ref *out);

/* kmp-task.c */
/* Is an address that of a task that waits for its event? It is read, and not known to be a task's.
 * RC_UNAVAILABLE: no. */
enum rc kmp_is_detached(const struct instance *instance, taddr address);
enum rc kmp_task_ref(const struct instance *instance, taddr task, struct ref *out);
enum rc kmp_read_task_ref(const struct instance *instance, struct ref ref, struct kmp_task *out);
/* The number of a team's implicit task. False: the task is none of the team's. */
bool kmp_implicit_index(const struct instance *instance, const struct kmp_team *team, taddr task,
                        uint32_t *out);
/* What a thread has begun and not ended, as far as that is known for certain. False ends. */
typedef bool kmp_begun_visitor(void *arg, taddr task);
enum rc kmp_walk_begun(const struct instance *instance, const struct kmp_thread *thread,
                       kmp_begun_visitor *visit, void *arg);
/* `runner`: the thread that is known to have begun it, NULL: not known. The current task of a
 * thread is of the innermost of the regions that its team represents. */
enum rc kmp_task_facts(struct instance *instance, const struct kmp_task *task,
                       const struct kmp_thread *runner, struct task_facts *out);
enum rc kmp_task(struct instance *instance, struct ref ref, struct task_facts *out);
enum rc kmp_each_task(struct instance *instance, task_visitor *visit, void *arg);
enum rc kmp_walk_dependers(struct instance *instance, struct ref task, depender_visitor *visit,
                           void *arg);
/* The tasks that wait for a task. */
enum rc kmp_each_successor(const struct instance *instance, const struct kmp_task *task,
                           kmp_begun_visitor *visit, void *arg);

/* kmp-wait.c: the state of a thread that is a member of its team or outside all regions, what it
 * waits for, and its barrier. */
enum rc kmp_wait(struct instance *instance, const struct kmp_thread *thread,
                 const struct kmp_team *team, bool is_member, struct thread_facts *facts);

/* kmp-locks.c. Those whose queue a thread waits in; NULL: none. */
enum rc kmp_find_waiter(struct instance *instance, uint32_t gtid, const struct kmp_waiter **out);
enum rc kmp_each_lock(struct instance *instance, lock_visitor *visit, void *arg);
enum rc kmp_lock(struct instance *instance, taddr address, enum lock_kind kind,
                 struct lock_facts *out);
enum rc kmp_lock_object(struct instance *instance, taddr address, enum lock_kind kind, taddr *out);

/* kmp-icvs.c */
void kmp_find_globals(const struct instance *instance, struct kmp_state *state);
enum rc kmp_globals(struct instance *instance, struct global_facts *out);
enum rc kmp_icvs(struct instance *instance, struct ref task, struct icv_facts *out);

/* kmp-devices.c */
enum rc kmp_each_device(struct instance *instance, device_visitor *visit, void *arg);
enum rc kmp_each_mapping(struct instance *instance, mapping_visitor *visit, void *arg);

#endif
