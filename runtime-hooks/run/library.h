/* SPDX-License-Identifier: MIT
 *
 * What ompd-run writes into LD_PRELOAD.
 */
#ifndef OMPD_RUN_LIBRARY_H
#define OMPD_RUN_LIBRARY_H

#include <limits.h>
#include <stdbool.h>

/* Finds the hooks for a program of this class, relative to ompd-run itself, and writes
 * how LD_PRELOAD names them; else `name` is the sentence that says why not. */
enum library { LIBRARY_FOUND, LIBRARY_OTHER_CLASS, LIBRARY_MISSING };
enum library library_find(bool is_32bit, char name[PATH_MAX]);

#endif
