/* SPDX-License-Identifier: MIT
 *
 * What must hold of every answer about gomp-truth-target, wherever it was stopped.
 */
#ifndef HOST_GOMP_TRUTH_CHECK_H
#define HOST_GOMP_TRUTH_CHECK_H

#include "gomp-truth-extension.h"
#include "snapshot.h"

struct truth_tally {
    unsigned long faults, threads, settled, fields, idle, nested, in_explicit, waits, passing,
        foreign, in_target, tasks;
};
extern struct truth_tally truth_tally;

/* The program runs on LLVM's runtime, which knows more of barriers and functions, and less of
 * what tasks depend on. */
extern bool truth_is_kmp;
extern struct extension_tally truth_extension_tally;

/* Says where the program stands; each fault is a TAP comment that begins with it. */
void truth_at(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* `words` is the address of gomp_truths. The second reads by libompd.so and its
 * extension. */
void truth_check(const struct snapshot *snapshot, uint64_t words);
void truth_check_5(struct session *session, uint64_t words);

/* libompd.so stands beside libompd-2.so. */
struct session *truth_open_5(struct target *target, const char *library, struct why *why);

#endif
