/* SPDX-License-Identifier: MIT
 *
 * The explicit tasks of a region: libgomp has no list of them. Those that wait stand in
 * queues of their parent, their taskgroup and the team; those that wait for other tasks
 * stand in the lists of these; those that run are known to their threads, and undeferred
 * ones to nobody else. All of that is searched, each task is given once.
 */
#include <string.h>

#include "libompd/runtime/gomp-task.h"

/* The tasks found so far: a list in the order of finding, and an index by address. */
struct found {
    const struct space *space;
    struct found_task {
        taddr at;
        taddr runner; /* thread that has begun it, 0: not known */
    } * task;
    uint32_t count, room;
    uint32_t *slot; /* position in the list + 1; 0: free. Twice as many as room. */
    bool changing;  /* what leads from one to the next may be in two minds */
    enum rc rc;
};

/* Who holds the team's lock may be between any two stores: nodes whose links are not
 * written, lists that were freed and not yet forgotten. What cannot be followed then is
 * left out. */
static enum rc settle(const struct found *found, enum rc rc)
{
    return found->changing && (rc == RC_NONSENSE || rc == RC_READ_ERROR) ? RC_OK : rc;
}

/* Addresses may have been chosen to fall into one place: looking for a free one takes
 * steps of the query. NULL: there are none left. */
static uint32_t *slot_of(const struct found *found, taddr task)
{
    enum { AT_ONCE = 16 };
    uint32_t mask = 2 * found->room - 1;
    uint32_t at = (uint32_t)(task * UINT64_C(0x9e3779b97f4a7c15) >> 40) & mask;
    for (uint32_t i = 1; found->slot[at] && found->task[found->slot[at] - 1].at != task;
         i++) {
        at = (at + 1) & mask;
        if (i % AT_ONCE == 0 && gomp_take_steps(found->space, 1) != RC_OK)
            return NULL;
    }
    return &found->slot[at];
}

static void release(struct found *found)
{
    if (found->task) {
        found->space->ops->release(found->task);
        found->space->ops->release(found->slot);
    }
}

static enum rc grow(struct found *found)
{
    struct found larger = *found;
    void *tasks, *slots;
    larger.room = found->room ? 2 * found->room : 64;
    if (larger.room > GOMP_TASKS_MAX)
        return RC_NONSENSE;
    const struct target_ops *ops = found->space->ops;
    enum rc rc = ops->alloc(larger.room * sizeof *larger.task, &tasks);
    if (rc != RC_OK)
        return rc;
    rc = ops->alloc(2 * larger.room * sizeof *larger.slot, &slots);
    if (rc != RC_OK) {
        ops->release(tasks);
        return rc;
    }
    larger.task = tasks;
    larger.slot = slots;
    memset(slots, 0, 2 * larger.room * sizeof *larger.slot);
    for (uint32_t i = 0; i < found->count; i++) {
        larger.task[i] = found->task[i];
        uint32_t *slot = slot_of(&larger, found->task[i].at);
        if (!slot) {
            ops->release(tasks);
            ops->release(slots);
            return RC_INCOMPLETE;
        }
        *slot = i + 1;
    }
    release(found);
    *found = larger;
    return RC_OK;
}

static enum rc add_begun(struct found *found, taddr task, taddr runner)
{
    if (found->count == found->room) {
        enum rc rc = grow(found);
        if (rc != RC_OK)
            return rc;
    }
    uint32_t *slot = slot_of(found, task);
    if (!slot)
        return RC_INCOMPLETE;
    if (*slot) {
        if (runner)
            found->task[*slot - 1].runner = runner;
        return RC_OK;
    }
    found->task[found->count++] = (struct found_task){task, runner};
    *slot = found->count;
    return RC_OK;
}

static enum rc add(struct found *found, taddr task)
{
    return add_begun(found, task, 0);
}

/* Which of a task's three nodes is in which kind of queue. */
enum queue_kind { IN_TEAM, IN_CHILDREN, IN_TASKGROUP };

/* A ring of nodes, given by any of them. One that is just being put first or taken from
 * there leads into the ring and is not come back to. */
