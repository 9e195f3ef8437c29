/* SPDX-License-Identifier: MIT
 *
 * The environment variables that the runtime reads, read as libgomp 12 reads them: for
 * what no function of its interface tells.
 */
#ifndef OMPD_HOOKS_ENVIRONMENT_H
#define OMPD_HOOKS_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#define MOST_LEVELS 256

/* OMP_NUM_THREADS and OMP_PROC_BIND, one entry for each level. A list of one entry is
 * none: its value holds on all levels, as the runtime says. Nor is one that the runtime
 * refuses. Of longer lists than this the rest is dropped. */
struct environment_lists {
    unsigned nthreads_count, bind_count;
    uint32_t nthreads[MOST_LEVELS];
    uint32_t bind[MOST_LEVELS];
};

/* Reads the lists once, when tracking begins. */
void environment_start(void);
const struct environment_lists *environment_lists(void);

/* A number with nothing but blanks around it. */
bool environment_number(const char *text, unsigned *value);

/* The number of the word of `words`, which NULL ends, that the variable holds, whatever
 * its case; `otherwise` when it is not set or holds something else. */
unsigned environment_word(const char *variable, const char *const *words,
                          unsigned otherwise);

/* Bytes, from a number with the unit b, k (if none is given), m or g; 0 if it is none. */
uint64_t environment_size(const char *variable);

#pragma GCC visibility pop

#endif
