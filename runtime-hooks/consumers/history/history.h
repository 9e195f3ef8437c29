/* SPDX-License-Identifier: MIT
 *
 * The flight recorder: the last events of each thread, for debuggers.
 */
#ifndef OMPD_HOOKS_HISTORY_H
#define OMPD_HOOKS_HISTORY_H

#pragma GCC visibility push(hidden)

/* When recording starts. */
void history_start(void);

/* Before a program forbids itself to read the processor's counter: from here on the coarse clock
 * counts, at the pace that the counter has had. */
void history_lose_counter(void);

#pragma GCC visibility pop

#endif
