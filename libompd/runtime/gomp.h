/* SPDX-License-Identifier: MIT
 *
 * The reader of a stock libgomp: its state, threads and teams. gomp-task.h has tasks.
 *
 * libgomp numbers nothing, so the id in a struct ref is made of what the object holds, with
 * ID_IS_MADE:
 *
 *   thread  kernel id of the thread, unique among living threads
 *   region  address of its team, low 48 bits; above them 15 bits of a hash of the team's
 *           size, the enclosing team and thread number, the barrier generation, and for a
 *           nested team the kernel id of thread 1
 *   task    address of its struct gomp_task likewise; above it the bits of its team, for an
 *           explicit task hashed with function and data. Outside regions: bits of its thread
 *
 * The address in a reference to a task says where to find it: see gomp-task-ref.c.
 *
 * When the object no longer has this id the handle is stale. Not distinguished, because
 * libgomp leaves no trace of it: a task, or a team of one thread, that ended, and another
 * of the same origin, size, function and data in the same memory before the next barrier.
 * The barrier generation makes handles of regions and tasks stale when their team passes a
 * barrier though the region still runs: no answer rather than one about another region.
 */
#ifndef LIBOMPD_GOMP_H
#define LIBOMPD_GOMP_H

#include "libompd/array.h"
#include "libompd/runtime/gomp-layout.h"
#include "libompd/runtime/memory-reader.h"
#include "libompd/runtime/probe.h"
#include "libompd/runtime/pthreads.h"
#include "libompd/target/target.h"

/* Bounds on what a target may claim, far above what a process can have. */
enum {
    GOMP_TEAM_MAX = 1 << 16,
    GOMP_THREADS_MAX = 1 << 17,
    GOMP_TASKS_MAX = 1 << 20,
    GOMP_LEVELS_MAX = 1 << 10,
    GOMP_OBJECT_BYTES_MAX = 2048,
};

/* A thread's struct gomp_thread, and its kernel id. */
struct gomp_thread {
    taddr address;
    taddr pthread;
    uint64_t tid;
    taddr team, task, pool;
    uint32_t team_id, level, active_level;
};

/* The member of a team that has begun an explicit task, cached for the length of a query:
 * many tasks have one parent. */
struct gomp_runner {
    taddr team, task; /* 0: free */
    bool has_thread;
    bool is_certain; /* see gomp_find_runner() */
    uint32_t number; /* of the thread in the team */
    struct gomp_thread thread;
};
enum { GOMP_RUNNERS = 8 };

static inline struct ref gomp_thread_ref(const struct instance *instance,
                                         const struct gomp_thread *thread)
{
    return (struct ref){thread->address, memory_thread_id(instance, thread->tid)};
}

/* The teams that a thread is in, innermost first. */
struct gomp_nesting {
    taddr team;      /* to be read next; 0: none */
    uint32_t number; /* of the thread in it */
    uint32_t level;  /* inside of it; 0: outside all regions */
    uint32_t below;  /* the next team's level of nesting is less than this */
};

/* The tasks that a thread has begun and not ended, its current one first, each with the team
 * that it is of. */
struct gomp_ancestors {
    taddr task; /* 0: no more, or an initial task without a struct */
    struct gomp_nesting nesting;
    struct cycle cycle;
};

/* Where the last search among a thread's ancestors ended. */
struct gomp_cursor {
    taddr thread, current; /* struct gomp_thread, and its current task */
    struct gomp_ancestors at;
};

/* A member that runs a target region on the host, where libgomp has put what the thread was
 * aside and left zeros. */
struct gomp_aside {
    taddr thread, team;
    taddr anchor; /* another member, which has shown the team */
    uint32_t number;
};
enum { GOMP_ASIDE_MAX = 64 };

struct gomp_walk;

struct gomp_global {
    taddr address; /* 0: not known */
    unsigned size;
};

struct gomp_state {
    struct memory memory;
    const struct gomp_layout *layout;
    unsigned version; /* of GCC, by its symbols */
    enum probe_machine machine;
    taddr slot;          /* word that holds the distance, 0 when it is known */
    int64_t distance;    /* from thread pointer to struct gomp_thread */
    bool distance_known; /* not before the dynamic linker is done */
    taddr global_icv;    /* struct gomp_task_icv, 0: not known */
    struct gomp_global global[GOMP_GLOBALS];
    struct gomp_aside aside[GOMP_ASIDE_MAX]; /* of the last walk, checked when used */
    unsigned asides;
    /* Both for the length of a query. */
    struct gomp_runner runners[GOMP_RUNNERS];
    struct gomp_cursor last_ancestor;
    struct gomp_walk *walk; /* that has seen all threads and tasks, or NULL */
};

