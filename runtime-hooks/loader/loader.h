/* SPDX-License-Identifier: MIT
 *
 * What the files of start-up share.
 */
#ifndef OMPD_HOOKS_LOADER_H
#define OMPD_HOOKS_LOADER_H

#pragma GCC visibility push(hidden)

/* All constructors have run, and main() is next: where the program has a runtime, that is
 * the moment to ask for tools, before any thread can use it. */
void hooks_before_main(void);

/* locations.c: finds our libraries, at start-up, as the loader is asked for it. Then
 * ompd_dll_locations becomes valid, with our libraries or with what the variable
 * of another runtime says, if there is one. */
void locations_start(void);
void locations_publish(void);
void locations_hand_on(const char ***other);

#pragma GCC visibility pop

#endif
