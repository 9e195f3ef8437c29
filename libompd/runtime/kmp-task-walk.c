/* SPDX-License-Identifier: MIT
 *
 * All initial and explicit tasks of LLVM's runtime, which has no list of them:
 *
 *   - what a thread has begun follows from its current task
 *   - what could begin is in a deque of the team, one for each of its threads, all of which may be in
 *     teams within by now
 *   - what waits for another task is a successor of that task
 *   - of those, parents are suspended until their children have ended
 *   - one whose body has ended and whose event is not fulfilled is in no list. Deques are not
 *     cleared: where a task has more children than were found, their free places are searched for
 *     a task that says so itself
 */
#include <string.h>

#include "libompd/runtime/kmp.h"

struct found_task {
    taddr address;
    taddr runner;      /* thread that has begun it, 0: none is known */
    uint32_t children; /* that were found and have not ended */
};

struct walk {
    struct instance *instance;
    struct address_set tasks; /* of struct found_task */
    struct address_set teams, task_teams;
    taddr runner; /* of what kmp_walk_begun() visits */
    bool part;    /* tasks may be missing */
    enum rc rc;
};

static struct address_set set_of(struct instance *instance, size_t size)
{
    return (struct address_set){
        .ops = instance->space->ops,
        .query = &memory_of(instance)->query,
        .size = size,
        .max = KMP_TASKS_MAX,
    };
}

/* False: nothing more is to be added. */
static bool add(struct walk *walk, taddr task, taddr runner)
{
    struct found_task *found = task ? address_set_find(&walk->tasks, task) : NULL;
    if (task && !found) {
        void *element;
        walk->part |= walk->tasks.count == KMP_TASKS_MAX;
        if (walk->tasks.count == KMP_TASKS_MAX)
            return false;
        walk->rc = address_set_add(&walk->tasks, task, &element);
        found = walk->rc == RC_OK ? element : NULL;
    }
    if (found && runner)
        found->runner = runner;
    return walk->rc == RC_OK;
}

static bool add_begun(void *arg, taddr task)
{
    struct walk *walk = arg;
    return add(walk, task, walk->runner);
}

static bool add_other(void *arg, taddr task)
{
    return add(arg, task, 0);
}

/* Where damage is found the rest is not: what was found is right. */
static enum rc tolerate(struct walk *walk, enum rc rc)
{
    walk->part |= rc_is_damage(rc);
    return rc_is_damage(rc) ? RC_OK : rc;
}

/* A ring of pointers to tasks. */
struct deque {
    taddr first;
    uint64_t size, head, count;
};
typedef enum rc deque_visitor(struct walk *walk, const struct deque *deque);

static enum rc add_queued(struct walk *walk, const struct deque *deque)
{
    for (uint64_t i = 0; i < deque->count; i++) {
        taddr task, place = (deque->head + i) & (deque->size - 1);
        enum rc rc = memory_pointer(walk->instance, deque->first + 8 * place, &task);
        if (rc != RC_OK)
            return rc;
        if (!add(walk, task, 0))
            return walk->rc;
    }
    return RC_OK;
}

static enum rc add_detached(struct walk *walk, const struct deque *deque)
{
    for (uint64_t i = 0; i < deque->size; i++) {
        taddr task;
        enum rc rc = memory_pointer(walk->instance, deque->first + 8 * i, &task);
        if (rc != RC_OK)
            return rc;
        rc = kmp_is_detached(walk->instance, task);
        if (rc == RC_OK && !add(walk, task, 0))
            return walk->rc;
        if (rc != RC_OK && rc != RC_UNAVAILABLE)
            return rc;
    }
    return RC_OK;
}

static enum rc visit_deque(struct walk *walk, const unsigned char *data, deque_visitor *visit)
{
    struct instance *instance = walk->instance;
    struct deque deque = {
        .first = kmp_field(instance, data, KMP_kmp_thread_data_deque),
        .size = kmp_field(instance, data, KMP_kmp_thread_data_deque_size),
        .head = kmp_field(instance, data, KMP_kmp_thread_data_deque_head),
        .count = kmp_field(instance, data, KMP_kmp_thread_data_deque_count),
    };
    if (!deque.first)
        return RC_OK;
    if (deque.size > KMP_DEQUE_MAX || deque.size & (deque.size - 1) || deque.count > deque.size ||
        (deque.count && deque.head >= deque.size))
        return RC_NONSENSE;
    return visit(walk, &deque);
}

static enum rc each_deque(struct walk *walk, taddr task_team, deque_visitor *visit)
{
    struct instance *instance = walk->instance;
    struct kmp_bytes object;
    enum rc rc = kmp_fetch(instance, KMP_STRUCT_kmp_base_task_team, task_team, &object);
    if (rc != RC_OK)
        return rc;
    taddr data = kmp_field(instance, object.bytes, KMP_kmp_base_task_team_threads_data);
    uint64_t count = kmp_field(instance, object.bytes, KMP_kmp_base_task_team_nproc);
    if (!data || !kmp_field(instance, object.bytes, KMP_kmp_base_task_team_found_tasks))
        return RC_OK;
    if (count > KMP_TEAM_MAX)
        return RC_NONSENSE;
    for (uint64_t i = 0; rc == RC_OK && i < count; i++) {
        struct kmp_bytes own;
        rc = kmp_fetch(instance, KMP_STRUCT_kmp_thread_data,
                       data + i * kmp_size(instance, KMP_STRUCT_kmp_thread_data), &own);
        if (rc == RC_OK)
            rc = visit_deque(walk, own.bytes, visit);
    }
    return rc;
}

