/* SPDX-License-Identifier: MIT
 *
 * The reader of a runtime that reports: threads, regions and tasks with what records add, and
 * its table.
 */
#include "libompd/runtime/annotated.h"

enum rc annotated_compose(struct instance *instance, const struct instance *runtime,
                          const struct instance *records)
{
    void *memory;
    enum rc rc = instance->space->ops->alloc(sizeof(struct annotated), &memory);
    if (rc != RC_OK)
        return rc;
    struct annotated *state = memory;
    *state = (struct annotated){.runtime = *runtime, .records = *records};
    records->reader->show_reported(&state->records, false);
    instance->reader = &annotated_reader;
    instance->reader_state = state;
    instance->awaited = AWAITS_NOTHING;
    instance->asleep = NULL;
    instance->unread = RC_OK;
    return RC_OK;
}

static void annotated_close(struct instance *instance)
{
    struct annotated *state = annotated_state(instance);
    state->runtime.reader->close(&state->runtime);
    state->records.reader->close(&state->records);
    instance->space->ops->release(state);
    instance->reader_state = NULL;
}

static void annotated_begin(struct instance *instance)
{
    struct annotated *state = annotated_state(instance);
    reader_begin(&state->runtime);
    reader_begin(&state->records);
    query_begin(instance->space, &state->clauses);
}

static void annotated_end(struct instance *instance)
{
    struct annotated *state = annotated_state(instance);
    reader_end(&state->runtime);
    reader_end(&state->records);
    query_end_free(instance->space, &state->clauses);
}

static enum rc annotated_records(struct instance *instance, bool *out)
{
    *out = annotated_reports(annotated_state(instance));
    return RC_OK;
}

static struct instance *own_memory(const struct instance *instance)
{
    return &annotated_state(instance)->runtime;
}

/* What the runtime's memory answers alone. */
#define OF_RUNTIME(function, parameters, ...)                                            \
    static enum rc runtime_##function parameters                                         \
    {                                                                                    \
        struct annotated *state = annotated_state(instance);                             \
        return OF(runtime, function, __VA_ARGS__);                                       \
    }

OF_RUNTIME(find_thread,
           (struct instance * instance, enum os_thread_kind kind, uint64_t id,
            struct ref *out),
           kind, id, out)
OF_RUNTIME(walk_threads, (struct instance * instance, ref_visitor *visit, void *arg), visit,
           arg)
OF_RUNTIME(walk_team,
           (struct instance * instance, struct ref region, ref_visitor *visit, void *arg),
           region, visit, arg)
OF_RUNTIME(walk_implicit_tasks,
           (struct instance * instance, struct ref region, ref_visitor *visit, void *arg),
           region, visit, arg)
OF_RUNTIME(team_thread,
           (struct instance * instance, struct ref region, uint32_t number, struct ref *out),
           region, number, out)
OF_RUNTIME(implicit_task,
           (struct instance * instance, struct ref region, uint32_t number, struct ref *out),
           region, number, out)
OF_RUNTIME(region_id, (struct instance * instance, taddr address, uint64_t *out), address,
           out)
OF_RUNTIME(task_id, (struct instance * instance, taddr address, uint64_t *out), address, out)
OF_RUNTIME(icvs, (struct instance * instance, struct ref task, struct icv_facts *out), task,
           out)
OF_RUNTIME(settings, (struct instance * instance, char **out, size_t *bytes), out, bytes)
OF_RUNTIME(stack, (struct instance * instance, struct ref thread, struct stack_facts *out),
           thread, out)
OF_RUNTIME(globals, (struct instance * instance, struct global_facts *out), out)
static enum rc records_dependences(struct instance *instance, struct query *query,
                                   taddr array, uint32_t count, struct dependence *out)
{
    struct annotated *state = annotated_state(instance);
    return OF(records, dependences, query, array, count, out);
}

static enum rc records_forks(struct instance *instance, uint32_t *out)
{
    struct annotated *state = annotated_state(instance);
    return OF(records, forks, out);
}

/* A record of a thread by its kernel id, or a task by its address. */
struct key {
    uint64_t of;
    size_t index;
};

struct survey {
    struct annotated *state;
    struct array records; /* of struct thread_facts */
    struct array keys;
    thread_visitor *visit;
    void *arg;
    enum rc rc;
};

static bool comes_before(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    return a->of < b->of;
}

static bool take(void *arg, struct ref ref, const struct thread_facts *facts)
{
    struct survey *s = arg;
    struct key key = {facts->lwp.value, s->records.count};
    (void)ref;
    s->rc = array_add(&s->records, facts);
    if (s->rc == RC_OK)
        s->rc = array_add(&s->keys, &key);
    return s->rc == RC_OK;
}

