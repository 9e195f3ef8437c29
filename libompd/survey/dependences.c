/* SPDX-License-Identifier: MIT
 *
 * Dependences between tasks, from the runtime where it keeps them, else computed from the
 * items of depend clauses.
 *
 * The tasks of one parent that name one address, in the order in which the parent created
 * them, form generations of tasks that may overlap: consecutive readers, consecutive
 * members of an inoutset, or one writer. A task waits for the generation before its own
 * and, through it, for all earlier ones.
 */
#include "libompd/runtime/reader.h"
#include "libompd/survey/survey.h"

/* One item of a depend clause. */
struct item {
    uint64_t parent;
    uint64_t address;
    uint64_t serial;
    size_t task; /* index */
    enum dependence_kind kind;
};

_Static_assert(sizeof(struct item) <= ARRAY_ELEMENT_MAX, "items are sorted");

static bool comes_before(const void *left, const void *right)
{
    const struct item *a = left;
    const struct item *b = right;
    if (a->parent != b->parent)
        return a->parent < b->parent;
    if (a->address != b->address)
        return a->address < b->address;
    if (a->serial != b->serial)
        return a->serial < b->serial;
    return a->task < b->task;
}

/* A task that names an address twice takes it for the stronger purpose. */
static void merge_repeated(struct array *items)
{
    struct item *all = items->elements;
    size_t kept = 0;
    for (size_t i = 0; i < items->count; i++) {
        if (kept && all[kept - 1].task == all[i].task && all[kept - 1].address == all[i].address) {
            if (all[kept - 1].kind != all[i].kind)
                all[kept - 1].kind = DEPEND_OUT;
        } else {
            all[kept++] = all[i];
        }
    }
    items->count = kept;
}

static bool is_open(const struct surveyed_task *task)
{
    return task->state && task->state != TASK_STATE_COMPLETED;
}

static enum rc gather_items(struct instance *instance, struct query *query,
                            const struct array *tasks, struct array *items)
{
    const struct surveyed_task *all = tasks->elements;
    for (size_t i = 0; i < tasks->count; i++) {
        const struct task_facts *facts = &all[i].facts;
        if (!is_open(&all[i]) || facts->dependences_held.known != KNOWN ||
            !facts->dependences_held.value || facts->parent.known != KNOWN ||
            facts->serial.known != KNOWN)
            continue;
        struct dependence named[DEPENDENCES_MAX];
        uint64_t held = facts->dependences_held.value;
        uint32_t count = held < DEPENDENCES_MAX ? (uint32_t)held : DEPENDENCES_MAX;
        enum rc rc =
            instance->reader->dependences(instance, query, facts->dependences.value, count, named);
        if (rc != RC_OK)
            return rc;
        for (uint32_t d = 0; d < count; d++) {
            struct item item = {facts->parent.ref.id, named[d].address, facts->serial.value, i,
                                named[d].kind};
            rc = array_add_within(items, SURVEY_ITEMS_MAX, &item);
            if (rc != RC_OK)
                return rc;
        }
    }
    return RC_OK;
}

/* May two neighbours run at the same time? */
static bool overlap(const struct item *a, const struct item *b)
{
    return a->kind == b->kind && (a->kind == DEPEND_IN || a->kind == DEPEND_INOUTSET);
}

static enum rc link_generations(const struct array *tasks, const struct item *before,
                                size_t before_count, const struct item *here, size_t here_count,
                                struct array *edges)
{
    const struct surveyed_task *all = tasks->elements;
    for (size_t h = 0; h < here_count; h++) {
        if (all[here[h].task].state != TASK_STATE_CREATED)
            continue;
        for (size_t b = 0; b < before_count; b++) {
            struct surveyed_dependence edge = {
                .predecessor = all[before[b].task].ref,
                .successor = all[here[h].task].ref,
                .successor_index = here[h].task,
                .address = here[h].address,
                .predecessor_kind = before[b].kind,
                .successor_kind = here[h].kind,
            };
            enum rc rc = array_add_within(edges, SURVEY_EDGES_MAX, &edge);
            if (rc != RC_OK)
                return rc;
        }
    }
    return RC_OK;
}

