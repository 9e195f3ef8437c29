/* SPDX-License-Identifier: MIT
 *
 * Parsers for the environment variables of libgomp, with the grammar of libgomp 12: for
 * ICVs that no routine of the runtime returns.
 */
#ifndef OMPD_HOOKS_ENVIRONMENT_H
#define OMPD_HOOKS_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#define MAX_LEVELS 256

/* OMP_NUM_THREADS and OMP_PROC_BIND by nesting level. A count is 0 if the variable is
 * unset or malformed, or holds one entry: that applies to all levels, and the runtime
 * returns it. Entries beyond MAX_LEVELS are dropped. */
struct environment_lists {
    unsigned nthreads_count, bind_count;
    uint32_t nthreads[MAX_LEVELS];
    uint32_t bind[MAX_LEVELS];
};

/* Parses both lists; called once, when recording starts. */
void environment_start(void);
const struct environment_lists *environment_lists(void);

/* Parses a number with surrounding blanks; false if it is malformed or out of range. */
bool environment_number(const char *text, unsigned *value);

/* The index in `words` (NULL-terminated; compared without case) of the variable's value,
 * `otherwise` if the variable is unset or its value is not among them. */
unsigned environment_word(const char *variable, const char *const *words, unsigned otherwise);

/* A size in bytes, from a number with the unit b, k (the default), m or g; 0 if the
 * variable is unset, malformed or out of range. */
uint64_t environment_size(const char *variable);

#pragma GCC visibility pop

#endif
