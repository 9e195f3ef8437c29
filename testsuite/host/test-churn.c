/* SPDX-License-Identifier: MIT
 *
 * Stops a program that never rests at random instructions and holds every answer against
 * every other and against the program's own word.
 *
 * This is the proof of how the hooks publish: a record that is half-written at some
 * instruction shows up here as an answer that contradicts another.
 *
 * OMPD_CHURN_STOPS sets the number of stops, OMPD_CHURN_SEED the seed.
 */
#define _GNU_SOURCE
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "churn-check.h"
#include "elf-image.h"
#include "print.h"
#include "spawn.h"
#include "tap.h"

enum { STOPS = 2000, MAX_FAULTS = 20 };

static bool word(struct target *target, const char *name, uint64_t *address)
{
    struct symbol symbol;
    if (!images_symbol(target, NULL, name, &symbol))
        return tap_ok(false, "the program defines %s", name);
    *address = symbol.address;
    return true;
}

static void pause_randomly(void)
{
    /* Mostly short, to land in different phases; sometimes long enough for a round. */
    long us = random() % 4 ? random() % 700 : random() % 5000;
    nanosleep(&(struct timespec){.tv_nsec = us * 1000}, NULL);
}

static void churn(struct target *target, int abi)
{
    struct why why = {""};
    enum answer answer;
    struct churn_words words;
    if (!word(target, "churn_truths", &words.truths) ||
        !word(target, "lock", &words.lock) || !word(target, "nest_lock", &words.nest_lock) ||
        !word(target, ".gomp_critical_user_churn", &words.critical))
        return;
    struct session *session = session_open(target, abi, NULL, &answer, &why);
    if (!tap_ok(session != NULL, "the library takes the process, version %d %s", abi,
                why.text))
        return;
    struct counts opened = session->counts;
    struct churn_tally tally = {0};
    const char *wanted = getenv("OMPD_CHURN_STOPS");
    int stops = wanted ? atoi(wanted) : STOPS, stop = 0;
    int64_t leaked = 0;
    for (; stop < stops && tally.faults < MAX_FAULTS; stop++) {
        if (!target_resume(target, &why))
            break;
        pause_randomly();
        if (!target_stop(target, &why))
            break;
        struct snapshot *snapshot = snapshot_take(session);
        if (!snapshot)
            break;
        unsigned long before = tally.faults;
        char where[32];
        snprintf(where, sizeof where, "stop %d", stop);
        churn_check(snapshot, &words, where, &tally);
        if (tally.faults != before)
            print_json(stderr, snapshot, NULL, NULL);
        snapshot_free(snapshot);
        leaked = session->counts.allocations - opened.allocations;
        if (leaked)
            break;
    }
    tap_ok(stop == stops, "stopped %d times of %d %s", stop, stops, why.text);
    tap_ok(tally.faults == 0, "no answer contradicts another or the program (%lu do)",
           tally.faults);
    tap_ok(leaked == 0, "what was allocated was given back (%" PRId64 " left)", leaked);
    tap_ok(session->counts.symbols == opened.symbols,
           "no symbol was looked up after initialisation");
    tap_ok(tally.settled > 0 && tally.waiting > 0 && tally.idle > 0 && tally.nested > 0 &&
               tally.in_explicit > 0,
           "all kinds were met: %lu threads, %lu held against their word, %lu waiting, "
           "%lu idle, %lu nested, %lu in explicit tasks, %lu at a region's edge",
           tally.threads, tally.settled, tally.waiting, tally.idle, tally.nested,
           tally.in_explicit, tally.opening);
    session_close(session);
}

int main(int argc, char **argv)
{
    if (argc > 2 || (argc == 2 && !argv[1][0])) {
        fprintf(stderr, "usage: test-churn [PROGRAM]\n");
        return 2;
    }
    const char *build = getenv("top_builddir"), *seed = getenv("OMPD_CHURN_SEED");
    char path[4096];
    snprintf(path, sizeof path, "%s/testsuite/host/churn-target", build ? build : ".");
    char *program[] = {argc == 2 ? argv[1] : path, NULL};
    unsigned start = seed ? (unsigned)atoi(seed) : (unsigned)time(NULL);
    srandom(start);
    printf("# OMPD_CHURN_SEED=%u\n", start);

    struct spawned spawned = spawn_ready(program, 30);
    struct why why = {""};
    struct target *target = spawned.pid ? live_open(spawned.pid, &why) : NULL;
    if (tap_ok(target != NULL, "the program runs and is attached %s", why.text)) {
        churn(target, 2);
        churn(target, 5);
    }
    target_close(target);
    spawn_kill(&spawned);
    return tap_end();
}
