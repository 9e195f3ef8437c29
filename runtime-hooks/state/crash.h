/* SPDX-License-Identifier: MIT
 *
 * A program of `ompd run -watchdog` that a signal ends waits with that until the watchdog has
 * looked at it; see crash.c.
 */
#ifndef OMPD_HOOKS_CRASH_H
#define OMPD_HOOKS_CRASH_H

#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

#pragma GCC visibility push(hidden)

typedef int action_fn(int number, const struct sigaction *wanted, struct sigaction *before);

/* Who looks at the process, by an abstract socket. */
struct peer {
    struct sockaddr_un address;
    socklen_t size; /* 0: nobody does */
};

/* The name ends with a comma or the string; NULL: there is none. */
void peer_name(struct peer *peer, const char *name);

/* Until it closes the connection, or for so many seconds at most; 0: for any time. System calls alone. */
void peer_await(const struct peer *to, int most);

/* ending.c: the name of the socket for who has a program looked at as it ends; and, before the program
 * may forbid itself system calls, that nobody does. */
void ending_start(const char *name);
void ending_unwatch(void);

/* From the constructor: the C library's sigaction(), and the name of the watchdog's socket, which
 * ends with a comma or the string; NULL: there is none. */
void crash_start(action_fn *real, const char *name);

/* The process has a runtime: handlers for signals that have none. */
void crash_watch(void);

/* The program may be about to forbid itself the system calls that a handler makes: as without a
 * watchdog. */
void crash_unwatch(void);

/* Gives the calling thread a stack for handlers, as its own may be what has ended, unless it has
 * one. `stack` is its memory, NULL if there is none yet, and is kept for the next thread. */
void crash_thread_start(void **stack);
void crash_thread_end(const void *stack);

/* True if a handler of ours is in place of the default action, which the program is not to see. */
bool crash_hides(int number);

/* As the C library's sigaction(), but that our handlers are the default action. */
action_fn crash_action;

#pragma GCC visibility pop

#endif
