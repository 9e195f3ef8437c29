/* SPDX-License-Identifier: MIT
 *
 * Facts of the tasks of a stock libgomp.
 */
#include <string.h>

#include "libompd/runtime/gomp-task.h"

enum rc gomp_encountering_ref(struct instance *instance, const struct gomp_team *team,
                              struct ref_fact *out)
{
    taddr parent;
    enum rc rc = memory_pointer(instance,
                                gomp_implicit_task(instance, team, 0) +
                                    gomp_offset(instance, GOMP_gomp_task_parent),
                                &parent);
    if (rc != RC_OK)
        return rc;
    struct gomp_nesting around = gomp_enclosing(team);
    *out = (struct ref_fact){.known = NONE_HERE};
    if (gomp_is_in_team(&around)) {
        struct gomp_team outer;
        rc = parent ? gomp_next_team(instance, &around, &outer) : RC_NONSENSE;
        if (rc == RC_OK)
            rc = gomp_task_ref(instance, &outer, parent, &out->ref);
        else if (rc == RC_STALE_HANDLE)
            rc = RC_NONSENSE;
    } else {
        struct gomp_thread primary;
        rc = gomp_member(instance, team, 0, &primary);
        if (rc == RC_OK) {
            struct gomp_located located;
            out->ref = gomp_serial_ref(instance, &primary, parent);
            rc = gomp_locate_task(instance, out->ref, &located);
        }
        if (rc == RC_STALE_HANDLE) /* its thread is in transition */
            rc = RC_UNAVAILABLE;
    }
    out->known = memory_mark(rc);
    return RC_OK;
}

/* libgomp does not clear the parent of a task that waits for others when the parent ends.
 * A living parent is an implicit task, or a thread has begun it. */
static enum rc is_parent_alive(struct instance *instance, const struct gomp_located *task,
                               bool *out)
{
    uint32_t index;
    struct gomp_located parent = {.team = task->team, .task.address = task->task.parent};
    *out = task->task.kind != GOMP_KIND_WAITING || !task->task.num_dependees ||
           gomp_implicit_index(instance, &task->team, task->task.parent, &index);
    if (*out)
        return RC_OK;
    enum rc rc = gomp_find_runner(instance, &parent);
    *out = parent.has_thread;
    return rc;
}

static enum rc fill_region(struct instance *instance, const struct gomp_located *located,
                           struct task_facts *facts)
{
    const struct gomp_team *team = &located->team;
    const struct gomp_task *task = &located->task;
    facts->level = (struct fact){KNOWN, team->prev_level + 1};
    facts->active_level = (struct fact){KNOWN, team->prev_active_level + (team->nthreads > 1)};
    facts->region.known = KNOWN;
    enum rc rc = gomp_team_ref(instance, team, &facts->region.ref);
    if (rc != RC_OK)
        return rc;
    if (located->is_implicit) {
        rc = gomp_encountering_ref(instance, team, &facts->parent);
        if (!located->number)
            facts->scheduling = facts->parent;
        return rc;
    }
    /* The parent of a task that outlived it is 0. */
    bool lives = false;
    if (task->parent)
        rc = is_parent_alive(instance, located, &lives);
    if (rc != RC_OK || !lives)
        return rc;
    rc = gomp_task_ref(instance, team, task->parent, &facts->parent.ref);
    facts->parent.known = memory_mark(rc);
    return RC_OK;
}

static void fill_serial(const struct instance *instance, const struct gomp_located *located,
                        struct task_facts *facts)
{
    facts->level = facts->active_level = (struct fact){KNOWN, 0};
    if (located->is_implicit)
        facts->function.known = NONE_HERE;
    else
        facts->parent = (struct ref_fact){
            .known = KNOWN,
            .ref = gomp_serial_ref(instance, &located->thread, located->task.parent)};
}

/* Of its innermost taskgroup, which also is in the way of the tasks it creates. */
static void fill_cancelled(const struct instance *instance, const struct gomp_task *task,
                           struct task_facts *facts)
{
    struct gomp_bytes group;
    facts->cancelled.known = NONE_HERE;
    if (!task->taskgroup)
        return;
    enum rc rc = gomp_fetch(instance, GOMP_STRUCT_gomp_taskgroup, task->taskgroup, &group);
    facts->cancelled.known = memory_mark(rc);
    if (rc != RC_OK)
        return;
    facts->cancelled.value = gomp_field(instance, group.bytes, GOMP_gomp_taskgroup_cancelled);
    if (facts->cancelled.value > 1)
        facts->cancelled.known = IMPOSSIBLE;
}

/* The event of an undeferred task is its struct, which leads to a semaphore beside it on the stack of
 * the function that executes it and then waits. */
static struct fact event_of(const struct instance *instance, const struct gomp_task *task)
{
    enum { BESIDE = 1024 };
    taddr semaphore = gomp_field(instance, task->bytes.bytes, GOMP_gomp_task_completion_sem);
    bool detachable =
        task->kind == GOMP_KIND_UNDEFERRED && semaphore - task->address + BESIDE < 2 * BESIDE;
    return detachable ? (struct fact){KNOWN, task->address}
                      : (struct fact){.known = NEEDS_TRACKING};
}

