/* SPDX-License-Identifier: MIT
 *
 * Starts a program under ompd-run for the host to look at.
 */
#ifndef HOST_START_H
#define HOST_START_H

#include "target.h"

/* Returns after `seconds`, with the process id; or 0 and says why: it could not be started,
 * or has ended by then. ompd-run is that of $stage, else the one on PATH. */
pid_t start_program(char *const argv[], double seconds, struct why *why);

/* Kills it and waits for its end. */
void start_end(pid_t pid);

#endif
