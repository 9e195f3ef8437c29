/* SPDX-License-Identifier: MIT
 *
 * A process with several runtimes: two libgomps with threads of their own and one that uses
 * both, LLVM's, and the dynamic linker's list, which may be damaged or change.
 */
#ifndef WORLD_H
#define WORLD_H

#include "gomp-unit.h"

enum {
    WORLD = GF_BASE + 2 * GF_BYTES, /* the dynamic linker's memory */
    LLVM = 0x40000,
    NODES = 6,
    NODE = WORLD + 0x1000,
    NAME = WORLD + 0x8000,
    TABLES = WORLD + 0x9000, /* TABLE_BYTES for each image */
    TABLE_BYTES = 0x3000,
    TABLE_HASH = 0x100, /* of the dynamic section, where a table begins */
    BYTES = 1 << 17,
};

/* In the order of the list; addresses of images are those of the fakes. */
enum { PROGRAM, KERNEL, FIRST, LLVM_NODE, SECOND, LOADER };
extern const char *const image_file[NODES];

extern struct world {
    struct gf *gf[2];
    unsigned char bytes[BYTES];
    bool counted;       /* there is _rtld_global */
    bool ignores_files; /* the debugger does */
    bool has_tables;    /* runtimes have dynamic symbol tables */
    unsigned missed;    /* lookups in a runtime of what it does not have */
    bool has_llvm, llvm_first;
    bool second_first; /* its symbols are found before the first's */
    unsigned endless;  /* nodes from nowhere */
    unsigned reads, lookups, callbacks, fail_at;
    bool fails_on; /* so do those after it that are about the target */
    int alive;
} world;

enum { ALL = (1 << NODES) - 1, WITHOUT_SECOND = ALL & ~(1 << SECOND) };

/* Both runtimes are of one version: without names of files their symbols are mixed. */
extern bool alike;

extern const struct target_ops world_ops;

void world_put(taddr at, uint64_t value);
taddr table_at(unsigned node);
taddr node_at(unsigned node);
/* The list of the images in `which`, by bits. */
void link_images(unsigned which);

void begin_world(int kind);
void end_world(void);
/* The same, and its address space. */
void begin_space(int kind);
void end_space(void);

#endif
