/* SPDX-License-Identifier: MIT
 *
 * Sums of times over all that threads do, by place, for debuggers.
 */
#ifndef OMPD_HOOKS_SUMS_H
#define OMPD_HOOKS_SUMS_H

#pragma GCC visibility push(hidden)

/* When recording starts. */
void sums_start(void);

#pragma GCC visibility pop

#endif
