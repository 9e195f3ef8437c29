/* SPDX-License-Identifier: MIT
 *
 * Explicit tasks: from creation over scheduling to completion, and that none begins
 * before those that it depends on have completed.
 */
#include "checker.h"

#include <string.h>

void on_task_create(ompt_data_t *parent, const ompt_frame_t *frame, ompt_data_t *data,
                    int flags, int dependences, const void *codeptr)
{
    BEGIN();
    unsigned kind = (unsigned)flags & 0xff;
    struct task *creator = OF(TASK, task, parent);
    check_code("task_create", codeptr);
    if (kind == ompt_task_initial) { /* an initial task may be told this way as well */
        contradiction("task_flags", "task_create", "an initial task");
        return;
    }
    if (creator == me->current) {
        check_current("task_create", parent, NULL);
        check_frame("task_create", frame, false);
    } else {
        HOLDS(created_late, false, "by task %lu, told in %lu", id_of(creator),
              id_of(me->current));
        HOLDS(task_life, !creator || creator->life != COMPLETED, "task %lu is over",
              id_of(creator));
    }
    struct task *task = NEW(TASK, task, data);
    HOLDS(task_flags,
          kind == ompt_task_explicit || kind == ompt_task_target ||
              kind == ompt_task_taskwait,
          "%x", (unsigned)flags);
    task->flags = flags;
    task->depends = dependences;
    task->life = CREATED;
    task->parent = creator;
    task->region = creator ? creator->region : NULL;
}

static struct address *address_of(struct task *parent, uint64_t value)
{
    struct address *a = parent->addresses;
    while (a && a->value != value)
        a = a->next;
    if (a)
        return a;
    a = memory(sizeof(*a));
    a->value = value;
    a->next = parent->addresses;
    return parent->addresses = a;
}

static void add(struct set *set, struct task *task)
{
    struct task **grown = memory((set->count + 1) * sizeof(*grown));
    if (set->count)
        memcpy(grown, set->tasks, set->count * sizeof(*grown));
    grown[set->count] = task;
    set->tasks = grown;
    set->count++;
}

static void drop_completed(struct set *set)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < set->count; i++)
        if (set->tasks[i]->life != COMPLETED)
            set->tasks[kept++] = set->tasks[i];
    set->count = kept;
}

static void depend(struct task *task, uint64_t value, int kind)
{
    struct address *a = address_of(task->parent, value);
    drop_completed(&a->last);
    drop_completed(&a->before);
    bool joins = a->kind == kind && kind != ompt_dependence_type_inout &&
                 kind != ompt_dependence_type_out;
    if (!joins) {
        a->before = a->last;
        a->last = (struct set){0};
        a->kind = kind;
    }
    for (unsigned i = 0; i < a->before.count; i++)
        if (a->before.tasks[i] != task)
            add(&task->waits_for, a->before.tasks[i]);
    add(&a->last, task);
}

void on_dependences(ompt_data_t *data, const ompt_dependence_t *deps, int count)
{
    BEGIN();
    struct task *task = OF(TASK, task, data);
    if (!task)
        return;
    if (task->flags & ompt_task_implicit) /* doacross loops name the implicit task */
        return;
    HOLDS(dependences, count > 0 && deps, "there are %d", count);
    HOLDS(dependences, task->depends, "task %lu was created without", id_of(task));
    HOLDS(dependences, !task->named, "those of task %lu are told twice", id_of(task));
    HOLDS(dependences, task->life == CREATED, "task %lu has begun", id_of(task));
    HOLDS(dependences, task->parent == me->current, "not by who created task %lu",
          id_of(task));
    task->named = true;
    for (int i = 0; i < count && task->parent; i++) {
        HOLDS(kind,
              deps[i].dependence_type >= ompt_dependence_type_in &&
                  deps[i].dependence_type <= ompt_dependence_type_inoutset,
              "it is %d", (int)deps[i].dependence_type);
        depend(task, deps[i].variable.value, (int)deps[i].dependence_type);
    }
}

static void check_dependences(const char *event, const struct task *task)
{
    if (task->depends != task->named)
        contradiction("dependences", event, "those of task %lu were not told",
                      id_of(task));
    for (unsigned i = 0; i < task->waits_for.count; i++)
        if (task->waits_for.tasks[i]->life != COMPLETED)
            contradiction("depend_order", event, "task %lu begins before %lu is complete",
                          id_of(task), id_of(task->waits_for.tasks[i]));
}

