/* SPDX-License-Identifier: MIT
 *
 * Two readers of one process: the hooks' records and libgomp's own structures are read at
 * the same random stop and must say the same of every thread that is in user code.
 * The library takes to libgomp when the host does not find the hooks for it.
 */
#define _GNU_SOURCE
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gomp-truth.h"
#include "elf-image.h"
#include "snapshot.h"
#include "spawn.h"
#include "tap.h"

enum { STOPS = 150, MAX_FAULTS = 20, LEVELS = 4, MEMBERS = 16 };

/* What both readers hold of a thread, in words that belong to neither. */
struct view {
    uint64_t lwp, pthread, state;
    int64_t num, level, active_level, implicit, final;
    uint32_t depth;
    struct {
        uint64_t size, master, member_count, members[MEMBERS];
    } region[LEVELS];
};

static unsigned long faults, compared, fields;
static int stop;

static void differ(const struct view *a, const char *what, int64_t hooks, int64_t gomp)
{
    fields++;
    if (hooks == gomp)
        return;
    printf("# stop %d: thread %" PRIu64 ": %s is %" PRId64 " with hooks, %" PRId64
           " without\n",
           stop, a->lwp, what, hooks, gomp);
    faults++;
}

static bool view_of(const struct snapshot *snap, uint32_t lwp, struct view *out)
{
    struct session *s = snap->session;
    const struct thread_facts *t = NULL;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < snap->thread_count; i++)
        if (snap->threads[i].handle && snap->threads[i].lwp.value == lwp)
            t = &snap->threads[i];
    if (!t || t->task == NO_INDEX || t->num.answer)
        return false;
    const struct task_facts *task = &snap->tasks[t->task];
    *out = (struct view){
        .lwp = lwp,
        .pthread = t->pthread.value,
        .state = t->state.value,
        .num = (int64_t)t->num.value,
        .level = (int64_t)task->level.value,
        .active_level = (int64_t)task->active_level.value,
        .implicit = (int64_t)task->implicit.value,
    };
    s->dialect->task_final(s, task->handle, &out->final);
    for (int at = t->region; at != NO_INDEX && out->depth < LEVELS; out->depth++) {
        const struct region_facts *r = &snap->regions[at];
        out->region[out->depth].size = r->size.value;
        out->region[out->depth].master = r->master.value;
        out->region[out->depth].member_count = r->member_count;
        for (size_t i = 0; i < r->member_count && i < MEMBERS; i++)
            out->region[out->depth].members[i] = r->members[i];
        at = r->parent;
    }
    return true;
}

static void compare(const struct view *a, const struct view *b)
{
    compared++;
    differ(a, "pthread", (int64_t)a->pthread, (int64_t)b->pthread);
    differ(a, "number", a->num, b->num);
    differ(a, "level", a->level, b->level);
    differ(a, "active level", a->active_level, b->active_level);
    differ(a, "implicit", a->implicit, b->implicit);
    differ(a, "final", a->final, b->final);
    differ(a, "state", (int64_t)a->state, (int64_t)b->state);
    differ(a, "depth of regions", a->depth, b->depth);
    for (uint32_t i = 0; i < a->depth && i < b->depth; i++) {
        differ(a, "team size", (int64_t)a->region[i].size, (int64_t)b->region[i].size);
        differ(a, "first thread", (int64_t)a->region[i].master,
               (int64_t)b->region[i].master);
        /* They list members that have not begun at different moments. */
        if (a->region[i].member_count != a->region[i].size ||
            b->region[i].member_count != b->region[i].size)
            continue;
        for (uint64_t k = 0; k < a->region[i].size && k < MEMBERS; k++)
            differ(a, "member", (int64_t)a->region[i].members[k],
                   (int64_t)b->region[i].members[k]);
    }
}

/* Reads every settled thread with one reader. */
static bool read_with(struct target *target, bool hooks, const struct gomp_truth *truths,
                      struct view *views, bool *known)
{
    struct why why = {""};
    enum answer answer;
    session_hidden_symbol = hooks ? NULL : "ompd_hooks_layout";
    struct session *session = session_open(target, 2, NULL, &answer, &why);
    struct snapshot *snapshot = session ? snapshot_take(session) : NULL;
    bool ok = snapshot && snapshot->threads_answer == ANSWER_OK;
    for (size_t i = 0; ok && i < GOMP_TRUTHS; i++)
        known[i] = truths[i].lwp && truths[i].stable == TRUTH_WORKS &&
                   view_of(snapshot, truths[i].lwp, &views[i]);
    snapshot_free(snapshot);
    session_close(session);
    if (!ok)
        printf("# the reader of %s: %s\n", hooks ? "the hooks" : "libgomp", why.text);
    return ok;
}

static bool compare_stop(struct target *target, uint64_t words)
{
    static struct gomp_truth truths[GOMP_TRUTHS];
    static struct view hooks[GOMP_TRUTHS], gomp[GOMP_TRUTHS];
    bool with_hooks[GOMP_TRUTHS], with_gomp[GOMP_TRUTHS];
    if (target_read(target, words, truths, sizeof truths) ||
        !read_with(target, true, truths, hooks, with_hooks) ||
        !read_with(target, false, truths, gomp, with_gomp))
        return false;
    for (size_t i = 0; i < GOMP_TRUTHS; i++) {
        /* A thread outside regions may be one that libgomp has not met. */
        if (with_hooks[i] != with_gomp[i] && hooks[i].depth)
            differ(&hooks[i], "known", with_hooks[i], with_gomp[i]);
        if (with_hooks[i] && with_gomp[i])
            compare(&hooks[i], &gomp[i]);
    }
    return true;
}

int main(void)
{
    const char *build = getenv("top_builddir"), *seed = getenv("OMPD_TRUTH_SEED");
    char path[4096];
    snprintf(path, sizeof path, "%s/testsuite/host/gomp-truth-target",
             build ? build : ".");
    char plain[] = "plain";
    char *program[] = {path, plain, NULL};
    unsigned start = seed ? (unsigned)atoi(seed) : (unsigned)time(NULL);
    srandom(start);
    printf("# OMPD_TRUTH_SEED=%u\n", start);
    struct spawned spawned = spawn_ready(program, 30);
    struct why why = {""};
    struct symbol words;
    struct target *target = spawned.pid ? live_open(spawned.pid, &why) : NULL;
    if (tap_ok(target && images_symbol(target, NULL, "gomp_truths", &words),
               "the program runs under hooks and is attached %s", why.text)) {
        for (stop = 0; stop < STOPS && faults < MAX_FAULTS; stop++) {
            if (!target_resume(target, &why))
                break;
            nanosleep(&(struct timespec){.tv_nsec = random() % 2000000}, NULL);
            if (!target_stop(target, &why) || !compare_stop(target, words.address))
                break;
        }
        tap_ok(stop == STOPS, "stopped %d times of %d %s", stop, STOPS, why.text);
        tap_ok(faults == 0 && compared > 0,
               "both readers say the same of %lu threads in %lu fields (%lu differ)",
               compared, fields, faults);
    }
    target_close(target);
    spawn_kill(&spawned);
    return tap_end();
}