static bool is_same_thread(const struct thread_facts *a, const struct thread_facts *b)
{
    return a->pthread.known == KNOWN && b->pthread.known == KNOWN &&
           a->lwp.known == KNOWN && b->lwp.known == KNOWN &&
           a->pthread.value == b->pthread.value && a->lwp.value == b->lwp.value;
}

static bool visit_thread(void *arg, struct ref ref, const struct thread_facts *facts)
{
    struct survey *s = arg;
    const struct key *all = s->keys.elements;
    struct thread_facts merged = *facts;
    size_t at = array_lower(&s->keys, &(struct key){.of = facts->lwp.value}, comes_before);
    if (at < s->keys.count) {
        const struct thread_facts *record =
            (const struct thread_facts *)s->records.elements + all[at].index;
        if (is_same_thread(record, facts))
            annotated_add_to_thread(record, &merged);
    }
    return s->visit(s->arg, ref, &merged);
}

static enum rc walk(struct survey *s)
{
    struct annotated *state = s->state;
    enum rc rc = OF(records, each_thread, take, s);
    if (s->rc != RC_OK)
        return s->rc;
    if (!annotated_is_missing(rc) && rc != RC_OK)
        return rc;
    array_sort(&s->keys, comes_before);
    return OF(runtime, each_thread, visit_thread, s);
}

static enum rc annotated_each_thread(struct instance *instance, thread_visitor *visit,
                                     void *arg)
{
    struct annotated *state = annotated_state(instance);
    if (!annotated_reports(state))
        return OF(runtime, each_thread, visit, arg);
    struct survey s = {
        .state = state,
        .records = array_of(instance->space->ops, sizeof(struct thread_facts)),
        .keys = array_of(instance->space->ops, sizeof(struct key)),
        .visit = visit,
        .arg = arg,
        .rc = RC_OK,
    };
    reader_begin(instance);
    enum rc rc = walk(&s);
    reader_end(instance);
    array_free(&s.records);
    array_free(&s.keys);
    return rc;
}

static enum rc annotated_thread(struct instance *instance, struct ref ref,
                                struct thread_facts *out)
{
    struct annotated *state = annotated_state(instance);
    struct thread_facts facts, record;
    struct ref named;
    reader_begin(instance);
    enum rc rc = OF(runtime, thread, ref, &facts);
    if (rc == RC_OK && facts.lwp.known == KNOWN && annotated_reports(state)) {
        enum rc other = OF(records, find_thread, OS_THREAD_LWP, facts.lwp.value, &named);
        if (other == RC_OK)
            other = OF(records, thread, named, &record);
        if (other == RC_OK && is_same_thread(&record, &facts))
            annotated_add_to_thread(&record, &facts);
        if (other != RC_OK && !annotated_is_missing(other))
            rc = other;
    }
    reader_end(instance);
    if (rc == RC_OK)
        *out = facts;
    return rc;
}

static enum rc annotated_region(struct instance *instance, struct ref ref,
                                struct region_facts *out)
{
    struct annotated *state = annotated_state(instance);
    struct region_facts facts;
    reader_begin(instance);
    enum rc rc = OF(runtime, region, ref, &facts);
    if (rc == RC_OK && annotated_reports(state))
        rc = annotated_add_to_region(state, ref, &facts);
    reader_end(instance);
    if (rc == RC_OK)
        *out = facts;
    return rc;
}

static enum rc annotated_task(struct instance *instance, struct ref ref,
                              struct task_facts *out)
{
    struct annotated *state = annotated_state(instance);
    struct task_facts facts;
    reader_begin(instance);
    enum rc rc = OF(runtime, task, ref, &facts);
    if (rc == RC_OK && annotated_reports(state))
        rc = annotated_add_to_task(state, ref, &facts);
    reader_end(instance);
    if (rc == RC_OK)
        *out = facts;
    return rc;
}

struct task_walk {
    struct annotated *state;
    struct array seen; /* of struct key, by address */
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
    struct key key = {.of = ref.address};
    walk->rc = annotated_add_to_task(walk->state, ref, &merged);
    if (walk->rc == RC_OK)
        walk->rc = array_add(&walk->seen, &key);
    return walk->rc == RC_OK && show_task(walk, ref, &merged);
}

static bool is_seen(const struct task_walk *walk, taddr task)
{
    const struct key *all = walk->seen.elements;
    size_t at = array_lower(&walk->seen, &(struct key){.of = task}, comes_before);
    return at < walk->seen.count && all[at].of == task;
}

