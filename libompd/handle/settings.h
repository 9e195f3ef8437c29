/* SPDX-License-Identifier: MIT
 *
 * The settings of a process, as the vector of strings that both interfaces give.
 */
#ifndef LIBOMPD_SETTINGS_H
#define LIBOMPD_SETTINGS_H

#include "libompd/handle/handle.h"

/* "name=value" strings, ended by NULL, in one piece of the debugger's memory. The handle is that of an
 * address space of any sort. */
enum rc settings_vector(const void *handle, const char *const **out);

/* RC_BAD_INPUT: not a vector of ours, or it was given back before. */
enum rc settings_release(const char *const *vector);

/* The value of one setting as a number. RC_UNSUPPORTED: it is not among them or is none.
 */
enum rc settings_number(const void *handle, const char *name, uint64_t *out);

#endif
