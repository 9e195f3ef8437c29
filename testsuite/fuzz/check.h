/* SPDX-License-Identifier: MIT
 *
 * What a debugger may rely on, whatever the process holds.
 */
#ifndef FUZZ_CHECK_H
#define FUZZ_CHECK_H

#include "pool.h"

/* Fills the out-parameters with a pattern; whether a part of them still holds it. */
void outs_clear(struct outs *outs);
bool outs_untouched(const void *part, size_t bytes);

/* After a call and before what it gave is used: the callbacks that it made, the return
 * code that follows from them and from the handles, the out-parameters, and the number of
 * allocations that it kept. */
void check_call(const struct routine *routine, int rc, const struct outs *outs,
                bool handles_are_good);

/* Comparison of three handles of a kind: rc, antisymmetry, transitivity, agreement with
 * the string ids. */
void check_order(struct slot *const three[3]);

#endif
