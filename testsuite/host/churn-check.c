/* SPDX-License-Identifier: MIT
 *
 * Holds a snapshot against itself and against what the program says of its threads.
 */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "churn-check.h"
#include "print.h"
#include "random-stops.h"

enum {
    IDLE = 0x10,
    OVERHEAD = 0x20,
    FIRST_WAIT = 0x40,
    LAST_WAIT = 0x64,
    UNDEFINED = 0x70,
    CHAIN = 1000
};

struct check {
    const struct snapshot *snap;
    const struct churn_words *words;
    const char *where;
    struct churn_tally *tally;
    struct truth truths[TRUTHS];
};

static void fault(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void fault(struct check *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("# %s: ", c->where);
    vprintf(format, args);
    printf("\n");
    va_end(args);
    c->tally->faults++;
}

static bool is_wait(uint64_t state)
{
    return state >= FIRST_WAIT && state <= LAST_WAIT;
}

static bool is_member(const struct region_facts *r, uint64_t lwp)
{
    for (size_t i = 0; i < r->member_count; i++)
        if (r->members[i] == lwp)
            return true;
    return false;
}

/* A master that has opened a region and not yet begun its implicit task, or has ended it
 * and not yet left the region: its current task is the one that met the construct. */
static bool at_the_edge(const struct snapshot *snap, const struct thread_facts *t)
{
    return t->region != NO_INDEX && t->task != NO_INDEX && snap->tasks[t->task].region != t->region;
}

static void check_identity(struct check *c, const struct thread_facts *t, size_t index)
{
    if (t->lwp.answer || t->pthread.answer) {
        fault(c, "thread %s has no ids: %s, %s", t->text, answer_name(t->lwp.answer),
              answer_name(t->pthread.answer));
        return;
    }
    const struct lwp *lwp = target_lwp(c->snap->session->target, (pid_t)t->lwp.value);
    if (!lwp)
        fault(c, "thread %" PRIu64 " is not among the threads of the process", t->lwp.value);
    else if (lwp->pthread != t->pthread.value)
        fault(c, "thread %" PRIu64 ": pthread %" PRIx64 ", libthread_db says %" PRIx64,
              t->lwp.value, t->pthread.value, lwp->pthread);
    for (size_t i = 0; i < index; i++)
        if (c->snap->threads[i].lwp.value == t->lwp.value)
            fault(c, "thread %" PRIu64 " is listed twice", t->lwp.value);
}

/* OpenMP 5.x has one word for waits for locks of both kinds; the wait id tells which. */
static uint64_t state_of(const struct check *c, const struct thread_facts *t)
{
    return t->state.value == 0x60 && c->snap->session->dialect->abi == 5 &&
                   t->wait_id.value == c->words->nest_lock
               ? 0x61
               : t->state.value;
}

/* The library makes the ids of what has no record, with the highest bit. Such a thread has
 * not begun its first task, or has given up its record and is about to exit. */
static bool is_made(uint64_t id)
{
    return id >> 63;
}

static bool is_recorded(const struct thread_facts *t)
{
    const char *id = t->text ? strrchr(t->text, '_') : NULL; /* none in OpenMP 5.x */
    return id && !is_made(strtoull(id + 1, NULL, 10));
}

/* Joining a team of libgomp or leaving one. */
static bool is_in_transition(const struct thread_facts *t)
{
    return t->state.value == OVERHEAD && t->region_answer == ANSWER_UNAVAILABLE &&
           t->task_answer == ANSWER_UNAVAILABLE;
}

static void check_state(struct check *c, const struct thread_facts *t)
{
    uint64_t lwp = t->lwp.value;
    if (t->state.answer) {
        fault(c, "thread %" PRIu64 " has no state: %s", lwp, answer_name(t->state.answer));
        return;
    }
    uint64_t state = state_of(c, t), wait = t->wait_id.value;
    const char *name = state_name(state);
    if (!name) {
        fault(c, "thread %" PRIu64 " is in state %" PRIx64, lwp, state);
        return;
    }
    if (is_wait(state) != (wait != 0))
        fault(c, "thread %" PRIu64 ": %s with wait id %" PRIx64, lwp, name, wait);
    if (!is_wait(state))
        return;
    c->tally->waiting++;
    uint64_t expected = wait;
    if (state < 0x50 || state == 0x64)
        expected = t->region == NO_INDEX ? 0 : c->snap->regions[t->region].id.value;
    else if (state < 0x60)
        expected = t->task == NO_INDEX ? 0 : c->snap->tasks[t->task].id.value;
    else if (state == 0x60)
        expected = c->words->lock;
    else if (state == 0x61)
        expected = c->words->nest_lock;
    else if (state == 0x62)
        expected = c->words->critical;
    if (wait != expected)
        fault(c, "thread %" PRIu64 ": %s for %" PRIx64 ", not %" PRIx64, lwp, name, wait, expected);
}

static void check_place(struct check *c, const struct thread_facts *t)
{
    const struct snapshot *snap = c->snap;
    uint64_t lwp = t->lwp.value;
    bool is_over = is_recorded(t) && t->state.answer == ANSWER_OK && state_of(c, t) == UNDEFINED;
    if (is_over || (t->state.answer == ANSWER_OK && t->state.value == IDLE)) {
        c->tally->idle += !is_over;
        if (t->region_answer != ANSWER_UNAVAILABLE || t->task_answer != ANSWER_UNAVAILABLE)
            fault(c,
                  "thread %" PRIu64 " in state %" PRIx64
                  " answers %s for its region, %s for its task",
                  lwp, t->state.value, answer_name(t->region_answer), answer_name(t->task_answer));
        return;
    }
    if (t->task == NO_INDEX && (!is_recorded(t) || is_in_transition(t)))
        return;
    if (t->task == NO_INDEX) {
        fault(c, "thread %" PRIu64 " has no task: %s", lwp, answer_name(t->task_answer));
        return;
    }
    const struct task_facts *task = &snap->tasks[t->task];
    if (t->region == NO_INDEX) {
        if (t->region_answer != ANSWER_UNAVAILABLE)
            fault(c, "thread %" PRIu64 ": region %s", lwp, answer_name(t->region_answer));
        if (task->region != NO_INDEX)
            fault(c, "thread %" PRIu64 " is in no region, its task is in one", lwp);
        return;
    }
    const struct region_facts *region = &snap->regions[t->region];
    c->tally->nested += region->parent != NO_INDEX;
    if (at_the_edge(snap, t)) {
        c->tally->opening++;
        if (region->master.answer || region->master.value != lwp)
            fault(c,
                  "thread %" PRIu64 " is in region %" PRIu64 ", its task %" PRIu64
                  " is not, and it is not the master",
                  lwp, region->id.value, task->id.value);
        if (task->region != region->parent)
            fault(c, "thread %" PRIu64 ": its task is not in the region around %" PRIu64, lwp,
                  region->id.value);
        return;
    }
    if (!is_member(region, lwp))
        fault(c, "thread %" PRIu64 " is no member of its region %" PRIu64, lwp, region->id.value);
    if (region->size.answer)
        fault(c, "region %" PRIu64 " has members and no size: %s", region->id.value,
              answer_name(region->size.answer));
    if (t->num.answer == ANSWER_UNAVAILABLE)
        return; /* its record is being changed; a thread in user code is held to its word */
    if (t->num.answer || t->num.value >= region->size.value)
        fault(c, "thread %" PRIu64 " is number %" PRId64 " (%s) of %" PRId64, lwp,
              (int64_t)t->num.value, answer_name(t->num.answer), (int64_t)region->size.value);
    else if (t->num.value == 0 && region->master.value != lwp)
        fault(c, "thread %" PRIu64 " is number 0 and not the master", lwp);
}

static bool encloses(const struct snapshot *snap, int outer, int inner)
{
    for (int steps = 0; inner != NO_INDEX && steps < CHAIN; steps++) {
        if (inner == outer)
            return true;
        inner = snap->regions[inner].parent;
    }
    return false;
}

static void check_region(struct check *c, size_t index)
{
    const struct snapshot *snap = c->snap;
    const struct region_facts *r = &snap->regions[index];
    /* One that the records do not tell of yet has neither number nor function. */
    bool has_record = r->id.answer != ANSWER_NEEDS_STATE_TRACKING && !is_made(r->id.value);
    if ((has_record &&
         (r->id.answer || !r->id.value || r->function.answer || !r->function.value)) ||
        (has_record && r->parent_answer && r->parent_answer != ANSWER_UNAVAILABLE) ||
        r->members_answer || r->tasks_answer || (has_record && r->master.answer))
        fault(c,
              "region %" PRIu64 " answers: id %s, function %s, parent %s, members %s, "
              "tasks %s, master %s",
              r->id.value, answer_name(r->id.answer), answer_name(r->function.answer),
              answer_name(r->parent_answer), answer_name(r->members_answer),
              answer_name(r->tasks_answer), answer_name(r->master.answer));
    if (r->size.answer == ANSWER_OK && r->member_count > r->size.value)
        fault(c, "region %" PRIu64 " of %" PRIu64 " threads has %zu members", r->id.value,
              r->size.value, r->member_count);
    const struct thread_facts *master = snapshot_thread(snap, r->master.value);
    for (size_t i = 0; i < r->member_count; i++) {
        const struct thread_facts *m = snapshot_thread(snap, r->members[i]);
        if (!m && target_lwp(snap->session->target, (pid_t)r->members[i]))
            continue; /* it has not run anything of OpenMP yet */
        if (!m)
            fault(c, "member %" PRIu64 " of region %" PRIu64 " is no thread", r->members[i],
                  r->id.value);
        else if (m->region == NO_INDEX) {
            /* About to begin, or let go before the region itself ends, or ending itself. */
            if (is_recorded(m) && m->state.value != IDLE && m->state.value != OVERHEAD &&
                m->state.value != UNDEFINED)
                fault(c, "member %" PRIu64 " of region %" PRIu64 " is in no region", r->members[i],
                      r->id.value);
        } else if (!encloses(snap, (int)index, m->region)) {
            if (!master ||
                (!at_the_edge(snap, master) && encloses(snap, (int)index, master->region)))
                fault(c, "member %" PRIu64 " of region %" PRIu64 " is in region %" PRIu64,
                      r->members[i], r->id.value, snap->regions[m->region].id.value);
        }
    }
    for (size_t i = 0; i < r->task_count; i++) {
        const struct task_facts *t = &snap->tasks[r->tasks[i]];
        if (r->tasks[i] == NO_INDEX || t->region != (int)index || t->implicit.answer ||
            !t->implicit.value)
            fault(c, "implicit task %" PRIu64 " of region %" PRIu64 " is not of it", t->id.value,
                  r->id.value);
    }
}

static void check_task(struct check *c, size_t index)
{
    const struct task_facts *t = &c->snap->tasks[index];
    bool has_record = t->id.answer != ANSWER_NEEDS_STATE_TRACKING && !is_made(t->id.value);
    if ((has_record && (t->id.answer || !t->id.value ||
                        (t->function.answer && t->function.answer != ANSWER_UNAVAILABLE))) ||
        t->level.answer || t->active_level.answer || t->implicit.answer ||
        (has_record && t->parent_answer && t->parent_answer != ANSWER_UNAVAILABLE) ||
        (t->region_answer && t->region_answer != ANSWER_UNAVAILABLE))
        fault(c,
              "task %" PRIu64 " answers: id %s, level %s, implicit %s, parent %s, "
              "region %s, function %s",
              t->id.value, answer_name(t->id.answer), answer_name(t->level.answer),
              answer_name(t->implicit.answer), answer_name(t->parent_answer),
              answer_name(t->region_answer), answer_name(t->function.answer));
    if (t->parent == (int)index)
        fault(c, "task %" PRIu64 " is its own parent", t->id.value);
    if (t->level.value && t->region == NO_INDEX)
        fault(c, "task %" PRIu64 " has level %" PRIu64 " and no region", t->id.value,
              t->level.value);
}

static void check_word(struct check *c, const struct truth *truth)
{
    const struct snapshot *snap = c->snap;
    const struct thread_facts *t = snapshot_thread(snap, truth->lwp);
    if (!t) {
        /* A pthread that has met no construct yet may be unknown. */
        if (truth->level > 0)
            fault(c, "thread %u works at level %u and is not listed", truth->lwp, truth->level);
        return;
    }
    c->tally->settled++;
    if (t->task == NO_INDEX || t->state.answer) {
        fault(c, "thread %u works and has no task", truth->lwp);
        return;
    }
    const struct task_facts *task = &snap->tasks[t->task];
    uint64_t size = t->region == NO_INDEX ? 1 : snap->regions[t->region].size.value;
    c->tally->in_explicit += truth->explicit_task;
    /* A thread at a barrier may be between a task's beginning and that task's own word. */
    bool any_task = truth->stable == TRUTH_AT_BARRIER;
    bool num_fits = t->num.answer == ANSWER_OK ? t->num.value == truth->num
                                               : any_task && t->num.answer == ANSWER_UNAVAILABLE;
    if (!num_fits || size != truth->team || task->level.value != truth->level ||
        task->active_level.value != truth->active_level ||
        (!any_task && task->implicit.value == truth->explicit_task))
        fault(c,
              "thread %u says %u/%u level %u (%u) explicit %u, the library %" PRId64 "/%" PRIu64
              " level %" PRIu64 " (%" PRIu64 ") implicit %" PRIu64,
              truth->lwp, truth->num, truth->team, truth->level, truth->active_level,
              truth->explicit_task, (int64_t)t->num.value, size, task->level.value,
              task->active_level.value, task->implicit.value);
    if (at_the_edge(snap, t))
        fault(c, "thread %u is in user code, and its task outside its region", truth->lwp);

    static const uint64_t waits[] = {
        [TRUTH_AT_BARRIER] = 0x40,
        [TRUTH_AT_CRITICAL] = 0x62,
        [TRUTH_AT_LOCK] = 0x60,
        [TRUTH_AT_NEST_LOCK] = 0x61,
    };
    uint64_t work = truth->level ? 0x01 : 0x00, state = state_of(c, t);
    bool fits = state == work;
    if (truth->stable < sizeof waits / sizeof *waits && waits[truth->stable])
        fits = fits || state == OVERHEAD || state == waits[truth->stable] ||
               (truth->stable == TRUTH_AT_BARRIER && state >= 0x40 && state <= 0x42);
    if (!fits)
        fault(c, "thread %u is in state %s (settled: %u, level %u)", truth->lwp, state_name(state),
              truth->stable, truth->level);
    else if (is_wait(state) && truth->wait && t->wait_id.value != truth->wait)
        fault(c, "thread %u waits for %" PRIx64 ", not %" PRIx64, truth->lwp, t->wait_id.value,
              truth->wait);
}

void churn_check(const struct snapshot *snapshot, const struct churn_words *words,
                 const char *where, struct churn_tally *tally)
{
    struct check check = {.snap = snapshot, .words = words, .where = where, .tally = tally};
    struct check *c = &check;
    if (snapshot->threads_answer)
        fault(c, "the threads cannot be listed: %s", answer_name(snapshot->threads_answer));
    if (target_read(snapshot->session->target, words->truths, c->truths, sizeof c->truths)) {
        fault(c, "the program's own table cannot be read");
        return;
    }
    for (size_t i = 0; i < snapshot->thread_count; i++) {
        const struct thread_facts *t = &snapshot->threads[i];
        if (!t->handle)
            continue;
        tally->threads++;
        check_identity(c, t, i);
        check_state(c, t);
        check_place(c, t);
    }
    for (size_t i = 0; i < snapshot->region_count; i++)
        check_region(c, i);
    for (size_t i = 0; i < snapshot->task_count; i++)
        check_task(c, i);
    for (size_t i = 0; i < TRUTHS; i++)
        if (c->truths[i].lwp && c->truths[i].stable)
            check_word(c, &c->truths[i]);
}

bool churn_words_of(struct target *target, struct churn_words *words)
{
    return address_of(target, "churn_truths", &words->truths) &&
           address_of(target, "lock", &words->lock) &&
           address_of(target, "nest_lock", &words->nest_lock) &&
           address_of(target, ".gomp_critical_user_churn", &words->critical);
}
