/* SPDX-License-Identifier: MIT
 *
 * Inputs that somebody thought of, in words: a hostile process each, and every routine
 * asked about it.
 */
#ifndef FUZZ_SEEDS_H
#define FUZZ_SEEDS_H

#include <stddef.h>

enum { SEED_MAX = 4096 };

unsigned seed_count(void);

/* Its size; at most SEED_MAX. */
size_t seed_copy(unsigned number, unsigned char *out);

/* What it is about, as a file name. */
void seed_name(unsigned number, char *out, size_t room);

#endif
