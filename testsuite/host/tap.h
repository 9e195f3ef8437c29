/* SPDX-License-Identifier: MIT
 *
 * TAP for the host's tests in C: one line per case, the plan at the end.
 */
#ifndef HOST_TAP_H
#define HOST_TAP_H

#include <stdbool.h>
#include <stdio.h>

/* Its answer is `ok`. */
bool tap_ok(bool ok, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A case that cannot be tried here. */
void tap_skip(const char *name, const char *reason);

/* The exit status. */
int tap_end(void);

/* The test cannot run here: one line with the reason instead of a plan. */
int tap_skip_all(const char *reason);

#endif
