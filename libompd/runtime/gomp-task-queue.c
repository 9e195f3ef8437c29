/* SPDX-License-Identifier: MIT
 *
 * The tasks in the queues, taskgroups and lists of dependers of a stock libgomp.
 */
#include "libompd/runtime/gomp-task-walk.h"

enum rc gomp_walk_tolerate(struct gomp_walk *walk, uint32_t team, enum rc rc)
{
    if (!rc_is_damage(rc))
        return rc;
    walk->part = walk->part || !team_of(walk, team)->locked;
    return RC_OK;
}

struct address_set gomp_set_of(struct instance *instance)
{
    return (struct address_set){
        .ops = instance->space->ops,
        .query = &memory_of(instance)->query,
        .size = sizeof(struct gomp_set_task),
        .max = GOMP_TASKS_MAX,
    };
}

enum rc gomp_set_add(struct address_set *set, taddr task, uint32_t team, struct gomp_set_task **out)
{
    uint32_t known = set->count;
    void *element;
    enum rc rc = address_set_add(set, task, &element);
    if (rc != RC_OK)
        return rc;
    *out = element;
    if (set->count != known)
        (*out)->team = team;
    return rc;
}

static enum rc add(struct gomp_walk *walk, taddr task, uint32_t team)
{
    struct gomp_set_task *unused;
    return gomp_set_add(&walk->tasks, task, team, &unused);
}

/* A circular list of nodes, given by any of them. While the first one is being linked or
 * unlinked, the list does not return to it. */
static enum rc add_list(struct gomp_walk *walk, taddr first, unsigned pnode, uint32_t team)
{
    struct instance *instance = walk->instance;
    uint32_t offset = gomp_offset(instance, GOMP_gomp_task_pnode) +
                      pnode * gomp_state(instance)->layout->size[GOMP_STRUCT_priority_node];
    struct cycle cycle = {0};
    taddr node = first, second = 0;
    while (node) {
        if (!cycle_advance(&cycle, node, GOMP_TASKS_MAX) || node < offset)
            return RC_NONSENSE;
        enum rc rc = add(walk, node - offset, team);
        if (rc == RC_OK)
            rc = memory_pointer(instance, node + gomp_offset(instance, GOMP_priority_node_next),
                                &node);
        if (rc != RC_OK)
            return rc;
        if (node == first || (node == second && team_of(walk, team)->locked))
            break;
        if (!second)
            second = node;
    }
    return RC_OK;
}

/* Tasks of several priorities: a splay tree, perhaps one long branch, of lists. */
static enum rc add_tree(struct gomp_walk *walk, taddr root, unsigned pnode, uint32_t team)
{
    struct instance *instance = walk->instance;
    struct address_set nodes = gomp_set_of(instance);
    struct gomp_set_task *unused;
    enum rc rc = gomp_set_add(&nodes, root, team, &unused);
    for (uint32_t i = 0; rc == RC_OK && i < nodes.count; i++) {
        struct gomp_bytes node;
        rc = gomp_fetch(instance, GOMP_STRUCT_prio_splay_tree_node_s,
                        *(taddr *)address_set_at(&nodes, i), &node);
        if (rc != RC_OK)
            break;
        taddr left = gomp_field(instance, node.bytes, GOMP_prio_splay_tree_node_s_left);
        taddr right = gomp_field(instance, node.bytes, GOMP_prio_splay_tree_node_s_right);
        if (left)
            rc = gomp_set_add(&nodes, left, team, &unused);
        if (rc == RC_OK && right)
            rc = gomp_set_add(&nodes, right, team, &unused);
        if (rc == RC_OK)
            rc = add_list(walk, gomp_field(instance, node.bytes, GOMP_prio_splay_tree_node_s_tasks),
                          pnode, team);
    }
    address_set_free(&nodes);
    return rc;
}

enum rc gomp_walk_queue(struct gomp_walk *walk, const unsigned char *queue, unsigned pnode,
                        uint32_t team)
{
    taddr root = gomp_field(walk->instance, queue, GOMP_priority_queue_root);
    taddr tasks = gomp_field(walk->instance, queue, GOMP_priority_queue_tasks);
    enum rc rc = root ? add_tree(walk, root, pnode, team) : add_list(walk, tasks, pnode, team);
    return gomp_walk_tolerate(walk, team, rc);
}

static enum rc add_taskgroups(struct gomp_walk *walk, taddr group, uint32_t team)
{
    struct instance *instance = walk->instance;
    while (group) {
        struct gomp_bytes object;
        struct gomp_set_task *unused;
        uint32_t known = walk->groups.count;
        enum rc rc = gomp_set_add(&walk->groups, group, team, &unused);
        if (rc != RC_OK || walk->groups.count == known) /* it and those around it */
            return rc;
        rc = gomp_fetch(instance, GOMP_STRUCT_gomp_taskgroup, group, &object);
        if (rc != RC_OK)
            return gomp_walk_tolerate(walk, team, rc);
        rc = gomp_walk_queue(walk, object.bytes + gomp_offset(instance, GOMP_gomp_taskgroup_queue),
                             GOMP_PNODE_TASKGROUP, team);
        if (rc != RC_OK)
            return rc;
        group = gomp_field(instance, object.bytes, GOMP_gomp_taskgroup_prev);
    }
    return RC_OK;
}

struct depender_walk {
    struct gomp_walk *walk;
    uint32_t team;
    enum rc rc;
};

static bool add_depender(void *arg, taddr task)
{
    struct depender_walk *at = arg;
    at->rc = task ? add(at->walk, task, at->team) : RC_OK;
    return at->rc == RC_OK;
}

/* What a task leads to. */
enum rc gomp_walk_from(struct gomp_walk *walk, const struct gomp_task *task, uint32_t team)
{
    struct instance *instance = walk->instance;
    enum rc rc = gomp_walk_queue(
        walk, task->bytes.bytes + gomp_offset(instance, GOMP_gomp_task_children_queue),
        GOMP_PNODE_CHILDREN, team);
    if (rc == RC_OK && task->dependers) {
        struct depender_walk at = {walk, team, RC_OK};
        rc = gomp_each_depender(instance, task->dependers, add_depender, &at);
        rc = rc == RC_OK ? at.rc : gomp_walk_tolerate(walk, team, rc);
    }
    return rc == RC_OK ? add_taskgroups(walk, task->taskgroup, team) : rc;
}
