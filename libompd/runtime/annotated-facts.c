/* SPDX-License-Identifier: MIT
 *
 * What records add to the facts of a thread, a region and a task.
 */
#include "libompd/runtime/annotated.h"

/* The word of an object is in the structure that the runtime has at the object's address. */
enum { OBJECT_BYTES_MAX = 2048, ENCLOSING_MAX = 256 };

static bool is_equal(struct fact a, struct fact b)
{
    return a.known == KNOWN && b.known == KNOWN && a.value == b.value;
}

static bool is_wait(struct fact state)
{
    return state.known == KNOWN && state.value >= STATE_wait_barrier;
}

static bool is_state(struct fact fact, enum state state)
{
    return fact.known == KNOWN && fact.value == (uint64_t)state;
}

static bool is_work(struct fact state)
{
    return is_state(state, STATE_work_parallel) || is_state(state, STATE_work_serial);
}

static bool is_barrier_wait(struct fact state)
{
    return is_wait(state) && state.value < STATE_wait_taskwait;
}

static bool is_task_wait(struct fact state)
{
    return state.known == KNOWN &&
           (state.value == STATE_wait_taskwait || state.value == STATE_wait_taskgroup);
}

/* Which of its waits for tasks a thread is in, its memory does not show within a taskgroup. */
static bool is_some_task_wait(struct fact state)
{
    return (state.known == KNOWN || state.known == NEEDS_TRACKING) &&
           (state.value == STATE_wait_taskwait || state.value == STATE_wait_taskgroup);
}

/* The memory knows of most that they have arrived, of the primary thread when it sleeps. */
static void add_barrier(const struct thread_facts *record, struct thread_facts *out)
{
    if (record->barrier.known != KNOWN)
        return;
    out->barriers_entered = record->barriers_entered;
    if (out->barrier.known != KNOWN || out->barrier.value == BARRIER_NONE)
        out->barrier = record->barrier;
}

static void add_place(const struct thread_facts *record, struct thread_facts *out)
{
    annotated_complete(&out->codeptr, record->codeptr);
    if (record->frame.value || !record->codeptr.value)
        annotated_complete(&out->frame, record->frame);
}

/* The runtime's memory shows that a thread works where it cannot know better, also one that is
 * released into a region which it has not entered: its record is idle then. It knows not which of
 * its waits for tasks one is, nor which of its barriers within the region, and a lock not by its
 * variable. */
void annotated_add_to_thread(const struct thread_facts *record, struct thread_facts *out)
{
    if (is_state(record->state, STATE_idle) && is_state(out->state, STATE_work_parallel))
        out->state.value = STATE_overhead;
    bool is_same = is_equal(record->level, out->level) &&
                   is_equal(record->team_size, out->team_size) &&
                   (record->region.torn || is_equal(record->thread_num, out->thread_num));
    if (!is_same || record->region.torn || record->state.known != KNOWN)
        return;
    if (out->is_released && is_barrier_wait(record->state))
        return; /* it will report the end of that wait when it runs */
    add_barrier(record, out);
    bool adds_wait = is_wait(record->state) && is_work(out->state);
    bool is_named = (is_task_wait(record->state) && is_some_task_wait(out->state)) ||
                    (is_barrier_wait(record->state) && is_state(out->state, STATE_wait_barrier) &&
                     is_equal(record->barrier, out->barrier)) ||
                    (annotated_is_mutex_wait(record->state) && annotated_is_mutex_wait(out->state));
    if (adds_wait || is_named) {
        out->wait_id = record->wait_id;
        out->state = record->state;
    }
    if (is_wait(record->state) == is_wait(out->state))
        add_place(record, out);
}

/* The id of the record at the address that the runtime keeps; RC_UNAVAILABLE: it keeps none. */
typedef enum rc id_finder(struct instance *instance, taddr address, uint64_t *out);
static enum rc find_record(struct annotated *state, struct fact record, id_finder *find,
                           struct ref *out)
{
    if (record.known != KNOWN || !record.value)
        return RC_UNAVAILABLE;
    enum rc rc = OF(records, reported_record, record.value, &out->address);
    if (rc == RC_OK && !out->address)
        rc = RC_UNAVAILABLE;
    return rc == RC_OK ? find(&state->records, out->address, &out->id) : rc;
}

static bool leads_back(struct fact word, struct ref ref)
{
    return word.known == KNOWN && word.value > ref.address &&
           word.value - ref.address < OBJECT_BYTES_MAX;
}

/* In a reference to a serialised region the number of the level is above the address. */
static struct ref team_of(struct ref ref)
{
    return (struct ref){ref.address & ((UINT64_C(1) << 48) - 1), ref.id};
}

