/* SPDX-License-Identifier: MIT
 *
 * Tasks of a stock libgomp. A task knows its parent and neither its team nor its thread,
 * so the address in the reference to it is where it was found, and that of the task
 * itself is part of the id:
 *
 *   team            a task of that team's region, implicit or explicit
 *   thread | 1      a task of that thread outside regions. Where there is no struct
 *                   gomp_task, the id has the address of the thread's data
 *   thread | 2      an explicit task that the thread had begun
 */
#include <string.h>

#include "libompd/runtime/gomp-task.h"

static taddr task_address(struct ref ref)
{
    return ref.id & GOMP_ADDRESS_MASK;
}

enum { VIA_SERIAL = 1, VIA_RUNNING = 2, VIA_MASK = 3 };

taddr gomp_task_struct(struct ref ref)
{
    bool none =
        ref.address & VIA_SERIAL && task_address(ref) == (ref.address & ~(taddr)VIA_MASK);
    return none ? 0 : task_address(ref);
}

static bool implicit_index(const struct space *space, const struct gomp_team *team,
                           taddr task, uint32_t *out)
{
    uint32_t size = gomp_state(space)->layout->size[GOMP_STRUCT_gomp_task];
    taddr first = gomp_implicit_task(space, team, 0);
    if (task < first || (task - first) % size || (task - first) / size >= team->nthreads)
        return false;
    *out = (uint32_t)((task - first) / size);
    return true;
}

/* Undeferred tasks stand on stacks and their function is never written. */
static uint64_t explicit_bits(uint64_t team_bits, const struct gomp_task *task)
{
    if (task->kind == GOMP_KIND_UNDEFERRED)
        return team_bits;
    uint64_t x = (task->fn ^ task->fn_data << 7) * UINT64_C(0x9e3779b97f4a7c15);
    return team_bits ^ x >> 40;
}

static struct ref serial_ref(const struct gomp_thread *thread, taddr task)
{
    taddr address = task ? task : thread->address;
    return (struct ref){.address = thread->address | VIA_SERIAL,
                        .id = gomp_make_id(address, thread->tid)};
}

enum rc gomp_team_task_ref(const struct space *space, const struct gomp_team *team,
                           taddr task, struct ref *out)
{
    uint64_t bits;
    uint32_t index;
    enum rc rc = gomp_team_bits(space, team, &bits);
    if (rc != RC_OK)
        return rc;
    if (!implicit_index(space, team, task, &index)) {
        struct gomp_task object;
        rc = gomp_read_task(space, task, &object);
        if (rc != RC_OK)
            return rc;
        bits = explicit_bits(bits, &object);
    }
    *out = (struct ref){.address = team->address, .id = gomp_make_id(task, bits)};
    return RC_OK;
}

enum rc gomp_found_task_ref(const struct space *space, const struct gomp_team *team,
                            taddr task, taddr runner, struct ref *out)
{
    enum rc rc = gomp_team_task_ref(space, team, task, out);
    if (rc == RC_OK && runner)
        out->address = runner | VIA_RUNNING;
    return rc;
}

enum rc gomp_thread_task_ref(const struct space *space, const struct gomp_thread *thread,
                             enum gomp_standing standing, const struct gomp_team *team,
                             struct ref *out)
{
    uint32_t index;
    if (standing == GOMP_INITIAL) {
        *out = serial_ref(thread, thread->task);
        return RC_OK;
    }
    if (standing != GOMP_ACTIVE || !thread->task)
        return RC_UNAVAILABLE;
    enum rc rc = gomp_team_task_ref(space, team, thread->task, out);
    if (rc == RC_OK && !implicit_index(space, team, thread->task, &index))
        out->address = thread->address | VIA_RUNNING;
    return rc;
}

/* Where a task stands: what gomp_task() gathers before it fills in facts. */
struct stand {
    struct gomp_task task;
    struct gomp_team team;
    struct gomp_thread thread;
    bool in_region;
    bool has_thread;
    uint32_t number; /* of the thread in the team */
};

