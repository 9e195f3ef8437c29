/* SPDX-License-Identifier: MIT
 *
 * The rules by which libgomp's memory and records are one: which of their objects are the same,
 * and whose word counts. Memory decides what it holds; records say what it does not hold, and
 * are a few instructions behind it or ahead of it: the hooks see the begin of a team after
 * the runtime has made it, and of its end after it has been released.
 */
#include "libompd/runtime/recorded.h"

/* Has the thread of a record, which is of this region, not begun its task there, or ended
 * it? */
static bool is_outside_task(const struct thread_facts *record, const struct recorded_region *region)
{
    const struct ref_fact *encountering = &region->facts.encountering_task;
    return record->task.known == KNOWN && encountering->known == KNOWN &&
           record->task.ref.id == encountering->ref.id;
}

bool recorded_is_foreign(const struct instance *memory, const struct recorded_region *region)
{
    struct fact runtime = region->facts.runtime;
    return region->ref.id && runtime.known == KNOWN && runtime.value &&
           runtime.value != memory->image.entry;
}

struct instance *recorded_runtime(struct recorded *state, const struct recorded_region *region)
{
    struct instance *memory = NULL;
    while ((memory = recorded_next(state, memory)) && recorded_is_foreign(memory, region))
        ;
    return memory;
}

/* One in a region goes before one outside, and that of the record before another one. Else what
 * was loaded later is called by what was there before. */
bool recorded_is_inner(struct recorded *state, const struct recorded_thread *now,
                       const struct recorded_thread *found, const struct recorded_region *region)
{
    if (!found->has_runtime)
        return true;
    bool is_in = now->by_runtime.region.known == KNOWN;
    if (is_in != (found->by_runtime.region.known == KNOWN))
        return is_in;
    const struct instance *own = region->ref.id ? recorded_runtime(state, region) : NULL;
    return now->memory == own || (found->memory != own && is_in);
}

/* The runtime has ended the region of the record, which says so in a moment. */
static bool is_over(const struct thread_facts *record, const struct recorded_region *region)
{
    return region->ref.id && (recorded_is_state(record, STATE_wait_barrier_implicit) ||
                              is_outside_task(record, region));
}

/* While the thread encounters a further region its record says "overhead", and names the
 * region around until the runtime has made the team. That has a higher level, unless it is
 * made by a target region that the host executes, where levels begin anew. */
enum recorded_step recorded_step(struct recorded *state, const struct recorded_thread *thread,
                                 const struct recorded_region *region)
{
    const struct thread_facts *r = &thread->by_record, *m = &thread->by_runtime;
    if (!thread->has_record || !thread->has_runtime || !region->ref.id ||
        m->region.known != KNOWN || r->region.known != KNOWN || r->region.ref.id != region->ref.id)
        return RECORDED_APART;
    if (recorded_is_foreign(thread->memory, region)) /* its own runtime has the thread in none */
        return recorded_runtime(state, region) && is_over(r, region) ? RECORDED_LEFT
                                                                     : RECORDED_APART;
    bool may_be_in_target = r->targets.known == KNOWN && r->targets.value;
    bool is_between = recorded_is_state(r, STATE_overhead) && !is_outside_task(r, region);
    if (recorded_has_place(r, m))
        return may_be_in_target && is_between ? RECORDED_APART : RECORDED_SAME;
    if (r->region.torn || r->level.known != KNOWN)
        return RECORDED_APART;
    if (r->level.value == m->level.value + 1 && is_over(r, region))
        return RECORDED_LEFT;
    if (r->level.value + 1 == m->level.value && is_between && !may_be_in_target)
        return RECORDED_ENTERED;
    return RECORDED_APART;
}

uint32_t recorded_passed(const struct thread_facts *record)
{
    if (record->barriers_entered.known != KNOWN || record->barrier.known != KNOWN)
        return 0;
    uint64_t entered = record->barriers_entered.value;
    return (uint32_t)(record->barrier.value != BARRIER_NONE && entered ? entered - 1 : entered);
}

