/* SPDX-License-Identifier: MIT
 *
 * The reader of a process with two witnesses: made of the readers of both, and its table.
 */
#include <string.h>

#include "libompd/runtime/recorded.h"

enum rc recorded_compose(struct instance *instance, const struct instance *runtime,
                         const struct instance *records)
{
    void *memory;
    enum rc rc = instance->space->ops->alloc(sizeof(struct recorded), &memory);
    if (rc != RC_OK)
        return rc;
    struct recorded *state = memory;
    *state = (struct recorded){.runtime = *runtime, .records = *records};
    instance->reader = &recorded_reader;
    instance->reader_state = state;
    instance->awaited = AWAITS_NOTHING;
    instance->asleep = NULL;
    instance->unread = RC_OK;
    return RC_OK;
}

static void recorded_close(struct instance *instance)
{
    struct recorded *state = recorded_state(instance);
    if (state->runtime.reader)
        state->runtime.reader->close(&state->runtime);
    RECORDS->reader->close(RECORDS);
    instance->space->ops->release(state);
    instance->reader_state = NULL;
}

/* Those that may be asked, recorded or not. */
static struct instance *next_runtime(struct recorded *state, const struct instance *last)
{
    struct instance *all = state->records.space->instances;
    if (!last && state->runtime.reader)
        return &state->runtime;
    for (unsigned place = last ? last->place + 1 : 1; place < INSTANCES_MAX; place++)
        if (all[place].reader == &gomp_reader)
            return &all[place];
    return NULL;
}

struct instance *recorded_next(struct recorded *state, const struct instance *last)
{
    struct instance *next = next_runtime(state, last);
    while (next && next->place && !next->recorded)
        next = next_runtime(state, next);
    return next;
}

struct instance *recorded_maker(struct recorded *state, struct ref ref, bool is_thread)
{
    unsigned place = ref_place(ref, is_thread);
    struct instance *made = NULL;
    while ((made = recorded_next(state, made)) && made->place != place)
        ;
    return made;
}

static void recorded_begin(struct instance *instance)
{
    struct recorded *state = recorded_state(instance);
    reader_begin(RECORDS);
    for (struct instance *i = NULL; (i = next_runtime(state, i));) {
        if (!state->depth)
            (void)instance_is_recorded(i);
        reader_begin(i);
    }
    state->depth++;
}

static void recorded_end(struct instance *instance)
{
    struct recorded *state = recorded_state(instance);
    state->depth--;
    reader_end(RECORDS);
    for (struct instance *i = NULL; (i = next_runtime(state, i));)
        reader_end(i);
}

/* What only the records have. */
#define OF_RECORDS(function, parameters, ...)                                            \
    static enum rc records_##function parameters                                         \
    {                                                                                    \
        struct recorded *state = recorded_state(instance);                               \
        return ON(RECORDS, function, __VA_ARGS__);                                       \
    }

OF_RECORDS(records, (struct instance * instance, bool *out), out)
OF_RECORDS(region_id, (struct instance * instance, taddr address, uint64_t *out), address, out)
OF_RECORDS(task_id, (struct instance * instance, taddr address, uint64_t *out), address, out)
OF_RECORDS(settings, (struct instance * instance, char **out, size_t *bytes), out, bytes)
OF_RECORDS(tool, (struct instance * instance, enum tool_interface *out), out)
OF_RECORDS(globals, (struct instance * instance, struct global_facts *out), out)
OF_RECORDS(dependences,
           (struct instance * instance, struct query *query, taddr array, uint32_t count,
            struct dependence *out),
           query, array, count, out)
OF_RECORDS(each_task, (struct instance * instance, task_visitor *visit, void *arg), visit, arg)

OF_RECORDS(forks, (struct instance * instance, uint32_t *out), out)

static enum rc records_image(struct instance *instance, const struct image *image)
{
    struct recorded *state = recorded_state(instance);
    return ON(RECORDS, records_image, image);
}

static struct instance *own_memory(const struct instance *instance)
{
    struct instance *runtime = &recorded_state(instance)->runtime;
    return runtime->reader ? runtime : NULL;
}

static enum rc recorded_icvs(struct instance *instance, struct ref task, struct icv_facts *out)
{
    struct recorded *state = recorded_state(instance);
    if (!ref_is_made(task))
        return ON(RECORDS, icvs, task, out);
    struct instance *memory = recorded_maker(state, task, false);
    return memory ? ON(memory, icvs, task, out) : RC_STALE_HANDLE;
}

const struct reader recorded_reader = {
    .name = "recorded",
    .close = recorded_close,
    .records = records_records,
    .find_thread = recorded_id_of_thread,
    .walk_threads = recorded_walk_threads,
    .thread = recorded_thread,
    .region = recorded_region,
    .task = recorded_task,
    .walk_team = recorded_walk_team,
    .walk_implicit_tasks = recorded_walk_implicit_tasks,
    .team_thread = recorded_team_thread,
    .implicit_task = recorded_implicit_task,
    .region_id = records_region_id,
    .task_id = records_task_id,
    .own_memory = own_memory,
    .records_image = records_image,
    .begin = recorded_begin,
    .end = recorded_end,
    .icvs = recorded_icvs,
    .globals = records_globals,
    .settings = records_settings,
    .tool = records_tool,
    .each_thread = recorded_each_thread,
    .each_task = records_each_task,
    .each_lock = recorded_each_lock,
    .barriers = recorded_barriers,
    .lock = recorded_lock,
    .loop = recorded_loop,
    .stack = recorded_stack,
    .absence = recorded_absence,
    .forks = records_forks,
    .dependences = records_dependences,
};
