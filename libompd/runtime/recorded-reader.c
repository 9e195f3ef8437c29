/* SPDX-License-Identifier: MIT
 *
 * The reader of a process with two witnesses: made of the readers of both, and its tables.
 */
#include <string.h>

#include "libompd/runtime/recorded.h"

static void recorded_close(struct instance *instance)
{
    struct recorded *state = recorded_state(instance);
    if (RUNTIME->reader)
        RUNTIME->reader->close(RUNTIME);
    RECORDS->reader->close(RECORDS);
    instance->space->ops->release(state);
    instance->reader_state = NULL;
}

static void recorded_begin(struct instance *instance)
{
    struct recorded *state = recorded_state(instance);
    reader_begin(RECORDS);
    for (struct instance *i = NULL; (i = recorded_next_runtime(state, i));) {
        if (!state->depth && i != RUNTIME)
            (void)instance_is_recorded(i);
        reader_begin(i);
    }
    if (!state->rules->records_name)
        query_begin(instance->space, &state->clauses);
    state->depth++;
}

static void recorded_end(struct instance *instance)
{
    struct recorded *state = recorded_state(instance);
    state->depth--;
    if (!state->rules->records_name)
        query_end_free(instance->space, &state->clauses);
    reader_end(RECORDS);
    for (struct instance *i = NULL; (i = recorded_next_runtime(state, i));)
        reader_end(i);
}

static enum rc recorded_records(struct instance *instance, bool *out)
{
    struct recorded *state = recorded_state(instance);
    if (state->rules->records_name)
        return ON(RECORDS, records, out);
    *out = recorded_goes_on(state);
    return RC_OK;
}

static struct instance *own_memory(const struct instance *instance)
{
    struct recorded *state = recorded_state(instance);
    return RUNTIME->reader ? RUNTIME : NULL;
}

static enum rc walk_threads(struct instance *instance, ref_visitor *visit, void *arg)
{
    return reader_walk_refs(instance, recorded_each_thread, visit, arg);
}

static enum rc recorded_icvs(struct instance *instance, struct ref task, struct icv_facts *out)
{
    struct recorded *state = recorded_state(instance);
    struct instance *maker = recorded_maker(state, task, false);
    return maker ? ON(maker, icvs, task, out) : RC_STALE_HANDLE;
}

/* The runtime keeps the loop; for which iteration a thread waits in it only the record says. */
static enum rc recorded_loop(struct instance *instance, struct ref ref, struct loop_facts *out)
{
    struct recorded *state = recorded_state(instance);
    struct recorded_thread thread;
    struct loop_facts by_record, facts;
    enum rc rc = recorded_find_thread(state, ref, &thread);
    if (rc != RC_OK)
        return rc;
    enum rc recorded =
        thread.has_record ? ON(RECORDS, loop, thread.record, &by_record) : RC_UNSUPPORTED;
    if (!thread.has_runtime) {
        if (recorded == RC_OK)
            *out = by_record;
        return recorded;
    }
    rc = ON(thread.memory, loop, thread.runtime, &facts);
    if (rc != RC_OK)
        return rc;
    if (recorded == RC_OK)
        facts.awaited = by_record.awaited;
    else if (recorded == RC_UNAVAILABLE)
        facts.awaited = (struct fact){.known = NONE_HERE};
    *out = facts;
    return RC_OK;
}

static enum rc recorded_history(struct instance *instance, struct ref ref, event_visitor *visit,
                                void *arg)
{
    struct recorded *state = recorded_state(instance);
    struct recorded_thread thread;
    enum rc rc = recorded_find_thread(state, ref, &thread);
    if (rc != RC_OK)
        return rc;
    return thread.has_record ? ON(RECORDS, history, thread.record, visit, arg) : RC_UNAVAILABLE;
}

static enum rc recorded_stack(struct instance *instance, struct ref ref, struct stack_facts *out)
{
    struct recorded *state = recorded_state(instance);
    struct recorded_thread thread = {.runtime = ref};
    thread.memory = recorded_maker(state, ref, true);
    if (thread.memory == RECORDS) {
        enum rc rc = recorded_find_thread(state, ref, &thread);
        if (rc != RC_OK)
            return rc;
        if (!thread.has_runtime)
            return RC_UNSUPPORTED;
    }
    return thread.memory ? ON(thread.memory, stack, thread.runtime, out) : RC_STALE_HANDLE;
}

/* What one witness answers alone, RECORDS or RUNTIME. */
#define ANSWERED_BY(witness, function, parameters, ...)                                            \
    static enum rc witness##_##function parameters                                                 \
    {                                                                                              \
        struct recorded *state = recorded_state(instance);                                         \
        return ON(&state->witness, function, __VA_ARGS__);                                         \
    }
#define ANSWERED_BY_EITHER(...)                                                                    \
    ANSWERED_BY(records, __VA_ARGS__)                                                              \
    ANSWERED_BY(runtime, __VA_ARGS__)

ANSWERED_BY_EITHER(region_id, (struct instance * instance, taddr address, uint64_t *out), address,
                   out)
ANSWERED_BY_EITHER(task_id, (struct instance * instance, taddr address, uint64_t *out), address,
                   out)
ANSWERED_BY_EITHER(settings, (struct instance * instance, char **out, size_t *bytes), out, bytes)