static inline struct gomp_state *gomp_state(const struct instance *instance)
{
    return instance->reader_state;
}

/* gomp-version.c: fills in version, layout, machine, distance and global ICVs.
 * RC_UNAVAILABLE: no libgomp. RC_INCOMPATIBLE: none that is known. */
enum rc gomp_recognise(const struct instance *instance, struct gomp_state *state);

/* gomp-open.c */
enum rc gomp_open(struct instance *instance);

/* False: the threads contradict the layout. It is proven once a member of a team was found to be
 * as the layout says. */
bool gomp_threads_agree(struct instance *instance);

/* RC_UNAVAILABLE: libgomp is not initialised, so there are no OpenMP threads yet. */
enum rc gomp_distance(struct instance *instance, int64_t *out);

void gomp_begin(struct instance *instance);
static inline enum rc gomp_take_steps(const struct instance *instance, size_t steps)
{
    return query_take_steps(&memory_of(instance)->query, steps);
}

/* gomp-read.c. An object that was read, and its fields as numbers; a field that the
 * version lacks is 0. */
struct gomp_bytes {
    unsigned char bytes[GOMP_OBJECT_BYTES_MAX];
};
enum rc gomp_fetch(const struct instance *instance, enum gomp_struct object, taddr address,
                   struct gomp_bytes *out);
uint64_t gomp_field(const struct instance *instance, const void *bytes, enum gomp_field field);
uint32_t gomp_offset(const struct instance *instance, enum gomp_field field);
bool gomp_has(const struct instance *instance, enum gomp_field field);

enum rc gomp_read_thread(const struct instance *instance, taddr pthread, struct gomp_thread *out);
/* By the address of its struct gomp_thread. */
enum rc gomp_read_thread_at(const struct instance *instance, taddr address,
                            struct gomp_thread *out);
/* RC_STALE_HANDLE: another thread has its memory, or none. */
enum rc gomp_read_thread_ref(const struct instance *instance, struct ref ref,
                             struct gomp_thread *out);

struct gomp_team {
    taddr address;
    uint32_t nthreads;
    taddr prev_team;
    uint32_t prev_team_id, prev_level, prev_active_level;
    taddr ordered_release;
    uint32_t generation, awaited, awaited_final;
    bool locked; /* its queues may be mid-update */
    bool cancelled;
};
/* RC_NONSENSE: no team is there. */
enum rc gomp_read_team(const struct instance *instance, taddr address, struct gomp_team *out);
/* The struct gomp_thread of a member but the primary thread, 0 if it has not begun. */
enum rc gomp_team_member_at(const struct instance *instance, const struct gomp_team *team,
                            uint32_t number, taddr *out);
taddr gomp_implicit_task(const struct instance *instance, const struct gomp_team *team,
                         uint32_t number);

/* gomp-nesting.c */
struct gomp_nesting gomp_innermost(const struct gomp_thread *thread);
struct gomp_nesting gomp_enclosing(const struct gomp_team *team);
static inline bool gomp_is_in_team(const struct gomp_nesting *at)
{
    return at->team && at->level;
}

/* Reads the team and moves outwards. RC_STALE_HANDLE: no team is there. */
enum rc gomp_next_team(const struct instance *instance, struct gomp_nesting *at,
                       struct gomp_team *out);

/* Is a thread in a team, with this number, perhaps through teams nested in it?
 * GOMP_ANY_NUMBER: the number does not matter. */
#define GOMP_ANY_NUMBER UINT32_MAX
enum rc gomp_is_member(const struct instance *instance, const struct gomp_thread *thread,
                       const struct gomp_team *team, uint32_t number, bool *out);

/* The primary thread's struct gomp_thread, as listed by the nearest enclosing team of
 * which it is not the primary thread. 0: there is none; *outermost is the team that its
 * pool is for. RC_STALE_HANDLE: an enclosing team is none. */
enum rc gomp_listed_primary(const struct instance *instance, const struct gomp_team *team,
                            struct gomp_team *outermost, taddr *out);

