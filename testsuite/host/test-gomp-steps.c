/* SPDX-License-Identifier: MIT
 *
 * Steps threads of a program that nobody prepared through a stock libgomp, one
 * instruction at a time, and holds every answer against every other and the program's own
 * word after each, by both libraries and the extension.
 *
 * Random stops (test-gomp-truth.c) seldom fall between two stores of libgomp; here few of
 * its instructions are left out. Threads are caught as test-steps.c does it, by a jump to
 * itself: at the functions that the compiler calls, and at instructions at which a thread
 * was seen, so that what follows a wait is walked through as well.
 *
 * OMPD_STEP_SECONDS sets how long, OMPD_STEP_SEED which instructions.
 */
#define _GNU_SOURCE
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "elf-image.h"
#include "gomp-truth-check.h"
#include "print.h"
#include "registers.h"
#include "random-stops.h"
#include "tap.h"

enum {
    SECONDS = 8,
    MAX_FAULTS = 20,
    MAX_SEEN = 1 << 14, /* instructions; a power of 2 */
    CATCH_US = 3000,
    STEPS_INSIDE = 600,   /* checked instructions of one walk */
    STEPS_OUTSIDE = 6000, /* in a function that libgomp calls: enough to make a thread */
    ROUNDS_OF_A_LOOP = 2, /* how often an instruction is checked in one walk */
};

static const char *const entries[] = {
    "GOMP_parallel",
    "GOMP_barrier",
    "GOMP_task",
    "GOMP_taskwait",
    "GOMP_taskgroup_start",
    "GOMP_taskgroup_end",
    "GOMP_taskloop",
    "GOMP_single_start",
    "GOMP_loop_nonmonotonic_dynamic_start",
    "GOMP_loop_nonmonotonic_dynamic_next",
    "GOMP_loop_end",
    "GOMP_loop_end_nowait",
    "GOMP_target_ext",
};
enum { ENTRIES = sizeof entries / sizeof *entries };

struct walk {
    struct target *target;
    struct session *session, *session_5;
    struct image libgomp, program; /* as they were: only their ranges count */
    uint64_t words;
    struct why why;
    uint64_t seen[MAX_SEEN];                       /* addresses in libgomp, hashed */
    unsigned checked[MAX_SEEN], walk_of[MAX_SEEN]; /* in which walk, how often */
    unsigned seen_count, walks, caught[ENTRIES], blocked;
    unsigned long steps; /* that were checked */
    bool broken;         /* the host failed, not the program */
};

static bool is_in(const struct image *image, uint64_t address)
{
    return address >= image->start && address < image->end;
}

static unsigned slot_of(const struct walk *w, uint64_t address)
{
    unsigned slot = (unsigned)(address * UINT64_C(0x9e3779b97f4a7c15) >> 50);
    while (w->seen[slot] && w->seen[slot] != address)
        slot = (slot + 1) % MAX_SEEN;
    return slot;
}

static unsigned see(struct walk *w, uint64_t address)
{
    unsigned slot = slot_of(w, address);
    if (!w->seen[slot] && w->seen_count < MAX_SEEN / 2) {
        w->seen[slot] = address;
        w->seen_count++;
    }
    return slot;
}

static void see_all(struct walk *w)
{
    uint64_t counter;
    for (size_t i = 0; i < w->target->lwp_count; i++)
        if (lwp_program_counter(&w->target->lwps[i], &counter) && is_in(&w->libgomp, counter))
            see(w, counter);
}

/* Is there room for the jump? Nobody must come to its second byte, so the instructions of
 * one byte are out. */
static bool has_room(const unsigned char *bytes)
{
    unsigned char first = bytes[0];
    return !(first >= 0x50 && first <= 0x5f) && !(first >= 0x90 && first <= 0x99) &&
           first != 0xc3 && first != 0xc9 && first != 0xcc && first != 0xf4;
}

/* Lets the program run until a thread comes to the address. It stays stopped. */
static struct lwp *catch (struct walk *w, uint64_t at)
{
    unsigned char bytes[JUMP_BYTES];
    if (target_read(w->target, at, bytes, sizeof bytes) || !has_room(bytes))
        return NULL;
    struct lwp *lwp = catch_at(w->target, at, CATCH_US, &w->why, &w->broken);
    see_all(w);
    return lwp;
}

static void check(struct walk *w, uint64_t counter)
{
    struct symbol function;
    unsigned long before = truth_tally.faults;
    if (!images_symbol_at(w->target, counter, &function))
        function = (struct symbol){.name = "?", .address = w->libgomp.start};
    truth_at("walk %u, libgomp+%#" PRIx64 " (%s)", w->walks, counter - w->libgomp.start,
             function.name);
    struct snapshot *snapshot = snapshot_take(w->session);
    w->broken = snapshot == NULL;
    if (!snapshot)
        return;
    truth_check(snapshot, w->words);
    if (before == 0 && truth_tally.faults)
        print_json(stderr, snapshot, NULL, NULL);
    snapshot_free(snapshot);
    truth_check_5(w->session_5, w->words);
    w->steps++;
}

