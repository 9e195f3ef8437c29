/* SPDX-License-Identifier: MIT
 *
 * What a debugger may rely on, whatever the process holds.
 */
#ifndef FUZZ_CHECK_H
#define FUZZ_CHECK_H

#include "pool.h"

/* Before the first call of an input. */
void check_begin(void);

/* After a call and before what it gave is used: the callbacks that it made, the return
 * code that follows from them and from the handles, the out-parameters, and the number of
 * allocations that it kept. `ended`: handles that end with its argument, an address space. */
void check_call(const struct routine *routine, int rc, const struct outs *outs,
                bool handles_are_good, unsigned ended);

/* Comparison of three handles of a kind: rc, antisymmetry, transitivity, agreement with
 * the string ids. */
void check_order(struct slot *const three[3]);

#endif
