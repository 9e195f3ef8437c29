/* SPDX-License-Identifier: MIT
 *
 * A fuzz driver of libompd. The input says what a hostile process holds, when it changes,
 * which routine is called next with which handles, and which callback fails; after every
 * call the driver checks what a debugger may rely on (engine.c says what).
 *
 * Each interface is described by a table (common/ompd-routines.def); all else is shared.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "testsuite/common/ompd-routines.h"

struct abi {
    const char *name;
    int (*initialize)(void);
    int (*finalize)(void);
    int initialized;   /* what initialize answers when it is */
    int uninitialized; /* what finalize answers then */
};

extern const struct abi fuzz_abi;

enum {
    RC_ok,
    RC_unavailable,
    RC_stale,
    RC_bad_input,
    RC_error,
    RC_unsupported,
    RC_needs_tracking,
    RC_incompatible,
    RC_read_error,
    RC_write_error,
    RC_nomem,
    RC_incomplete,
    RC_callback_error,
    RC_incompatible_handle
};

/* Runs one input from a fresh start to a balanced end; does not return when something is
 * wrong. */
void fuzz_one(const unsigned char *data, size_t size);

/* What all inputs have done so far. */
struct fuzz_totals {
    uint64_t inputs;
    uint64_t calls;
    uint64_t answered; /* with ok */
    uint64_t reads;
    unsigned reads_max; /* of one call */
    uint64_t bytes_max;
};
extern struct fuzz_totals fuzz_totals;

/* Reads of raw targets do not run out: one input may take a second then. Off at first. */
extern bool fuzz_endless;

/* The routine that is being called, or what else is done. */
extern const char *fuzz_running;

/* Says what is wrong and aborts. */
__attribute__((noreturn, format(printf, 1, 2))) void fuzz_fail(const char *format, ...);

#endif
