/* SPDX-License-Identifier: MIT
 *
 * Where a task of a stock libgomp stands: whether what a reference names is still there,
 * and with whom.
 */
#include <string.h>

#include "libompd/runtime/gomp-task.h"

static enum rc stand_serial(const struct space *space, struct ref ref,
                            struct gomp_task_stand *out)
{
    enum rc rc = gomp_read_thread_at(space, ref.address & ~(taddr)VIA_MASK, &out->thread);
    if (rc == RC_UNAVAILABLE)
        return RC_STALE_HANDLE;
    if (rc != RC_OK)
        return rc;
    if (gomp_make_id(gomp_task_address(ref), out->thread.tid) != ref.id)
        return RC_STALE_HANDLE;
    out->has_thread = true;
    if (gomp_task_address(ref) == out->thread.address)
        return RC_OK;
    taddr at;
    rc = gomp_serial_task(space, &out->thread, &at);
    struct gomp_guard guard = {0};
    while (rc == RC_OK) {
        if (!at || !gomp_advance(&guard, at))
            return RC_STALE_HANDLE;
        rc = gomp_read_task(space, at, &out->task);
        if (rc == RC_OK && at == gomp_task_address(ref))
            return RC_OK;
        at = out->task.parent;
    }
    return rc == RC_NONSENSE ? RC_STALE_HANDLE : rc;
}

/* A task that waits to be run stands in at least one queue, unless other tasks have to
 * complete first, and one that runs does if no thread is known to be in it. The memory of
 * one that is gone does not. */
static enum rc is_queued(const struct space *space, const struct gomp_task *task,
                         bool has_thread, bool *out)
{
    uint32_t pnode = gomp_offset(space, GOMP_gomp_task_pnode);
    uint32_t size = gomp_state(space)->layout->size[GOMP_STRUCT_priority_node];
    *out = task->kind == GOMP_KIND_WAITING ? task->num_dependees != 0
                                           : task->kind != GOMP_KIND_TIED || has_thread;
    for (unsigned i = 0; i < 3 && !*out; i++) {
        const unsigned char *node = task->bytes.bytes + pnode + i * size;
        taddr next = gomp_field(space, node, GOMP_priority_node_next);
        taddr back;
        if (!next ||
            gomp_pointer(space, next + gomp_offset(space, GOMP_priority_node_prev),
                         &back) != RC_OK)
            continue;
        *out = back == task->address + pnode + i * size;
    }
    return RC_OK;
}

static bool runs(const struct gomp_task *task)
{
    return task->kind == GOMP_KIND_UNDEFERRED || task->kind == GOMP_KIND_TIED ||
           task->kind == GOMP_KIND_ASYNC_RUNNING;
}

static enum rc search_runner(struct space *space, struct gomp_task_stand *out)
{
    for (uint32_t i = 0; i < out->team.nthreads; i++) {
        struct gomp_team team;
        enum rc rc = gomp_member(space, &out->team, i, &out->thread);
        if (rc == RC_OK)
            rc = gomp_find_on_thread(space, &out->thread, out->task.address, &team,
                                     &out->number);
        if (rc == RC_OK) {
            out->has_thread = true;
            return RC_OK;
        }
        if (rc != RC_UNAVAILABLE && rc != RC_STALE_HANDLE)
            return rc;
    }
    return RC_OK;
}

enum rc gomp_find_runner(struct space *space, struct gomp_task_stand *out)
{
    struct gomp_state *state = gomp_state(space);
    struct gomp_runner *known = &state->runners[out->task.address / 64 % GOMP_RUNNERS];
    if (!state->queries || known->team != out->team.address ||
        known->task != out->task.address) {
        enum rc rc = search_runner(space, out);
        if (rc == RC_OK)
            *known = (struct gomp_runner){
                .team = out->team.address,
                .task = out->task.address,
                .has_thread = out->has_thread,
                .number = out->number,
                .thread = out->thread,
            };
        return rc;
    }
    out->has_thread = known->has_thread;
    out->number = known->number;
    out->thread = known->thread;
    return RC_OK;
}

