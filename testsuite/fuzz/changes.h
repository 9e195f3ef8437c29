/* SPDX-License-Identifier: MIT
 *
 * What a fuzz input means: changes to the memory of the program of fake-records.h. The
 * first byte chooses the kind of target; every change is eleven bytes.
 */
#ifndef CHANGES_H
#define CHANGES_H

#include "testsuite/unit/fake-records.h"

enum { FUZZ_THREADS = 8, OBJECTS_MAX = 64 };

/* No call reads more often than this: it is what the bounds of runtime/hooks.h allow over
 * four megabytes of target. */
enum { FUZZ_READS_MAX = 1 << 21 };

struct fuzzed {
    struct program *program;
    struct fake *fake;
    struct records records;
    uint64_t object[OBJECTS_MAX];
    unsigned objects;
};

struct fuzzed fuzzed_new(const uint8_t *data, size_t size);
void fuzzed_change(struct fuzzed *fuzzed, const uint8_t *data, size_t size);
void fuzzed_free(struct fuzzed *fuzzed);

/* A debugger gives no more than so much at once. */
void *fuzzed_alloc(size_t bytes);

/* Around each call: aborts when it read too often. */
void fuzzed_count(const char *call);

/* Writes seeds to the directory and ends the process, when FUZZ_SEEDS names one. */
void seeds_write(void);

#endif
