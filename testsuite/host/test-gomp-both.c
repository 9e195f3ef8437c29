/* SPDX-License-Identifier: MIT
 *
 * One process read twice at the same random stop: with its records, and as if nobody had
 * prepared it, from libgomp's own structures alone. Of every thread that is in user code
 * both must say the same; and of no thread, wherever it is, may the records make less
 * known. The library takes to libgomp when the host does not find the hooks for it.
 */
#define _GNU_SOURCE
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "truth.h"
#include "elf-image.h"
#include "snapshot.h"
#include "random-stops.h"
#include "tap.h"

enum { STOPS = 1000, MAX_FAULTS = 20, LEVELS = 4, MEMBERS = 16 };

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
static struct held held;

static void differ(const struct view *a, const char *what, int64_t hooks, int64_t gomp)
{
    fields++;
    if (hooks == gomp)
        return;
    printf("# stop %d: thread %" PRIu64 ": %s is %" PRId64 " with hooks, %" PRId64 " without\n",
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
        differ(a, "first thread", (int64_t)a->region[i].master, (int64_t)b->region[i].master);
        /* They list members that have not begun at different moments. */
        if (a->region[i].member_count != a->region[i].size ||
            b->region[i].member_count != b->region[i].size)
            continue;
        for (uint64_t k = 0; k < a->region[i].size && k < MEMBERS; k++)
            differ(a, "member", (int64_t)a->region[i].members[k], (int64_t)b->region[i].members[k]);
    }
}

/* What is known of any thread, wherever it is stopped. */
struct anywhere {
    uint64_t lwp, num, size;
    bool has_num, has_region, has_size, has_task, has_state;
    bool ends; /* the end of its region is being told; libgomp has left it */
};
enum { THREADS_MAX = 256 };

static size_t look_anywhere(const struct snapshot *snap, struct anywhere *out)
{
    size_t count = 0;
    for (size_t i = 0; i < snap->thread_count && count < THREADS_MAX; i++) {
        const struct thread_facts *t = &snap->threads[i];
        if (!t->handle)
            continue;
        struct anywhere *a = &out[count++];
        *a = (struct anywhere){
            .lwp = t->lwp.value,
            .has_num = !t->num.answer,
            .num = t->num.value,
            .has_region = t->region != NO_INDEX,
            .has_task = !t->task_answer,
            .has_state = !t->state.answer && t->state.value != 0x70,
        };
        if (a->has_region) {
            a->ends = t->task != NO_INDEX && snap->tasks[t->task].region != t->region;
            a->has_size = !snap->regions[t->region].size.answer;
            a->size = snap->regions[t->region].size.value;
        }
    }
    return count;
}

static unsigned long looked_at;

static void never_less(const struct anywhere *bare, size_t bare_count,
                       const struct anywhere *recorded, size_t recorded_count)
{
    for (size_t i = 0; i < bare_count; i++) {
        const struct anywhere *b = &bare[i], *r = NULL;
        struct view who = {.lwp = b->lwp};
        for (size_t k = 0; k < recorded_count; k++)
            if (recorded[k].lwp == b->lwp)
                r = &recorded[k];
        looked_at++;
        if (!r) {
            differ(&who, "known at all", 0, 1);
            continue;
        }
        if (r->ends)
            continue;
        if (b->has_num)
            differ(&who, "number", r->has_num ? (int64_t)r->num : -1, (int64_t)b->num);
        if (b->has_region)
            differ(&who, "region known", r->has_region, 1);
        if (b->has_size)
            differ(&who, "team size", r->has_size ? (int64_t)r->size : -1, (int64_t)b->size);
        if (b->has_task)
            differ(&who, "task known", r->has_task, 1);
        if (b->has_state)
            differ(&who, "state known", r->has_state, 1);
    }
}

/* Reads every settled thread with one reader. */
static bool read_with(struct target *target, bool hooks, const struct truth *truths,
                      struct view *views, bool *known, struct anywhere *anywhere, size_t *count)
{
    struct why why = {""};
    enum answer answer;
    session_hidden_symbol = hooks ? NULL : "ompd_hooks_layout";
    struct session *session = session_open(target, 2, NULL, &answer, &why);
    struct snapshot *snapshot = session ? snapshot_take(session) : NULL;
    bool ok = snapshot && snapshot->threads_answer == ANSWER_OK;
    for (size_t i = 0; ok && i < TRUTHS; i++)
        known[i] = truths[i].lwp && truths[i].stable == TRUTH_WORKS &&
                   view_of(snapshot, truths[i].lwp, &views[i]);
    *count = ok ? look_anywhere(snapshot, anywhere) : 0;
    snapshot_free(snapshot);
    session_close(session);
    if (!ok)
        printf("# the reader of %s: %s\n", hooks ? "the hooks" : "libgomp", why.text);
    return ok;
}

static bool compare_stop(struct target *target, uint64_t words)
{
    static struct truth truths[TRUTHS];
    static struct view hooks[TRUTHS], gomp[TRUTHS];
    static struct anywhere recorded[THREADS_MAX], bare[THREADS_MAX];
    size_t recorded_count, bare_count;
    bool with_hooks[TRUTHS], with_gomp[TRUTHS];
    if (target_read(target, words, truths, sizeof truths) ||
        !read_with(target, true, truths, hooks, with_hooks, recorded, &recorded_count) ||
        !read_with(target, false, truths, gomp, with_gomp, bare, &bare_count))
        return false;
    never_less(bare, bare_count, recorded, recorded_count);
    for (size_t i = 0; i < TRUTHS; i++) {
        /* A thread outside regions may be one that libgomp has not met. */
        if (with_hooks[i] != with_gomp[i] && hooks[i].depth)
            differ(&hooks[i], "known", with_hooks[i], with_gomp[i]);
        if (with_hooks[i] && with_gomp[i])
            compare(&hooks[i], &gomp[i]);
    }
    return true;
}

static enum verdict look(void *words, int at)
{
    stop = at;
    if (!compare_stop(held.target, *(const uint64_t *)words))
        return BROKEN;
    return faults < MAX_FAULTS ? GO_ON : ENOUGH;
}

int main(void)
{
    int stops = number_from("OMPD_TRUTH_STOPS", STOPS);
    char path[PATH_BYTES], plain[] = "plain";
    char *program[] = {built_program("gomp-truth-target", path), plain, NULL};
    uint64_t words;
    seed_from("OMPD_TRUTH_SEED");
    if (held_begin(&held, program, true) &&
        tap_ok(address_of(held.target, "gomp_truths", &words), "the program defines gomp_truths")) {
        int made = random_stops(held.target, stops, 2000, &held.why, look, &words);
        tap_ok(made == stops, "stopped %d times of %d %s", made, stops, held.why.text);
        tap_ok(faults == 0 && compared > 0,
               "both readers say the same of %lu threads in %lu fields (%lu differ)", compared,
               fields, faults);
        printf("# %lu threads anywhere are not known less well with records\n", looked_at);
    }
    held_end(&held);
    return tap_end();
}
