/* SPDX-License-Identifier: MIT
 *
 * All tasks of a process with two witnesses, and which of them wait for one.
 */
#include "libompd/runtime/recorded.h"

static bool comes_before(const void *left, const void *right)
{
    const taddr *a = left, *b = right;
    return *a < *b;
}

struct task_walk {
    struct recorded *state;
    struct array seen; /* of taddr */
    task_visitor *visit;
    void *arg;
    enum rc rc;
    bool stopped;
};

static bool show_task(struct task_walk *walk, struct ref ref, const struct task_facts *facts)
{
    walk->stopped = !walk->visit(walk->arg, ref, facts);
    return !walk->stopped;
}

static bool visit_task(void *arg, struct ref ref, const struct task_facts *facts)
{
    struct task_walk *walk = arg;
    struct task_facts merged = *facts;
    walk->rc = walk->state->rules->complete_task(walk->state, ref, &merged);
    if (walk->rc == RC_OK)
        walk->rc = array_add(&walk->seen, &ref.address);
    return walk->rc == RC_OK && show_task(walk, ref, &merged);
}

static bool is_seen(const struct task_walk *walk, taddr task)
{
    const taddr *all = walk->seen.elements;
    size_t at = array_lower(&walk->seen, &task, comes_before);
    return at < walk->seen.count && all[at] == task;
}

static bool is_detached(const struct task_facts *recorded)
{
    return recorded->progress.known == KNOWN &&
           recorded->progress.value == TASK_PROGRESS_DETACHED && recorded->word.known == KNOWN &&
           recorded->word.value;
}

/* A task whose body has ended and whose event is not fulfilled is in no list of the runtime. */
static bool visit_recorded(void *arg, struct ref record, const struct task_facts *recorded)
{
    struct task_walk *walk = arg;
    struct recorded *state = walk->state;
    struct task_facts facts;
    struct ref ref;
    if (!is_detached(recorded))
        return true;
    enum rc rc = ON(RUNTIME, task_of_word, recorded->word.value, &ref);
    if (rc == RC_OK && is_seen(walk, ref.address))
        return true;
    if (rc == RC_OK)
        rc = ON(RUNTIME, task, ref, &facts);
    if (rc == RC_OK && !recorded_is_record(state, &facts, record))
        rc = RC_UNAVAILABLE;
    if (rc == RC_OK)
        rc = state->rules->complete_task(state, ref, &facts);
    walk->rc = recorded_is_missing(rc) ? RC_OK : rc;
    return rc == RC_OK ? show_task(walk, ref, &facts) : walk->rc == RC_OK;
}

static enum rc walk_tasks(struct task_walk *walk)
{
    struct recorded *state = walk->state;
    enum rc rc = ON(RUNTIME, each_task, visit_task, walk);
    if (walk->rc != RC_OK)
        return walk->rc;
    if (!rc_is_answer(rc) || walk->stopped)
        return rc;
    array_sort(&walk->seen, comes_before);
    enum rc other = ON(RECORDS, each_task, visit_recorded, walk);
    if (walk->rc != RC_OK)
        return walk->rc;
    return other == RC_OK || recorded_is_missing(other) ? rc : other;
}

enum rc recorded_each_task(struct instance *instance, task_visitor *visit, void *arg)
{
    struct recorded *state = recorded_state(instance);
    if (!recorded_goes_on(state))
        return ON(RUNTIME, each_task, visit, arg);
    struct task_walk walk = {
        .state = state,
        .seen = array_of(instance->space->ops, sizeof(taddr)),
        .visit = visit,
        .arg = arg,
        .rc = RC_OK,
    };
    reader_begin(instance);
    enum rc rc = walk_tasks(&walk);
    reader_end(instance);
    array_free(&walk.seen);
    return rc;
}

static bool visit_named(void *arg, struct ref ref, const struct task_facts *facts)
{
    return show_task(arg, ref, facts);
}

