/* SPDX-License-Identifier: MIT
 *
 * The reader of a process that has two witnesses: what a runtime holds in its memory, and the
 * records that the process keeps besides. It is made of their readers, through their tables only;
 * none knows of another or of this one. How the two complement each other differs between
 * runtimes: struct recorded_rules. libompd/README.md has the rules and an example.
 *
 * One witness names the objects. Where it is the records, an object without a record has the
 * name that memory's reader makes, whose ids have ID_IS_MADE. A name of that kind stays good when
 * the object gets a record.
 */
#ifndef LIBOMPD_RECORDED_H
#define LIBOMPD_RECORDED_H

#include "libompd/array.h"
#include "libompd/runtime/reader.h"

/* What one question about one object looks at, where it has to search. Surveys have no
 * need to. */
enum {
    RECORDED_MEMBERS_MAX = 256, /* members of a team */
    RECORDED_LEVELS_MAX = 256,  /* regions around one */
};

/* Each witness is an instance of its own, as its reader leaves it. */
struct recorded {
    const struct recorded_rules *rules;
    struct instance runtime; /* without a reader if that cannot be read */
    struct instance records;
    struct query clauses; /* of tasks, where memory names them */
    unsigned depth;       /* of begin() in begin() */
};

/* The address space moves once, when it has been opened. */
static inline struct recorded *recorded_state(const struct instance *instance)
{
    struct recorded *state = instance->reader_state;
    state->runtime.space = state->records.space = instance->space;
    return state;
}

/* A call of a witness, RECORDS or a runtime: ON(RECORDS, thread, ref, &facts). These are for
 * functions with a variable `state`. */
#define RECORDS (&state->records)
#define RUNTIME (&state->runtime)
#define ON(witness, function, ...) (witness)->reader->function((witness), __VA_ARGS__)

/* The runtimes whose memory is read, in turn: NULL before the first and after the last. A further
 * one is an instance of the space that was recorded when the outermost query began. */
struct instance *recorded_next(struct recorded *state, const struct instance *last);
/* The same, recorded or not. */
struct instance *recorded_next_runtime(struct recorded *state, const struct instance *last);

/* The witness that made a reference, that of a thread or of another object; NULL: it is none of
 * these, or has been closed. */
struct instance *recorded_maker(struct recorded *state, struct ref ref, bool is_thread);

/* Are the records still being kept? One read where that may end before the process does. */
bool recorded_goes_on(struct recorded *state);

/* Is an answer of one witness missing, so that the other one's is all there is? */
static inline bool recorded_is_missing(enum rc rc)
{
    return rc == RC_UNAVAILABLE || rc == RC_STALE_HANDLE || rc == RC_UNSUPPORTED ||
           rc == RC_INCOMPATIBLE || rc == RC_BAD_INPUT || rc == RC_NEEDS_TRACKING ||
           rc == RC_INCOMPLETE || rc_is_damage(rc);
}

/* A region that has a record. */
struct recorded_region {
    struct ref ref; /* id 0: there is none */
    struct region_facts facts;
};

/* A team of a runtime, and what is known of it besides. */
struct recorded_team {
    struct ref ref;                /* the runtime's */
    struct recorded_region region; /* its record */
    uint32_t passed;               /* barriers that all members have passed, as far as is known */
    bool is_counted;               /* the runtime has an arrival count */
    unsigned barriers;
    struct barrier_facts barrier[BARRIERS_MAX];
};

/* What both know of a thread. */
struct recorded_thread {
    bool has_record, has_runtime;
    struct instance *memory; /* of the runtime that is meant */
    struct ref record, runtime;
    struct thread_facts by_record, by_runtime;
};

/* A lock that has a record. */
struct recorded_lock {
    struct ref ref;
    struct lock_facts facts;
    bool is_listed;        /* memory has listed it */
    bool may_have_changed; /* another thread may have acquired it since */
};

