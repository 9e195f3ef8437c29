/* SPDX-License-Identifier: MIT
 *
 * Explicit tasks from the construct to the end of the body, and the pool of task records.
 *
 * A task is often created by one thread and run by another, so records drift from pool to
 * pool: a thread that has too many hands a batch to the others.
 */
#include "records/dependences.h"
#include "state/detach.h"
#include "state/events.h"
#include "core/lock.h"
#include "records/memory.h"
#include "state/state.h"

#define BATCH 64

uint64_t last_task_id;

/* A free record keeps its id, which is 0; the rest is the pool's. */
union task {
    struct {
        struct rec_task rec;
        struct task_own own;
        struct rec_dependence dependences[DEPENDENCES_NEAR];
    };
    struct {
        uint64_t id;
        union task *next;
        union task *next_batch;
    } free;
} __attribute__((aligned(64)));

struct task_slab {
    struct rec_slab head;
    union task tasks[BATCH];
};

static union task *batches; /* full batches that anyone may take */

/* Every record there is, from the root on. The hooks' lock is held. */
static struct task_slab *add_slab(void)
{
    struct task_slab *slab = memory_piece(sizeof(*slab));
    if (!slab)
        return NULL;
    memory_publish(&slab->head, &ompd_hooks_root.task_slab, slab->tasks,
                   sizeof(slab->tasks[0]), BATCH);
    return slab;
}

static bool refill(struct thread *t)
{
    hooks_lock();
    union task *batch = batches;
    if (batch) {
        batches = batch->free.next_batch;
        hooks_unlock();
        t->free_tasks = batch;
        t->free_task_count = BATCH;
        return true;
    }
    struct task_slab *slab = add_slab();
    hooks_unlock();
    if (!slab)
        return false;
    for (unsigned i = 0; i < BATCH; i++)
        slab->tasks[i].free.next = i + 1 < BATCH ? &slab->tasks[i + 1] : NULL;
    t->free_tasks = slab->tasks;
    t->free_task_count = BATCH;
    return true;
}

struct rec_task *task_new(struct thread *t)
{
    if (unlikely(!t->free_tasks) && !refill(t))
        return NULL;
    union task *task = t->free_tasks;
    t->free_tasks = task->free.next;
    t->free_task_count--;
    task->rec = (struct rec_task){0};
    return &task->rec;
}

void task_publish(struct thread *t, struct rec_task *task)
{
    publish_order();
    task->id = ids_take(&t->task_ids, &last_task_id, 1);
}

/* Hands over the front half of a pool that holds two batches. */
static void NOINLINE give_batch(struct thread *t)
{
    union task *batch = t->free_tasks;
    union task *end = batch;
    for (unsigned i = 1; i < BATCH; i++)
        end = end->free.next;
    t->free_tasks = end->free.next;
    t->free_task_count -= BATCH;
    end->free.next = NULL;
    hooks_lock();
    batch->free.next_batch = batches;
    batches = batch;
    hooks_unlock();
}

static void put_back(struct thread *t, union task *task)
{
    task->rec.id = 0;
    publish_order();
    if (unlikely(task->rec.dependences_held))
        dependences_release(&task->rec);
    task->free.next = t->free_tasks;
    t->free_tasks = task;
    t->free_task_count++;
}

void task_release(struct thread *t, struct rec_task *rec)
{
    put_back(t, (union task *)rec);
    if (unlikely(t->free_task_count >= 2 * BATCH))
        give_batch(t);
}

void task_origin_here(struct task_origin *origin, const struct thread *t,
                      uintptr_t codeptr)
{
    const struct rec_thread *rec = t->rec;
    struct rec_task *parent = current_task(t);
    origin->codeptr = codeptr;
    origin->parent = rec->task;
    origin->parent_id = rec->task_id;
    origin->region = parent->region;
    origin->region_id = parent->region_id;
    origin->level = parent->level;
    origin->active_level = parent->active_level;
    origin->icvs = parent->icvs;
    origin->inherited_flags = parent->flags & TASK_FLAG_FINAL;
    origin->serial = ++parent->children;
}

struct rec_task *task_create(struct thread *t, body_fn fn, uint32_t flags,
                             uintptr_t codeptr, const struct task_origin *origin)
{
    struct rec_task *task = task_new(t);
    if (unlikely(!task))
        return NULL;
    task->kind = TASK_EXPLICIT;
    task->flags = flags;
    task->state = TASK_CREATED;
    task->function = (uintptr_t)fn;
    if (origin) {
        task->codeptr = origin->codeptr;
        task->parent = origin->parent;
        task->parent_id = origin->parent_id;
        task->region = origin->region;
        task->region_id = origin->region_id;
        task->level = origin->level;
        task->active_level = origin->active_level;
        task->icvs = origin->icvs;
        task->flags |= origin->inherited_flags;
        task->serial = origin->serial;
    } else {
        struct rec_task *parent = current_task(t);
        task->codeptr = codeptr;
        task->parent = (uintptr_t)parent;
        task->parent_id = parent->id;
        task->region = parent->region;
        task->region_id = parent->region_id;
        task->level = parent->level;
        task->active_level = parent->active_level;
        task->icvs = parent->icvs;
        task->flags |= parent->flags & TASK_FLAG_FINAL; /* what is inside is final too */
        task->serial = ++parent->children;
    }
    task_publish(t, task);
    return task;
}

