/* SPDX-License-Identifier: MIT
 *
 * The reader of a runtime that reports what it does (by OMPT) to records of the process. Its
 * memory says which objects there are and names them; records add what it does not hold:
 * waits, owners of locks, code addresses, clauses of tasks. So no fact is known less well than
 * without records. It is made of the readers of the two, through their tables only.
 *
 *   thread          the record with the same pthread_t and kernel id, if it has the thread in
 *                   a region of the same level and size
 *   task, region    the record that the runtime's data word of the object leads to, or, of a
 *                   worker's implicit task, the one at its number in that of its region, if
 *                   the record has the address of the word
 *   lock            the record of the variable that leads to the lock, or of its own address
 */
#ifndef LIBOMPD_ANNOTATED_H
#define LIBOMPD_ANNOTATED_H

#include "libompd/array.h"
#include "libompd/runtime/reader.h"

/* Each witness is an instance of its own, as its reader leaves it. */
struct annotated {
    struct instance runtime;
    struct instance records;
    struct query clauses; /* of tasks, which are read for each that waits for another */
};

/* The address space moves once, when it has been opened. */
static inline struct annotated *annotated_state(const struct instance *instance)
{
    struct annotated *state = instance->reader_state;
    state->runtime.space = state->records.space = instance->space;
    return state;
}

/* A call of one of the two, as ON() in recorded.h. */
#define OF(witness, function, ...)                                                       \
    state->witness.reader->function(&state->witness, __VA_ARGS__)

/* False: the runtime does not report, or no longer. One read. */
static inline bool annotated_reports(struct annotated *state)
{
    bool alone;
    return OF(records, reports_image, &state->runtime.image, &alone);
}

/* Is an answer of the records missing, so that the runtime's is all there is? */
static inline bool annotated_is_missing(enum rc rc)
{
    return rc == RC_UNAVAILABLE || rc == RC_STALE_HANDLE || rc == RC_UNSUPPORTED ||
           rc == RC_BAD_INPUT || rc == RC_NEEDS_TRACKING || rc == RC_INCOMPLETE ||
           rc_is_damage(rc);
}

/* A fact that the runtime does not hold. */
static inline void annotated_complete(struct fact *out, struct fact record)
{
    if ((out->known == NOT_HELD || out->known == NEEDS_TRACKING) && record.known == KNOWN)
        *out = record;
}

static inline bool annotated_is_mutex_wait(struct fact state)
{
    return state.known == KNOWN && state.value >= STATE_wait_lock &&
           state.value <= STATE_wait_atomic;
}

/* annotated-facts.c: adds to what the runtime holds of an object. */
void annotated_add_to_thread(const struct thread_facts *record, struct thread_facts *out);
enum rc annotated_add_to_region(struct annotated *state, struct ref ref,
                                struct region_facts *out);
enum rc annotated_add_to_task(struct annotated *state, struct ref ref,
                              struct task_facts *out);
/* Does the word of a task of the runtime lead to this record? */
bool annotated_is_record(struct annotated *state, const struct task_facts *facts,
                         struct ref record);
/* The thread of the runtime that this record is of, and what its memory says of it.
 * RC_UNAVAILABLE: there is none. */
enum rc annotated_find_thread(struct annotated *state, const struct thread_facts *record,
                              struct ref *out, struct thread_facts *facts);

/* annotated-locks.c */
enum rc annotated_each_lock(struct instance *instance, lock_visitor *visit, void *arg);
enum rc annotated_lock(struct instance *instance, taddr address, enum lock_kind kind,
                       struct lock_facts *out);

#endif