static enum rc add_task_team(struct walk *walk, taddr task_team)
{
    void *unused;
    uint32_t known = walk->task_teams.count;
    if (!task_team)
        return RC_OK;
    enum rc rc = address_set_add(&walk->task_teams, task_team, &unused);
    if (rc != RC_OK || walk->task_teams.count == known)
        return rc;
    return each_deque(walk, task_team, add_queued);
}

/* What is queued in a team and those around it. */
static enum rc add_teams(struct walk *walk, struct kmp_team team)
{
    void *unused;
    enum rc rc = RC_OK;
    for (unsigned level = 0; rc == RC_OK && level < KMP_LEVELS_MAX; level++) {
        uint32_t known = walk->teams.count;
        rc = address_set_add(&walk->teams, team.address, &unused);
        if (rc != RC_OK || walk->teams.count == known)
            return rc;
        for (unsigned i = 0; i < 2 && rc == RC_OK; i++)
            rc = tolerate(walk, add_task_team(walk, team.task_team[i]));
        if (rc != RC_OK || !team.parent)
            return rc;
        rc = kmp_read_team(walk->instance, team.parent, &team);
    }
    return rc;
}

static bool visit_thread(void *arg, const struct kmp_thread *thread)
{
    struct walk *walk = arg;
    struct kmp_team team;
    enum kmp_thread_kind kind;
    walk->rc = tolerate(walk, kmp_classify(walk->instance, thread, &kind, &team));
    if (walk->rc != RC_OK || !kmp_may_have_tasks(kind))
        return walk->rc == RC_OK;
    walk->runner = thread->address;
    enum rc rc = kmp_walk_begun(walk->instance, thread, add_begun, walk);
    if (walk->rc == RC_OK)
        walk->rc = tolerate(walk, rc);
    if (walk->rc == RC_OK && thread->task_team)
        walk->rc = tolerate(walk, add_task_team(walk, thread->task_team));
    if (walk->rc == RC_OK)
        walk->rc = tolerate(walk, add_teams(walk, team));
    return walk->rc == RC_OK;
}

enum rc kmp_each_successor(const struct instance *instance, const struct kmp_task *task,
                           kmp_begun_visitor *visit, void *arg)
{
    struct kmp_bytes object;
    uint32_t size = kmp_size(instance, KMP_STRUCT_kmp_taskdata);
    struct cycle cycle = {0};
    if (!task->depnode)
        return RC_OK;
    enum rc rc = kmp_fetch(instance, KMP_STRUCT_kmp_base_depnode, task->depnode, &object);
    if (rc != RC_OK)
        return rc;
    taddr next = kmp_field(instance, object.bytes, KMP_kmp_base_depnode_successors);
    while (next) {
        if (!cycle_advance(&cycle, next, KMP_TASKS_MAX))
            return cycle.count > KMP_TASKS_MAX ? RC_INCOMPLETE : RC_NONSENSE;
        rc = kmp_fetch(instance, KMP_STRUCT_kmp_depnode_list, next, &object);
        if (rc != RC_OK)
            return rc;
        taddr node = kmp_field(instance, object.bytes, KMP_kmp_depnode_list_node);
        next = kmp_field(instance, object.bytes, KMP_kmp_depnode_list_next);
        rc = kmp_fetch(instance, KMP_STRUCT_kmp_base_depnode, node, &object);
        if (rc != RC_OK)
            return rc;
        /* That of a taskwait with dependences has no task. */
        taddr own = kmp_field(instance, object.bytes, KMP_kmp_base_depnode_task);
        if (own && own < size)
            return RC_NONSENSE;
        if (own && !visit(arg, own - size))
            return RC_OK;
    }
    return RC_OK;
}

/* Of those from a place on. The set grows meanwhile. */
static enum rc add_following(struct walk *walk, uint32_t from)
{
    enum rc rc = RC_OK;
    for (uint32_t i = from; rc == RC_OK && i < walk->tasks.count; i++) {
        struct kmp_task task;
        taddr address = *(taddr *)address_set_at(&walk->tasks, i);
        rc = kmp_read_task(walk->instance, address, &task);
        if (rc == RC_OK && !add(walk, task.parent, 0))
            return walk->rc;
        if (rc == RC_OK)
            rc = kmp_each_successor(walk->instance, &task, add_other, walk);
        if (walk->rc != RC_OK)
            return walk->rc;
        rc = tolerate(walk, rc);
        if (rc == RC_INCOMPLETE) { /* of many that wait for one */
            walk->part = true;
            rc = query_take_steps(walk->tasks.query, 1);
        }
    }
    return rc;
}

