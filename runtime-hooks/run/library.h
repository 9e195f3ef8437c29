/* SPDX-License-Identifier: MIT
 *
 * The name of the hooks library in LD_PRELOAD.
 */
#ifndef OMPD_RUN_LIBRARY_H
#define OMPD_RUN_LIBRARY_H

#include <limits.h>
#include <stdbool.h>

/* Finds the hooks for a program of this ELF class, relative to the executable of
 * ompd-run. `name` is set to the element of LD_PRELOAD, else to an error message. */
enum library { LIBRARY_FOUND, LIBRARY_OTHER_CLASS, LIBRARY_MISSING };
enum library library_find(bool is_32bit, char name[PATH_MAX]);

/* True if the dynamic linker finds a library of the ELF class of ompd-run by this name. None
 * of its code runs. */
bool library_is_there(const char *name);

#endif
