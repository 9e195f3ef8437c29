/* SPDX-License-Identifier: MIT
 *
 * The tables of kmp-layouts/, which layout-gen prints, as data: each row of a table is a
 * designated initialiser.
 */
#include "libompd/runtime/kmp-layout.h"

#define KMP_SIZE(s, bytes) .size[KMP_STRUCT_##s] = bytes,
#define KMP_PLACE(s, f, at, bytes) .place[KMP_##s##_##f] = {at, bytes},
#define KMP_BIT_AT(s, f, at) .bit[KMP_FLAG_##f] = at,

const struct kmp_layout kmp_layouts[KMP_LAYOUTS] = {
    {
        .first_version = 14,
        .last_version = 14,
#include "libompd/runtime/kmp-layouts/llvm-14.def"
    },
    {
        .first_version = 15,
        .last_version = 15,
#include "libompd/runtime/kmp-layouts/llvm-15.def"
    },
    {
        .first_version = 16,
        .last_version = 16,
#include "libompd/runtime/kmp-layouts/llvm-16.def"
    },
    {
        .first_version = 17,
        .last_version = 17,
#include "libompd/runtime/kmp-layouts/llvm-17.def"
    },
    {
        .first_version = 18,
        .last_version = 18,
#include "libompd/runtime/kmp-layouts/llvm-18.def"
    },
    {
        .first_version = 19,
        .last_version = 20,
#include "libompd/runtime/kmp-layouts/llvm-19.def"
    },
    {
        .first_version = 21,
        .last_version = 23,
#include "libompd/runtime/kmp-layouts/llvm-21.def"
    },
};
