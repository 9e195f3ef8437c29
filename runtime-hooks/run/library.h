/* SPDX-License-Identifier: MIT
 *
 * Where the hooks library is, in terms of LD_PRELOAD.
 */
#ifndef OMPD_RUN_LIBRARY_H
#define OMPD_RUN_LIBRARY_H

#include "run/program.h"

#include <limits.h>
#include <stdbool.h>

/* How the hooks are preloaded. LD_PRELOAD takes no path with a space: then it has the name of
 * the file alone, and LD_LIBRARY_PATH the directory. */
struct preload {
    char *name;            /* the element of LD_PRELOAD */
    const char *directory; /* that of LD_LIBRARY_PATH; NULL: none is needed */
    char text[PATH_MAX];
};

/* Finds the hooks for a program, relative to the executable of ompd-run. False if they cannot be
 * preloaded: `text` is a sentence that says why. */
bool library_find(const struct program *program, struct preload *out);

/* True if the dynamic linker finds a library of the ELF class of ompd-run by this name. None
 * of its code runs. */
bool library_is_there(const char *name);

#endif
