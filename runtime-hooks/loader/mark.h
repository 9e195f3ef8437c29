/* SPDX-License-Identifier: MIT
 *
 * The environment variables that ompd-run and gdb's "ompd on" change, and the mark that
 * lists them so that the change can be undone. Each gets one element in front of the
 * user's value.
 */
#ifndef OMPD_HOOKS_MARK_H
#define OMPD_HOOKS_MARK_H

#pragma GCC visibility push(hidden)

/* The mark, an environment variable that only ompd-run and gdb set: MARK_FOLLOW or
 * MARK_RESTORE, then ",NAME" for each variable that was unset before and ",+NAME" for
 * each that was set; then MARK_SUMMARY and MARK_WATCHDOG with the names of sockets, where somebody looks
 * at a program that ends, or crashes. */
#define MARK "OMPD_RUN"
#define MARK_FOLLOW "follow"
#define MARK_RESTORE "restore"
#define MARK_WATCHDOG ",@"
#define MARK_SUMMARY ",="

/* What is kept beyond the state, and the first element of OMP_OMPD by which it is: of several the
 * bits are added. */
enum { KEEPS_HISTORY = 1, KEEPS_SUMS = 2, KEEPS_ORDERS = 4, KEEPS_ALL = 7 };
extern const char *const mark_kept[KEEPS_ALL + 1]; /* "on" without */

#define MARK_VARIABLES 4
struct mark_variable {
    const char *name;
    const char *added; /* the element; of a path, its end; NULL: one of mark_kept */
    const char *separators;
};
extern const struct mark_variable mark_variables[MARK_VARIABLES];

/* How the variable was changed, by the mark. */
enum mark_change { MARK_UNCHANGED, MARK_CREATED, MARK_EXTENDED };
enum mark_change mark_change(const char *mark, const char *name);

/* The name of a socket behind that prefix, up to the end or a comma; NULL if there is none. */
const char *mark_socket(const char *mark, const char *prefix);

/* Removes our first element from the value, if there is one. */
void mark_remove(const struct mark_variable *variable, char *value);

#pragma GCC visibility pop

#endif
