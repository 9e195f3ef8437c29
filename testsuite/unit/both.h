/* SPDX-License-Identifier: MIT
 *
 * A process with hooks and the stock libgomp beneath them: the records of fake-program.h
 * and the structures of gomp-fake.h in one memory.
 */
#ifndef BOTH_H
#define BOTH_H

#include "fake-program.h"
#include "gomp-unit.h"

enum { BOTH_THREADS = 4 };

/* The hooks' records stand below libgomp's structures. */
extern struct both {
    struct gf *gomp;
    struct program *hooks;
    unsigned callbacks, fail_at, reads;
    uint64_t hole_first, hole_end; /* memory that cannot be read */
    int alive;
} both;

extern const struct target_ops both_ops;

/* What one tells of the process has nothing to do with what the other tells of it. */
void both_begin(void);

/* They are one program: the threads of both are the same, and so are its two teams. */
void both_begin_as_one(void);
void both_end(void);

/* Whether the hooks record. */
void both_record(bool on);
void both_open(void);

#endif
