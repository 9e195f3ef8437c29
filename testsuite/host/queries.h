/* SPDX-License-Identifier: MIT
 *
 * Every question of a dialect about one thread of a program that was started for it.
 */
#ifndef HOST_QUERIES_H
#define HOST_QUERIES_H

#include "session.h"
#include "spawn.h"

#define ASK(s, question, ...) (s)->dialect->question((s), __VA_ARGS__)

struct host {
    struct spawned program;
    struct target *target;
    struct session *session;
};

/* Starts a program of this directory and opens it; a TAP case of its own. `count` 0: no
 * second argument. Without a version it is the report's. */
bool host_start_abi(struct host *h, int abi, const char *name, const char *argument, int count);
bool host_start(struct host *h, const char *name, const char *argument, int count);
void host_end(struct host *h);

/* Handles of one thread that is inside a region. */
struct handles {
    struct omp_thread *thread;
    struct omp_region *region;
    struct omp_task *task;
};

/* The first thread with a region, NULL handles when none has one. */
struct handles find_handles(struct session *s);
void release(struct session *s, struct handles *h);

/* Its lwp and its pthread_t. */
void ids_of(struct session *s, const struct handles *h, uint64_t id[2]);

/* The answers do not matter to the callers but for their code; values go nowhere. */
enum { QUESTIONS = 27 };
extern const char *const question_names[QUESTIONS];
enum answer ask(struct session *s, const struct handles *h, const uint64_t id[2], int question);

/* Is it answered from the handle itself? */
bool reads_nothing(int question);

/* OpenMP 5.x has no strings for handles. */
bool is_string(int question);

#endif
