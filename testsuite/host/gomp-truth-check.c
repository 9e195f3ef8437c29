/* SPDX-License-Identifier: MIT
 *
 * gomp-truth-check.h.
 */
#include "config.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gomp-truth-check.h"
#include "print.h"

enum {
    SERIAL = 0x00,
    PARALLEL = 0x01,
    IDLE = 0x10,
    OVERHEAD = 0x20,
    BARRIER = 0x40,
    TASKWAIT = 0x50,
    TASKGROUP = 0x51,
    UNDEFINED = 0x70,
};

struct truth_tally truth_tally;
bool truth_is_kmp;
struct extension_tally truth_extension_tally;
static char where[128];

void truth_at(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(where, sizeof where, format, args);
    va_end(args);
}

static void fault(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void fault(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("# %s: ", where);
    vprintf(format, args);
    printf("\n");
    va_end(args);
    truth_tally.faults++;
}

/* One field held against the program's word. */
static void expect(uint32_t lwp, const char *what, struct fact got, int64_t expected)
{
    truth_tally.fields++;
    if (got.answer)
        fault("thread %u: %s: %s, not %" PRId64, lwp, what, answer_name(got.answer), expected);
    else if ((int64_t)got.value != expected)
        fault("thread %u: %s is %" PRId64 ", not %" PRId64, lwp, what, (int64_t)got.value,
              expected);
}

static struct fact known(int64_t value)
{
    return (struct fact){ANSWER_OK, (uint64_t)value};
}

/* ICVs of a task, by routines that the host's dialect does not know. */
static struct fact icv(struct session *s, const char *routine, struct omp_task *task)
{
    int (*ask)(const struct omp_task *, int64_t *);
    int64_t value = 0;
    *(void **)&ask = dlsym(s->dl, routine);
    if (!ask)
        return (struct fact){ANSWER_UNSUPPORTED, 0};
    return (struct fact){ask(task, &value) ? ANSWER_ERROR : ANSWER_OK, (uint64_t)value};
}

/* The number of a thread in a region, by the list of the region's members. */
static int64_t number_in(const struct region_facts *region, uint64_t lwp)
{
    for (size_t i = 0; i < region->member_count; i++)
        if (region->members[i] == lwp)
            return region->member_count == region->size.value ? (int64_t)i : -2;
    return -1;
}

static void check_ancestors(const struct snapshot *snap, const struct thread_facts *t,
                            const struct truth *truth)
{
    int at = t->region;
    uint64_t lwp = truth->lwp;
    for (uint32_t level = truth->level; level > 0; level--) {
        if (at == NO_INDEX) {
            fault("thread %u: no region of level %u", truth->lwp, level);
            return;
        }
        const struct region_facts *region = &snap->regions[at];
        if (level < TRUTH_LEVELS) {
            char what[32];
            int64_t number = number_in(region, lwp);
            snprintf(what, sizeof what, "team size at level %u", level);
            expect(truth->lwp, what, region->size, truth->size[level]);
            snprintf(what, sizeof what, "number at level %u", level);
            /* Teammates that have not begun leave numbers out. */
            if (number != -2)
                expect(truth->lwp, what, known(number), truth->ancestor[level]);
        }
        if (region->master.answer) {
            fault("region of thread %u has no first thread", truth->lwp);
            return;
        }
        lwp = region->master.value;
        at = region->parent;
    }
    if (at != NO_INDEX)
        fault("thread %u: a region around level 1", truth->lwp);
}

/* LLVM's runtime has one mark for a taskwait and the end of a taskgroup. */
static bool is_ambiguous(const struct thread_facts *t)
{
    return truth_is_kmp && t->state.answer == ANSWER_NEEDS_STATE_TRACKING;
}

static void check_state(const struct thread_facts *t, const struct truth *truth)
{
    if (is_ambiguous(t)) {
        if (truth->stable != TRUTH_AT_TASKWAIT && truth->stable != TRUTH_AT_TASKGROUP)
            fault("thread %u waits for tasks (settled %u)", truth->lwp, truth->stable);
        truth_tally.waits++;
        return;
    }
    uint64_t state = t->state.value, plain = truth->level ? PARALLEL : SERIAL;
    truth_tally.fields++;
    bool fits = state == plain || (truth->stable == TRUTH_AT_TASKWAIT && state == TASKWAIT) ||
                (truth->stable == TRUTH_AT_TASKGROUP && state == TASKGROUP) ||
                (truth->stable == TRUTH_AT_BARRIER && state == BARRIER && truth_is_kmp);
    truth_tally.waits += state == TASKWAIT || state == TASKGROUP;
    if (!fits)
        fault("thread %u is in state %s (settled %u, level %u)", truth->lwp, state_name(state),
              truth->stable, truth->level);
}

/* A thread at a scheduling point may be between a task's beginning and that task's own
 * word. */
static bool may_run_others(const struct truth *truth)
{
    return truth->stable == TRUTH_AT_TASKWAIT || truth->stable == TRUTH_AT_TASKGROUP ||
           truth->stable == TRUTH_AT_BARRIER;
}

static void check_word(const struct snapshot *snap, const struct truth *truth)
{
    struct session *s = snap->session;
    const struct thread_facts *t = snapshot_thread(snap, truth->lwp);
    if (truth->stable == TRUTH_FOREIGN) {
        truth_tally.foreign++;
        if (t)
            fault("thread %u never met OpenMP and is listed", truth->lwp);
        return;
    }
    if (truth->in_target)
        truth_tally.in_target++;
    if (!t) {
        if (truth->level > 0)
            fault("thread %u works at level %u and is not listed", truth->lwp, truth->level);
        return;
    }
    truth_tally.settled++;
    if (truth->in_target && !truth->level && t->region != NO_INDEX) {
        expect(truth->lwp, "number beside a target region", t->num, truth->in_target - 1);
        return;
    }
    if (t->task == NO_INDEX) {
        fault("thread %u works and has no task: %s", truth->lwp, answer_name(t->task_answer));
        return;
    }
    const struct task_facts *task = &snap->tasks[t->task];
    expect(truth->lwp, "thread number", t->num, truth->num);
    expect(truth->lwp, "team size",
           t->region == NO_INDEX ? known(1) : snap->regions[t->region].size, truth->team);
    expect(truth->lwp, "level", task->level, truth->level);
    expect(truth->lwp, "active level", task->active_level, truth->active_level);
    check_ancestors(snap, t, truth);
    check_state(t, truth);
    if (may_run_others(truth))
        return;
    truth_tally.in_explicit += truth->explicit_task;
    expect(truth->lwp, "is implicit", task->implicit, !truth->explicit_task);
    int64_t final = 0;
    enum answer answer = s->dialect->task_final(s, task->handle, &final);
    expect(truth->lwp, "nthreads-var", icv(s, "ompd_get_max_threads", task->handle),
           truth->max_threads);
    expect(truth->lwp, "dyn-var", icv(s, "ompd_get_dynamic", task->handle), truth->dynamic);
    expect(truth->lwp, "final", (struct fact){answer, (uint64_t) final}, truth->final);
}

/* In a target region, until it calls libgomp: which task has encountered that is only known to a
 * frame of libgomp's. */
static bool has_no_task(const struct truth *truths, const struct thread_facts *t)
{
    bool in_target = false;
    for (size_t i = 0; i < TRUTHS; i++)
        in_target |= truths[i].lwp == t->lwp.value && truths[i].in_target;
    return in_target && t->task_answer == ANSWER_UNAVAILABLE;
}

/* What holds whether or not the thread has given its word. */
static void check_thread(const struct snapshot *snap, const struct truth *truths,
                         const struct thread_facts *t)
{
    struct session *s = snap->session;
    struct omp_thread *same;
    int order = 1;
    const struct lwp *lwp = target_lwp(s->target, (pid_t)t->lwp.value);
    if (t->lwp.answer || !lwp)
        fault("thread %s is not among the threads of the process", t->text);
    else if (t->pthread.answer ||
             (lwp->pthread != t->pthread.value && (lwp->pthread || !target_is_foreign(s->target))))
        fault("thread %" PRIu64 ": pthread %" PRIx64 ", libthread_db says %" PRIx64, t->lwp.value,
              t->pthread.value, lwp->pthread);
    if (s->dialect->thread_by_id(s, ID_LWP, t->lwp.value, &same))
        fault("thread %" PRIu64 " is not found by its id", t->lwp.value);
    else {
        if (s->dialect->thread_compare(s, same, t->handle, &order) || order)
            fault("thread %" PRIu64 " by its id is another", t->lwp.value);
        s->dialect->thread_release(s, same);
    }
    if (is_ambiguous(t))
        return;
    if (t->state.answer) {
        fault("thread %" PRIu64 " has no state: %s", t->lwp.value, answer_name(t->state.answer));
        return;
    }
    uint64_t state = t->state.value;
    /* Records have who is released into a region of LLVM's runtime and has not entered it. */
    bool enters = truth_is_kmp && state == OVERHEAD && t->task != NO_INDEX;
    bool out_of_teams = !enters && (state == IDLE || state == OVERHEAD || state == UNDEFINED);
    truth_tally.idle += state == IDLE;
    truth_tally.passing += state == OVERHEAD || state == UNDEFINED;
    if (out_of_teams && (t->region_answer != ANSWER_UNAVAILABLE ||
                         t->task_answer != ANSWER_UNAVAILABLE || t->num.answer == ANSWER_OK))
        fault("thread %" PRIu64 " in state %s has a place", t->lwp.value, state_name(state));
    if (!out_of_teams && t->task == NO_INDEX && !has_no_task(truths, t))
        fault("thread %" PRIu64 " in state %s has no task: %s", t->lwp.value, state_name(state),
              answer_name(t->task_answer));
    if (state == SERIAL && t->region != NO_INDEX)
        fault("thread %" PRIu64 " is serial and in a region", t->lwp.value);
    if (t->region == NO_INDEX)
        return;
    const struct region_facts *region = &snap->regions[t->region];
    truth_tally.nested += region->parent != NO_INDEX;
    int64_t number = number_in(region, t->lwp.value);
    if (number == -1 || (number >= 0 && number != (int64_t)t->num.value))
        fault("thread %" PRIu64 " is number %" PRId64 " and stands at %" PRId64 " in its region",
              t->lwp.value, (int64_t)t->num.value, number);
}

static void check_rest(const struct snapshot *snap)
{
    for (size_t i = 0; i < snap->region_count; i++) {
        const struct region_facts *r = &snap->regions[i];
        if (r->size.answer || !r->size.value || r->members_answer || r->tasks_answer ||
            r->member_count > r->size.value || r->master.answer ||
            r->id.answer != ANSWER_NEEDS_STATE_TRACKING ||
            (r->function.answer != ANSWER_NEEDS_STATE_TRACKING &&
             (!truth_is_kmp || r->function.answer)))
            fault("region %zu: size %s, %zu members %s, tasks %s, first %s, id %s, "
                  "function %s",
                  i, answer_name(r->size.answer), r->member_count, answer_name(r->members_answer),
                  answer_name(r->tasks_answer), answer_name(r->master.answer),
                  answer_name(r->id.answer), answer_name(r->function.answer));
    }
    for (size_t i = 0; i < snap->task_count; i++) {
        const struct task_facts *t = &snap->tasks[i];
        uint64_t left = t->exit_frame.value, entered = t->enter_frame.value;
        truth_tally.tasks++;
        /* LLVM's runtime has them for a tool; a task is left by an older frame of its stack. */
        bool has_frames =
            truth_is_kmp && !t->exit_frame.answer && (!left || !entered || entered < left);
        /* Of a team that is serialised within itself. */
        bool has_levels = truth_is_kmp && !t->implicit.value &&
                          t->level.answer == ANSWER_NEEDS_STATE_TRACKING &&
                          t->region_answer == t->level.answer;
        if ((t->level.answer && !has_levels) || t->implicit.answer ||
            (t->parent_answer && t->parent_answer != ANSWER_UNAVAILABLE) ||
            (t->region_answer && t->region_answer != ANSWER_UNAVAILABLE && !has_levels) ||
            t->id.answer != ANSWER_NEEDS_STATE_TRACKING ||
            (t->exit_frame.answer != ANSWER_NEEDS_STATE_TRACKING && !has_frames))
            fault("task %s: level %s, implicit %s, parent %s, region %s, id %s, frames %s %jx %jx",
                  t->text, answer_name(t->level.answer), answer_name(t->implicit.answer),
                  answer_name(t->parent_answer), answer_name(t->region_answer),
                  answer_name(t->id.answer), answer_name(t->exit_frame.answer), (uintmax_t)left,
                  (uintmax_t)entered);
    }
}

static bool read_truths(struct target *target, uint64_t words, struct truth *truths)
{
    if (!target_read(target, words, truths, sizeof *truths * TRUTHS))
        return true;
    fault("the program's own table cannot be read");
    return false;
}

void truth_check(const struct snapshot *snap, uint64_t words)
{
    static struct truth truths[TRUTHS];
    if (snap->threads_answer)
        fault("the threads cannot be listed: %s", answer_name(snap->threads_answer));
    if (!read_truths(snap->session->target, words, truths))
        return;
    for (size_t i = 0; i < snap->thread_count; i++) {
        if (!snap->threads[i].handle)
            continue;
        truth_tally.threads++;
        check_thread(snap, truths, &snap->threads[i]);
    }
    check_rest(snap);
    for (size_t i = 0; i < TRUTHS; i++)
        if (truths[i].lwp && truths[i].stable)
            check_word(snap, &truths[i]);
}

void truth_check_5(struct session *session, uint64_t words)
{
    static struct truth truths[TRUTHS];
    if (read_truths(session->target, words, truths))
        truth_check_extension(session, truths, truth_is_kmp, &truth_extension_tally, fault);
}

struct session *truth_open_5(struct target *target, const char *library, struct why *why)
{
    char path[4096];
    enum answer answer;
    const char *slash = strrchr(library, '/');
    snprintf(path, sizeof path, "%.*s/libompd.so", (int)(slash - library), library);
    return session_open(target, 5, path, &answer, why);
}