/* A thread leaves a barrier some time after the last one has arrived. One that is inside still
 * waits unless another member has passed the barrier, or none is counted as arrived. */
static bool is_released(const struct thread_facts *record, const struct recorded_team *team)
{
    if (record->barrier.known != KNOWN || record->barrier.value == BARRIER_NONE ||
        !team->is_counted)
        return false;
    if (team->passed >= record->barriers_entered.value)
        return true;
    for (unsigned i = 0; i < team->barriers; i++) {
        if (team->barrier[i].kind == BARRIER_NONE ||
            (uint64_t)team->barrier[i].kind == record->barrier.value)
            return false;
    }
    return true;
}

static const struct fact none = {.known = NONE_HERE};

static void forget_wait(struct thread_facts *facts, enum state state)
{
    facts->state = (struct fact){KNOWN, state};
    facts->wait_id = (struct fact){KNOWN, 0};
    facts->barrier = none;
}

/* What the record says of another place than the one the thread is in. */
static void forget_place(struct thread_facts *facts)
{
    facts->codeptr = facts->frame = none;
    facts->barrier = facts->barriers_entered = none;
}

static void take_membership(const struct thread_facts *from, struct thread_facts *out)
{
    out->thread_num = from->thread_num;
    out->team_size = from->team_size;
    out->level = from->level;
    out->region = from->region;
    out->task = from->task;
}

/* The runtime has it that a thread waits for tasks in places that no wrapper records. */
static void choose_state(const struct thread_facts *runtime, struct thread_facts *out)
{
    if (recorded_is_waiting(runtime) && !recorded_is_waiting(out)) {
        out->state = runtime->state;
        out->wait_id = (struct fact){KNOWN, 0};
    }
}

static void merge_paired(const struct recorded_thread *thread, const struct recorded_region *region,
                         const struct recorded_team *team, struct thread_facts *out)
{
    const struct thread_facts *record = &thread->by_record;
    out->region = (struct ref_fact){.known = KNOWN, .ref = region->ref};
    out->task = record->task; /* until it begins its implicit one, that which encountered */
    if (is_released(record, team)) {
        if (recorded_is_in_barrier(record))
            forget_wait(out, STATE_overhead);
        out->barrier = none;
    }
}

/* The thread has not begun its implicit task, or is about to continue in this team after a
 * nested region; or its record began in the middle of a region. */
static void merge_unpaired(const struct recorded_thread *thread, enum recorded_step step,
                           const struct recorded_region *region, const struct recorded_team *team,
                           struct thread_facts *out)
{
    const struct thread_facts *record = &thread->by_record;
    if (team->region.ref.id)
        out->region = (struct ref_fact){.known = KNOWN, .ref = team->region.ref};
    if (step == RECORDED_LEFT)
        out->task = region->facts.encountering_task;
    bool is_between = recorded_is_state(record, STATE_idle) ||
                      recorded_is_state(record, STATE_overhead) || recorded_is_in_barrier(record);
    if (is_between || record->region.known == KNOWN)
        forget_wait(out, STATE_overhead);
    else
        out->state = thread->by_runtime.state;
    out->barrier = out->barriers_entered = none;
    if (recorded_is_state(record, STATE_idle))
        forget_place(out);
}

/* Is the end of the record's region being reported, as at ompd_bp_parallel_end? Until that is
 * over the thread is in the region for whatever is notified. */
static bool is_reporting_end(const struct thread_facts *record,
                             const struct recorded_region *region)
{
    return recorded_is_state(record, STATE_overhead) && record->region.known == KNOWN &&
           record->region.ref.id == region->ref.id && is_outside_task(record, region);
}