/* The task that goes on. */
static void resume(struct task *next)
{
    static const char event[] = "task_schedule";
    bool explicit = !(next->flags & (ompt_task_initial | ompt_task_implicit));
    enum life life = next->life;
    if (life == CREATED && explicit) {
        check_dependences(event, next);
        next->outer = me->current;
    } else if (life != SUSPENDED) {
        contradiction("task_life", event, "task %lu goes on in life %d", id_of(next),
                      (int)life);
    } else if (next->thread != me && !(next->flags & ompt_task_untied)) {
        contradiction("tied", event, "task %lu goes on on another thread", id_of(next));
    }
    next->life = RUNNING;
    next->thread = me;
}

static void leave(struct task *prior, ompt_task_status_t status, struct task *next)
{
    static const char event[] = "task_schedule";
    bool over = status == ompt_task_complete || status == ompt_task_cancel ||
                status == ompt_task_detach;
    if (status == ompt_task_cancel && prior != me->current && prior->life == CREATED &&
        next == me->current) {
        prior->life = COMPLETED; /* discarded before it began */
        return;
    }
    if (prior != me->current)
        contradiction("current", event, "task %lu is left, and %lu runs", id_of(prior),
                      id_of(me->current));
    if (prior->life != RUNNING)
        contradiction("task_life", event, "task %lu is left in life %d", id_of(prior),
                      (int)prior->life);
    if (over && (prior->flags & (ompt_task_initial | ompt_task_implicit)))
        contradiction("task_status", event, "an implicit task cannot be in %d",
                      (int)status);
    if (over)
        scopes_none(event, prior);
    if (!next) {
        contradiction("task_status", event, "no task follows status %d", (int)status);
        return;
    }
    if (next == prior) {
        contradiction("task_status", event, "from task %lu to itself", id_of(next));
        return;
    }
    prior->life = !over                        ? SUSPENDED
                  : status != ompt_task_detach ? COMPLETED
                  : prior->fulfilled           ? COMPLETED
                                               : DETACHED;
    resume(next);
    me->current = next;
}

/* Only the status of `prior` changes; the thread may be any. */
static void change(struct task *prior, ompt_task_status_t status)
{
    static const char event[] = "task_schedule";
    enum life life = prior->life;
    switch ((int)status) {
    case ompt_task_early_fulfill:
        if (life == DETACHED || life == COMPLETED || prior->fulfilled)
            contradiction("detach", event, "early, in life %d of task %lu", (int)life,
                          id_of(prior));
        prior->fulfilled = true;
        break;
    case ompt_task_late_fulfill:
        if (life != DETACHED)
            contradiction("detach", event, "late, in life %d of task %lu", (int)life,
                          id_of(prior));
        prior->life = COMPLETED;
        break;
    default:
        if (life != CREATED || !(prior->flags & ompt_task_taskwait))
            contradiction("task_status", event, "task %lu is no taskwait", id_of(prior));
        check_dependences(event, prior);
        prior->life = COMPLETED;
    }
}

void on_task_schedule(ompt_data_t *first, ompt_task_status_t status, ompt_data_t *second)
{
    BEGIN();
    struct task *prior = OF(TASK, task, first);
    struct task *next = second ? OF(TASK, task, second) : NULL;
    if (!prior)
        return;
    switch ((int)status) {
    case ompt_task_complete:
    case ompt_task_yield:
    case ompt_task_cancel:
    case ompt_task_detach:
    case ompt_task_switch:
        leave(prior, status, next);
        break;
    case ompt_task_early_fulfill:
    case ompt_task_late_fulfill:
    case ompt_taskwait_complete:
        HOLDS(task_status, !next, "%d with a next task", (int)status);
        change(prior, status);
        break;
    default:
        contradiction("task_status", "task_schedule", "it is %d", (int)status);
    }
}

void on_cancel(ompt_data_t *data, int flags, const void *codeptr)
{
    BEGIN();
    struct task *task = OF(TASK, task, data);
    unsigned kind = (unsigned)flags & 0xf, how = (unsigned)flags & ~0xfu;
    HOLDS(cancel_flags,
          how == ompt_cancel_activated || how == ompt_cancel_detected ||
              how == ompt_cancel_discarded_task,
          "%x", (unsigned)flags);
    if (how == ompt_cancel_discarded_task) {
        HOLDS(task_life, !task || task->life == CREATED || task->life == RUNNING,
              "task %lu is discarded in life %d", id_of(task),
              task ? (int)task->life : 0);
        return;
    }
    HOLDS(cancel_flags, kind && !(kind & (kind - 1)), "%x", (unsigned)flags);
    HOLDS(current, !task || task == me->current, "task %lu cancels, and %lu runs",
          id_of(task), id_of(me->current));
    check_code("cancel", codeptr);
}
