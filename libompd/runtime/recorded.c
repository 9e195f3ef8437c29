/* SPDX-License-Identifier: MIT
 *
 * The reader of a process with two witnesses: made of the readers of both, and its tables.
 */
#include "libompd/runtime/recorded.h"

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
    instance->reader = state.rules->reader;
    instance->awaited = AWAITS_NOTHING;
    instance->asleep = NULL;
    instance->unread = RC_OK;
    return RC_OK;
}

static void recorded_close(struct instance *instance)
{
    struct recorded *state = recorded_state(instance);
    if (RUNTIME->reader)
        RUNTIME->reader->close(RUNTIME);
    RECORDS->reader->close(RECORDS);
    instance->space->ops->release(state);
    instance->reader_state = NULL;
}

/* Those that may be asked, recorded or not. */
static struct instance *next_runtime(struct recorded *state, const struct instance *last)
{
    struct instance *all = state->records.space->instances;
    if (!last && RUNTIME->reader)
        return RUNTIME;
    unsigned place = last ? last->place + 1 : 1;
    for (; state->rules->records_name && place < INSTANCES_MAX; place++)
        if (all[place].reader == &gomp_reader)
            return &all[place];
    return NULL;
}

struct instance *recorded_next(struct recorded *state, const struct instance *last)
{
    struct instance *next = next_runtime(state, last);
    while (next && next != RUNTIME && !next->recorded)
        next = next_runtime(state, next);
    return next;
}

struct instance *recorded_maker(struct recorded *state, struct ref ref, bool is_thread)
{
    if (state->rules->records_name && !ref_is_made(ref))
        return RECORDS;
    unsigned place = ref_place(ref, is_thread);
    struct instance *made = NULL;
    while ((made = recorded_next(state, made)) && made->place != place)
        ;
    return made;
}

bool recorded_goes_on(struct recorded *state)
{
    bool alone;
    return state->rules->records_name || ON(RECORDS, reports_image, &RUNTIME->image, &alone);
}

static void recorded_begin(struct instance *instance)
{
    struct recorded *state = recorded_state(instance);
    reader_begin(RECORDS);
    for (struct instance *i = NULL; (i = next_runtime(state, i));) {
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
    for (struct instance *i = NULL; (i = next_runtime(state, i));)
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

/* What one witness answers alone: the records, or the one that names objects. */
#define ANSWERED_BY(find_witness, function, parameters, ...)                             \
    static enum rc alone_##function parameters                                           \
    {                                                                                    \
        struct instance *witness = find_witness(recorded_state(instance));               \
        return ON(witness, function, __VA_ARGS__);                                       \
    }

static struct instance *records(struct recorded *state)
{
    return RECORDS;
}

static struct instance *namer(struct recorded *state)
{
    return state->rules->records_name ? RECORDS : RUNTIME;
}

ANSWERED_BY(namer, region_id, (struct instance * instance, taddr address, uint64_t *out),
            address, out)
ANSWERED_BY(namer, task_id, (struct instance * instance, taddr address, uint64_t *out),
            address, out)
ANSWERED_BY(namer, settings, (struct instance * instance, char **out, size_t *bytes), out,
            bytes)
ANSWERED_BY(namer, globals, (struct instance * instance, struct global_facts *out), out)
ANSWERED_BY(records, tool, (struct instance * instance, enum tool_interface *out), out)
ANSWERED_BY(records, forks, (struct instance * instance, uint32_t *out), out)
ANSWERED_BY(records, records_image, (struct instance * instance, const struct image *image),
            image)
ANSWERED_BY(records, dependences,
            (struct instance * instance, struct query *query, taddr array, uint32_t count,
             struct dependence *out),
            query, array, count, out)

/* Rows of both tables. */
#define RECORDED_READER                                                                  \
    .close = recorded_close, .begin = recorded_begin, .end = recorded_end,               \
    .records = recorded_records, .own_memory = own_memory,                               \
    .find_thread = recorded_id_of_thread, .walk_threads = recorded_walk_threads,         \
    .thread = recorded_thread, .region = recorded_region, .task = recorded_task,         \
    .walk_members = recorded_walk_members, .find_member = recorded_find_member,          \
    .region_id = alone_region_id, .task_id = alone_task_id, .icvs = recorded_icvs,       \
    .globals = alone_globals, .settings = alone_settings,                                \
    .each_thread = recorded_each_thread, .each_task = recorded_each_task,                \
    .each_lock = recorded_each_lock, .lock = recorded_lock, .stack = recorded_stack,     \
    .forks = alone_forks, .dependences = alone_dependences

const struct reader recorded_reader = {
    RECORDED_READER,
    .name = "recorded",
    .records_image = alone_records_image,
    .tool = alone_tool,
    .barriers = recorded_barriers,
    .loop = recorded_loop,
    .absence = recorded_absence,
};

const struct reader annotated_reader = {
    RECORDED_READER,
    .name = "annotated",
    .walk_dependers = recorded_walk_dependers,
};