/* The facts of a thread by both witnesses (recorded-thread.c). */
struct thread_facts recorded_merge_thread(struct recorded *state,
                                          const struct recorded_thread *thread,
                                          const struct recorded_region *region,
                                          const struct recorded_team *team);

/* What differs between runtimes. */
struct recorded_rules {

    /* Records name what they have, and are of all runtimes of this kind: a thread's record has
     * the region that it is in, which is matched with a team. Otherwise memory names all objects,
     * and records of the one runtime add to its facts. */
    bool records_name;

    /* The facts of a thread. `region` is that of its record, `team` that of the runtime; both
     * are empty where memory names them. */
    struct thread_facts (*merge_thread)(struct recorded *state,
                                        const struct recorded_thread *thread,
                                        const struct recorded_region *region,
                                        const struct recorded_team *team);

    /* Adds what is recorded of an object that memory names. */
    enum rc (*complete_region)(struct recorded *state, struct ref ref, struct region_facts *facts);
    enum rc (*complete_task)(struct recorded *state, struct ref ref, struct task_facts *facts);

    /* The facts of a lock. `memory`: what that says of it, or NULL. */
    enum rc (*merge_lock)(struct recorded *state, const struct recorded_lock *record,
                          const struct lock_facts *memory, struct lock_facts *out);
};
extern const struct recorded_rules recorded_gomp_rules; /* recorded-gomp.c */
extern const struct recorded_rules recorded_kmp_rules;  /* recorded-kmp.c */

static inline bool recorded_is_state(const struct thread_facts *facts, enum state state)
{
    return facts->state.known == KNOWN && facts->state.value == (uint64_t)state;
}
static inline bool recorded_is_waiting(const struct thread_facts *facts)
{
    return facts->state.known == KNOWN && facts->state.value >= STATE_wait_barrier;
}
static inline bool recorded_is_in_barrier(const struct thread_facts *facts)
{
    return recorded_is_waiting(facts) && facts->state.value < STATE_wait_taskwait;
}
static inline bool recorded_waits_for_mutex(const struct thread_facts *facts)
{
    return recorded_is_waiting(facts) && facts->state.value >= STATE_wait_lock &&
           facts->state.value <= STATE_wait_atomic;
}

/* A torn record has a region where its address and its id fit each other, and no number. */
static inline bool recorded_has_place(const struct thread_facts *record,
                                      const struct thread_facts *runtime)
{
    return fact_is_equal(record->team_size, runtime->team_size) &&
           fact_is_equal(record->level, runtime->level) &&
           (record->region.torn || fact_is_equal(record->thread_num, runtime->thread_num));
}

/* recorded-gomp.c: which objects of the two are one, and whose word counts. Reads nothing.
 *
 * How a member's team and the region of its record are related. */
enum recorded_step {
    RECORDED_APART,
    RECORDED_SAME,    /* they are one */
    RECORDED_LEFT,    /* the region is over: the team is the region around it, in which the
                         thread may have been of another runtime */
    RECORDED_ENTERED, /* the team is being started: the one around it is the region */
};
enum recorded_step recorded_step(struct recorded *state, const struct recorded_thread *thread,
                                 const struct recorded_region *region);

/* Does the region belong to another runtime of the process? */
bool recorded_is_foreign(const struct instance *memory, const struct recorded_region *region);

/* The runtime that a region is of. NULL: none of those that are read. */
struct instance *recorded_runtime(struct recorded *state, const struct recorded_region *region);

/* Of two runtimes that know a thread, `now` and what was `found` so far: is the thread in `now`
 * rather than in the other one? `region` is that of its record. */
bool recorded_is_inner(struct recorded *state, const struct recorded_thread *now,
                       const struct recorded_thread *found, const struct recorded_region *region);

/* Barriers of its region that a thread has passed, as far as its record shows. */
uint32_t recorded_passed(const struct thread_facts *record);

/* recorded-thread.c: a thread, searched for alone. RC_OK also when a witness does not know it: then
 * has_record or has_runtime say so. */
