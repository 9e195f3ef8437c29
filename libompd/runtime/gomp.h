/* SPDX-License-Identifier: MIT
 *
 * The parts of the reader of a stock libgomp: what it keeps of a process, the structures
 * of libgomp as they were read, and how objects are named.
 *
 * libgomp numbers nothing, so a struct ref gets its id from what stands in the object:
 *
 *   thread  the kernel's id of the thread. Two living threads never share it.
 *   region  address of the team, low 48 bits; above them 16 bits made of the team's size,
 *           where it was forked from, the number of barriers it has passed, and for a
 *           nested team the kernel id of its second thread.
 *   task    address likewise; above it the bits of its team, mixed for explicit tasks
 * with function and data. Tasks outside regions have bits of their thread instead.
 *
 * The address in a reference to a task is where the task was found: see gomp-task-ref.c.
 *
 * An id that no longer fits what stands there is a stale handle. What this cannot tell
 * apart, because libgomp leaves no trace of it: a team of one thread or a task that
 * ended, and another one of the same origin, size, function and data that got its memory
 * before the next barrier. The number of barriers makes handles of regions and tasks go
 * stale when their team passes one, though the region still runs: an answer that is
 * missing rather than one about somebody else.
 */
#ifndef LIBOMPD_GOMP_H
#define LIBOMPD_GOMP_H

#include "libompd/array.h"
#include "libompd/runtime/gomp-layout.h"
#include "libompd/runtime/gomp-probe.h"
#include "libompd/runtime/reader.h"
#include "libompd/target/target.h"

/* Bounds on what a target may claim, far above what a process can have. */
enum {
    GOMP_TEAM_MAX = 1 << 16,
    GOMP_THREADS_MAX = 1 << 17,
    GOMP_TASKS_MAX = 1 << 20,
    GOMP_LEVELS_MAX = 1 << 10,
    GOMP_OBJECT_BYTES_MAX = 2048,
};

/* What one query may take in all. Bounds on each walk are not enough where walks stand
 * within walks: a hostile process would be walked for years. A step is a question to
 * memory that was read before; a read of the target counts as several. */
enum {
    GOMP_STEPS_MAX = 1 << 26,
    GOMP_READ_STEPS = 64,
};

/* Where glibc keeps its threads; the numbers are those that it gives libthread_db. */
struct gomp_threads_place {
    unsigned ring_count; /* 0: no list is known */
    taddr ring[2];
    uint32_t list_offset; /* of the ring's node in struct pthread */
    uint32_t tid_offset;
    uint32_t pthread_size;
};

/* A thread that was seen, so that it need not be searched again. Only a hint: what stands
 * there is read and compared before it is used. */
struct gomp_hint {
    uint32_t tid;
    taddr pthread;
};

/* A thread's struct gomp_thread and the kernel's id. */
struct gomp_thread {
    taddr address;
    taddr pthread;
    uint64_t tid;
    taddr team, task, pool;
    uint32_t team_id, level, active_level;
};

/* The thread that a team's task was found on, so that one query does not search for it
 * again: many tasks have one parent. */
struct gomp_runner {
    taddr team, task; /* 0: nothing was searched */
    bool has_thread;
    uint32_t number; /* of the thread in the team */
    struct gomp_thread thread;
};
enum { GOMP_RUNNERS = 8 };

/* ICVs of which a process has one: variables that exported accessors load. */
enum gomp_global_icv {
    GOMP_GLOBAL_CANCEL,
    GOMP_GLOBAL_MAX_TASK_PRIORITY,
    GOMP_GLOBAL_NTEAMS,
    GOMP_GLOBAL_TEAMS_THREAD_LIMIT,
    GOMP_GLOBALS,
};
struct gomp_global {
    taddr address; /* 0: not known */
    unsigned size;
};

struct gomp_state {
    const struct gomp_layout *layout;
    unsigned version; /* of GCC, by its symbols */
    enum probe_machine machine;
    taddr slot;          /* word that holds the distance, 0 when it is known */
    int64_t distance;    /* from thread pointer to struct gomp_thread */
    bool distance_known; /* not before the dynamic linker is done */
    taddr global_icv;    /* struct gomp_task_icv, 0: not known */
    struct gomp_global global[GOMP_GLOBALS];
    struct gomp_threads_place threads;
    struct array hints;       /* of struct gomp_hint */
    bool proven;              /* a thread in a team was found to be as the layout says */
    bool debugger_tells;      /* which threads exist: it has known one */
    unsigned queries;         /* that are under way, one within the other */
    uint32_t steps;           /* that are left for them */
    struct gomp_runner runners[GOMP_RUNNERS];
    struct gomp_pages *pages; /* NULL: not asked yet */
};

static inline struct gomp_state *gomp_state(const struct space *space)
{
    return space->reader_state;
}

/* gomp-open.c: recognises the process. RC_UNAVAILABLE: no libgomp. RC_INCOMPATIBLE: not
 * one that is understood. */