static enum rc link_items(const struct array *tasks, const struct item *items, size_t count,
                          struct array *edges)
{
    size_t before = 0, here = 0;
    while (here < count) {
        bool same_object = before < here && items[before].parent == items[here].parent &&
                           items[before].address == items[here].address;
        size_t end = here + 1;
        while (end < count && items[end].parent == items[here].parent &&
               items[end].address == items[here].address && overlap(&items[end - 1], &items[end]))
            end++;
        if (same_object) {
            enum rc rc = link_generations(tasks, items + before, here - before, items + here,
                                          end - here, edges);
            if (rc != RC_OK)
                return rc;
        }
        before = here;
        here = end;
    }
    return RC_OK;
}

static enum rc compute(struct instance *instance, const struct array *tasks,
                       struct array *dependences)
{
    struct array items = array_of(instance->space->ops, sizeof(struct item));
    struct query query = {.is_whole = true}; /* records are in pages of their own */
    query_begin(instance->space, &query);
    enum rc rc = query.pages ? gather_items(instance, &query, tasks, &items) : RC_NOMEM;
    query_free(instance->space, &query);
    if (rc_is_answer(rc)) {
        array_sort(&items, comes_before);
        merge_repeated(&items);
        rc = rc_join(rc, link_items(tasks, items.elements, items.count, dependences));
    }
    array_free(&items);
    return rc;
}

/* The tasks by their ids. */
struct indexed {
    uint64_t id;
    size_t task;
};

static bool id_comes_before(const void *left, const void *right)
{
    const struct indexed *a = left;
    const struct indexed *b = right;
    return a->id < b->id;
}

static enum rc index_tasks(const struct array *tasks, struct array *index)
{
    const struct surveyed_task *all = tasks->elements;
    for (size_t i = 0; i < tasks->count; i++) {
        struct indexed indexed = {all[i].ref.id, i};
        enum rc rc = array_add(index, &indexed);
        if (rc != RC_OK)
            return rc;
    }
    array_sort(index, id_comes_before);
    return RC_OK;
}

static const struct indexed *find_task(const struct array *index, uint64_t id)
{
    const struct indexed *all = index->elements;
    size_t at = array_lower(index, &(struct indexed){.id = id}, id_comes_before);
    return at < index->count && all[at].id == id ? &all[at] : NULL;
}

struct taking {
    const struct surveyed_task *tasks;
    const struct array *index;
    struct collector edges;
    struct ref predecessor;
};

static bool take_depender(void *arg, const struct depender *depender)
{
    struct taking *taking = arg;
    const struct indexed *successor = find_task(taking->index, depender->task.id);
    if (!successor)
        return true;
    struct surveyed_dependence edge = {
        .predecessor = taking->predecessor,
        .successor = taking->tasks[successor->task].ref,
        .successor_index = successor->task,
        .address = depender->address,
        .predecessor_kind = depender->predecessor_kind,
        .successor_kind = depender->kind,
    };
    return collect(&taking->edges, &edge);
}

/* For a runtime that keeps the dependers of a task. */
static enum rc take_all(struct instance *instance, const struct array *tasks,
                        struct array *dependences)
{
    const struct surveyed_task *all = tasks->elements;
    struct array index = array_of(instance->space->ops, sizeof(struct indexed));
    enum rc rc = index_tasks(tasks, &index);
    for (size_t i = 0; i < tasks->count && rc_is_answer(rc); i++) {
        struct taking taking = {all, &index, {dependences, SURVEY_EDGES_MAX, RC_OK}, all[i].ref};
        if (!is_open(&all[i]))
            continue;
        enum rc one =
            instance->reader->walk_dependers(instance, all[i].ref, take_depender, &taking);
        if (taking.edges.rc != RC_OK)
            rc = rc_join(rc, taking.edges.rc);
        else
            rc = rc_join(rc, survey_one(instance, one));
        if (taking.edges.rc == RC_INCOMPLETE)
            break;
    }
    array_free(&index);
    return rc;
}

enum rc survey_dependences(struct instance *instance, const struct array *tasks,
                           struct array *dependences)
{
    *dependences = array_of(instance->space->ops, sizeof(struct surveyed_dependence));
    if (!instance->reader->walk_dependers)
        return instance->reader->dependences ? compute(instance, tasks, dependences)
                                             : RC_UNSUPPORTED;
    reader_begin(instance);
    enum rc rc = take_all(instance, tasks, dependences);
    reader_end(instance);
    return rc;
}
