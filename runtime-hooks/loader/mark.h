/* SPDX-License-Identifier: MIT
 *
 * What ompd-run and gdb's "ompd on" add to the environment of a program, and how it is
 * told from what the user had there. A variable gets one element in front of the user's;
 * the mark lists the variables that were changed.
 */
#ifndef OMPD_HOOKS_MARK_H
#define OMPD_HOOKS_MARK_H

#pragma GCC visibility push(hidden)

/* The mark: MARK_FOLLOW, or MARK_RESTORE and after it ",NAME" for each variable that the
 * user had not set and ",+NAME" for each that the user had. Itself it is never the
 * user's. */
#define MARK "OMPD_RUN"
#define MARK_FOLLOW "follow"
#define MARK_RESTORE "restore"

#define MARK_VARIABLES 3
struct mark_variable {
    const char *name;
    const char *added; /* the element, or the file name of it */
};
extern const struct mark_variable mark_variables[MARK_VARIABLES];

/* What the mark says of a variable. */
enum mark_change { MARK_UNCHANGED, MARK_CREATED, MARK_EXTENDED };
enum mark_change mark_change(const char *mark, const char *name);

/* Takes the first of our elements out of the value, if there is one. */
void mark_remove(const struct mark_variable *variable, char *value);

#pragma GCC visibility pop

#endif
