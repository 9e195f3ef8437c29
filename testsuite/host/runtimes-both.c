/* SPDX-License-Identifier: MIT
 *
 * Stops a process with several runtimes that records, at random instructions, and reads each
 * stop twice: with its records, and as if nobody had prepared it. No thread may be known less
 * well with records: whoever is in teams of runtimes is in one of these, and all members of a
 * team are in one region, of its runtime and size, also those that have not begun. Asked for
 * alone a thread is where it is among all, and the member of its region that has its number. All
 * threads cost what the runtimes and the records cost by themselves, and two reads for each
 * region that either has: while one begins or ends not both have it.
 *
 *   runtimes-both PID
 *
 * OMPD_TRUTH_STOPS is the number of stops, OMPD_TRUTH_SEED the seed.
 */
#define _GNU_SOURCE
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "abi5.h"
#include "elf-image.h"
#include "extension.h"
#include "random-stops.h"
#include "tap.h"
#include "target.h"

enum { STOPS = 150, MAX_FAULTS = 20, MOST = 64 };
/* Which runtimes: root, list; all threads: root, two slabs; torn references read again. */
enum { READS_OF_RECORDS = 5 + 8 };

/* A thread in a region of a runtime, or in none. */
struct row {
    uint64_t lwp, region, runtime;
    uint32_t num, size;
    bool has_region, has_runtime, has_task, has_state;
    bool ends; /* the end of its region is being told; the runtime has left it */
};

struct view {
    struct row rows[MOST];
    size_t count;
    uint64_t reads, regions;
};

static int stop;
static unsigned long faults, compared, begun, several, reads[2];

static void fault(const struct row *row, const char *what, const struct row *other)
{
    faults++;
    printf("# stop %d, thread %" PRIu64 ": %s: %u of %u in region %#" PRIx64 " of runtime %" PRIu64
           " unprepared, %u of %u in region %#" PRIx64 " of runtime %" PRIu64 " recorded\n",
           stop, row->lwp, what, row->num, row->size, row->region, row->runtime,
           other ? other->num : 0, other ? other->size : 0, other ? other->region : 0,
           other ? other->runtime : 0);
}

static bool knows(uint64_t known, unsigned bit)
{
    return known >> bit & 1;
}

static const ompd_ext_region_t *region_of(const struct extension *x, uint64_t id)
{
    for (ompd_size_t i = 0; i < x->regions.count; i++)
        if (x->regions.items[i].region.id == id)
            return &x->regions.items[i];
    return NULL;
}

static bool ends(const struct extension *x, const ompd_ext_thread_t *thread)
{
    for (ompd_size_t i = 0; i < x->tasks.count; i++)
        if (x->tasks.items[i].task.id == thread->task.id)
            return x->tasks.items[i].region.id != thread->region.id;
    return false;
}

static struct row row_of(const struct extension *x, const ompd_ext_thread_t *thread)
{
    struct row row = {
        .lwp = thread->lwp,
        .num = thread->thread_num,
        .size = thread->team_size,
        .has_region = knows(thread->known, OMPD_EXT_THREAD_REGION),
        .has_task = knows(thread->known, OMPD_EXT_THREAD_TASK),
        .has_state = knows(thread->known, OMPD_EXT_THREAD_STATE),
    };
    const ompd_ext_region_t *region =
        row.has_region ? region_of(x, row.region = thread->region.id) : NULL;
    row.has_runtime = region && knows(region->known, OMPD_EXT_REGION_RUNTIME);
    row.runtime = row.has_runtime ? region->runtime : 0;
    row.ends = row.has_region && row.has_task && ends(x, thread);
    return row;
}

/* The kernel id of the member of the region that a thread is in, by its number; 0: not known. */
static uint64_t member_of(struct session *session, const ompd_ext_thread_t *thread,
                          const struct row *row)
{
    const struct routines *call = CALL(session);
    ompd_thread_handle_t *own = NULL, *member = NULL;
    ompd_parallel_handle_t *region = NULL;
    ompd_task_handle_t *task = NULL;
    struct abi *abi = session->state;
    ompd_word_t size = 0;
    uint64_t lwp = 0;
    bool ok = call->ext_get_thread_handle(abi->space, &thread->thread, &own) == ompd_rc_ok &&
              call->get_curr_parallel_handle(own, &region) == ompd_rc_ok &&
              !abi5_number(session, "team-size-var", region, ompd_scope_parallel, &size) &&
              size == row->size &&
              call->get_task_in_parallel(region, (int)row->num, &task) == ompd_rc_ok &&
              call->get_thread_in_parallel(region, (int)row->num, &member) == ompd_rc_ok;
    if (ok && call->get_thread_id(member, OMPD_THREAD_ID_LWP, sizeof lwp, &lwp) != ompd_rc_ok)
        lwp = 0;
    call->rel_thread_handle(own);
    call->rel_thread_handle(member);
    call->rel_parallel_handle(region);
    call->rel_task_handle(task);
    return lwp;
}

static void check_member(struct session *session, const ompd_ext_thread_t *thread,
                         const struct row *row)
{
    if (row->has_region && !row->ends && member_of(session, thread, row) != row->lwp)
        fault(row, "it is not that member of its region", row);
}

