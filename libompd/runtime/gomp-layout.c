/* SPDX-License-Identifier: MIT
 *
 * The tables of gomp-layouts/, which layout-gen prints, as data: each row of a
 * table is a designated initialiser.
 */
#include "libompd/runtime/gomp-layout.h"

#define GOMP_SIZE(s, bytes) .size[GOMP_STRUCT_##s] = bytes,
#define GOMP_PLACE(s, f, at, bytes) .place[GOMP_##s##_##f] = {at, bytes},
#define GOMP_LACKS(s, f) .place[GOMP_##s##_##f] = {GOMP_LACKING, 0},

const struct gomp_layout gomp_layouts[GOMP_LAYOUTS] = {
    {
        .name = "GCC 10",
        .first_version = 10,
        .last_version = 10,
#include "libompd/runtime/gomp-layouts/gcc-10.def"
    },
    {
        .name = "GCC 11",
        .first_version = 11,
        .last_version = 11,
#include "libompd/runtime/gomp-layouts/gcc-11.def"
    },
    {
        .name = "GCC 12",
        .first_version = 12,
        .last_version = 12,
#include "libompd/runtime/gomp-layouts/gcc-12.def"
    },
    {
        .name = "GCC 13 or newer",
        .first_version = 13,
        .last_version = 16,
#include "libompd/runtime/gomp-layouts/gcc-13.def"
    },
};
