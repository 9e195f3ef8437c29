/* SPDX-License-Identifier: MIT
 *
 * What ompd-run has to know of the program that it is asked to run.
 */
#ifndef OMPD_RUN_PROGRAM_H
#define OMPD_RUN_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

struct program {
    char path[PATH_MAX];
    bool is_32bit;  /* an ELF file of the smaller class */
    bool is_static; /* without a dynamic linker, which is what preloads libraries */
    bool is_secure; /* gains rights when it is run: nothing is preloaded then */
};

/* Finds the file that execvp() would run and looks at it; false with errno if there is
 * none. A script is neither 32-bit nor static nor secure. */
bool program_find(const char *name, struct program *program);

#endif
