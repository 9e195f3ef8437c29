/* SPDX-License-Identifier: MIT
 *
 * Function, file and line of a code address, from DWARF by libdwarf; function names alone
 * from ELF symbols where a file has no debug information.
 */
#ifndef HOST_LINES_H
#define HOST_LINES_H

#include <stdbool.h>
#include <stdint.h>

struct lines;
struct target;

/* Strings live as long as the target's image. */
struct place {
    const char *function; /* NULL when unknown */
    const char *file;     /* last component; NULL when unknown */
    unsigned line;        /* 0 when unknown */
};

/* False when nothing at all is known of the address. */
bool lines_find(struct target *target, uint64_t address, struct place *place);

void lines_destroy(struct lines *lines);

#endif