static bool is_detached(const struct task_facts *recorded)
{
    return recorded->progress.known == KNOWN &&
           recorded->progress.value == TASK_PROGRESS_DETACHED &&
           recorded->word.known == KNOWN && recorded->word.value;
}

/* A task whose body has ended and whose event is not fulfilled is in no list of the runtime. */
static bool visit_recorded(void *arg, struct ref record, const struct task_facts *recorded)
{
    struct task_walk *walk = arg;
    struct annotated *state = walk->state;
    struct task_facts facts;
    struct ref ref;
    if (!is_detached(recorded))
        return true;
    enum rc rc = OF(runtime, task_of_word, recorded->word.value, &ref);
    if (rc == RC_OK && is_seen(walk, ref.address))
        return true;
    if (rc == RC_OK)
        rc = OF(runtime, task, ref, &facts);
    if (rc == RC_OK && !annotated_is_record(state, &facts, record))
        rc = RC_UNAVAILABLE;
    if (rc == RC_OK)
        rc = annotated_add_to_task(state, ref, &facts);
    walk->rc = annotated_is_missing(rc) ? RC_OK : rc;
    return rc == RC_OK ? show_task(walk, ref, &facts) : walk->rc == RC_OK;
}

static enum rc walk_tasks(struct task_walk *walk)
{
    struct annotated *state = walk->state;
    enum rc rc = OF(runtime, each_task, visit_task, walk);
    if (walk->rc != RC_OK)
        return walk->rc;
    if (!rc_is_answer(rc) || walk->stopped)
        return rc;
    array_sort(&walk->seen, comes_before);
    enum rc other = OF(records, each_task, visit_recorded, walk);
    if (walk->rc != RC_OK)
        return walk->rc;
    return other == RC_OK || annotated_is_missing(other) ? rc : other;
}

static enum rc annotated_each_task(struct instance *instance, task_visitor *visit, void *arg)
{
    struct annotated *state = annotated_state(instance);
    if (!annotated_reports(state))
        return OF(runtime, each_task, visit, arg);
    struct task_walk walk = {
        .state = state,
        .seen = array_of(instance->space->ops, sizeof(struct key)),
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

/* The items of a task's depend clauses, as far as they are recorded. */
static uint32_t read_clauses(struct annotated *state, struct ref ref,
                             struct dependence out[DEPENDENCES_MAX])
{
    struct task_facts facts;
    if (OF(runtime, task, ref, &facts) != RC_OK ||
        annotated_add_to_task(state, ref, &facts) != RC_OK ||
        facts.dependences_held.known != KNOWN || !facts.dependences_held.value)
        return 0;
    uint64_t held = facts.dependences_held.value;
    uint32_t count = held < DEPENDENCES_MAX ? (uint32_t)held : DEPENDENCES_MAX;
    enum rc rc = OF(records, dependences, &state->clauses, facts.dependences.value, count, out);
    return rc == RC_OK ? count : 0;
}

struct depender_walk {
    struct annotated *state;
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

static enum rc annotated_walk_dependers(struct instance *instance, struct ref task,
                                        depender_visitor *visit, void *arg)
{
    struct annotated *state = annotated_state(instance);
    if (!annotated_reports(state))
        return OF(runtime, walk_dependers, task, visit, arg);
    struct depender_walk walk = {.state = state, .visit = visit, .arg = arg};
    reader_begin(instance);
    walk.count = read_clauses(state, task, walk.items);
    enum rc rc = OF(runtime, walk_dependers, task, visit_depender, &walk);
    reader_end(instance);
    return rc;
}

const struct reader annotated_reader = {
    .name = "annotated",
    .close = annotated_close,
    .records = annotated_records,
    .find_thread = runtime_find_thread,
    .walk_threads = runtime_walk_threads,
    .thread = annotated_thread,
    .region = annotated_region,
    .task = annotated_task,
    .walk_team = runtime_walk_team,
    .walk_implicit_tasks = runtime_walk_implicit_tasks,
    .team_thread = runtime_team_thread,
    .implicit_task = runtime_implicit_task,
    .region_id = runtime_region_id,
    .task_id = runtime_task_id,
    .own_memory = own_memory,
    .begin = annotated_begin,
    .end = annotated_end,
    .icvs = runtime_icvs,
    .globals = runtime_globals,
    .stack = runtime_stack,
    .settings = runtime_settings,
    .each_thread = annotated_each_thread,
    .each_task = annotated_each_task,
    .each_lock = annotated_each_lock,
    .lock = annotated_lock,
    .forks = records_forks,
    .walk_dependers = annotated_walk_dependers,
    .dependences = records_dependences,
};
