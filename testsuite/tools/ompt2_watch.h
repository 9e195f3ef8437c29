/* SPDX-License-Identifier: MIT
 *
 * What ompt2_pairs.c keeps in mind: what has become of each id, what each thread is inside
 * of, and what did not fit.
 */
#ifndef OMPT2_WATCH_H
#define OMPT2_WATCH_H

#include <ompt-2/ompt.h>

#include <stdbool.h>
#include <stdio.h>

/* Where problems are written, and how many there are. Of many the first are written. */
extern FILE *report;
extern unsigned problems;
void problem(const char *format, ...);

/* Ids of all kinds. True when the id's fate is one of `before`; it is then what `fate`
 * says. */
enum kind { TASK, REGION, THREAD };
enum fate { ABSENT = 1, CREATED = 2, RUNNING = 4, ENDED = 8 };
bool meets(enum kind kind, uint64_t id, unsigned before, enum fate fate);

/* Tasks that were created and never ran. */
unsigned long watch_unfinished(void);

/* What a thread is inside of, innermost last. */
enum { DEPTH = 64 };
struct self {
    bool known, gone;
    uint64_t id, task;
    unsigned depth;
    struct {
        int begin;
        uint64_t id;
    } in[DEPTH];
    uint64_t target;  /* target task, 0 outside */
    uint64_t awaited; /* mutex that wait_* has named */
};
extern __thread struct self self;

/* The thread has begun and not ended. */
void here(const char *what);

/* `begin`: the event that it began with. */
void enter(int begin, uint64_t id);
void leave(int begin, uint64_t id);
void scope(int begin, ompt_scope_endpoint_t endpoint, uint64_t id);

/* The runtime has been shut down. */
extern bool over;

/* Before anything else: a fork starts anew in the child. */
void watch_start(void);

#endif
