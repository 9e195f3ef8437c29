/* SPDX-License-Identifier: MIT
 *
 * Where the versions of libgomp have the fields of gomp-fields.def.
 */
#ifndef LIBOMPD_GOMP_LAYOUT_H
#define LIBOMPD_GOMP_LAYOUT_H

#include <stdint.h>

enum gomp_struct {
#define GOMP_STRUCT(s) GOMP_STRUCT_##s,
#define GOMP_FIELD(s, f, path)
#define GOMP_FIELD_SOME(s, f, path)
#include "libompd/runtime/gomp-fields.def"
#undef GOMP_STRUCT
#undef GOMP_FIELD
#undef GOMP_FIELD_SOME
    GOMP_STRUCT_COUNT
};

enum gomp_field {
#define GOMP_STRUCT(s)
#define GOMP_FIELD(s, f, path) GOMP_##s##_##f,
#define GOMP_FIELD_SOME(s, f, path) GOMP_##s##_##f,
#include "libompd/runtime/gomp-fields.def"
#undef GOMP_STRUCT
#undef GOMP_FIELD
#undef GOMP_FIELD_SOME
    GOMP_FIELD_COUNT
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