enum rc gomp_find_on_thread(const struct space *space, const struct gomp_thread *thread,
                            taddr task, struct gomp_team *team, uint32_t *number)
{
    taddr at = thread->task;
    taddr team_at = thread->team;
    uint32_t team_id = thread->team_id, level = thread->level;
    struct gomp_guard guard = {0};
    while (at && gomp_advance(&guard, at)) {
        struct gomp_task object;
        enum rc rc;
        if (at == task) {
            *number = team_id;
            if (!level) {
                memset(team, 0, sizeof *team);
                return RC_OK;
            }
            if (!team_at)
                return RC_STALE_HANDLE;
            rc = gomp_read_team(space, team_at, team);
            return rc == RC_OK && !team->sound ? RC_STALE_HANDLE : rc;
        }
        rc = gomp_read_task(space, at, &object);
        if (rc != RC_OK)
            return rc == RC_NONSENSE ? RC_STALE_HANDLE : rc;
        if (object.kind == GOMP_KIND_IMPLICIT && level) {
            struct gomp_team inner;
            bool begun = false;
            rc = team_at ? gomp_read_team(space, team_at, &inner) : RC_STALE_HANDLE;
            if (rc == RC_OK && inner.sound)
                rc = gomp_has_begun(space, &inner, 0, &begun);
            if (rc != RC_OK)
                return rc;
            /* Who met the region is its first thread's business only. */
            if (!begun || team_id)
                return RC_STALE_HANDLE;
            team_at = inner.prev_team;
            team_id = inner.prev_team_id;
            level = inner.prev_level;
        }
        at = object.parent;
    }
    return RC_STALE_HANDLE;
}

enum rc gomp_begun_task_ref(const struct space *space, const struct gomp_thread *thread,
                            taddr task, struct ref *out)
{
    struct gomp_team team;
    uint32_t number, index;
    enum rc rc = gomp_find_on_thread(space, thread, task, &team, &number);
    if (rc != RC_OK)
        return rc;
    if (!team.address) {
        *out = serial_ref(thread, task);
        return RC_OK;
    }
    rc = gomp_team_task_ref(space, &team, task, out);
    if (rc == RC_OK && !implicit_index(space, &team, task, &index))
        out->address = thread->address | VIA_RUNNING;
    return rc;
}

/* The task that a thread had begun when it left for its outermost region, or runs. 0:
 * there is no struct gomp_task for it. */
static enum rc serial_task(const struct space *space, const struct gomp_thread *thread,
                           taddr *out)
{
    taddr at = thread->team;
    uint32_t team_id = thread->team_id, level = thread->level;
    if (!level) {
        *out = thread->task;
        return RC_OK;
    }
    for (uint32_t depth = 0; depth < GOMP_LEVELS_MAX; depth++) {
        struct gomp_team team;
        bool begun = false;
        enum rc rc = !at || team_id || at % 16 ? RC_STALE_HANDLE : RC_OK;
        if (rc == RC_OK)
            rc = gomp_read_team(space, at, &team);
        if (rc == RC_OK && team.sound && !team.prev_level)
            rc = gomp_has_begun(space, &team, 0, &begun);
        if (rc == RC_OK && (!team.sound || (!team.prev_level && !begun)))
            rc = RC_STALE_HANDLE;
        if (rc != RC_OK)
            return rc;
        if (!team.prev_level)
            return gomp_pointer(space,
                                gomp_implicit_task(space, &team, 0) +
                                    gomp_offset(space, GOMP_gomp_task_parent),
                                out);
        at = team.prev_team;
        team_id = team.prev_team_id;
        level = team.prev_level;
    }
    return RC_STALE_HANDLE;
}

static enum rc stand_serial(const struct space *space, struct ref ref, struct stand *out)
{
    enum rc rc = gomp_read_thread_at(space, ref.address & ~(taddr)VIA_MASK, &out->thread);
    if (rc == RC_UNAVAILABLE)
        return RC_STALE_HANDLE;
    if (rc != RC_OK)
        return rc;
    if (gomp_make_id(task_address(ref), out->thread.tid) != ref.id)
        return RC_STALE_HANDLE;
    out->has_thread = true;
    if (task_address(ref) == out->thread.address)
        return RC_OK;
    taddr at;
    rc = serial_task(space, &out->thread, &at);
    struct gomp_guard guard = {0};
    while (rc == RC_OK) {
        if (!at || !gomp_advance(&guard, at))
            return RC_STALE_HANDLE;
        rc = gomp_read_task(space, at, &out->task);
        if (rc == RC_OK && at == task_address(ref))
            return RC_OK;
        at = out->task.parent;
    }
    return rc == RC_NONSENSE ? RC_STALE_HANDLE : rc;
}

