/* SPDX-License-Identifier: MIT
 *
 * The one driver of tests that stop a program where chance or its code wants it, and hold each
 * stop against a truth: the tests say how (an oracle) and what their oracles have seen.
 */
#ifndef HOST_RANDOM_STOPS_H
#define HOST_RANDOM_STOPS_H

#include <stdbool.h>

#include "spawn.h"
#include "target.h"

enum { PATH_BYTES = 4096 };

/* A program of this directory in the build tree, and a library in the staged one. */
char *built_program(const char *name, char path[PATH_BYTES]);
char *staged_library(const char *name, char path[PATH_BYTES]);

/* Settings of the environment. A seed is printed, so that a run can be repeated. */
int number_from(const char *variable, int otherwise);
void seed_from(const char *variable);

/* Address of a symbol of the program. */
bool address_of(struct target *target, const char *name, uint64_t *address);

/* A program that runs and is attached, which is a case; unprepared or under hooks. */
struct held {
    struct spawned spawned;
    struct target *target;
    struct why why;
};
bool held_begin(struct held *held, char *const argv[], bool recorded);
void held_end(struct held *held);

enum verdict { GO_ON, ENOUGH, BROKEN };

/* Lets the target run for a random time, below `longest_us` or mostly short (0), stops it, and
 * asks the oracle, at most `most` times. Returns how many stops were not broken; *why says what
 * broke the next. */
int random_stops(struct target *target, int most, long longest_us, struct why *why,
                 enum verdict (*oracle)(void *arg, int stop), void *arg);

/* The thread that stands in [low, high), or NULL. */
struct lwp *lwp_between(struct target *target, uint64_t low, uint64_t high);

/* Lets the program run for some time with a jump to itself at an address, which must be the begin
 * of an instruction: who comes by circles there. The bytes are put back, the program is stopped.
 * Returns a thread that stands there; NULL, with *broken where the host failed. */
enum { JUMP_BYTES = 2 };
struct lwp *catch_at(struct target *target, uint64_t at, long us, struct why *why, bool *broken);

#endif
