/* SPDX-License-Identifier: MIT
 *
 * gomp-truth-extension.h.
 */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "extension.h"
#include "gomp-truth-extension.h"

/* As ompt_state_t has them. */
enum { SERIAL = 0x000, PARALLEL = 0x001, BARRIER = 0x010, TASKWAIT = 0x020, TASKGROUP = 0x021 };

struct look {
    struct session *s;
    struct extension x;
    const struct truth *truth;
    bool is_kmp;
    struct extension_tally *tally;
    truth_fault *fault;
};

#define KNOWS(thing, bit) ((thing)->known >> (bit)&1)

static const ompd_ext_thread_t *thread_of(const struct extension *x, uint64_t lwp)
{
    for (ompd_size_t i = 0; i < x->threads.count; i++)
        if (x->threads.items[i].lwp == lwp)
            return &x->threads.items[i];
    return NULL;
}

static const ompd_ext_region_t *region_of(const struct extension *x, uint64_t id)
{
    for (ompd_size_t i = 0; id && i < x->regions.count; i++)
        if (x->regions.items[i].region.id == id)
            return &x->regions.items[i];
    return NULL;
}

static void expect(const struct look *l, const char *what, uint64_t got, uint64_t expected)
{
    l->tally->fields++;
    if (got != expected)
        l->fault("extension: %s of thread %u is %" PRIu64 ", not %" PRIu64, what, l->truth->lwp,
                 got, expected);
}

/* From the innermost region outwards; each knows the number that its first thread has in
 * the next. */
static void check_ancestors(const struct look *l, const ompd_ext_thread_t *t)
{
    uint64_t id = t->region.id, number = t->thread_num;
    for (uint32_t level = l->truth->level; level > 0; level--) {
        const ompd_ext_region_t *region = region_of(&l->x, id);
        if (!region) {
            l->fault("extension: thread %u has no region of level %u", l->truth->lwp, level);
            return;
        }
        expect(l, "level of a region", region->level, level);
        if (level < TRUTH_LEVELS) {
            expect(l, "team size", region->num_threads, l->truth->size[level]);
            expect(l, "number of an ancestor", number, l->truth->ancestor[level]);
        }
        number = region->master_num;
        id = region->enclosing.id;
    }
    expect(l, "region outside of all", id, 0);
}

static bool state_fits(const struct look *l, const ompd_ext_thread_t *t)
{
    const struct truth *truth = l->truth;
    uint32_t state = t->state;
    if (!KNOWS(t, OMPD_EXT_THREAD_STATE))
        return l->is_kmp &&
               (truth->stable == TRUTH_AT_TASKWAIT || truth->stable == TRUTH_AT_TASKGROUP);
    if (l->is_kmp && truth->stable == TRUTH_AT_BARRIER && state == BARRIER)
        return true;
    return state == (truth->level ? PARALLEL : SERIAL) ||
           (truth->stable == TRUTH_AT_TASKWAIT && state == TASKWAIT) ||
           (truth->stable == TRUTH_AT_TASKGROUP && state == TASKGROUP);
}

static const ompd_ext_task_t *task_of(const struct extension *x, uint64_t id)
{
    for (ompd_size_t i = 0; i < x->tasks.count; i++)
        if (x->tasks.items[i].task.id == id)
            return &x->tasks.items[i];
    return NULL;
}

/* What the list of tasks says of the one that the thread works in. */
static void check_task(const struct look *l, const ompd_ext_thread_t *t)
{
    if (l->truth->stable != TRUTH_WORKS)
        return;
    const ompd_ext_task_t *task = task_of(&l->x, t->task.id);
    bool is_explicit = task && task->kind == ompd_ext_task_explicit;
    expect(l, "explicit task", is_explicit, l->truth->explicit_task);
    if (!is_explicit)
        return;
    l->tally->in_explicit++;
    expect(l, "state of the task", task->state, ompd_ext_task_running);
    expect(l, "finality of the task", (task->flags & OMPD_EXT_TASK_FINAL) != 0, l->truth->final);
    expect(l, "thread of the task", task->thread.id, t->thread.id);
}

/* The host speaks of states with the numbers of the report. */
static uint64_t of_the_report(uint32_t state)
{
    static const struct {
        uint32_t ompt, report;
    } states[] = {{SERIAL, 0x00}, {PARALLEL, 0x01}, {TASKWAIT, 0x50}, {TASKGROUP, 0x51},
                  {0x100, 0x10},  {0x101, 0x20},    {0x102, 0x70},    {BARRIER, 0x40},
                  {0x013, 0x41},  {0x041, 0x60},    {0x042, 0x62}};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (states[i].ompt == state)
            return states[i].report;
    return UINT64_MAX;
}