enum rc gomp_walk_serial_tasks(const struct space *space,
                               const struct gomp_thread *thread, ref_visitor *visit,
                               void *arg)
{
    taddr at;
    struct gomp_guard guard = {0};
    enum rc rc = serial_task(space, thread, &at);
    if (rc == RC_STALE_HANDLE) /* a worker that leads a nested team */
        return RC_OK;
    while (rc == RC_OK) {
        struct gomp_task task;
        if (!visit(arg, serial_ref(thread, at)) || !at)
            return RC_OK;
        rc = gomp_advance(&guard, at) ? gomp_read_task(space, at, &task) : RC_NONSENSE;
        if (rc == RC_OK && task.kind == GOMP_KIND_IMPLICIT)
            return RC_OK;
        at = task.parent;
    }
    return rc;
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

static enum rc find_runner(struct space *space, struct stand *out)
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

static enum rc stand_in_region(struct space *space, struct ref ref, struct stand *out)
{
    enum rc rc;
    bool running = (ref.address & VIA_MASK) == VIA_RUNNING;
    out->in_region = true;
    if (running) {
        rc = gomp_read_thread_at(space, ref.address & ~(taddr)VIA_MASK, &out->thread);
        if (rc == RC_OK)
            rc = gomp_find_on_thread(space, &out->thread, task_address(ref), &out->team,
                                     &out->number);
        if (rc == RC_OK && !out->team.address)
            rc = RC_STALE_HANDLE;
        out->has_thread = true;
    } else {
        rc = gomp_read_team(space, ref.address, &out->team);
        if (rc == RC_OK && !out->team.sound)
            rc = RC_STALE_HANDLE;
    }
    if (rc == RC_OK)
        rc = gomp_read_task(space, task_address(ref), &out->task);
    if (rc == RC_UNAVAILABLE || rc == RC_NONSENSE)
        return RC_STALE_HANDLE;
    if (rc != RC_OK)
        return rc;

    uint64_t bits;
    uint32_t index;
    rc = gomp_team_bits(space, &out->team, &bits);
    if (rc != RC_OK)
        return rc;
    bool implicit = implicit_index(space, &out->team, task_address(ref), &index);
    if (!implicit)
        bits = explicit_bits(bits, &out->task);
    if (gomp_make_id(task_address(ref), bits) != ref.id ||
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
        rc = find_runner(space, out);
    bool queued = true;
    if (rc == RC_OK)
        rc = is_queued(space, &out->task, out->has_thread, &queued);
    return rc == RC_OK && !queued ? RC_STALE_HANDLE : rc;
}

enum rc gomp_read_task_in_region(struct space *space, struct ref ref,
                                 struct gomp_task *task, struct gomp_team *team)
{
    struct stand stand;
    memset(&stand, 0, sizeof stand);
    if (ref.address & VIA_SERIAL)
        return RC_UNAVAILABLE;
    enum rc rc = stand_in_region(space, ref, &stand);
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

enum rc gomp_encountering_ref(struct space *space, const struct gomp_team *team,
                              struct ref_fact *out)
{
    taddr parent;
    enum rc rc = gomp_pointer(space,
                              gomp_implicit_task(space, team, 0) +
                                  gomp_offset(space, GOMP_gomp_task_parent),
                              &parent);
    if (rc != RC_OK)
        return rc;
    *out = (struct ref_fact){.known = NONE_HERE};
    if (gomp_has_outer(team)) {
        struct gomp_team outer;
        rc = gomp_read_team(space, team->prev_team, &outer);
        if (rc == RC_OK && (!outer.sound || !parent))
            rc = RC_NONSENSE;
        if (rc == RC_OK)
            rc = gomp_living_task_ref(space, &outer, parent, 0, &out->ref);
    } else {
        struct gomp_thread first;
        rc = gomp_member(space, team, 0, &first);
        if (rc == RC_OK) {
            struct stand stand;
            out->ref = serial_ref(&first, parent);
            rc = stand_serial(space, out->ref, &stand);
        }
        if (rc == RC_STALE_HANDLE) /* its thread is on its way */
            rc = RC_UNAVAILABLE;
    }
    out->known = gomp_mark(rc);
    return RC_OK;
}

/* While a task waits for others libgomp does not correct its parent when that ends. One
 * that is still there is implicit, or a thread is inside of it. */
static enum rc parent_lives(struct space *space, const struct stand *stand, bool *out)
{
    uint32_t index;
    struct stand parent = {.team = stand->team, .task.address = stand->task.parent};
    *out = stand->task.kind != GOMP_KIND_WAITING || !stand->task.num_dependees ||
           implicit_index(space, &stand->team, stand->task.parent, &index);
    if (*out)
        return RC_OK;
    enum rc rc = find_runner(space, &parent);
    *out = parent.has_thread;
    return rc;
}

static enum rc fill_region(struct space *space, const struct stand *stand,
                           struct task_facts *facts)
{
    const struct gomp_team *team = &stand->team;
    const struct gomp_task *task = &stand->task;
    facts->level = (struct fact){KNOWN, team->prev_level + 1};
    facts->active_level =
        (struct fact){KNOWN, team->prev_active_level + (team->nthreads > 1)};
    facts->region.known = KNOWN;
    enum rc rc = gomp_team_ref(space, team, &facts->region.ref);
    if (rc != RC_OK)
        return rc;
    if (task->kind == GOMP_KIND_IMPLICIT)
        return gomp_encountering_ref(space, team, &facts->parent);
    /* When it outlived its parent libgomp has forgotten that. */
    bool lives = false;
    if (task->parent)
        rc = parent_lives(space, stand, &lives);
    if (rc != RC_OK || !lives)
        return rc;
    rc = gomp_living_task_ref(space, team, task->parent, 0, &facts->parent.ref);
    facts->parent.known = gomp_mark(rc);
    return RC_OK;
}

static void fill_serial(const struct stand *stand, struct ref ref,
                        struct task_facts *facts)
{
    facts->level = facts->active_level = (struct fact){KNOWN, 0};
    bool initial = task_address(ref) == stand->thread.address ||
                   stand->task.kind == GOMP_KIND_IMPLICIT;
    if (!initial)
        facts->parent = (struct ref_fact){
            .known = KNOWN, .ref = serial_ref(&stand->thread, stand->task.parent)};
    else
        facts->function.known = NONE_HERE;
}

enum rc gomp_task(struct space *space, struct ref ref, struct task_facts *out)
{
    struct stand stand;
    memset(&stand, 0, sizeof stand);
    enum rc rc = ref.address & VIA_SERIAL ? stand_serial(space, ref, &stand)
                                          : stand_in_region(space, ref, &stand);
    if (rc != RC_OK)
        return rc;
    struct task_facts facts;
    memset(&facts, 0, sizeof facts);
    static const enum task_progress progress[] = {
        [GOMP_KIND_IMPLICIT] = TASK_PROGRESS_RUNNING,
        [GOMP_KIND_UNDEFERRED] = TASK_PROGRESS_RUNNING,
        [GOMP_KIND_WAITING] = TASK_PROGRESS_READY,
        [GOMP_KIND_TIED] = TASK_PROGRESS_RUNNING,
        [GOMP_KIND_ASYNC_RUNNING] = TASK_PROGRESS_RUNNING,
        [GOMP_KIND_DETACHED] = TASK_PROGRESS_DETACHED,
    };
    bool implicit = stand.task.kind == GOMP_KIND_IMPLICIT;
    facts.kind = (struct fact){KNOWN, !implicit         ? TASK_KIND_EXPLICIT
                                      : stand.in_region ? TASK_KIND_IMPLICIT
                                                        : TASK_KIND_INITIAL};
    facts.implicit = (struct fact){KNOWN, implicit};
    facts.is_explicit = (struct fact){KNOWN, !implicit};
    facts.progress = (struct fact){KNOWN, progress[stand.task.kind]};
    if (stand.task.kind == GOMP_KIND_WAITING && stand.task.num_dependees)
        facts.progress.value = TASK_PROGRESS_WAITING;
    facts.undeferred = (struct fact){KNOWN, stand.task.kind == GOMP_KIND_UNDEFERRED};
    facts.untied.known = facts.mergeable.known = facts.detachable.known =
        facts.taskloop.known = facts.codeptr.known = facts.serial.known =
            facts.event.known = facts.dependences.known = facts.dependence_count.known =
                facts.dependences_held.known = facts.scheduling.known = NEEDS_TRACKING;
    facts.final = (struct fact){KNOWN, stand.task.final};
    facts.parent.known = facts.region.known = facts.thread.known = NONE_HERE;
    facts.thread_num.known = NONE_HERE;
    facts.function.known = facts.exit_frame.known = facts.enter_frame.known =
        NEEDS_TRACKING;
    /* An undeferred task has waited for others before it was set up. */
    if (stand.task.kind >= GOMP_KIND_WAITING)
        facts.dependence_count = (struct fact){KNOWN, stand.task.depend_count};
    if (stand.task.kind >= GOMP_KIND_WAITING)
        facts.function = (struct fact){stand.task.fn ? KNOWN : NONE_HERE, stand.task.fn};
    if (stand.has_thread) {
        facts.thread =
            (struct ref_fact){.known = KNOWN, .ref = gomp_thread_ref(&stand.thread)};
        facts.thread_num = (struct fact){KNOWN, stand.in_region ? stand.number : 0};
    }
    if (stand.in_region)
        rc = fill_region(space, &stand, &facts);
    else
        fill_serial(&stand, ref, &facts);
    if (rc == RC_OK)
        *out = facts;
    return rc;
}
