/* SPDX-License-Identifier: MIT
 *
 * Steps threads of a program that never rests through the functions of the hooks, one
 * instruction at a time, and holds every answer against every other after each.
 *
 * Random stops (test-churn.c) seldom fall between two stores of the hooks; here none of
 * their instructions is left out. To catch a thread at a function's entry without tracing
 * the program, the entry is overwritten with a jump to itself (random-stops.h).
 *
 * OMPD_STEP_ENTRIES sets how often each function is walked through, and how often at most one of
 * its instructions is checked: loops, and what all functions call, come by again and again.
 */
#define _GNU_SOURCE
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "churn-check.h"
#include "elf-image.h"
#include "print.h"
#include "registers.h"
#include "random-stops.h"
#include "tap.h"

enum {
    ENTRIES = 4,
    MAX_FUNCTIONS = 1024,
    MAX_FAULTS = 20,
    CATCH_US = 4000,
    STEPS_INSIDE = 400,  /* checked instructions of one walk */
    STEPS_OUTSIDE = 250, /* in a function that the hooks call, before the walk is given up:
                            enough for omp_get_*() and too few to make a thread */
};

struct functions {
    struct symbol list[MAX_FUNCTIONS];
    unsigned walks[MAX_FUNCTIONS];
    size_t count;
};

struct walk {
    struct target *target;
    struct session *session;
    uint64_t hooks_start, hooks_end;
    unsigned most;    /* checks of an instruction */
    unsigned *checks; /* of each byte of the hooks at which one begins */
    unsigned places;  /* instructions that were checked */
    struct churn_words words;
    struct churn_tally tally;
    struct why why;
    unsigned long steps; /* that were checked */
    bool broken;         /* the host failed, not the program */
};

static bool add_function(const struct symbol *symbol, void *arg)
{
    struct functions *functions = arg;
    if (symbol->size > JUMP_BYTES && functions->count < MAX_FUNCTIONS)
        functions->list[functions->count++] = *symbol;
    return false;
}

static void check(struct walk *w, const struct symbol *function, uint64_t counter)
{
    struct snapshot *snapshot = snapshot_take(w->session);
    char where[128];
    unsigned long before = w->tally.faults;
    w->broken = snapshot == NULL;
    if (!snapshot)
        return;
    snprintf(where, sizeof where, "%s+%" PRIu64, function->name, counter - function->address);
    churn_check(snapshot, &w->words, where, &w->tally);
    if (before == 0 && w->tally.faults)
        print_json(stderr, snapshot, NULL, NULL);
    snapshot_free(snapshot);
    w->steps++;
}

static void walk(struct walk *w, const struct symbol *function, struct lwp *lwp)
{
    pid_t id = lwp->lwp;
    int outside = 0;
    for (int inside = 0; inside < STEPS_INSIDE && outside < STEPS_OUTSIDE;) {
        uint64_t counter;
        if (target_step(w->target, lwp) != STEP_DONE || !lwp_program_counter(lwp, &counter) ||
            w->tally.faults >= MAX_FAULTS)
            return;
        if (counter < w->hooks_start || counter >= w->hooks_end) {
            outside++;
            continue;
        }
        if (outside) { /* threads may have come to be */
            w->broken = !target_stop(w->target, &w->why);
            lwp = target_lwp(w->target, id);
            if (w->broken || !lwp)
                return;
        }
        outside = 0;
        inside++;
        unsigned *checks = &w->checks[counter - w->hooks_start];
        if (*checks == w->most)
            continue;
        w->places += ++*checks == 1;
        struct symbol here;
        check(w, images_symbol_at(w->target, counter, &here) ? &here : function, counter);
    }
}

static void walk_all(struct walk *w, struct functions *functions, unsigned entries)
{
    for (unsigned round = 0; round < entries; round++)
        for (size_t i = 0; i < functions->count; i++) {
            /* What the program did not call in the first rounds, it never calls. */
            if (round > 2 && functions->walks[i] == 0)
                continue;
            struct lwp *lwp =
                catch_at(w->target, functions->list[i].address, CATCH_US, &w->why, &w->broken);
            if (lwp) {
                functions->walks[i]++;
                walk(w, &functions->list[i], lwp);
            }
            if (w->broken || w->tally.faults >= MAX_FAULTS)
                return;
        }
}

static void steps(struct target *target, int abi)
{
    struct functions functions = {0};
    struct walk w = {.target = target};
    struct symbol root;
    enum answer answer;
    int entries = number_from("OMPD_STEP_ENTRIES", ENTRIES);
    if (!tap_ok(churn_words_of(target, &w.words) &&
                    images_symbol(target, NULL, "ompd_hooks_root", &root),
                "the symbols of the program and of the hooks are found"))
        return;
    w.hooks_start = root.image->start;
    w.hooks_end = root.image->end;
    w.most = (unsigned)entries;
    w.checks = calloc(w.hooks_end - w.hooks_start, sizeof *w.checks);
    if (!tap_ok(w.checks != NULL, "there is memory for a count of checks"))
        return;
    image_functions(target, root.image, add_function, &functions);
    if (!tap_ok(functions.count > 0, "the hooks' functions are known (%zu)", functions.count))
        return;
    w.session = session_open(target, abi, NULL, &answer, &w.why);
    if (!tap_ok(w.session != NULL, "the library takes the process, version %d %s", abi, w.why.text))
        return;
    walk_all(&w, &functions, (unsigned)entries);
    unsigned walked = 0;
    for (size_t i = 0; i < functions.count; i++) {
        walked += functions.walks[i] > 0;
        if (functions.walks[i])
            printf("# %s: %u\n", functions.list[i].name, functions.walks[i]);
    }
    tap_ok(!w.broken, "every stop and step succeeded %s", w.why.text);
    tap_ok(w.tally.faults == 0,
           "no answer contradicts another or the program in %lu looks at %u instructions (%lu do)",
           w.steps, w.places, w.tally.faults);
    tap_ok(walked >= 10 && w.places >= 500, "threads were led through %u functions", walked);
    session_close(w.session);
    free(w.checks);
}

int main(void)
{
#ifndef __x86_64__
    return tap_skip_all("the jump is one of x86-64");
#endif
    char path[PATH_BYTES];
    char *program[] = {built_program("churn-target", path), NULL};
    for (int abi = 2; abi <= 5; abi += 3) {
        struct held held;
        if (held_begin(&held, program, true))
            steps(held.target, abi);
        held_end(&held);
    }
    return tap_end();
}