/* Of serialised regions within each other the runtime keeps the innermost one's record. */
static enum rc find_enclosing(struct annotated *state, struct fact level,
                              struct region_facts *facts)
{
    struct fact runtime = facts->runtime;
    for (unsigned i = 0; i < ENCLOSING_MAX && facts->level.value > level.value; i++) {
        if (facts->enclosing.known != KNOWN || facts->enclosing.torn)
            return RC_UNAVAILABLE;
        enum rc rc = OF(records, region, facts->enclosing.ref, facts);
        if (rc != RC_OK)
            return rc;
        if (!is_equal(facts->runtime, runtime))
            return RC_UNAVAILABLE;
    }
    return is_equal(facts->level, level) ? RC_OK : RC_UNAVAILABLE;
}

enum rc annotated_add_to_region(struct annotated *state, struct ref ref,
                                struct region_facts *out)
{
    struct ref record;
    struct region_facts facts;
    enum rc rc =
        find_record(state, out->record, state->records.reader->region_id, &record);
    if (rc == RC_OK)
        rc = OF(records, region, record, &facts);
    if (rc == RC_OK && !leads_back(facts.word, team_of(ref)))
        rc = RC_UNAVAILABLE;
    if (rc == RC_OK)
        rc = find_enclosing(state, out->level, &facts);
    if (rc != RC_OK)
        return annotated_is_missing(rc) ? RC_OK : rc;
    annotated_complete(&out->number, facts.number);
    annotated_complete(&out->requested, facts.requested);
    annotated_complete(&out->codeptr, facts.codeptr);
    return RC_OK;
}

/* The runtime leaves the entry into a region whose body the program itself calls in its place, and
 * keeps it at barriers: the record has that of a region, as long as that lasts. */
static void add_frames(const struct task_facts *record, struct task_facts *out)
{
    annotated_complete(&out->exit_frame, out->reported_exit);
    if (!out->reported_enter.value || is_equal(out->reported_enter, record->enter_frame))
        annotated_complete(&out->enter_frame, out->reported_enter);
}

static bool is_of_worker(const struct task_facts *task)
{
    return task->implicit.value && task->region.known == KNOWN &&
           task->thread_num.known == KNOWN && task->thread_num.value;
}

/* The word of a worker's implicit task leads to none: it is at its number in its region's. */
static enum rc find_record_of_worker(struct annotated *state, const struct task_facts *task,
                                     struct ref *out)
{
    struct region_facts region;
    struct ref record;
    enum rc rc = OF(runtime, region, task->region.ref, &region);
    if (rc == RC_OK)
        rc = find_record(state, region.record, state->records.reader->region_id, &record);
    return rc == RC_OK ? OF(records, implicit_task, record, (uint32_t)task->thread_num.value, out)
                       : rc;
}

enum rc annotated_add_to_task(struct annotated *state, struct ref ref,
                              struct task_facts *out)
{
    struct ref record;
    struct task_facts facts;
    enum rc rc =
        is_of_worker(out)
            ? find_record_of_worker(state, out, &record)
            : find_record(state, out->record, state->records.reader->task_id, &record);
    if (rc == RC_OK)
        rc = OF(records, task, record, &facts);
    if (rc != RC_OK)
        return annotated_is_missing(rc) ? RC_OK : rc;
    if (!leads_back(facts.word, ref) || !is_equal(facts.is_explicit, out->is_explicit))
        return RC_OK;
    annotated_complete(&out->number, facts.number);
    annotated_complete(&out->codeptr, facts.codeptr);
    add_frames(&facts, out);
    annotated_complete(&out->serial, facts.serial);
    annotated_complete(&out->dependences, facts.dependences);
    annotated_complete(&out->dependence_count, facts.dependence_count);
    annotated_complete(&out->dependences_held, facts.dependences_held);
    annotated_complete(&out->undeferred, facts.undeferred);
    annotated_complete(&out->untied, facts.untied);
    annotated_complete(&out->mergeable, facts.mergeable);
    return RC_OK;
}

bool annotated_is_record(struct annotated *state, const struct task_facts *facts,
                         struct ref record)
{
    struct ref found;
    enum rc rc = find_record(state, facts->record, state->records.reader->task_id, &found);
    return rc == RC_OK && found.address == record.address && found.id == record.id;
}

enum rc annotated_find_thread(struct annotated *state, const struct thread_facts *record,
                              struct ref *out, struct thread_facts *facts)
{
    enum rc rc = record->pthread.known == KNOWN ? RC_OK : RC_UNAVAILABLE;
    if (rc == RC_OK)
        rc = OF(runtime, find_thread, OS_THREAD_PTHREAD, record->pthread.value, out);
    if (rc == RC_OK)
        rc = OF(runtime, thread, *out, facts);
    return rc == RC_OK && !is_equal(facts->lwp, record->lwp) ? RC_UNAVAILABLE : rc;
}