enum rc gomp_open(struct space *space);
void gomp_close(struct space *space);

/* Before each answer, until it is proven: threads may have come to be since the process
 * was opened. RC_INCOMPATIBLE: they do not look as the layout says. */
enum rc gomp_prove(struct space *space);

/* RC_UNAVAILABLE: libgomp is not ready, so there are no OpenMP threads yet. */
enum rc gomp_distance(struct space *space, int64_t *out);

/* gomp-pages.c. Between the two what was read is not read again. gomp_read() is
 * target_read() for everything but bulk. RC_INCOMPLETE: the query has taken all its steps. */
void gomp_begin(struct space *space);
void gomp_end(struct space *space);
enum rc gomp_read(const struct space *space, taddr address, size_t bytes, void *out);

/* Takes steps of the query that is under way, for what is done without gomp_read(). */
enum rc gomp_take_steps(const struct space *space, size_t steps);

/* Keeps a walk along pointers from going round for ever: remembers the address it was
 * given at doubling distances. False: this one comes again, or there are too many. */
struct gomp_guard {
    taddr kept;
    uint32_t count, keep_at;
};
static inline bool gomp_advance(struct gomp_guard *guard, taddr at)
{
    if (at == guard->kept || guard->count++ >= GOMP_TASKS_MAX)
        return false;
    if (guard->count >= guard->keep_at) {
        guard->kept = at;
        guard->keep_at = 2 * guard->count;
    }
    return true;
}

/* How a fact is known that took reads of its own. */
static inline enum known gomp_mark(enum rc rc)
{
    return rc == RC_OK            ? KNOWN
           : rc == RC_UNAVAILABLE ? NONE_HERE
           : rc == RC_READ_ERROR  ? UNREADABLE
                                  : IMPOSSIBLE;
}

/* gomp-read.c. An object that was read, and its fields as numbers; a field that the
 * version lacks is 0. */
struct gomp_bytes {
    unsigned char bytes[GOMP_OBJECT_BYTES_MAX];
};
enum rc gomp_fetch(const struct space *space, enum gomp_struct object, taddr address,
                   struct gomp_bytes *out);
uint64_t gomp_field(const struct space *space, const void *bytes, enum gomp_field field);
uint32_t gomp_offset(const struct space *space, enum gomp_field field);
bool gomp_has(const struct space *space, enum gomp_field field);
enum rc gomp_pointer(const struct space *space, taddr address, taddr *out);

enum rc gomp_read_thread(const struct space *space, taddr pthread,
                         struct gomp_thread *out);
/* By the address of its struct gomp_thread. */
enum rc gomp_read_thread_at(const struct space *space, taddr address,
                            struct gomp_thread *out);
/* RC_STALE_HANDLE: another thread has its memory, or none. */
enum rc gomp_read_thread_ref(const struct space *space, struct ref ref,
                             struct gomp_thread *out);

struct gomp_team {
    taddr address;
    uint32_t nthreads;
    taddr prev_team;
    uint32_t prev_team_id, prev_level, prev_active_level;
    taddr ordered_release;
    uint32_t generation, awaited, awaited_final;
    bool locked; /* its queues may be between two states */
    bool sound;  /* its parts agree with each other */
};
/* Of whatever stands there. */
enum rc gomp_read_team(const struct space *space, taddr address, struct gomp_team *out);
/* The struct gomp_thread of a member but the first, 0 if it has not begun. */
enum rc gomp_team_member_at(const struct space *space, const struct gomp_team *team,
                            uint32_t number, taddr *out);
taddr gomp_implicit_task(const struct space *space, const struct gomp_team *team,
                         uint32_t number);

enum gomp_kind {
    GOMP_KIND_IMPLICIT,
    GOMP_KIND_UNDEFERRED,
    GOMP_KIND_WAITING,
    GOMP_KIND_TIED,
    GOMP_KIND_ASYNC_RUNNING,
    GOMP_KIND_DETACHED,
};
struct gomp_task {
    taddr address;
    taddr parent, taskgroup, taskwait, dependers;
    taddr fn, fn_data;
    uint64_t depend_count, num_dependees;
    uint32_t kind;
    bool final;
    struct gomp_bytes bytes;
};
/* RC_NONSENSE: no task stands there. */
enum rc gomp_read_task(const struct space *space, taddr address, struct gomp_task *out);

/* gomp-standing.c: what a thread's structures say it is to libgomp. */
enum gomp_standing {
    GOMP_FOREIGN,  /* has never met libgomp */
    GOMP_RELEASED, /* is no longer libgomp's, and about to exit */
    GOMP_INITIAL,  /* outside any region */
    GOMP_IDLE,     /* waits to be given to a team */
    GOMP_ACTIVE,   /* a member of `team` */
    GOMP_PASSING,  /* on its way into or out of a team */
};
enum rc gomp_stand(const struct space *space, const struct gomp_thread *thread,
                   enum gomp_standing *out, struct gomp_team *team);