static enum rc take_ring(const struct space *space, taddr first, enum queue_kind kind,
                         struct found *found)
{
    uint32_t offset = gomp_offset(space, GOMP_gomp_task_pnode) +
                      kind * gomp_state(space)->layout->size[GOMP_STRUCT_priority_node];
    struct gomp_guard guard = {0};
    taddr node = first, second = 0;
    while (node) {
        if (!gomp_advance(&guard, node) || node < offset)
            return settle(found, RC_NONSENSE);
        enum rc rc = add(found, node - offset);
        if (rc == RC_OK)
            rc = gomp_pointer(space, node + gomp_offset(space, GOMP_priority_node_next),
                              &node);
        if (rc != RC_OK)
            return settle(found, rc);
        if (node == first || (node == second && found->changing))
            break;
        if (!second)
            second = node;
    }
    return RC_OK;
}

/* Tasks of several priorities: a tree with a ring for each. Trees of priorities are
 * small; a splay tree may still be one long branch. */
static enum rc take_tree(const struct space *space, taddr root, enum queue_kind kind,
                         struct found *found)
{
    struct found nodes = {.space = space};
    enum rc rc = add(&nodes, root);
    for (uint32_t i = 0; rc == RC_OK && i < nodes.count; i++) {
        struct gomp_bytes node;
        rc = gomp_fetch(space, GOMP_STRUCT_prio_splay_tree_node_s, nodes.task[i].at,
                        &node);
        if (rc != RC_OK)
            break;
        taddr left = gomp_field(space, node.bytes, GOMP_prio_splay_tree_node_s_left);
        taddr right = gomp_field(space, node.bytes, GOMP_prio_splay_tree_node_s_right);
        if (left)
            rc = add(&nodes, left);
        if (rc == RC_OK && right)
            rc = add(&nodes, right);
        if (rc == RC_OK)
            rc = take_ring(
                space, gomp_field(space, node.bytes, GOMP_prio_splay_tree_node_s_tasks),
                kind, found);
    }
    release(&nodes);
    return settle(found, rc);
}

static enum rc take_queue(const struct space *space, const unsigned char *queue,
                          enum queue_kind kind, struct found *found)
{
    taddr root = gomp_field(space, queue, GOMP_priority_queue_root);
    if (root)
        return take_tree(space, root, kind, found);
    return take_ring(space, gomp_field(space, queue, GOMP_priority_queue_tasks), kind,
                     found);
}

static enum rc take_queue_at(const struct space *space, taddr at, enum queue_kind kind,
                             struct found *found)
{
    struct gomp_bytes queue;
    enum rc rc = gomp_fetch(space, GOMP_STRUCT_priority_queue, at, &queue);
    return rc == RC_OK ? take_queue(space, queue.bytes, kind, found) : rc;
}

static enum rc take_taskgroups(const struct space *space, taddr group,
                               struct found *groups, struct found *found)
{
    struct gomp_guard guard = {0};
    while (group) {
        struct gomp_bytes object;
        uint32_t known = groups->count;
        if (!gomp_advance(&guard, group))
            return RC_NONSENSE;
        enum rc rc = add(groups, group);
        if (rc != RC_OK || groups->count == known) /* this one and those around it */
            return rc;
        rc = gomp_fetch(space, GOMP_STRUCT_gomp_taskgroup, group, &object);
        if (rc == RC_OK)
            rc = take_queue(space,
                            object.bytes + gomp_offset(space, GOMP_gomp_taskgroup_queue),
                            IN_TASKGROUP, found);
        if (rc != RC_OK)
            return settle(found, rc);
        group = gomp_field(space, object.bytes, GOMP_gomp_taskgroup_prev);
    }
    return RC_OK;
}

static bool take_depender(void *arg, uint32_t index, taddr address, const void *bytes)
{
    (void)index;
    (void)address;
    struct found *found = arg;
    taddr task = target_decode(found->space, bytes, found->space->sizes.sizeof_pointer);
    found->rc = task ? add(found, task) : RC_OK;
    return found->rc == RC_OK;
}

enum rc gomp_each_depender(const struct space *space, taddr at, element_visitor *visit,
                           void *arg)
{
    struct gomp_bytes vector;
    enum rc rc = gomp_fetch(space, GOMP_STRUCT_gomp_dependers_vec, at, &vector);
    if (rc != RC_OK)
        return rc;
    uint64_t count = gomp_field(space, vector.bytes, GOMP_gomp_dependers_vec_n_elem);
    if (count > GOMP_TASKS_MAX)
        return RC_NONSENSE;
    rc = gomp_take_steps(space, GOMP_READ_STEPS + (size_t)count / 4);
    if (rc != RC_OK)
        return rc;
    return target_each(space, at + gomp_offset(space, GOMP_gomp_dependers_vec_elem),
                       space->sizes.sizeof_pointer, (uint32_t)count, visit, arg);
}