enum rc recorded_find_thread(struct recorded *state, struct ref ref, struct recorded_thread *out);
/* The same of a thread that has a record, or a reference, in one of the runtimes. */
enum rc recorded_find_in(struct instance *memory, struct recorded_thread *thread);
enum rc recorded_find_thread_in(struct recorded *state, struct instance *memory, struct ref ref,
                                struct recorded_thread *out);

/* A thread of the runtime by its record where it has one; `number` in a team as whose member
 * memory names it, 0: none. RC_UNAVAILABLE: it is no member. */
enum rc recorded_thread_ref(struct recorded *state, struct ref runtime, uint32_t number,
                            struct ref *out);

/* RC_OK also when it has no record: then ref.id is 0. */
enum rc recorded_find_region(struct recorded *state, struct ref_fact ref,
                             struct recorded_region *out);

/* recorded-pairs.c: teams of memory and regions of records that are one.
 *
 * A team and the record that is its region, as a thread shows them. team->id 0: it shows
 * none. */
enum rc recorded_pair(struct recorded *state, const struct recorded_thread *thread,
                      const struct recorded_region *region, struct ref *team,
                      struct recorded_region *paired);

/* From these to those around them. team->id 0: there are none. */
enum rc recorded_pair_around(struct recorded *state, struct ref *team,
                             struct recorded_region *region);

/* The record of a team's region. ref.id 0: it has none. */
enum rc recorded_region_of_team(struct recorded *state, struct ref team,
                                struct recorded_region *out);
/* The team of a record's region. RC_UNAVAILABLE: none is found. */
enum rc recorded_team_of_region(struct recorded *state, const struct recorded_region *region,
                                struct ref *out);

/* recorded-threads.c */
enum rc recorded_each_thread(struct instance *instance, thread_visitor *visit, void *arg);

enum rc recorded_thread(struct instance *instance, struct ref ref, struct thread_facts *out);
enum rc recorded_id_of_thread(struct instance *instance, enum os_thread_kind kind, uint64_t os_id,
                              struct ref *out);

/* recorded-teams.c */
enum rc recorded_walk_members(struct instance *instance, struct ref region, enum members members,
                              ref_visitor *visit, void *arg);
enum rc recorded_find_member(struct instance *instance, struct ref region, enum members members,
                             uint32_t number, struct ref *out);
enum rc recorded_region(struct instance *instance, struct ref ref, struct region_facts *out);
enum rc recorded_task(struct instance *instance, struct ref ref, struct task_facts *out);
enum rc recorded_complete_region(struct recorded *state, struct ref ref,
                                 struct region_facts *facts);
enum rc recorded_complete_task(struct recorded *state, struct ref ref, struct task_facts *facts);
/* Is it one that gets its record when it begins? Then what is recorded of it is filled in. */
bool recorded_is_planned(struct recorded *state, struct task_facts *facts);
enum rc recorded_barriers(struct instance *instance, struct ref region,
                          struct barrier_facts out[BARRIERS_MAX], unsigned *count);
enum rc recorded_absence(struct instance *instance, struct ref region, struct absence_facts *out);
void recorded_count_arrivals(struct recorded *state, struct recorded_team *team);

/* recorded-tasks.c */
enum rc recorded_each_task(struct instance *instance, task_visitor *visit, void *arg);
enum rc recorded_each_named_task(struct instance *instance, task_visitor *visit, void *arg);
enum rc recorded_walk_dependers(struct instance *instance, struct ref task, depender_visitor *visit,
                                void *arg);

/* recorded-kmp.c: does the word of a task of the runtime lead to this record? */
bool recorded_is_record(struct recorded *state, const struct task_facts *facts, struct ref record);

/* recorded-locks.c */
enum rc recorded_each_lock(struct instance *instance, lock_visitor *visit, void *arg);
enum rc recorded_lock(struct instance *instance, taddr address, enum lock_kind kind,
                      struct lock_facts *out);

#endif
