/* SPDX-License-Identifier: MIT
 *
 * Shared by the files of this folder.
 */
#ifndef OMPD_HOOKS_LOADER_H
#define OMPD_HOOKS_LOADER_H

#pragma GCC visibility push(hidden)

/* control.c: called between the last constructor and main(). If the program has a
 * runtime, this counts as its first use: a tool starts before main() can create
 * threads. */
void hooks_before_main(void);

/* fork.c: registers the fork handlers, unless a library has registered its own before. */
void fork_start(void);

/* counter.c: finds the C library's prctl(). */
void counter_start(void);

/* signals.c: finds its sigaction() and signal(), and where the watchdog is that has started the
 * program, if there is one. */
void signals_start(void);

/* locations.c. The first finds the debugger libraries and calls the loader, so it is
 * called from the constructor. The others make ompd_dll_locations valid: with these
 * libraries as soon as they are found, or with the value that another runtime's variable
 * has. */
void locations_start(void);
void locations_publish(void);
void locations_forward(const char ***other);

#pragma GCC visibility pop

#endif
