/* SPDX-License-Identifier: MIT
 *
 * The rows of gomp-fields.def, and where the versions of libgomp have the fields.
 */
#ifndef LIBOMPD_GOMP_LAYOUT_H
#define LIBOMPD_GOMP_LAYOUT_H

#include <stdint.h>

enum gomp_struct {
#define GOMP_STRUCT(s) GOMP_STRUCT_##s,
#include "libompd/runtime/gomp-fields.def"
    GOMP_STRUCT_COUNT
};

enum gomp_field {
#define GOMP_FIELD(s, f, path) GOMP_##s##_##f,
#include "libompd/runtime/gomp-fields.def"
    GOMP_FIELD_COUNT,
    GOMP_NONE = GOMP_FIELD_COUNT
};

enum {
#define GOMP_CONSTANT(name, value) GOMP_##name = value,
#include "libompd/runtime/gomp-fields.def"
};

/* ICVs of which a process has one: variables that exported accessors load. */
enum gomp_global_icv {
#define GOMP_GLOBAL_ICV(name, accessor, bytes) GOMP_GLOBAL_##name,
#include "libompd/runtime/gomp-fields.def"
    GOMP_GLOBALS
};

/* Bytes. A field that the version lacks has offset GOMP_LACKING; an array without bounds
 * has size 0. */
enum { GOMP_LACKING = UINT16_MAX };
struct gomp_place {
    uint16_t offset;
    uint16_t size;
};

struct gomp_layout {
    const char *name; /* for people: the versions of GCC that have it */
    unsigned first_version, last_version;
    uint16_t size[GOMP_STRUCT_COUNT];
    struct gomp_place place[GOMP_FIELD_COUNT];
};

/* In rising order of versions. */
enum { GOMP_LAYOUTS = 4 };
extern const struct gomp_layout gomp_layouts[GOMP_LAYOUTS];

#endif
