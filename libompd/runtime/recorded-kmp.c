/* SPDX-License-Identifier: MIT
 *
 * The rules by which records add to what the memory of LLVM's runtime holds, which reports what
 * it does by OMPT. Memory says which objects there are; records add what it does not hold: waits,
 * owners of locks, code addresses, clauses of tasks. So no fact is known less well than without
 * records.
 *
 *   thread          the record with the same pthread_t and kernel id, if it has the thread in
 *                   a region of the same level and size
 *   task, region    the record that the runtime's data word of the object leads to, or, of a
 *                   worker's implicit task, the one at its number in that of its region, if
 *                   the record has the address of the word
 *   lock            the record of the variable that leads to the lock, or of its own address
 */
#include "libompd/runtime/recorded.h"

/* The word of an object is in the structure that the runtime has at the object's address. */
enum { OBJECT_BYTES_MAX = 2048 };

/* A fact that the runtime does not hold. */
static void complete(struct fact *out, struct fact record)
{
    if ((out->known == NOT_HELD || out->known == NEEDS_TRACKING) && record.known == KNOWN)
        *out = record;
}

static bool is_work(const struct thread_facts *facts)
{
    return recorded_is_state(facts, STATE_work_parallel) ||
           recorded_is_state(facts, STATE_work_serial);
}

static bool is_task_wait(struct fact state)
{
    return state.value == STATE_wait_taskwait || state.value == STATE_wait_taskgroup;
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
    complete(&out->codeptr, record->codeptr);
    if (record->frame.value || !record->codeptr.value)
        complete(&out->frame, record->frame);
}

/* Memory shows that a thread works where it cannot know better, also one that is released into a
 * region which it has not entered: its record is idle then. It knows not which of its waits for
 * tasks one is, within a taskgroup, nor that a taskyield is none, nor which of its barriers within
 * the region, and a lock not by its variable. */
static void add_to_thread(const struct thread_facts *record, struct thread_facts *out)
{
    if (recorded_is_state(record, STATE_idle) && recorded_is_state(out, STATE_work_parallel))
        out->state.value = STATE_overhead;
    if (recorded_waits_for_mutex(record) && recorded_waits_for_mutex(out)) {
        out->wait_id = record->wait_id; /* also where the region has no record */
        out->state = record->state;
        add_place(record, out);
    }
    if (!recorded_has_place(record, out) || record->region.torn || record->state.known != KNOWN)
        return;
    if (out->is_released && recorded_is_in_barrier(record))
        return; /* it will report the end of that wait when it runs */
    add_barrier(record, out);
    bool adds_wait = recorded_is_waiting(record) && is_work(out);
    bool may_be_task_wait = out->state.known == KNOWN || out->state.known == NEEDS_TRACKING;
    bool is_named = (is_task_wait(record->state) && may_be_task_wait && is_task_wait(out->state)) ||
                    (recorded_is_in_barrier(record) && recorded_is_state(out, STATE_wait_barrier) &&
                     fact_is_equal(record->barrier, out->barrier));
    bool yields = is_work(record) && may_be_task_wait && is_task_wait(out->state);
    if (adds_wait || is_named || yields) {
        out->wait_id = record->wait_id;
        out->state = record->state;
    }
    if (recorded_is_waiting(record) == recorded_is_waiting(out))
        add_place(record, out);
}

static struct thread_facts merge_thread(struct recorded *state,
                                        const struct recorded_thread *thread,
                                        const struct recorded_region *region,
                                        const struct recorded_team *team)
{
    (void)state, (void)region, (void)team;
    struct thread_facts out = thread->by_runtime;
    if (thread->has_record)
        add_to_thread(&thread->by_record, &out);
    return out;
}

