/* SPDX-License-Identifier: MIT
 *
 * In which orders threads acquire locks, for debuggers.
 */
#ifndef OMPD_HOOKS_ORDERS_H
#define OMPD_HOOKS_ORDERS_H

#pragma GCC visibility push(hidden)

/* When recording starts. */
void orders_start(void);

#pragma GCC visibility pop

#endif
