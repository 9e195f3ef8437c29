/* SPDX-License-Identifier: MIT
 *
 * What a task has begun and not ended, and sync regions, waits, work and targets, which
 * are nothing but that.
 */
#include "checker.h"

static const char *const names[] = {"?",    "sync region", "wait",
                                    "work", "region",      "target"};

void scope_open(const char *event, int what, int kind, void *of)
{
    struct task *task = me->current;
    if (!task)
        return;
    if (task->depth < SCOPES)
        task->scopes[task->depth] = (struct scope){what, kind, of};
    task->depth++;
    if (what == WAIT && (task->depth < 2 || task->scopes[task->depth - 2].what != SYNC ||
                         task->scopes[task->depth - 2].kind != kind))
        contradiction("wait_in_sync", event, "a wait of kind %d begins outside of it",
                      kind);
}

void scope_close(const char *event, int what, int kind, void *of)
{
    struct task *task = me->current;
    if (!task)
        return;
    if (task->depth <= 0) {
        contradiction("scopes", event, "end of a %s %d that has not begun in task %lu",
                      names[what], kind, id_of(task));
        return;
    }
    if (--task->depth >= SCOPES)
        return;
    struct scope *open = &task->scopes[task->depth];
    if ((int)open->what != what || open->kind != kind || open->of != of)
        contradiction("scopes", event, "end of %s %d of %lu inside of %s %d of %lu",
                      names[what], kind, id_of(of), names[open->what], open->kind,
                      id_of(open->of));
}

void scopes_none(const char *event, struct task *task)
{
    if (task->depth)
        contradiction(
            "scopes", event, "task %lu ends inside of %d, a %s", id_of(task), task->depth,
            names[task->depth <= SCOPES ? task->scopes[task->depth - 1].what : 0]);
}

static void scope(const char *event, ompt_scope_endpoint_t at, int what, int kind,
                  void *of)
{
    if (at == ompt_scope_begin)
        scope_open(event, what, kind, of);
    else if (at == ompt_scope_end)
        scope_close(event, what, kind, of);
    else
        contradiction("endpoint", event, "it is %d", (int)at);
}

static bool last_barrier(ompt_sync_region_t kind)
{
    return kind == ompt_sync_region_barrier_implicit_parallel ||
           kind == ompt_sync_region_barrier_implicit;
}

static void synchronise(const char *event, int what, ompt_sync_region_t kind,
                        ompt_scope_endpoint_t at, ompt_data_t *parallel,
                        ompt_data_t *task, const void *codeptr)
{
    check_code(event, codeptr);
    /* The region may be over for a thread that leaves its last barrier. */
    check_current(event, task,
                  at == ompt_scope_end && last_barrier(kind) ? NULL : parallel);
    if (at != ompt_scope_end && !parallel)
        contradiction("data", event, "there is no region");
    if ((int)kind < ompt_sync_region_barrier || kind > ompt_sync_region_barrier_teams)
        contradiction("kind", event, "it is %d", (int)kind);
    scope(event, at, what, (int)kind, me->current);
}

void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t at,
                    ompt_data_t *parallel, ompt_data_t *task, const void *codeptr)
{
    BEGIN();
    synchronise("sync_region", SYNC, kind, at, parallel, task, codeptr);
}

void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t at,
                         ompt_data_t *parallel, ompt_data_t *task, const void *codeptr)
{
    BEGIN();
    synchronise("sync_region_wait", WAIT, kind, at, parallel, task, codeptr);
}

void on_work(ompt_work_t kind, ompt_scope_endpoint_t at, ompt_data_t *parallel,
             ompt_data_t *task, uint64_t count, const void *codeptr)
{
    BEGIN();
    (void)count;
    check_code("work", codeptr);
    check_current("work", task, parallel);
    HOLDS(kind, kind >= ompt_work_loop && kind <= ompt_work_loop_other, "it is %d",
          (int)kind);
    scope("work", at, WORK, (int)kind, me->current);
}

void on_target(ompt_target_t kind, ompt_scope_endpoint_t at, int device,
               ompt_data_t *task, ompt_id_t id, const void *codeptr)
{
    BEGIN();
    (void)device;
    check_code("target", codeptr);
    struct task *current = me->current;
    ompt_data_t own = {.ptr = current};
    /* Within a target task it is the one that has created that. */
    if (kind >= ompt_target_nowait && current && current->flags & ompt_task_target) {
        struct task *named = object_of(TASK, task, "target");
        HOLDS(current, !named || named == current->parent, "the task is %lu, not that of %lu",
              id_of(named), id_of(current));
        task = &own;
    }
    check_current("target", task, NULL);
    HOLDS(data, id, "it has no id");
    scope("target", at, DEVICE, (int)kind, me->current);
}

void on_error(ompt_severity_t severity, const char *message, size_t length,
              const void *codeptr)
{
    BEGIN();
    (void)message;
    (void)length;
    HOLDS(kind, severity == ompt_warning || severity == ompt_fatal, "it is %d",
          (int)severity);
    check_code("error", codeptr);
}