enum rc gomp_settle_runner(struct space *space, struct gomp_task_stand *stand,
                           bool *certain)
{
    taddr task = stand->task.address;
    struct gomp_thread found = stand->thread;
    *certain = found.task == task;
    unsigned others = 0;
    for (uint32_t i = 0; i < stand->team.nthreads && !*certain; i++) {
        struct gomp_team team;
        struct gomp_thread thread;
        uint32_t number;
        enum rc rc = gomp_member(space, &stand->team, i, &thread);
        if (rc == RC_OK && thread.address == found.address)
            continue;
        if (rc == RC_OK)
            rc = gomp_find_on_thread(space, &thread, task, &team, &number);
        if (rc == RC_OK) {
            others++;
            *certain = thread.task == task;
            if (*certain) {
                stand->thread = thread;
                stand->number = number;
            }
        } else if (rc != RC_UNAVAILABLE && rc != RC_STALE_HANDLE) {
            return rc;
        }
    }
    *certain = *certain || others == 0;
    return RC_OK;
}

static enum rc stand_in_region(struct space *space, struct ref ref,
                               struct gomp_task_stand *out)
{
    enum rc rc;
    bool running = (ref.address & VIA_MASK) == VIA_RUNNING;
    out->in_region = true;
    if (running) {
        rc = gomp_read_thread_at(space, ref.address & ~(taddr)VIA_MASK, &out->thread);
        if (rc == RC_OK)
            rc = gomp_find_on_thread(space, &out->thread, gomp_task_address(ref),
                                     &out->team, &out->number);
        if (rc == RC_OK && !out->team.address)
            rc = RC_STALE_HANDLE;
        out->has_thread = true;
    } else {
        rc = gomp_read_team(space, ref.address, &out->team);
        if (rc == RC_OK && !out->team.sound)
            rc = RC_STALE_HANDLE;
    }
    if (rc == RC_OK)
        rc = gomp_read_task(space, gomp_task_address(ref), &out->task);
    if (rc == RC_UNAVAILABLE || rc == RC_NONSENSE)
        return RC_STALE_HANDLE;
    if (rc != RC_OK)
        return rc;

    uint64_t bits;
    uint32_t index;
    rc = gomp_team_bits(space, &out->team, &bits);
    if (rc != RC_OK)
        return rc;
    bool implicit =
        gomp_implicit_index(space, &out->team, gomp_task_address(ref), &index);
    if (!implicit)
        bits = gomp_explicit_bits(bits, &out->task);
    if (gomp_make_id(gomp_task_address(ref), bits) != ref.id ||
        implicit != (out->task.kind == GOMP_KIND_IMPLICIT))
        return RC_STALE_HANDLE;
    if (implicit) {
        bool begun;
        rc = gomp_has_begun(space, &out->team, index, &begun);
        if (rc == RC_OK && !begun)
            rc = RC_STALE_HANDLE;
        if (rc == RC_OK)
            rc = gomp_member(space, &out->team, index, &out->thread);
        out->has_thread = rc == RC_OK;
        out->number = index;
        return rc == RC_UNAVAILABLE ? RC_OK : rc;
    }
    if (!running && runs(&out->task))
        rc = gomp_find_runner(space, out);
    bool queued = true;
    if (rc == RC_OK)
        rc = is_queued(space, &out->task, out->has_thread, &queued);
    return rc == RC_OK && !queued ? RC_STALE_HANDLE : rc;
}

enum rc gomp_stand_task(struct space *space, struct ref ref, struct gomp_task_stand *out)
{
    memset(out, 0, sizeof *out);
    return ref.address & VIA_SERIAL ? stand_serial(space, ref, out)
                                    : stand_in_region(space, ref, out);
}

enum rc gomp_read_task_in_region(struct space *space, struct ref ref,
                                 struct gomp_task *task, struct gomp_team *team)
{
    struct gomp_task_stand stand;
    if (ref.address & VIA_SERIAL)
        return RC_UNAVAILABLE;
    enum rc rc = gomp_stand_task(space, ref, &stand);
    if (rc == RC_OK) {
        *task = stand.task;
        *team = stand.team;
    }
    return rc;
}

enum rc gomp_living_task_ref(struct space *space, const struct gomp_team *team,
                             taddr task, taddr runner, struct ref *out)
{
    struct gomp_task object;
    struct gomp_team its;
    enum rc rc = gomp_found_task_ref(space, team, task, runner, out);
    if (rc == RC_OK)
        rc = gomp_read_task_in_region(space, *out, &object, &its);
    bool moved = rc == RC_STALE_HANDLE ||
                 (team->locked && (rc == RC_NONSENSE || rc == RC_READ_ERROR));
    return moved ? RC_UNAVAILABLE : rc;
}
