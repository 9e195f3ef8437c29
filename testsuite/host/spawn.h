/* SPDX-License-Identifier: MIT
 *
 * Starts a program of the tests under ompd-run and waits until it says that it is ready.
 */
#ifndef HOST_SPAWN_H
#define HOST_SPAWN_H

#include <stddef.h>
#include <sys/types.h>

struct spawned {
    pid_t pid; /* 0: it did not start */
    int out;   /* its standard output */
};

/* argv[0] is the program. It is ready when its first line has ended; `seconds` is the
 * longest silence, after which the program is killed and pid is 0. */
struct spawned spawn_ready(char *const argv[], int seconds);

/* The same without hooks, as nobody prepared it. */
struct spawned spawn_bare_ready(char *const argv[], int seconds);

/* Kills and reaps it. */
void spawn_kill(struct spawned *spawned);

#endif