/* A target task has no function of its own, and data that lead back to it. One whose body has
 * returned is put into the queue again. */
static struct fact function_of(const struct instance *instance, const struct gomp_task *task,
                               struct task_facts *facts)
{
    struct fact found = {task->fn ? KNOWN : NONE_HERE, task->fn};
    taddr own;
    unsigned char state[sizeof(uint32_t)];
    if (task->fn || !task->fn_data ||
        memory_pointer(instance, task->fn_data + GOMP_TARGET_TASK_OWN, &own) != RC_OK ||
        own != task->address)
        return found;
    facts->is_of_device = task->kind == GOMP_KIND_WAITING || task->kind == GOMP_KIND_ASYNC_RUNNING;
    enum rc rc =
        memory_pointer(instance, task->fn_data + GOMP_TARGET_TASK_DEVICE, &facts->device.value);
    facts->device.known = rc == RC_OK && !facts->device.value ? NONE_HERE : memory_mark(rc);
    rc = memory_pointer(instance, task->fn_data + GOMP_TARGET_TASK_FUNCTION, &found.value);
    found.known = rc == RC_OK && !found.value ? NONE_HERE : memory_mark(rc);
    if (task->kind == GOMP_KIND_WAITING &&
        memory_read(instance, task->fn_data + GOMP_TARGET_TASK_STATE, sizeof state, state) ==
            RC_OK &&
        target_decode(instance->space, state, sizeof state) == GOMP_TARGET_TASK_FINISHED)
        facts->progress.value = TASK_PROGRESS_COMPLETED;
    return found;
}

enum rc gomp_task(struct instance *instance, struct ref ref, struct task_facts *out)
{
    static const enum task_progress progress[] = {
        [GOMP_KIND_IMPLICIT] = TASK_PROGRESS_RUNNING,
        [GOMP_KIND_UNDEFERRED] = TASK_PROGRESS_RUNNING,
        [GOMP_KIND_WAITING] = TASK_PROGRESS_READY,
        [GOMP_KIND_TIED] = TASK_PROGRESS_RUNNING,
        [GOMP_KIND_ASYNC_RUNNING] = TASK_PROGRESS_RUNNING,
        [GOMP_KIND_DETACHED] = TASK_PROGRESS_DETACHED,
    };
    struct gomp_located located;
    enum rc rc = gomp_locate_task(instance, ref, &located);
    if (rc == RC_OK)
        rc = gomp_locate_thread(instance, &located);
    if (rc != RC_OK)
        return rc;
    const struct gomp_task *task = &located.task;
    bool implicit = located.is_implicit;
    struct task_facts facts;
    memset(&facts, 0, sizeof facts);
    facts.kind = (struct fact){KNOWN, !implicit           ? TASK_KIND_EXPLICIT
                                      : located.in_region ? TASK_KIND_IMPLICIT
                                                          : TASK_KIND_INITIAL};
    facts.implicit = (struct fact){KNOWN, implicit};
    facts.is_explicit = (struct fact){KNOWN, !implicit};
    facts.progress = (struct fact){KNOWN, progress[task->kind]};
    if (task->kind == GOMP_KIND_WAITING && task->num_dependees)
        facts.progress.value = TASK_PROGRESS_WAITING;
    facts.undeferred = (struct fact){KNOWN, task->kind == GOMP_KIND_UNDEFERRED};
    facts.untied.known = facts.mergeable.known = facts.detachable.known = facts.taskloop.known =
        facts.codeptr.known = facts.serial.known = facts.dependences.known =
            facts.dependence_count.known = facts.dependences_held.known = facts.scheduling.known =
                NEEDS_TRACKING;
    facts.event = event_of(instance, task);
    if (implicit) /* a worker has executed nothing before */
        facts.scheduling.known = NONE_HERE;
    facts.final = (struct fact){KNOWN, task->final};
    facts.parent.known = facts.region.known = facts.thread.known = NONE_HERE;
    facts.thread_num.known = NONE_HERE;
    facts.function.known = facts.exit_frame.known = facts.enter_frame.known = NEEDS_TRACKING;
    /* An undeferred task has waited for others before it was initialised. */
    if (task->kind >= GOMP_KIND_WAITING) {
        facts.dependence_count = (struct fact){KNOWN, task->depend_count};
        facts.function = function_of(instance, task, &facts);
        facts.record = (struct fact){KNOWN, task->fn_data};
    }
    fill_cancelled(instance, task, &facts);
    if (located.has_thread && !located.is_certain) {
        facts.thread.known = facts.thread_num.known = NEEDS_TRACKING;
    } else if (located.has_thread) {
        facts.thread =
            (struct ref_fact){.known = KNOWN, .ref = gomp_thread_ref(instance, &located.thread)};
        facts.thread_num = (struct fact){KNOWN, located.number};
    }
    if (located.in_region)
        rc = fill_region(instance, &located, &facts);
    else
        fill_serial(instance, &located, &facts);
    if (rc == RC_OK)
        *out = facts;
    return rc;
}
