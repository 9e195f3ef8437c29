/* SPDX-License-Identifier: MIT
 *
 * Threads, parallel regions and implicit tasks, as OMPT reports them.
 *
 * The runtime releases the workers of a team before its primary thread begins its implicit
 * task, where the region is announced as with libgomp. It reports the
 * end of a worker's implicit task some time after the last barrier, maybe when the next
 * region begins: here the task ends when its thread enters that barrier (sync.c), and the
 * primary thread ends the region for all. It reports that end with the data word of a team that it
 * has freed, which of a nested region may be another's by then: what ends is the innermost region
 * that the thread itself has begun.
 */
#include "ompt-source/source.h"
#include "ompt-source/words.h"
#include "core/verbose.h"
#include "state/lock-records.h"

/* The region of a data word, NULL: it has no record. */
static struct region *region_of(const ompt_data_t *data)
{
    char *record = data ? word_record(data) : NULL;
    return record ? (struct region *)(record - offsetof(struct region, rec)) : NULL;
}

/* What a region without a record hides, on the thread that begins it and on its members: leagues,
 * whose teams the runtime executes on several threads, and regions for which there was no memory. */
static void enter_unrecorded(struct thread *t)
{
    if (t->unrecorded++)
        return;
    t->tracked_status = t->rec->status;
    t->untracked = true;
    changing_begin(t);
    t->rec->flags |= THREAD_UNTRACKED;
    set_status(t->rec, STATUS(0, STATE_WORK_PARALLEL));
    changing_end(t);
}

static void leave_unrecorded(struct thread *t)
{
    if (!t->unrecorded || --t->unrecorded)
        return;
    changing_begin(t);
    set_status(t->rec, t->tracked_status);
    t->rec->flags &= ~(uint32_t)THREAD_UNTRACKED;
    changing_end(t);
    t->untracked = false;
}

/* A thread that the program has created is registered with its initial task. */
void source_thread_begin(ompt_thread_t type, ompt_data_t *thread_data)
{
    (void)thread_data;
    verbose_write_held();
    if (!hooks_reporting)
        return;
    if (type == ompt_thread_worker)
        thread_worker(hooks_reporting);
    else if (type == ompt_thread_initial) {
        struct thread *t = thread_initial(hooks_reporting);
        if (t)
            t->expects_initial = true;
    }
}

/* The stack pointer of the program at its call of the runtime, whose frame is reported by its frame
 * pointer: behind that are the caller's and the return address, which tells that it is one. The
 * flags do not: the initial task, made before the tool is started, has none, and LLVM from 23 on
 * calls the pointer a canonical frame address. */
static uintptr_t user_frame(const ompt_frame_t *frame, const void *codeptr)
{
#ifdef __x86_64__
    enum { SAVED_WORDS = 2 };
    const uintptr_t *saved = frame ? frame->enter_frame.ptr : NULL;
    if (saved && saved[1] == (uintptr_t)codeptr)
        return (uintptr_t)(saved + SAVED_WORDS);
#endif
    (void)frame, (void)codeptr;
    return 0;
}

void source_parallel_begin(ompt_data_t *encountering, const ompt_frame_t *frame,
                           ompt_data_t *parallel_data, unsigned requested, int flags,
                           const void *codeptr)
{
    (void)encountering;
    struct thread *t = hooks_self;
    /* Where the program calls the body itself, the frame that is reported has returned. */
    bool is_called = (unsigned)flags & ompt_parallel_invoker_runtime;
    struct place place = {(uintptr_t)codeptr, is_called ? user_frame(frame, codeptr) : 0};
    struct region *r = NULL;
    if (t && current_task(t) && !((unsigned)flags & ompt_parallel_league))
        r = region_begin(t, hooks_reporting, REGION_PARALLEL, NULL, NULL, requested, requested,
                         place);
    word_set(parallel_data, r ? &r->rec : NULL);
    if (r)
        r->word = parallel_data->value;
    else if (t)
        enter_unrecorded(t);
    if ((unsigned)flags & ompt_parallel_league)
        event_ompd_bp_teams_begin();
}

