/* SPDX-License-Identifier: MIT
 *
 * Facts of the tasks of a stock libgomp.
 */
#include <string.h>

#include "libompd/runtime/gomp-task.h"

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
            struct gomp_task_stand stand;
            out->ref = gomp_serial_ref(&first, parent);
            rc = gomp_stand_task(space, out->ref, &stand);
        }
        if (rc == RC_STALE_HANDLE) /* its thread is on its way */
            rc = RC_UNAVAILABLE;
    }
    out->known = gomp_mark(rc);
    return RC_OK;
}

/* While a task waits for others libgomp does not correct its parent when that ends. One
 * that is still there is implicit, or a thread is inside of it. */
static enum rc parent_lives(struct space *space, const struct gomp_task_stand *stand,
                            bool *out)
{
    uint32_t index;
    struct gomp_task_stand parent = {.team = stand->team,
                                     .task.address = stand->task.parent};
    *out = stand->task.kind != GOMP_KIND_WAITING || !stand->task.num_dependees ||
           gomp_implicit_index(space, &stand->team, stand->task.parent, &index);
    if (*out)
        return RC_OK;
    enum rc rc = gomp_find_runner(space, &parent);
    *out = parent.has_thread;
    return rc;
}

static enum rc fill_region(struct space *space, const struct gomp_task_stand *stand,
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

static void fill_serial(const struct gomp_task_stand *stand, struct ref ref,
                        struct task_facts *facts)
{
    facts->level = facts->active_level = (struct fact){KNOWN, 0};
    bool initial = gomp_task_address(ref) == stand->thread.address ||
                   stand->task.kind == GOMP_KIND_IMPLICIT;
    if (!initial)
        facts->parent = (struct ref_fact){
            .known = KNOWN, .ref = gomp_serial_ref(&stand->thread, stand->task.parent)};
    else
        facts->function.known = NONE_HERE;
}

enum rc gomp_task(struct space *space, struct ref ref, struct task_facts *out)
{
    struct gomp_task_stand stand;
    enum rc rc = gomp_stand_task(space, ref, &stand);
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
    bool certain = true;
    if (stand.has_thread && stand.in_region && !implicit)
        rc = gomp_settle_runner(space, &stand, &certain);
    if (rc != RC_OK)
        return rc;
    if (stand.has_thread && !certain) {
        facts.thread.known = facts.thread_num.known = NEEDS_TRACKING;
    } else if (stand.has_thread) {
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
