/* SPDX-License-Identifier: MIT
 *
 * records.def as C structures, for the side that writes them.
 *
 * struct rec_thread, struct rec_region, ... hold exactly the fields of records.def.
 * All fields are written with plain or atomic stores of their own size; readers are
 * debuggers that have stopped the writer, so program order is the order they see.
 */
#ifndef OMPD_HOOKS_RECORDS_H
#define OMPD_HOOKS_RECORDS_H

#include <stdint.h>
#include "layout.h"

typedef uint32_t rec_u32;
typedef uint64_t rec_u64;
typedef uintptr_t rec_addr;

#define RECORD(r, comment) struct rec_##r {
#define FIELD(r, type, f) rec_##type f;
#define END_RECORD(r)                                                                              \
    }                                                                                              \
    ;
#define END_RECORD_APART(r)                                                                        \
    }                                                                                              \
    __attribute__((aligned(64)));
#include "records.def"
#undef RECORD
#undef FIELD
#undef END_RECORD

struct hooks_descriptor {
    struct hooks_descriptor_header header;
    uint32_t record_size[RECORD_COUNT];
    struct hooks_field_place field[FIELD_COUNT];
};

extern struct hooks_descriptor ompd_hooks_layout;
extern struct rec_root ompd_hooks_root;

#endif