/* The interface's own routines say the same. */
static void check_interface(const struct look *l, const ompd_ext_thread_t *t)
{
    const struct dialect *d = l->s->dialect;
    struct omp_thread *thread;
    uint64_t state = 0, wait;
    int64_t number = -1;
    if (d->thread_by_id(l->s, ID_LWP, t->lwp, &thread)) {
        l->fault("extension: thread %" PRIu64 " is not found by its id", t->lwp);
        return;
    }
    enum answer answer = d->thread_state(l->s, thread, &state, &wait);
    bool is_same = answer == ANSWER_OK && state == of_the_report(t->state);
    if (KNOWS(t, OMPD_EXT_THREAD_STATE) ? !is_same : answer == ANSWER_OK)
        l->fault("extension: state %#x of thread %" PRIu64 ", the interface says %#x", t->state,
                 t->lwp, (unsigned)state);
    if (KNOWS(t, OMPD_EXT_THREAD_THREAD_NUM) &&
        (d->thread_num(l->s, thread, &number) || number != t->thread_num))
        l->fault("extension: number %u of thread %" PRIu64 ", the interface says %d", t->thread_num,
                 t->lwp, (int)number);
    d->thread_release(l->s, thread);
}

static void check_word(const struct look *l)
{
    const ompd_ext_thread_t *t = thread_of(&l->x, l->truth->lwp);
    if (l->truth->stable == TRUTH_FOREIGN) {
        if (t)
            l->fault("extension: thread %u never met OpenMP", l->truth->lwp);
        return;
    }
    if (!t) {
        if (l->truth->level)
            l->fault("extension: thread %u is not listed", l->truth->lwp);
        return;
    }
    l->tally->settled++;
    if (l->truth->in_target && !l->truth->level && t->region.id) {
        expect(l, "number beside a target region", t->thread_num, l->truth->in_target - 1);
        return;
    }
    expect(l, "thread number", t->thread_num, l->truth->num);
    expect(l, "team size", t->team_size, l->truth->team);
    expect(l, "level", t->level, l->truth->level);
    if (!state_fits(l, t))
        l->fault("extension: thread %u is in state %#x", l->truth->lwp, t->state);
    check_ancestors(l, t);
    check_task(l, t);
}

static void check_barriers(const struct look *l)
{
    for (ompd_size_t i = 0; i < l->x.barriers.count; i++) {
        const ompd_ext_barrier_t *b = &l->x.barriers.items[i];
        l->tally->barriers++;
        if (!b->arrived || b->arrived > b->team_size || b->members > b->team_size)
            l->fault("extension: %u of %u (%u) at a barrier", b->arrived, b->team_size, b->members);
    }
}

static void check_dependences(const struct look *l)
{
    for (ompd_size_t i = 0; i < l->x.dependences.count; i++) {
        const ompd_ext_dependence_t *d = &l->x.dependences.items[i];
        const ompd_ext_task_t *before = task_of(&l->x, d->predecessor.id);
        const ompd_ext_task_t *after = task_of(&l->x, d->successor.id);
        l->tally->dependences++;
        if (!before || !after || after->state != ompd_ext_task_waiting ||
            (!d->address && !l->is_kmp))
            l->fault("extension: a task in state %u waits over %" PRIx64, after ? after->state : 0,
                     d->address);
    }
}

/* The lists of tasks may be caught while they change. */
static bool is_error(enum answer answer)
{
    return answer != ANSWER_OK && answer != ANSWER_INCOMPLETE;
}

void truth_check_extension(struct session *s, const struct truth *truths, bool is_kmp,
                           struct extension_tally *tally, truth_fault *fault)
{
    struct look l = {.s = s, .is_kmp = is_kmp, .tally = tally, .fault = fault};
    if (!extension_take(s, &l.x)) {
        fault("the library has no extension");
        return;
    }
    if (l.x.threads.answer || is_error(l.x.tasks.answer) || is_error(l.x.dependences.answer) ||
        l.x.barriers.answer || l.x.regions.answer)
        fault("extension: threads %s, tasks %s, dependences %s, barriers %s, regions %s",
              answer_name(l.x.threads.answer), answer_name(l.x.tasks.answer),
              answer_name(l.x.dependences.answer), answer_name(l.x.barriers.answer),
              answer_name(l.x.regions.answer));
    for (ompd_size_t i = 0; i < l.x.threads.count; i++)
        check_interface(&l, &l.x.threads.items[i]);
    for (size_t i = 0; i < TRUTHS; i++) {
        l.truth = &truths[i];
        if (truths[i].lwp && truths[i].stable)
            check_word(&l);
    }
    check_barriers(&l);
    check_dependences(&l);
    extension_free(&l.x);
}
