/* SPDX-License-Identifier: MIT
 *
 * Which tasks wait for a task: libgomp keeps them with the task they wait for. What both
 * named is found in their depend clauses; libgomp takes mutexinoutset for inout.
 */
#include <string.h>

#include "libompd/runtime/gomp-task.h"

/* Of tasks with more items the others are not read. */
enum { ITEMS_MAX = 64 };

struct items {
    uint32_t count;
    struct dependence item[ITEMS_MAX];
};

static enum dependence_kind kind_of(uint64_t is_in)
{
    switch (is_in) {
    case GOMP_DEPEND_OUT:
        return DEPEND_OUT;
    case GOMP_DEPEND_IN:
        return DEPEND_IN;
    case GOMP_DEPEND_INOUTSET:
        return DEPEND_INOUTSET;
    default:
        return DEPEND_UNKNOWN;
    }
}

static enum rc read_items(const struct instance *instance, const struct gomp_task *task,
                          struct items *out)
{
    uint32_t size = gomp_state(instance)->layout->size[GOMP_STRUCT_gomp_task_depend_entry];
    taddr at = task->address + gomp_offset(instance, GOMP_gomp_task_depend);
    out->count = task->depend_count < ITEMS_MAX ? (uint32_t)task->depend_count : ITEMS_MAX;
    for (uint32_t i = 0; i < out->count; i++) {
        struct gomp_bytes entry;
        enum rc rc =
            gomp_fetch(instance, GOMP_STRUCT_gomp_task_depend_entry, at + (taddr)i * size, &entry);
        if (rc != RC_OK)
            return rc;
        uint64_t is_in = gomp_field(instance, entry.bytes, GOMP_gomp_task_depend_entry_is_in);
        out->item[i].address = gomp_field(instance, entry.bytes, GOMP_gomp_task_depend_entry_addr);
        out->item[i].kind = kind_of(is_in);
    }
    return RC_OK;
}

/* One that both name and that does not let them overlap. */
static void find_common(const struct items *before, const struct items *after, struct depender *out)
{
    out->address = 0;
    out->predecessor_kind = out->kind = DEPEND_UNKNOWN;
    for (uint32_t b = 0; b < before->count; b++) {
        for (uint32_t a = 0; a < after->count; a++) {
            enum dependence_kind first = before->item[b].kind, then = after->item[a].kind;
            if (before->item[b].address != after->item[a].address || !before->item[b].address ||
                (first == then && first != DEPEND_OUT))
                continue;
            out->address = before->item[b].address;
            out->predecessor_kind = first;
            out->kind = then;
            return;
        }
    }
}

struct walk {
    struct instance *instance;
    const struct gomp_team *team;
    struct items items; /* of the task that is waited for */
    depender_visitor *visit;
    void *arg;
    enum rc rc;
};

static bool visit_depender(void *arg, taddr at)
{
    struct walk *walk = arg;
    struct instance *instance = walk->instance;
    struct gomp_task task;
    struct items items;
    struct depender depender;
    walk->rc = gomp_read_task(instance, at, &task);
    if (walk->rc == RC_OK && task.kind != GOMP_KIND_WAITING)
        walk->rc = RC_NONSENSE;
    /* The lists of one that has completed are gone through and then freed. */
    if (walk->team->locked &&
        (rc_is_damage(walk->rc) || (walk->rc == RC_OK && !task.num_dependees))) {
        walk->rc = RC_OK;
        return true;
    }
    if (walk->rc == RC_OK)
        walk->rc = gomp_team_task_ref(instance, walk->team, at, &depender.task);
    if (walk->rc == RC_OK)
        walk->rc = read_items(instance, &task, &items);
    if (walk->rc != RC_OK)
        return false;
    find_common(&walk->items, &items, &depender);
    return walk->visit(walk->arg, &depender);
}

enum rc gomp_each_depender(const struct instance *instance, taddr at, gomp_depender_visitor *visit,
                           void *arg)
{
    struct gomp_bytes vector;
    enum rc rc = gomp_fetch(instance, GOMP_STRUCT_gomp_dependers_vec, at, &vector);
    if (rc != RC_OK)
        return rc;
    uint64_t count = gomp_field(instance, vector.bytes, GOMP_gomp_dependers_vec_n_elem);
    if (count > GOMP_TASKS_MAX)
        return RC_NONSENSE;
    taddr element = at + gomp_offset(instance, GOMP_gomp_dependers_vec_elem), task;
    for (; count; count--, element += instance->space->sizes.sizeof_pointer) {
        rc = memory_pointer(instance, element, &task);
        if (rc != RC_OK || !visit(arg, task))
            return rc;
    }
    return RC_OK;
}

enum rc gomp_walk_dependers(struct instance *instance, struct ref ref, depender_visitor *visit,
                            void *arg)
{
    struct gomp_located located;
    struct walk walk = {.instance = instance, .team = &located.team, .visit = visit, .arg = arg};
    if (ref.address & REF_SERIAL)
        return RC_OK;
    enum rc rc = gomp_locate_task(instance, ref, &located);
    if (rc != RC_OK || !located.task.dependers)
        return rc;
    rc = read_items(instance, &located.task, &walk.items);
    if (rc == RC_OK)
        rc = gomp_each_depender(instance, located.task.dependers, visit_depender, &walk);
    if (rc == RC_NONSENSE && located.team.locked)
        rc = RC_OK;
    return rc == RC_OK ? walk.rc : rc;
}
