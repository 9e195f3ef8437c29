/* SPDX-License-Identifier: MIT
 *
 * The reader of a process that has two witnesses: what its runtimes hold, and the records
 * that it keeps besides. It is made of their readers, through their tables only;
 * none knows of another or of this one. libompd/README.md has the rules and an
 * example.
 *
 * An object that has a record is named by the record's address and id; another one by what
 * the runtime's reader names it by, whose ids have ID_IS_MADE. A name of that kind stays
 * good when the object gets a record.
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
    struct instance runtime; /* at place 0; without a reader if that cannot be read */
    struct instance records;
    unsigned depth; /* of begin() in begin() */
};

/* The address space moves once, when it has been opened. */
static inline struct recorded *recorded_state(const struct instance *instance)
{
    struct recorded *state = instance->reader_state;
    state->runtime.space = state->records.space = instance->space;
    return state;
}

/* A call of a witness, RECORDS or a runtime: ON(RECORDS, thread, ref, &facts). RECORDS is for
 * functions with a variable `state`. */
#define RECORDS (&state->records)
#define ON(witness, function, ...) (witness)->reader->function((witness), __VA_ARGS__)

/* The runtimes whose memory is read, in turn: NULL before the first and after the last. A further
 * one is an instance of the space that was recorded when the outermost query began. */
struct instance *recorded_next(struct recorded *state, const struct instance *last);

/* The one that made a reference, that of a thread or of another object; NULL: it is none of
 * these, or has been closed. */
struct instance *recorded_maker(struct recorded *state, struct ref ref, bool is_thread);

/* A region that has a record. */
struct recorded_region {
    struct ref ref; /* id 0: there is none */
    struct region_facts facts;
};

/* A team of a runtime, and what is known of it besides. */
struct recorded_team {
    struct ref ref;                /* the runtime's */
    struct recorded_region region; /* its record */
    uint32_t passed; /* barriers that all members have passed, as far as is known */
    bool is_counted; /* the runtime has counted who has arrived */
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

/* recorded-rules.c: which objects of the two are one, and whose word counts. Reads nothing.
 *
 * How a member's team and the region of its record are related. */
enum recorded_step {
    RECORDED_APART,
    RECORDED_SAME, /* they are one */
    RECORDED_LEFT, /* the region is over: the team is the region around it, in which the
                         thread may have been of another runtime */
    RECORDED_ENTERED, /* the team is being started: the one around it is the region */
};
enum recorded_step recorded_step(struct recorded *state,
                                 const struct recorded_thread *thread,
                                 const struct recorded_region *region);

/* Does the region belong to another runtime of the process? */
bool recorded_is_foreign(const struct instance *memory,
                         const struct recorded_region *region);

/* The runtime that a region is of. NULL: none of those that are read. */
struct instance *recorded_runtime(struct recorded *state,
                                  const struct recorded_region *region);

/* Of two runtimes that know a thread, `now` and what was `found` so far: is the thread in `now`
 * rather than in the other one? `region` is that of its record. */
bool recorded_is_inner(struct recorded *state, const struct recorded_thread *now,
                       const struct recorded_thread *found,
                       const struct recorded_region *region);

/* Barriers of its region that a thread has passed, as far as its record shows. */
uint32_t recorded_passed(const struct thread_facts *record);

/* The facts of a thread. `region` is that of its record, `team` that of the runtime. */
struct thread_facts recorded_merge(struct recorded *state,
                                   const struct recorded_thread *thread,
                                   const struct recorded_region *region,
                                   const struct recorded_team *team);

/* recorded-find.c: the same objects, searched for one by one. RC_OK also when there is none:
 * then has_record, has_runtime or ref.id say so. */
enum rc recorded_find_thread(struct recorded *state, struct ref ref,
                             struct recorded_thread *out);
enum rc recorded_find_region(struct recorded *state, struct ref_fact ref,
                             struct recorded_region *out);

/* From a region outwards to the first one of that runtime; region->ref.id 0: there is none. */
enum rc recorded_find_own(struct recorded *state, const struct instance *memory,
                          struct recorded_region *region);

/* A team and the record that is its region, as a thread shows them. team->id 0: it shows
 * none. */
enum rc recorded_pair(struct recorded *state, const struct recorded_thread *thread,
                      const struct recorded_region *region, struct ref *team,
                      struct recorded_region *paired);

/* From these to those around them. team->id 0: there are none. */
enum rc recorded_pair_around(struct recorded *state, struct ref *team,
                             struct recorded_region *region);

/* The record of a team's region. */
enum rc recorded_region_of_team(struct recorded *state, struct ref team,
                                struct recorded_region *out);
/* The team of a record's region. RC_UNAVAILABLE: none is found. */
enum rc recorded_team_of_region(struct recorded *state, const struct recorded_region *region,
                                struct ref *out);

/* A thread, or a region, of the runtime by its record where it has one. */
enum rc recorded_thread_ref(struct recorded *state, struct ref runtime, struct ref *out);

/* The same of what a runtime names as a member of a team. RC_UNAVAILABLE: it is none. */
enum rc recorded_member_ref(struct recorded *state, struct ref runtime, uint32_t number,
                            struct ref *out);

/* recorded-threads.c */
enum rc recorded_each_thread(struct instance *instance, thread_visitor *visit, void *arg);
enum rc recorded_walk_threads(struct instance *instance, ref_visitor *visit, void *arg);

/* recorded-thread.c */
enum rc recorded_thread(struct instance *instance, struct ref ref, struct thread_facts *out);
enum rc recorded_id_of_thread(struct instance *instance, enum os_thread_kind kind,
                              uint64_t os_id, struct ref *out);

/* recorded-teams.c */
enum rc recorded_walk_team(struct instance *instance, struct ref region, ref_visitor *visit,
                           void *arg);
enum rc recorded_walk_implicit_tasks(struct instance *instance, struct ref region,
                                     ref_visitor *visit, void *arg);
enum rc recorded_team_thread(struct instance *instance, struct ref region, uint32_t number,
                             struct ref *out);
enum rc recorded_implicit_task(struct instance *instance, struct ref region, uint32_t number,
                               struct ref *out);
enum rc recorded_region(struct instance *instance, struct ref ref, struct region_facts *out);
enum rc recorded_task(struct instance *instance, struct ref ref, struct task_facts *out);
enum rc recorded_barriers(struct instance *instance, struct ref region,
                          struct barrier_facts out[BARRIERS_MAX], unsigned *count);
void recorded_count_arrivals(struct recorded *state, struct recorded_team *team);

/* recorded-details.c */
enum rc recorded_loop(struct instance *instance, struct ref thread, struct loop_facts *out);
enum rc recorded_stack(struct instance *instance, struct ref thread, struct stack_facts *out);
enum rc recorded_absence(struct instance *instance, struct ref region,
                         struct absence_facts *out);

/* recorded-locks.c */
enum rc recorded_each_lock(struct instance *instance, lock_visitor *visit, void *arg);
enum rc recorded_lock(struct instance *instance, taddr address, enum lock_kind kind,
                      struct lock_facts *out);

#endif