/* Has a task more children than were found? All parents were. */
static enum rc has_other_children(struct walk *walk, bool *out)
{
    struct instance *instance = walk->instance;
    struct kmp_task task;
    void *element;
    *out = false;
    for (uint32_t i = 0; i < walk->tasks.count; i++) {
        taddr address = *(taddr *)address_set_at(&walk->tasks, i);
        enum rc rc = kmp_read_task(instance, address, &task);
        if (rc == RC_OK && task.parent && kmp_flag(instance, &task, KMP_FLAG_is_explicit) &&
            !kmp_flag(instance, &task, KMP_FLAG_complete)) {
            rc = address_set_add(&walk->tasks, task.parent, &element);
            if (rc == RC_OK)
                ((struct found_task *)element)->children++;
        }
        if (rc != RC_OK && !rc_is_damage(rc))
            return rc;
    }
    for (uint32_t i = 0; i < walk->tasks.count && !*out; i++) {
        const struct found_task *found = address_set_at(&walk->tasks, i);
        *out = kmp_read_task(instance, found->address, &task) == RC_OK &&
               task.children > found->children;
    }
    return RC_OK;
}

/* And what waits for them. */
static enum rc find_detached(struct walk *walk)
{
    uint32_t known = walk->tasks.count;
    bool has_more;
    enum rc rc = has_other_children(walk, &has_more);
    for (uint32_t i = 0; rc == RC_OK && has_more && i < walk->task_teams.count; i++) {
        taddr task_team = *(taddr *)address_set_at(&walk->task_teams, i);
        rc = tolerate(walk, each_deque(walk, task_team, add_detached));
    }
    return rc == RC_OK ? add_following(walk, known) : rc;
}

/* Not implicit ones, and not what has ended. */
static enum rc visit_all(struct walk *walk, task_visitor *visit, void *arg)
{
    struct instance *instance = walk->instance;
    for (uint32_t i = 0; i < walk->tasks.count; i++) {
        const struct found_task *found = address_set_at(&walk->tasks, i);
        struct kmp_task task;
        struct kmp_thread runner;
        struct task_facts facts;
        struct ref ref;
        taddr at = found->runner;
        enum rc rc = kmp_read_task(instance, found->address, &task);
        if (rc == RC_OK && task.taskwait_thread > 0 &&
            kmp_thread_of_gtid(instance, (uint32_t)task.taskwait_thread - 1, &at) != RC_OK)
            at = found->runner;
        if (rc == RC_OK && at && kmp_read_thread(instance, at, &runner) != RC_OK)
            at = 0;
        if (rc == RC_OK)
            rc = kmp_task_facts(instance, &task, at ? &runner : NULL, &facts);
        if (rc == RC_OK)
            rc = kmp_task_ref(instance, task.address, &ref);
        if (rc == RC_OK && facts.kind.value != TASK_KIND_IMPLICIT &&
            facts.progress.value != TASK_PROGRESS_COMPLETED && !visit(arg, ref, &facts))
            return RC_OK;
        rc = tolerate(walk, rc);
        if (rc != RC_OK)
            return rc;
    }
    return RC_OK;
}

enum rc kmp_each_task(struct instance *instance, task_visitor *visit, void *arg)
{
    struct walk walk = {
        .instance = instance,
        .tasks = set_of(instance, sizeof(struct found_task)),
        .teams = set_of(instance, sizeof(taddr)),
        .task_teams = set_of(instance, sizeof(taddr)),
    };
    enum rc rc = kmp_walk_known(instance, visit_thread, &walk, &walk.part);
    if (rc == RC_OK)
        rc = walk.rc;
    if (rc == RC_OK)
        rc = add_following(&walk, 0);
    if (rc == RC_OK)
        rc = find_detached(&walk);
    if (rc == RC_OK)
        rc = visit_all(&walk, visit, arg);
    address_set_free(&walk.tasks);
    address_set_free(&walk.teams);
    address_set_free(&walk.task_teams);
    return rc == RC_OK && walk.part ? RC_INCOMPLETE : rc;
}

struct depender_walk {
    struct instance *instance;
    depender_visitor *visit;
    void *arg;
    enum rc rc;
};

/* What both named is not kept with the nodes. */
static bool visit_depender(void *arg, taddr task)
{
    struct depender_walk *walk = arg;
    struct depender depender = {.predecessor_kind = DEPEND_UNKNOWN, .kind = DEPEND_UNKNOWN};
    walk->rc = kmp_task_ref(walk->instance, task, &depender.task);
    return walk->rc == RC_OK && walk->visit(walk->arg, &depender);
}

enum rc kmp_walk_dependers(struct instance *instance, struct ref ref, depender_visitor *visit,
                           void *arg)
{
    struct depender_walk walk = {instance, visit, arg, RC_OK};
    struct kmp_task task;
    enum rc rc = kmp_read_task_ref(instance, ref, &task);
    if (rc == RC_OK)
        rc = kmp_each_successor(instance, &task, visit_depender, &walk);
    return rc == RC_OK ? walk.rc : rc;
}