static enum rc take_dependers(const struct space *space, taddr at, struct found *found)
{
    if (!at)
        return RC_OK;
    enum rc rc = gomp_each_depender(space, at, take_depender, found);
    return rc == RC_OK ? found->rc : settle(found, rc);
}

/* What a task leads to. */
static enum rc take_from(const struct space *space, const struct gomp_task *task,
                         struct found *groups, struct found *found)
{
    enum rc rc = take_queue(
        space, task->bytes.bytes + gomp_offset(space, GOMP_gomp_task_children_queue),
        IN_CHILDREN, found);
    if (rc == RC_OK)
        rc = take_dependers(space, task->dependers, found);
    if (rc == RC_OK)
        rc = take_taskgroups(space, task->taskgroup, groups, found);
    return rc;
}

/* What a member has begun in this team, from within, perhaps by way of teams that are
 * nested in this one. */
static enum rc take_chain(const struct space *space, const struct gomp_team *team,
                          const struct gomp_thread *thread, struct found *found)
{
    taddr at = thread->task, team_at = thread->team;
    uint32_t team_id = thread->team_id;
    struct gomp_guard guard = {0};
    while (at) {
        struct gomp_task task;
        enum rc rc =
            gomp_advance(&guard, at) ? gomp_read_task(space, at, &task) : RC_NONSENSE;
        if (rc != RC_OK)
            return rc;
        if (task.kind == GOMP_KIND_IMPLICIT) {
            struct gomp_team inner;
            bool begun = false;
            if (!team_at || team_at == team->address || team_id || team_at % 16)
                return RC_OK;
            rc = gomp_read_team(space, team_at, &inner);
            if (rc == RC_OK && inner.sound && gomp_has_outer(&inner))
                rc = gomp_has_begun(space, &inner, 0, &begun);
            if (rc != RC_OK || !begun)
                return rc;
            team_at = inner.prev_team;
            team_id = inner.prev_team_id;
        } else if (team_at == team->address) {
            rc = add_begun(found, at, thread->address);
            if (rc != RC_OK)
                return rc;
        }
        at = task.parent;
    }
    return RC_OK;
}

static enum rc gather(struct space *space, const struct gomp_team *team,
                      struct found *groups, struct found *found)
{
    enum rc rc = take_queue_at(
        space, team->address + gomp_offset(space, GOMP_gomp_team_task_queue), IN_TEAM,
        found);
    for (uint32_t i = 0; rc == RC_OK && i < team->nthreads; i++) {
        struct gomp_thread member;
        struct gomp_task implicit;
        bool begun;
        rc = gomp_member(space, team, i, &member);
        if (rc == RC_OK)
            rc = gomp_has_begun(space, team, i, &begun);
        if (rc == RC_OK && !begun)
            rc = RC_UNAVAILABLE;
        if (rc == RC_UNAVAILABLE) {
            rc = RC_OK;
            continue;
        }
        if (rc == RC_OK)
            rc = take_chain(space, team, &member, found);
        if (rc == RC_OK)
            rc = gomp_read_task(space, gomp_implicit_task(space, team, i), &implicit);
        if (rc == RC_OK)
            rc = take_from(space, &implicit, groups, found);
    }
    /* The list grows while it is walked. */
    for (uint32_t i = 0; rc == RC_OK && i < found->count; i++) {
        struct gomp_task task;
        rc = gomp_read_task(space, found->task[i].at, &task);
        if (rc == RC_OK && task.kind == GOMP_KIND_IMPLICIT)
            rc = RC_NONSENSE;
        if (rc == RC_OK)
            rc = take_from(space, &task, groups, found);
        rc = settle(found, rc);
    }
    return rc;
}

enum rc gomp_walk_explicit_tasks(struct space *space, struct ref region,
                                 ref_visitor *visit, void *arg)
{
    struct found found = {.space = space}, groups = {.space = space};
    struct gomp_team team;
    enum rc rc = gomp_read_team_ref(space, region, &team);
    found.changing = rc == RC_OK && team.locked;
    if (rc == RC_OK)
        rc = gather(space, &team, &groups, &found);
    for (uint32_t i = 0; rc == RC_OK && i < found.count; i++) {
        struct ref ref;
        rc = gomp_living_task_ref(space, &team, found.task[i].at, found.task[i].runner,
                                  &ref);
        if (rc == RC_OK && !visit(arg, ref))
            break;
        if (rc == RC_UNAVAILABLE)
            rc = RC_OK;
    }
    release(&found);
    release(&groups);
    return rc;
}
