/* SPDX-License-Identifier: MIT
 *
 * From a reference to the task of a stock libgomp that it names, if that still exists.
 */
#include <string.h>

#include "libompd/runtime/gomp-task.h"

static enum rc locate_serial(const struct instance *instance, struct ref ref,
                             struct gomp_located *out)
{
    enum rc rc = gomp_read_thread_at(instance, ref.address & ~(taddr)REF_MARKS, &out->thread);
    if (rc == RC_UNAVAILABLE)
        return RC_STALE_HANDLE;
    if (rc != RC_OK)
        return rc;
    if (memory_id(instance, memory_address(instance, ref), out->thread.tid) != ref.id)
        return RC_STALE_HANDLE;
    out->has_thread = out->is_certain = true;
    out->is_implicit = true;
    if (!gomp_task_struct(instance, ref))
        return RC_OK;
    taddr at;
    rc = gomp_find_serial_task(instance, &out->thread, &at);
    struct cycle cycle = {0};
    while (rc == RC_OK) {
        if (!at || !cycle_advance(&cycle, at, GOMP_TASKS_MAX))
            return RC_STALE_HANDLE;
        rc = gomp_read_task(instance, at, &out->task);
        out->is_implicit = out->task.kind == GOMP_KIND_IMPLICIT;
        if (rc == RC_OK && at == memory_address(instance, ref))
            return RC_OK;
        at = out->task.parent;
    }
    return rc == RC_NONSENSE ? RC_STALE_HANDLE : rc;
}

static bool has_begun(const struct gomp_task *task)
{
    return task->kind == GOMP_KIND_UNDEFERRED || task->kind == GOMP_KIND_TIED ||
           task->kind == GOMP_KIND_ASYNC_RUNNING;
}

/* Is one of its nodes linked into a queue? In freed memory none is. */
static bool is_linked(const struct instance *instance, const struct gomp_task *task)
{
    uint32_t pnode = gomp_offset(instance, GOMP_gomp_task_pnode);
    uint32_t size = gomp_state(instance)->layout->size[GOMP_STRUCT_priority_node];
    for (unsigned i = 0; i < GOMP_PNODES; i++) {
        const unsigned char *node = task->bytes.bytes + pnode + i * size;
        taddr next = gomp_field(instance, node, GOMP_priority_node_next);
        taddr back;
        if (next &&
            memory_pointer(instance, next + gomp_offset(instance, GOMP_priority_node_prev),
                           &back) == RC_OK &&
            back == task->address + pnode + i * size)
            return true;
    }
    return false;
}

/* A task that has not begun is in a queue, unless it waits for other tasks; one that has
 * begun is in a queue or on a thread. */
static enum rc check_explicit(struct instance *instance, struct gomp_located *task)
{
    bool is_alive = true;
    enum rc rc = RC_OK;
    if (task->task.kind == GOMP_KIND_WAITING)
        is_alive = task->task.num_dependees || is_linked(instance, &task->task);
    else if (task->task.kind == GOMP_KIND_TIED && !task->has_thread &&
             !is_linked(instance, &task->task)) {
        rc = gomp_find_runner(instance, task);
        is_alive = task->has_thread;
    }
    return rc == RC_OK && !is_alive ? RC_STALE_HANDLE : rc;
}

static enum rc check_implicit(const struct instance *instance, struct gomp_located *task)
{
    bool is_made;
    enum rc rc = gomp_has_implicit_task(instance, &task->team, task->number, &is_made);
    return rc == RC_OK && !is_made ? RC_STALE_HANDLE : rc;
}

static enum rc locate_in_region(struct instance *instance, struct ref ref, struct gomp_located *out)
{
    enum rc rc;
    uint64_t bits;
    taddr address = memory_address(instance, ref);
    out->in_region = true;
    if (ref.address & REF_RUNNING) {
        rc = gomp_read_thread_at(instance, ref.address & ~(taddr)REF_MARKS, &out->thread);
        if (rc == RC_OK)
            rc = gomp_find_ancestor(instance, &out->thread, address, &out->team, &out->number);
        if (rc == RC_OK && !out->team.address)
            rc = RC_STALE_HANDLE;
        out->has_thread = true;
        out->is_certain = out->thread.task == address;
    } else {
        rc = gomp_read_team(instance, ref.address, &out->team);
    }
    if (rc == RC_OK)
        rc = gomp_read_task(instance, address, &out->task);
    if (rc == RC_UNAVAILABLE || rc == RC_NONSENSE)
        return RC_STALE_HANDLE;
    if (rc == RC_OK)
        rc = gomp_team_bits(instance, &out->team, &bits);
    if (rc != RC_OK)
        return rc;
    uint32_t index;
    out->is_implicit = gomp_implicit_index(instance, &out->team, address, &index);
    if (out->is_implicit)
        out->number = index;
    else
        bits = gomp_explicit_bits(bits, &out->task);
    if (memory_id(instance, address, bits) != ref.id ||
        out->is_implicit != (out->task.kind == GOMP_KIND_IMPLICIT))
        return RC_STALE_HANDLE;
    return out->is_implicit ? check_implicit(instance, out) : check_explicit(instance, out);
}

enum rc gomp_locate_task(struct instance *instance, struct ref ref, struct gomp_located *out)
{
    memset(out, 0, sizeof *out);
    return ref.address & REF_SERIAL ? locate_serial(instance, ref, out)
                                    : locate_in_region(instance, ref, out);
}

/* A thread that the reference names and that is no member yet is the only one. */
static enum rc locate_runner(struct instance *instance, struct gomp_located *task)
{
    struct gomp_located found = *task;
    if (!task->has_thread && !has_begun(&task->task))
        return RC_OK;
    enum rc rc = gomp_find_runner(instance, &found);
    if (rc == RC_OK && (found.has_thread || !task->has_thread))
        *task = found;
    else if (rc == RC_OK)
        task->is_certain = true;
    return rc;
}

enum rc gomp_locate_thread(struct instance *instance, struct gomp_located *task)
{
    if (task->is_certain || !task->in_region)
        return RC_OK;
    if (!task->is_implicit)
        return locate_runner(instance, task);
    enum rc rc = gomp_member(instance, &task->team, task->number, &task->thread);
    task->has_thread = task->is_certain = rc == RC_OK;
    return rc == RC_UNAVAILABLE ? RC_OK : rc;
}