static void walk(struct walk *w, struct lwp *lwp)
{
    pid_t id = lwp->lwp;
    int outside = 0;
    w->walks++;
    for (int inside = 0; inside < STEPS_INSIDE && outside < STEPS_OUTSIDE;) {
        uint64_t counter;
        enum step_result result = target_step(w->target, lwp);
        w->blocked += result == STEP_BLOCKED;
        if (result != STEP_DONE || !lwp_program_counter(lwp, &counter) ||
            truth_tally.faults >= MAX_FAULTS || is_in(&w->program, counter))
            return;
        if (!is_in(&w->libgomp, counter)) {
            outside++;
            continue;
        }
        if (outside > 100) { /* threads may have come to be */
            w->broken = !target_stop(w->target, &w->why);
            lwp = target_lwp(w->target, id);
            if (w->broken || !lwp)
                return;
        }
        outside = 0;
        unsigned slot = see(w, counter);
        if (w->walk_of[slot] != w->walks)
            w->checked[slot] = 0;
        w->walk_of[slot] = w->walks;
        if (w->checked[slot]++ >= ROUNDS_OF_A_LOOP) {
            if (w->checked[slot] > 200 * ROUNDS_OF_A_LOOP) /* spins until others move */
                return;
            continue;
        }
        inside++;
        unsigned long faults = truth_tally.faults;
        check(w, counter);
        if (w->broken || truth_tally.faults > faults)
            return;
    }
}

static uint64_t any_seen(const struct walk *w)
{
    for (int tries = 0; w->seen_count && tries < 10 * MAX_SEEN; tries++) {
        unsigned slot = (unsigned)random() % MAX_SEEN;
        if (w->seen[slot])
            return w->seen[slot];
    }
    return 0;
}

static void walk_all(struct walk *w, time_t seconds)
{
    struct symbol entry[ENTRIES];
    bool has[ENTRIES];
    time_t end = time(NULL) + seconds;
    for (unsigned i = 0; i < ENTRIES; i++)
        has[i] = images_symbol(w->target, NULL, entries[i], &entry[i]) &&
                 is_in(&w->libgomp, entry[i].address);
    see_all(w);
    for (unsigned round = 0; time(NULL) < end && !w->broken; round++) {
        unsigned i = round / 3 % ENTRIES;
        /* What the program did not call in the first rounds, it never calls. */
        bool by_entry = round % 3 == 0 && has[i] && (w->caught[i] || round < 9 * ENTRIES);
        uint64_t at = by_entry ? entry[i].address : any_seen(w);
        struct lwp *lwp = at ? catch (w, at) : NULL;
        if (lwp && by_entry)
            w->caught[i]++;
        if (lwp)
            walk(w, lwp);
        if (truth_tally.faults >= MAX_FAULTS)
            return;
    }
}

static void steps(struct target *target, const char *library)
{
    static struct walk w;
    struct symbol words, parallel;
    enum answer answer;
    w.target = target;
    if (!tap_ok(images_symbol(target, NULL, "gomp_truths", &words) &&
                    images_symbol(target, NULL, "GOMP_parallel", &parallel),
                "the symbols of the program and of libgomp are found"))
        return;
    w.words = words.address;
    w.libgomp = *parallel.image;
    w.program = *words.image;
    w.session_5 = truth_open_5(target, library, &w.why);
    w.session = w.session_5 ? session_open(target, 2, library, &answer, &w.why) : NULL;
    if (!tap_ok(w.session != NULL, "the libraries take the process %s", w.why.text))
        return;
    walk_all(&w, number_from("OMPD_STEP_SECONDS", SECONDS));
    unsigned caught = 0;
    for (unsigned i = 0; i < ENTRIES; i++) {
        caught += w.caught[i] > 0;
        printf("# %s: %u\n", entries[i], w.caught[i]);
    }
    tap_ok(!w.broken, "every stop and step succeeded %s", w.why.text);
    tap_ok(truth_tally.faults == 0,
           "no answer contradicts another or the program at %lu instructions of %u walks "
           "(%lu do)",
           w.steps, w.walks, truth_tally.faults);
    tap_ok(caught >= 3 && w.steps >= 300 && truth_tally.settled,
           "threads were led through %u functions and %u instructions; %lu threads held "
           "against their word, %lu in passing",
           caught, w.seen_count, truth_tally.settled, truth_tally.passing);
    session_close(w.session);
    session_close(w.session_5);
}

int main(void)
{
#ifndef __x86_64__
    return tap_skip_all("the jump is one of x86-64");
#endif
    char path[PATH_BYTES], library[PATH_BYTES];
    char *program[] = {built_program("gomp-truth-target", path), NULL};
    struct held held;
    seed_from("OMPD_STEP_SEED");
    if (held_begin(&held, program, false))
        steps(held.target, staged_library("libompd-2.so", library));
    held_end(&held);
    return tap_end();
}