/* gomp-classify.c: what a thread is to libgomp. */
enum gomp_thread_kind {
    GOMP_FOREIGN,       /* unknown to libgomp */
    GOMP_RELEASED,      /* no longer libgomp's, about to exit */
    GOMP_INITIAL,       /* outside all regions */
    GOMP_IDLE,          /* in the pool */
    GOMP_MEMBER,        /* of a team */
    GOMP_IN_TRANSITION, /* joining or leaving a team */
};
/* Fills in *team for GOMP_MEMBER. RC_NONSENSE: its memory is damaged. */
enum rc gomp_classify_thread(const struct instance *instance, const struct gomp_thread *thread,
                             enum gomp_thread_kind *out, struct gomp_team *team);

/* Does a team list a thread, whose number is one of the team's, as its member? */
enum rc gomp_is_listed(const struct instance *instance, const struct gomp_thread *thread,
                       const struct gomp_team *team, bool *out);

/* Is a team's implicit task of this number initialised? libgomp makes a thread a member
 * first; until then the memory holds anything. The fields that libgomp writes last are
 * checked, and the parent, which is the same for the whole team. */
enum rc gomp_has_implicit_task(const struct instance *instance, const struct gomp_team *team,
                               uint32_t number, bool *out);

/* gomp-pthreads.c: glibc's threads, exited ones left out. */
typedef bool gomp_pthread_visitor(void *arg, taddr pthread, uint64_t tid);
enum rc gomp_walk_pthreads(struct instance *instance, gomp_pthread_visitor *visit, void *arg);

/* gomp-threads.c */
enum rc gomp_find_thread(struct instance *instance, enum os_thread_kind kind, uint64_t os_id,
                         struct ref *out);

/* All threads that libgomp knows. One that cannot be read is left out and sets *part. */
typedef bool gomp_thread_visitor(void *arg, const struct gomp_thread *thread);
enum rc gomp_walk_known(struct instance *instance, gomp_thread_visitor *visit, void *arg,
                        bool *part);

/* gomp-members.c. RC_UNAVAILABLE: it has not begun its part. */
enum rc gomp_member(struct instance *instance, const struct gomp_team *team, uint32_t number,
                    struct gomp_thread *out);
enum rc gomp_walk_members(struct instance *instance, struct ref region, enum members members,
                          ref_visitor *visit, void *arg);
enum rc gomp_find_member(struct instance *instance, struct ref region, enum members members,
                         uint32_t number, struct ref *out);

/* gomp-aside.c: looks for such members in all teams. */
void gomp_find_asides(struct instance *instance);

/* Is a thread without any data a member of a team all the same? Fills in the team,
 * and of the member the number and level in it; its task is not known. */
bool gomp_is_aside(struct instance *instance, const struct gomp_thread *thread,
                   struct gomp_thread *member, struct gomp_team *team);

/* gomp-team.c */
enum rc gomp_team_ref(const struct instance *instance, const struct gomp_team *team,
                      struct ref *out);
/* RC_STALE_HANDLE: it is not that region any more. */
enum rc gomp_read_team_ref(const struct instance *instance, struct ref ref, struct gomp_team *out);
enum rc gomp_region(struct instance *instance, struct ref ref, struct region_facts *out);

/* gomp-barrier.c, gomp-locks.c, gomp-icvs.c, gomp-loop.c, gomp-devices.c */
enum rc gomp_barriers(struct instance *instance, struct ref region,
                      struct barrier_facts out[BARRIERS_MAX], unsigned *count);
enum rc gomp_dock(const struct instance *instance, taddr pool, struct thread_facts *facts);
enum rc gomp_lock(struct instance *instance, taddr address, enum lock_kind kind,
                  struct lock_facts *out);
enum rc gomp_icvs(struct instance *instance, struct ref task, struct icv_facts *out);
enum rc gomp_globals(struct instance *instance, struct global_facts *out);
enum rc gomp_loop(struct instance *instance, struct ref thread, struct loop_facts *out);
enum rc gomp_each_device(struct instance *instance, device_visitor *visit, void *arg);
enum rc gomp_each_mapping(struct instance *instance, mapping_visitor *visit, void *arg);
enum rc gomp_absence(struct instance *instance, struct ref region, struct absence_facts *out);

#endif
