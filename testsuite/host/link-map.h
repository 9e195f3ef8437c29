/* SPDX-License-Identifier: MIT
 *
 * The files of a target that does not list them, by the dynamic linker's own list.
 */
#ifndef HOST_LINK_MAP_H
#define HOST_LINK_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct target;

/* What the kernel told the program: AT_PHDR, AT_ENTRY, AT_EXECFN; 0 when not known. */
struct program_place {
    uint64_t headers, entry, name;
};

/* Adds mappings of the program and its libraries. Nothing is added when the program's
 * file is not here or is another one. False when memory runs out. */
bool link_map_mappings(struct target *target, const struct program_place *program);

#endif