/* The record whose address the runtime keeps, of a region or task. RC_UNAVAILABLE: it has none. */
static enum rc find_record(struct recorded *state, struct fact record, bool is_task,
                           struct ref *out)
{
    if (record.known != KNOWN || !record.value)
        return RC_UNAVAILABLE;
    enum rc rc = ON(RECORDS, reported_record, record.value, &out->address);
    if (rc == RC_OK && !out->address)
        rc = RC_UNAVAILABLE;
    if (rc != RC_OK)
        return rc;
    return is_task ? ON(RECORDS, task_id, out->address, &out->id)
                   : ON(RECORDS, region_id, out->address, &out->id);
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
static enum rc find_enclosing(struct recorded *state, struct fact level, struct region_facts *facts)
{
    struct fact runtime = facts->runtime;
    for (unsigned i = 0; i < RECORDED_LEVELS_MAX && facts->level.value > level.value; i++) {
        if (facts->enclosing.known != KNOWN || facts->enclosing.torn)
            return RC_UNAVAILABLE;
        enum rc rc = ON(RECORDS, region, facts->enclosing.ref, facts);
        if (rc != RC_OK)
            return rc;
        if (!fact_is_equal(facts->runtime, runtime))
            return RC_UNAVAILABLE;
    }
    return fact_is_equal(facts->level, level) ? RC_OK : RC_UNAVAILABLE;
}

static enum rc complete_region(struct recorded *state, struct ref ref, struct region_facts *out)
{
    struct ref record;
    struct region_facts facts;
    enum rc rc = find_record(state, out->record, false, &record);
    if (rc == RC_OK)
        rc = ON(RECORDS, region, record, &facts);
    if (rc == RC_OK && !leads_back(facts.word, team_of(ref)))
        rc = RC_UNAVAILABLE;
    if (rc == RC_OK)
        rc = find_enclosing(state, out->level, &facts);
    if (rc != RC_OK)
        return recorded_is_missing(rc) ? RC_OK : rc;
    complete(&out->number, facts.number);
    complete(&out->requested, facts.requested);
    complete(&out->codeptr, facts.codeptr);
    complete(&out->parted, facts.parted);
    complete(&out->parted_first, facts.parted_first);
    complete(&out->parted_other, facts.parted_other);
    return RC_OK;
}

/* The runtime leaves the entry into a region whose body the program itself calls in its place, and
 * keeps it at barriers: the record has that of a region, as long as that lasts. */
static void add_frames(const struct task_facts *record, struct task_facts *out)
{
    complete(&out->exit_frame, out->reported_exit);
    if (!out->reported_enter.value || fact_is_equal(out->reported_enter, record->enter_frame))
        complete(&out->enter_frame, out->reported_enter);
}

static bool is_of_worker(const struct task_facts *task)
{
    return task->implicit.value && task->region.known == KNOWN && task->thread_num.known == KNOWN &&
           task->thread_num.value;
}

/* The word of a worker's implicit task leads to none: it is at its number in its region's. */
static enum rc find_record_of_worker(struct recorded *state, const struct task_facts *task,
                                     struct ref *out)
{
    struct region_facts region;
    struct ref record;
    enum rc rc = ON(RUNTIME, region, task->region.ref, &region);
    if (rc == RC_OK)
        rc = find_record(state, region.record, false, &record);
    return rc == RC_OK ? ON(RECORDS, find_member, record, MEMBER_TASKS,
                            (uint32_t)task->thread_num.value, out)
                       : rc;
}

static enum rc complete_task(struct recorded *state, struct ref ref, struct task_facts *out)
{
    struct ref record;
    struct task_facts facts;
    enum rc rc = is_of_worker(out) ? find_record_of_worker(state, out, &record)
                                   : find_record(state, out->record, true, &record);
    if (rc == RC_OK)
        rc = ON(RECORDS, task, record, &facts);
    if (rc != RC_OK)
        return recorded_is_missing(rc) ? RC_OK : rc;
    if (!leads_back(facts.word, ref) || !fact_is_equal(facts.is_explicit, out->is_explicit))
        return RC_OK;
    complete(&out->number, facts.number);
    complete(&out->codeptr, facts.codeptr);
    add_frames(&facts, out);
    complete(&out->serial, facts.serial);
    complete(&out->dependences, facts.dependences);
    complete(&out->dependence_count, facts.dependence_count);
    complete(&out->dependences_held, facts.dependences_held);
    complete(&out->undeferred, facts.undeferred);
    complete(&out->untied, facts.untied);
    complete(&out->mergeable, facts.mergeable);
    return RC_OK;
}

bool recorded_is_record(struct recorded *state, const struct task_facts *facts, struct ref record)
{
    struct ref found;
    enum rc rc = find_record(state, facts->record, true, &found);
    return rc == RC_OK && found.address == record.address && found.id == record.id;
}

/* The owner by the runtime's name. Its record of the lock is of the task that it is in now, or
 * of one around it. */
static enum rc add_owner(struct recorded *state, const struct lock_facts *record,
                         struct lock_facts *out)
{
    struct recorded_thread owner = {.has_record = true};
    if (record->owner.known != KNOWN)
        return RC_OK;
    enum rc rc = ON(RECORDS, thread, record->owner.ref, &owner.by_record);
    if (rc == RC_OK)
        rc = recorded_find_in(RUNTIME, &owner);
    if (rc != RC_OK || !owner.has_runtime)
        return recorded_is_missing(rc) ? RC_OK : rc;
    if (out->owner.known == KNOWN && out->owner.ref.id != owner.runtime.id)
        return RC_OK;
    const struct ref_fact *task = &owner.by_record.task;
    out->owner = (struct ref_fact){.known = KNOWN, .ref = owner.runtime};
    if (task->known == KNOWN && record->owner_task.known == KNOWN &&
        task->ref.id == record->owner_task.ref.id)
        out->owner_task = owner.by_runtime.task;
    complete(&out->codeptr, record->codeptr);
    if (record->frame.value)
        complete(&out->frame, record->frame);
    return RC_OK;
}

/* Memory has which locks are held, a record which thread acquired one last, and where. Of kinds
 * that memory is not read of, which KMP_LOCK_KIND or a hint may choose, it is not known whether that
 * thread has it still. */
static enum rc merge_lock(struct recorded *state, const struct recorded_lock *record,
                          const struct lock_facts *memory, struct lock_facts *out)
{
    if (!memory) {
        const struct lock_facts *facts = &record->facts;
        *out = (struct lock_facts){.address = facts->address,
                                   .kind = facts->kind,
                                   .hint = facts->hint,
                                   .life = facts->life};
        return RC_OK;
    }
    *out = *memory;
    complete(&out->life, record->facts.life);
    bool is_free = out->count.known == KNOWN && !out->count.value;
    bool is_known = out->owner.known == KNOWN || !record->may_have_changed;
    return is_free || !is_known ? RC_OK : add_owner(state, &record->facts, out);
}

const struct recorded_rules recorded_kmp_rules = {
    .merge_thread = merge_thread,
    .complete_region = complete_region,
    .complete_task = complete_task,
    .merge_lock = merge_lock,
};