static bool visit_planned(void *arg, struct ref ref, const struct task_facts *facts)
{
    struct task_walk *walk = arg;
    struct task_facts planned = *facts;
    if (facts->is_of_device) {
        /* What records name has another name here. */
        planned.parent.known = planned.region.known = NEEDS_TRACKING;
        return show_task(walk, ref, &planned);
    }
    return !recorded_is_planned(walk->state, &planned) || show_task(walk, ref, &planned);
}

/* Where records name tasks, every task has one but those of taskloops that have not begun, and of
 * devices. */
enum rc recorded_each_named_task(struct instance *instance, task_visitor *visit, void *arg)
{
    struct recorded *state = recorded_state(instance);
    struct task_walk walk = {.state = state, .visit = visit, .arg = arg};
    reader_begin(instance);
    enum rc rc = ON(RECORDS, each_task, visit_named, &walk);
    for (struct instance *i = NULL;
         rc_is_answer(rc) && !walk.stopped && (i = recorded_next(state, i));) {
        enum rc other = ON(i, each_task, visit_planned, &walk);
        rc = other == RC_INCOMPLETE || !recorded_is_missing(other) ? rc_join(rc, other) : rc;
    }
    reader_end(instance);
    return rc;
}

/* The items of a task's depend clauses, as far as they are recorded. */
static uint32_t read_clauses(struct recorded *state, struct ref ref,
                             struct dependence out[DEPENDENCES_MAX])
{
    struct task_facts facts;
    if (ON(RUNTIME, task, ref, &facts) != RC_OK ||
        state->rules->complete_task(state, ref, &facts) != RC_OK ||
        facts.dependences_held.known != KNOWN || !facts.dependences_held.value)
        return 0;
    uint64_t held = facts.dependences_held.value;
    uint32_t count = held < DEPENDENCES_MAX ? (uint32_t)held : DEPENDENCES_MAX;
    enum rc rc = ON(RECORDS, dependences, &state->clauses, facts.dependences.value, count, out);
    return rc == RC_OK ? count : 0;
}

struct depender_walk {
    struct recorded *state;
    depender_visitor *visit;
    void *arg;
    uint32_t count; /* of the predecessor's items */
    struct dependence items[DEPENDENCES_MAX];
};

static bool may_overlap(enum dependence_kind a, enum dependence_kind b)
{
    return a == b && (a == DEPEND_IN || a == DEPEND_INOUTSET);
}

/* The runtime keeps the edges and not what both tasks named. */
static void name_object(const struct depender_walk *walk, struct depender *out)
{
    struct dependence items[DEPENDENCES_MAX];
    uint32_t count = walk->count ? read_clauses(walk->state, out->task, items) : 0;
    for (uint32_t i = 0; i < count && !out->address; i++) {
        for (uint32_t j = 0; j < walk->count && !out->address; j++) {
            if (items[i].address != walk->items[j].address ||
                may_overlap(items[i].kind, walk->items[j].kind))
                continue;
            out->address = items[i].address;
            out->kind = items[i].kind;
            out->predecessor_kind = walk->items[j].kind;
        }
    }
}

static bool visit_depender(void *arg, const struct depender *depender)
{
    const struct depender_walk *walk = arg;
    struct depender named = *depender;
    if (!named.address)
        name_object(walk, &named);
    return walk->visit(walk->arg, &named);
}

enum rc recorded_walk_dependers(struct instance *instance, struct ref task, depender_visitor *visit,
                                void *arg)
{
    struct recorded *state = recorded_state(instance);
    if (!recorded_goes_on(state))
        return ON(RUNTIME, walk_dependers, task, visit, arg);
    struct depender_walk walk = {.state = state, .visit = visit, .arg = arg};
    reader_begin(instance);
    walk.count = read_clauses(state, task, walk.items);
    enum rc rc = ON(RUNTIME, walk_dependers, task, visit_depender, &walk);
    reader_end(instance);
    return rc;
}
