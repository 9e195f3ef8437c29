/* SPDX-License-Identifier: MIT
 *
 * What a fuzz input means: changes to the memory of the program of fake-records.h. The
 * first byte chooses the kind of target; every change is eleven bytes.
 */
#ifndef CHANGES_H
#define CHANGES_H

#include "bounds.h"
#include "testsuite/unit/fake-records.h"

enum { FUZZ_THREADS = 8, OBJECTS_MAX = 64 };

/* What a debugger has to spend at most, in bytes. */
enum { FUZZ_BYTES_MAX = 160 << 20 };

/* Where memory begins that repeats itself, in some targets. */
#define FUZZ_ENDLESS 0x40000000u

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

/* Around each call: aborts when it read more often than `reads_max` or took too much
 * memory. */
void fuzzed_count(const char *call, unsigned reads_max);

/* Writes seeds to the directory and ends the process, when FUZZ_SEEDS names one. */
void seeds_write(void);

#endif