static bool look(struct target *target, const char *library, bool recorded, struct view *out)
{
    struct why why = {""};
    enum answer answer;
    struct extension x;
    session_hidden_symbol = recorded ? NULL : "ompd_hooks_layout";
    struct session *session = session_open(target, 5, library, &answer, &why);
    uint64_t before = session ? session->counts.reads : 0;
    ompd_ext_thread_t *threads = NULL;
    ompd_size_t count;
    bool ok = session && extension_threads(session, &threads, &count) == ANSWER_OK;
    out->reads = session ? session->counts.reads - before : 0;
    host_free(threads);
    ok = ok && extension_take(session, &x);
    if (ok) {
        out->count = 0;
        for (ompd_size_t i = 0; i < x.threads.count && out->count < MOST; i++)
            out->rows[out->count++] = row_of(&x, &x.threads.items[i]);
        for (size_t i = 0; recorded && i < out->count; i++)
            check_member(session, &x.threads.items[i], &out->rows[i]);
        out->regions = x.regions.count;
        ok = x.threads.answer == ANSWER_OK && x.regions.answer == ANSWER_OK;
        extension_free(&x);
    }
    session_close(session);
    return ok;
}

/* NULL: it is not there. */
static const struct row *row_at(const struct view *view, uint64_t lwp)
{
    for (size_t i = 0; i < view->count; i++)
        if (view->rows[i].lwp == lwp)
            return &view->rows[i];
    return NULL;
}

static bool is_place(const struct row *a, const struct row *b)
{
    return a->runtime == b->runtime && a->num == b->num && a->size == b->size;
}

/* In a team of how many runtimes, and is one of these where the records have it? */
static unsigned count_teams(const struct view *bare, const struct row *recorded, bool *fits)
{
    unsigned count = 0;
    *fits = false;
    for (size_t i = 0; i < bare->count; i++) {
        if (bare->rows[i].lwp != recorded->lwp || !bare->rows[i].has_region)
            continue;
        count++;
        *fits |= recorded->has_region && is_place(&bare->rows[i], recorded);
    }
    return count;
}

/* The worker of one runtime that is idle may have run an initial task of another one. */
static bool is_idle(const struct view *bare, uint64_t lwp)
{
    for (size_t i = 0; i < bare->count; i++)
        if (bare->rows[i].lwp == lwp && !bare->rows[i].has_task)
            return true;
    return false;
}

static void check_thread(const struct view *bare, const struct row *row,
                         const struct view *recorded)
{
    const struct row *other = row_at(recorded, row->lwp);
    bool fits;
    if (!other) {
        fault(row, "it is not there", NULL);
        return;
    }
    compared++;
    if (row->has_state && !other->has_state)
        fault(row, "its state is not known", other);
    if (row->has_task && !other->has_task && !is_idle(bare, row->lwp))
        fault(row, "its task is not known", other);
    if (!row->has_region || other->ends)
        return;
    unsigned teams = count_teams(bare, other, &fits);
    several += teams > 1;
    begun += other->region >> 63 == 0;
    if (!other->has_region || !other->has_runtime)
        fault(row, "its region, or whose that is, is not known", other);
    else if (!fits)
        fault(row, "it is another member", other);
}

/* Those who share a team and are in no other one share a region. */
static void check_teams(const struct view *bare, const struct view *recorded)
{
    for (size_t i = 0; i < bare->count; i++)
        for (size_t k = 0; k < i; k++) {
            const struct row *a = &bare->rows[i], *b = &bare->rows[k];
            const struct row *x = row_at(recorded, a->lwp), *y = row_at(recorded, b->lwp);
            if (a->has_region && b->has_region && a->region == b->region && x && y && !x->ends &&
                !y->ends && is_place(a, x) && is_place(b, y) && x->region != y->region)
                fault(a, "its team is in several regions", x);
        }
}

static bool compare_stop(struct target *target, const char *library)
{
    static struct view recorded, bare;
    if (!look(target, library, true, &recorded) || !look(target, library, false, &bare))
        return false;
    for (size_t i = 0; i < bare.count; i++)
        check_thread(&bare, &bare.rows[i], &recorded);
    check_teams(&bare, &recorded);
    if (recorded.reads > bare.reads + READS_OF_RECORDS + 2 * (bare.regions + recorded.regions)) {
        printf("# stop %d: %" PRIu64 " reads unprepared, %" PRIu64 " recorded, of %" PRIu64
               " regions\n",
               stop, bare.reads, recorded.reads, recorded.regions);
        faults++;
    }
    reads[0] += bare.reads;
    reads[1] += recorded.reads;
    return true;
}

struct both {
    struct target *target;
    const char *library;
};

static enum verdict look_at(void *arg, int at)
{
    const struct both *both = arg;
    stop = at;
    if (!compare_stop(both->target, both->library))
        return BROKEN;
    return faults < MAX_FAULTS ? GO_ON : ENOUGH;
}

int main(int argc, char **argv)
{
    char library[PATH_BYTES];
    struct why why = {""};
    if (argc != 2)
        return 2;
    int stops = number_from("OMPD_TRUTH_STOPS", STOPS), made = 0;
    seed_from("OMPD_TRUTH_SEED");
    struct both both = {live_open(atoi(argv[1]), &why), staged_library("libompd.so", library)};
    if (tap_ok(both.target != NULL, "the process is attached %s", why.text))
        made = random_stops(both.target, stops, 900, &why, look_at, &both);
    tap_ok(made == stops, "stopped %d times of %d %s", made, stops, why.text);
    tap_ok(faults == 0, "no thread is known less well with records (%lu faults)", faults);
    tap_ok(begun && several, "%lu threads compared, %lu in recorded regions, %lu in two teams",
           compared, begun, several);
    printf("# all threads: %lu reads unprepared, %lu recorded\n", reads[0], reads[1]);
    target_close(both.target);
    return tap_end();
}