void task_created(struct thread *t, struct rec_task *task, bool undeferred)
{
    if (!event_wanted(EVENT_BIT(task_create) | EVENT_BIT(task_dependences)))
        return;
    event_task_create(t, task, task->flags | (undeferred ? TASK_FLAG_UNDEFERRED : 0));
    if (task->dependence_count)
        event_task_dependences(t, task);
}

void task_depends(struct rec_task *task, void *const *depend)
{
    dependences_record(task, depend, ((union task *)task)->dependences);
}

struct task_own *task_own(struct rec_task *task)
{
    return &((union task *)task)->own;
}

void task_begin(struct thread *t, struct rec_task *task, uintptr_t exit_frame)
{
    struct rec_thread *rec = t->rec;
    struct task_own *own = task_own(task);
    outer_save(&own->outer, rec);
    own->outer_task = rec->task;
    own->outer_task_id = rec->task_id;

    if (task == t->creating)
        task->flags |= TASK_FLAG_UNDEFERRED;
    task->thread_num = rec->thread_num;
    task->thread = (uintptr_t)rec;
    task->thread_id = rec->id;
    task->exit_frame = exit_frame;
    task->scheduling_task = own->outer_task;
    task->scheduling_task_id = own->outer_task_id;
    publish_order();
    task->state = TASK_RUNNING;

    uint64_t region_id = STATUS_REGION(own->outer.status);
    changing_begin(t);
    /* The wait of the outer task is over before the task changes: its wait id may be that
     * task's id. */
    set_status(rec, STATUS(region_id, STATE_OVERHEAD));
    publish_order();
    rec->task = (uintptr_t)task;
    rec->task_id = task->id;
    rec->wait_id = 0;
    rec->codeptr = 0;
    rec->frame = 0;
    publish_order();
    set_status(rec,
               STATUS(region_id, region_id ? STATE_WORK_PARALLEL : STATE_WORK_SERIAL));
    changing_end(t);
    event_ompd_bp_task_begin();
    event_task_schedule(t, (struct rec_task *)own->outer_task, SCHEDULE_SWITCH, task);
}

void task_end(struct thread *t, struct rec_task *task)
{
    const struct task_own *own = task_own(task);
    struct rec_thread *rec = t->rec;
    task->state = TASK_COMPLETED;
    task->exit_frame = 0;
    event_ompd_bp_task_end();
    enum schedule status = SCHEDULE_COMPLETE;
    if (unlikely(task->event))
        status = detach_leaving(task);
    else if (unlikely(t->cancelled_task == task->id))
        status = SCHEDULE_CANCEL;
    event_task_schedule(t, task, status, (struct rec_task *)own->outer_task);

    changing_begin(t);
    rec->task = own->outer_task;
    rec->task_id = own->outer_task_id;
    outer_resume(&own->outer, rec);
    changing_end(t);
    event_task_resumed(t, task, status != SCHEDULE_DETACH,
                       (struct rec_task *)own->outer_task);
    if (likely(!task->event) || detach_body_over(t, task, status))
        task_release(t, task);
}

/* Rare, and the region is over: nobody else touches these records. New slabs come in
 * front, and none of them has any. */
void tasks_reclaim(struct thread *t, uint64_t region_id)
{
    for (struct task_slab *slab = (struct task_slab *)ompd_hooks_root.task_slab; slab;
         slab = (struct task_slab *)slab->head.next) {
        for (unsigned i = 0; i < BATCH; i++) {
            union task *task = &slab->tasks[i];
            if (task->rec.id && task->rec.region_id == region_id &&
                task->rec.state == TASK_CREATED) {
                event_task_discarded(t, &task->rec);
                detach_discard(&task->rec);
                put_back(t, task);
            }
        }
    }
    while (t->free_task_count >= 2 * BATCH)
        give_batch(t);
}

/* Their records are in nobody's pool any more: few, and not worth to be searched for. */
void tasks_forget_others(uint64_t thread_id)
{
    for (struct task_slab *slab = (struct task_slab *)ompd_hooks_root.task_slab; slab;
         slab = (struct task_slab *)slab->head.next)
        for (unsigned i = 0; i < BATCH; i++) {
            struct rec_task *task = &slab->tasks[i].rec;
            if (task->id && task->thread_id != thread_id && task->state != TASK_CREATED &&
                task->state != TASK_DETACHED)
                task->id = 0;
        }
}
