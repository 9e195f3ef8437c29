/* SPDX-License-Identifier: MIT
 *
 * libompd.so with its extension, held against the program's own word.
 */
#ifndef GOMP_TRUTH_EXTENSION_H
#define GOMP_TRUTH_EXTENSION_H

#include "truth.h"
#include "session.h"

struct extension_tally {
    unsigned long settled, fields, in_explicit, barriers, dependences;
};

typedef void truth_fault(const char *format, ...);

void truth_check_extension(struct session *s, const struct truth *truths, bool is_kmp,
                           struct extension_tally *tally, truth_fault *fault);

#endif