static __thread ompt_data_t *ended_word;

ompt_data_t *source_ended_word(void)
{
    return ended_word;
}

void source_parallel_end(ompt_data_t *parallel_data, ompt_data_t *encountering, int flags,
                         const void *codeptr)
{
    (void)parallel_data, (void)encountering, (void)codeptr;
    struct thread *t = hooks_self;
    struct region *r = t ? t->region : NULL;
    ended_word = NULL;
    if (t && t->unrecorded) {
        leave_unrecorded(t);
    } else if (t && !t->untracked && r && r->rec.master_id == t->id) {
        ended_word = (ompt_data_t *)&r->word;
        region_end(t, r);
    }
    if ((unsigned)flags & ompt_parallel_league)
        event_ompd_bp_teams_end();
}

/* The first report of an initial task is that of the thread, others are of leagues. A thread
 * that another runtime has created has a record of what it does there. */
static void begin_initial(struct thread *t, ompt_data_t *task_data)
{
    if (!t->expects_initial) {
        enter_unrecorded(t);
        return;
    }
    t->expects_initial = false;
    word_set(task_data, t->initial);
    if (t->initial)
        t->initial->word = (uintptr_t)task_data;
}

/* The enclosing region of the same runtime, whose levels begin with the outermost of its own. */
static const struct rec_region *enclosing(const struct region *r)
{
    const struct region *outer = r->outer.region;
    return outer && outer->arg.real == r->arg.real ? &outer->rec : NULL;
}

/* The word of a worker's implicit task stays as it is: at the region's last barrier the runtime
 * copies it to where it has the word of a taskwait with dependences (tasks.c). Its record is that
 * of its number in the region's. */
static void begin_implicit(struct thread *t, struct region *r, ompt_data_t *parallel_data,
                           ompt_data_t *task_data, uint32_t actual, unsigned index)
{
    const struct rec_region *outer = enclosing(r);
    uint32_t level = outer ? outer->level + 1 : 1;
    uint32_t active_level = (outer ? outer->active_level : 0) + (actual > 1);
    struct rec_task *task = &r->arg.tasks[index];
    if (index == 0) {
        word_set(task_data, task);
        r->rec.word = (uintptr_t)parallel_data;
        region_announce_team(t, r, actual, level, active_level);
    } else {
        if (!region_await(r))
            region_describe_team(r, actual, level, active_level);
        if (event_wanted(~0u))
            event_report_thread(t);
    }
    task->word = (uintptr_t)task_data;
    implicit_begin(t, r, index, 0);
}

/* Of a team of one thread, which has no barrier at its end. */
static void end_implicit(struct thread *t, const ompt_data_t *task_data)
{
    const struct rec_task *task = current_task(t);
    if (task && task->kind == TASK_IMPLICIT && task->state == TASK_RUNNING &&
        word_record(task_data) == task && t->region)
        implicit_end(t, t->region, (struct place){t->region->rec.codeptr, 0});
}

void source_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
                          ompt_data_t *task_data, unsigned actual, unsigned index, int flags)
{
    struct thread *t = hooks_self;
    struct region *r = region_of(parallel_data);
    if (!t || !hooks_reporting)
        return;
    if (endpoint != ompt_scope_begin) {
        const void *record = word_record(task_data);
        if (t->unrecorded && !record)
            leave_unrecorded(t);
        else if (flags & ompt_task_implicit && !t->untracked)
            end_implicit(t, task_data);
        else if (flags & ompt_task_initial && t->initial && record == t->initial)
            t->initial->word = 0;
        return;
    }
    word_set(task_data, NULL);
    if (flags & ompt_task_initial)
        begin_initial(t, task_data);
    else if (!r || t->unrecorded || index >= r->arg.capacity)
        enter_unrecorded(t);
    else
        begin_implicit(t, r, parallel_data, task_data, actual, index);
}