static void merge_member(struct recorded *state, const struct recorded_thread *thread,
                         const struct recorded_region *region, const struct recorded_team *team,
                         struct thread_facts *out)
{
    enum recorded_step step = recorded_step(state, thread, region);
    if (step == RECORDED_LEFT && is_reporting_end(&thread->by_record, region))
        return;
    take_membership(&thread->by_runtime, out);
    if (step == RECORDED_SAME)
        merge_paired(thread, region, team, out);
    else
        merge_unpaired(thread, step, region, team, out);
    choose_state(&thread->by_runtime, out);
}

/* Outside of all regions to the runtime. */
static void merge_initial(const struct recorded_thread *thread,
                          const struct recorded_region *region, struct thread_facts *out)
{
    const struct thread_facts *record = &thread->by_record;
    if (record->region.known == NONE_HERE ||
        (region->ref.id && (region->facts.league.value || is_reporting_end(record, region))))
        return;
    take_membership(&thread->by_runtime, out);
    out->barrier = out->barriers_entered = none;
    if (is_over(record, region)) {
        out->task = region->facts.encountering_task;
        forget_wait(out, STATE_overhead);
        return;
    }
    /* In a target region that the host executes, which the record knows nothing of. */
    if (!recorded_is_waiting(record) && !recorded_is_state(record, STATE_overhead))
        out->state = thread->by_runtime.state;
}

static struct thread_facts merge_thread(struct recorded *state,
                                        const struct recorded_thread *thread,
                                        const struct recorded_region *region,
                                        const struct recorded_team *team)
{
    const struct thread_facts *runtime = &thread->by_runtime;
    struct thread_facts out = thread->by_record;
    if (!thread->has_record) {
        out = *runtime;
        if (out.region.known == KNOWN && team->region.ref.id)
            out.region.ref = team->region.ref;
        /* It has not begun its implicit task. */
        if (recorded_is_state(&out, STATE_work_parallel))
            out.state.value = STATE_overhead;
        return out;
    }
    if (thread->has_runtime) { /* of no interest to the hooks */
        out.barrier_word = runtime->barrier_word;
        out.dock_word = runtime->dock_word;
        out.docked = runtime->docked;
    }
    if (!thread->has_runtime || runtime->state.known != KNOWN ||
        (recorded_is_foreign(thread->memory, region) &&
         recorded_step(state, thread, region) == RECORDED_APART))
        return out;
    if (runtime->region.known == KNOWN) {
        merge_member(state, thread, region, team, &out);
    } else if (recorded_is_state(runtime, STATE_idle)) {
        take_membership(runtime, &out);
        forget_wait(&out, STATE_idle);
        forget_place(&out);
    } else if (recorded_is_state(runtime, STATE_overhead) ||
               recorded_is_state(runtime, STATE_undefined)) {
        /* In transition, or on its way out, where it runs destructors of the program's. */
        if (recorded_is_state(&out, STATE_idle))
            out.state = runtime->state;
        if (recorded_is_state(runtime, STATE_undefined))
            forget_place(&out);
    } else if (runtime->level.known == KNOWN && !runtime->level.value) {
        merge_initial(thread, region, &out);
    }
    return out;
}

/* A record is filled after the lock has been acquired and cleared before it is released, and in
 * between the lock's own word says that it is held: the holder is not known then. The words of
 * the critical section without a name and of atomics are libgomp's and not at the addresses by
 * which records name these. */
static enum rc merge_lock(struct recorded *state, const struct recorded_lock *record,
                          const struct lock_facts *memory, struct lock_facts *out)
{
    (void)state;
    *out = record->facts;
    if (memory && out->owner.known == NONE_HERE && memory->count.known == KNOWN &&
        memory->count.value) {
        out->count = memory->count;
        out->owner.known = out->owner_task.known = out->codeptr.known = NOT_HELD;
    }
    return RC_OK;
}

const struct recorded_rules recorded_gomp_rules = {
    .records_name = true,
    .merge_thread = merge_thread,
    .complete_region = recorded_complete_region,
    .complete_task = recorded_complete_task,
    .merge_lock = merge_lock,
};