/* Does a team know a thread, whose number is one of the team's, as its member? */
enum rc gomp_is_listed(const struct space *space, const struct gomp_thread *thread,
                       const struct gomp_team *team, bool *out);

/* Is a team's implicit task of this number set up? A thread is made a member first; until
 * its task is set up, that holds what the memory held, so it is compared with what
 * libgomp writes last and with the first thread's: all of a team have the same parent. */
enum rc gomp_has_begun(const struct space *space, const struct gomp_team *team,
                       uint32_t number, bool *out);

/* The next team outwards of a team. False: there is none. */
bool gomp_has_outer(const struct gomp_team *team);

/* gomp-threads.c */
typedef bool gomp_pthread_visitor(void *arg, taddr pthread, uint64_t tid);
enum rc gomp_walk_pthreads(struct space *space, gomp_pthread_visitor *visit, void *arg);
enum rc gomp_find_thread(struct space *space, enum os_thread_kind kind, uint64_t os_id,
                         struct ref *out);
/* Is there no such thread, though memory says so? Asks the debugger, if it is one that
 * has known a thread of this process. */
bool gomp_is_ghost(const struct space *space, const struct gomp_thread *thread);
typedef bool gomp_thread_visitor(void *arg, const struct gomp_thread *thread);
enum rc gomp_walk_openmp(struct space *space, gomp_thread_visitor *visit, void *arg);
enum rc gomp_walk_threads(struct space *space, ref_visitor *visit, void *arg);
struct ref gomp_thread_ref(const struct gomp_thread *thread);

/* gomp-team.c */
enum rc gomp_team_ref(const struct space *space, const struct gomp_team *team,
                      struct ref *out);
/* RC_STALE_HANDLE: it is not that region any more. */
enum rc gomp_read_team_ref(const struct space *space, struct ref ref,
                           struct gomp_team *out);
/* RC_UNAVAILABLE: it has not begun its part. */
enum rc gomp_member(struct space *space, const struct gomp_team *team, uint32_t number,
                    struct gomp_thread *out);
enum rc gomp_region(struct space *space, struct ref ref, struct region_facts *out);
enum rc gomp_walk_team(struct space *space, struct ref region, ref_visitor *visit,
                       void *arg);
enum rc gomp_walk_implicit_tasks(struct space *space, struct ref region,
                                 ref_visitor *visit, void *arg);

enum rc gomp_team_thread(struct space *space, struct ref region, uint32_t number,
                         struct ref *out);
enum rc gomp_team_task(struct space *space, struct ref region, uint32_t number,
                       struct ref *out);

/* gomp-task-ref.c: the reference to what a thread runs, and to a task of a team.
 * RC_UNAVAILABLE: the thread runs none. */
enum rc gomp_thread_task_ref(const struct space *space, const struct gomp_thread *thread,
                             enum gomp_standing standing, const struct gomp_team *team,
                             struct ref *out);
enum rc gomp_team_task_ref(const struct space *space, const struct gomp_team *team,
                           taddr task, struct ref *out);

/* gomp-task.c */
enum rc gomp_encountering_ref(struct space *space, const struct gomp_team *team,
                              struct ref_fact *out);
enum rc gomp_task(struct space *space, struct ref ref, struct task_facts *out);

/* gomp-wait.c: is a task that its thread runs asleep in a taskwait or at the end of a
 * taskgroup? */
enum rc gomp_task_state(const struct space *space, taddr task, enum state otherwise,
                        struct fact *out);

/* gomp-barrier.c */
enum rc gomp_barriers(struct space *space, struct ref region,
                      struct barrier_facts out[BARRIERS_MAX], unsigned *count);

/* gomp-depend.c */
enum rc gomp_walk_dependers(struct space *space, struct ref task, depender_visitor *visit,
                            void *arg);

/* gomp-locks.c */
enum rc gomp_lock(struct space *space, taddr address, enum lock_kind kind,
                  struct lock_facts *out);

/* gomp-icvs.c */
enum rc gomp_icvs(struct space *space, struct ref task, struct icv_facts *out);
enum rc gomp_globals(struct space *space, struct global_facts *out);

/* gomp.c and gomp-survey.c */
enum rc gomp_thread(struct space *space, struct ref ref, struct thread_facts *out);
enum rc gomp_facts_of(struct space *space, const struct gomp_thread *thread,
                      struct thread_facts *out);
enum rc gomp_each_thread(struct space *space, thread_visitor *visit, void *arg);
enum rc gomp_each_task(struct space *space, task_visitor *visit, void *arg);

/* gomp-queue.c: the explicit tasks of a region that have not completed, each once. */
enum rc gomp_walk_explicit_tasks(struct space *space, struct ref region,
                                 ref_visitor *visit, void *arg);

#endif