/* With the version of OpenMP, which the runtime states when it finds a tool. */
static enum rc annotated_settings(struct instance *instance, char **out, size_t *bytes)
{
    static const char name[] = "_OPENMP=";
    const struct target_ops *ops = instance->space->ops;
    size_t recorded, own = 0, length = 0;
    char *text = NULL, *record;
    void *all;
    enum rc rc = runtime_settings(instance, &text, &own);
    if ((rc != RC_OK && rc != RC_UNAVAILABLE && rc != RC_UNSUPPORTED) ||
        records_settings(instance, &record, &recorded) != RC_OK) {
        if (rc == RC_OK)
            *out = text, *bytes = own;
        return rc;
    }
    const char *entry = record;
    for (; entry < record + recorded && !length; entry += length ? 0 : strlen(entry) + 1)
        if (!strncmp(entry, name, strlen(name)))
            length = strlen(entry) + 1;
    enum rc answer = length ? ops->alloc(own + length, &all) : rc;
    if (length && answer == RC_OK) {
        memcpy(all, entry, length);
        if (own)
            memcpy((char *)all + length, text, own);
        if (text)
            ops->release(text);
        text = all, own += length;
    }
    ops->release(record);
    if (answer == RC_OK)
        *out = text, *bytes = own;
    else if (text)
        ops->release(text);
    return answer;
}
ANSWERED_BY(records, globals, (struct instance * instance, struct global_facts *out), out)

/* What memory does not hold, by the environment when the runtime was initialised. */
static enum rc runtime_globals(struct instance *instance, struct global_facts *out)
{
    struct recorded *state = recorded_state(instance);
    struct global_facts facts, record;
    enum rc rc = ON(RUNTIME, globals, &facts);
    if (rc == RC_OK && ON(RECORDS, globals, &record) == RC_OK) {
        struct fact *all = (struct fact *)&facts, *recorded = (struct fact *)&record;
        for (size_t i = 0; i < sizeof facts / sizeof *all; i++)
            if (all[i].known == NOT_HELD)
                all[i] = recorded[i];
    }
    if (rc == RC_OK)
        *out = facts;
    return rc;
}
ANSWERED_BY(records, tool, (struct instance * instance, enum tool_interface *out), out)
ANSWERED_BY(records, forks, (struct instance * instance, uint32_t *out), out)
ANSWERED_BY(records, mapped, (struct instance * instance, mapped_visitor *visit, void *arg), visit,
            arg)
ANSWERED_BY(records, orders, (struct instance * instance, order_visitor *visit, void *arg), visit,
            arg)
ANSWERED_BY(records, sums, (struct instance * instance, sum_visitor *visit, void *arg), visit, arg)
ANSWERED_BY(records, records_image, (struct instance * instance, const struct image *image), image)
ANSWERED_BY(records, dependences,
            (struct instance * instance, struct query *query, taddr array, uint32_t count,
             struct dependence *out),
            query, array, count, out)
ANSWERED_BY(runtime, walk_threads, (struct instance * instance, ref_visitor *visit, void *arg),
            visit, arg)
ANSWERED_BY(runtime, walk_members,
            (struct instance * instance, struct ref region, enum members members,
             ref_visitor *visit, void *arg),
            region, members, visit, arg)
ANSWERED_BY(runtime, find_member,
            (struct instance * instance, struct ref region, enum members members, uint32_t number,
             struct ref *out),
            region, members, number, out)

/* Rows of both tables; `namer` names objects. */
#define RECORDED_READER(namer)                                                                     \
    .close = recorded_close, .begin = recorded_begin, .end = recorded_end,                         \
    .records = recorded_records, .own_memory = own_memory, .find_thread = recorded_id_of_thread,   \
    .thread = recorded_thread, .region = recorded_region, .task = recorded_task,                   \
    .region_id = namer##_region_id, .task_id = namer##_task_id, .icvs = recorded_icvs,             \
    .globals = namer##_globals, .each_thread = recorded_each_thread,                               \
    .each_lock = recorded_each_lock, .lock = recorded_lock, .stack = recorded_stack,               \
    .history = recorded_history, .forks = records_forks, .orders = records_orders,                 \
    .mapped = records_mapped, .sums = records_sums, .dependences = records_dependences

const struct reader recorded_reader = {
    RECORDED_READER(records),
    .name = "recorded",
    .records_image = records_records_image,
    .settings = records_settings,
    .tool = records_tool,
    .walk_threads = walk_threads,
    .walk_members = recorded_walk_members,
    .find_member = recorded_find_member,
    .each_task = recorded_each_named_task,
    .barriers = recorded_barriers,
    .loop = recorded_loop,
    .absence = recorded_absence,
};

const struct reader annotated_reader = {
    RECORDED_READER(runtime),
    .name = "annotated",
    .settings = annotated_settings,
    .walk_threads = runtime_walk_threads,
    .walk_members = runtime_walk_members,
    .find_member = runtime_find_member,
    .each_task = recorded_each_task,
    .walk_dependers = recorded_walk_dependers,
};

enum rc recorded_compose(struct instance *instance, const struct instance *runtime,
                         const struct instance *records)
{
    struct recorded state = {
        .rules = instance->image.is_kmp ? &recorded_kmp_rules : &recorded_gomp_rules,
        .runtime = *runtime,
        .records = *records,
    };
    enum rc rc = reader_keep_state(instance, &state, sizeof state);
    if (rc != RC_OK)
        return rc;
    if (!state.rules->records_name)
        records->reader->show_reported(&state.records, false);
    instance->reader = instance->image.is_kmp ? &annotated_reader : &recorded_reader;
    instance->awaited = AWAITS_NOTHING;
    instance->asleep = NULL;
    instance->unread = RC_OK;
    return RC_OK;
}
