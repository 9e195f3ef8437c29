/* SPDX-License-Identifier: MIT
 *
 * The flight recorder: the last events of each thread, for debuggers.
 */
#ifndef OMPD_HOOKS_HISTORY_H
#define OMPD_HOOKS_HISTORY_H

#pragma GCC visibility push(hidden)

/* When recording starts. */
void history_start(void);

#pragma GCC visibility pop

#endif
