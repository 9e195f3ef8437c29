/* SPDX-License-Identifier: MIT
 *
 * The properties of a program that decide how it can be recorded.
 */
#ifndef OMPD_RUN_PROGRAM_H
#define OMPD_RUN_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

struct program {
    char path[PATH_MAX];
    bool is_elf;                /* and no script */
    bool is_32bit;              /* ELFCLASS32 */
    bool is_static;             /* no program interpreter, hence no preloading */
    bool is_secure;             /* runs in secure execution mode: nothing is preloaded */
    char interpreter[PATH_MAX]; /* the dynamic linker that it names; else empty */
};

/* Finds the file that execvp() would run and examines it; false with errno if there is
 * none. A script is neither 32-bit nor static. */
bool program_find(const char *name, struct program *program);

#endif
