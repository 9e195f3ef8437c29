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

#include "churn-check.h"
#include "print.h"
#include "random-stops.h"
#include "tap.h"

enum { STOPS = 2000, MAX_FAULTS = 20 };

struct churn {
    struct session *session;
    struct churn_words words;
    struct churn_tally tally;
    int64_t opened, leaked; /* allocations */
};

static enum verdict look(void *arg, int stop)
{
    struct churn *c = arg;
    struct snapshot *snapshot = snapshot_take(c->session);
    if (!snapshot)
        return BROKEN;
    unsigned long before = c->tally.faults;
    char where[32];
    snprintf(where, sizeof where, "stop %d", stop);
    churn_check(snapshot, &c->words, where, &c->tally);
    if (c->tally.faults != before)
        print_json(stderr, snapshot, NULL, NULL);
    snapshot_free(snapshot);
    c->leaked = c->session->counts.allocations - c->opened;
    return c->leaked ? BROKEN : c->tally.faults < MAX_FAULTS ? GO_ON : ENOUGH;
}

static void churn(struct target *target, int abi)
{
    struct why why = {""};
    enum answer answer;
    struct churn c = {0};
    if (!tap_ok(churn_words_of(target, &c.words), "the program's symbols are found"))
        return;
    c.session = session_open(target, abi, NULL, &answer, &why);
    if (!tap_ok(c.session != NULL, "the library takes the process, version %d %s", abi, why.text))
        return;
    struct counts opened = c.session->counts;
    c.opened = opened.allocations;
    int stops = number_from("OMPD_CHURN_STOPS", STOPS);
    int stop = random_stops(target, stops, 0, &why, look, &c);
    const struct churn_tally *tally = &c.tally;
    tap_ok(stop == stops, "stopped %d times of %d %s", stop, stops, why.text);
    tap_ok(tally->faults == 0, "no answer contradicts another or the program (%lu do)",
           tally->faults);
    tap_ok(c.leaked == 0, "what was allocated was given back (%" PRId64 " left)", c.leaked);
    tap_ok(c.session->counts.symbols == opened.symbols,
           "no symbol was looked up after initialisation");
    tap_ok(tally->settled > 0 && tally->waiting > 0 && tally->idle > 0 && tally->nested > 0 &&
               tally->in_explicit > 0,
           "all kinds were met: %lu threads, %lu held against their word, %lu waiting, "
           "%lu idle, %lu nested, %lu in explicit tasks, %lu at a region's edge",
           tally->threads, tally->settled, tally->waiting, tally->idle, tally->nested,
           tally->in_explicit, tally->opening);
    session_close(c.session);
}

int main(int argc, char **argv)
{
    if (argc > 2 || (argc == 2 && !argv[1][0])) {
        fprintf(stderr, "usage: test-churn [PROGRAM]\n");
        return 2;
    }
    char path[PATH_BYTES];
    char *program[] = {argc == 2 ? argv[1] : built_program("churn-target", path), NULL};
    struct held held;
    seed_from("OMPD_CHURN_SEED");
    if (held_begin(&held, program, true)) {
        churn(held.target, 2);
        churn(held.target, 5);
    }
    held_end(&held);
    return tap_end();
}
