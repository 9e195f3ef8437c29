/* SPDX-License-Identifier: MIT
 *
 * The tables of kmp-layouts/, which layout-gen prints, as data: each row of a table is a
 * designated initialiser. Those of aarch64 are those of x86-64 but for some rows, which
 * override theirs.
 */
#include "libompd/runtime/kmp-layout.h"

#define KMP_SIZE(s, bytes) .size[KMP_STRUCT_##s] = bytes,
#define KMP_PLACE(s, f, at, bytes) .place[KMP_##s##_##f] = {at, bytes},
#define KMP_BIT_AT(s, f, at) .bit[KMP_FLAG_##f] = at,

#pragma GCC diagnostic ignored "-Woverride-init"

const struct kmp_layout kmp_layouts[KMP_LAYOUTS] = {
    {
        .machine = PROBE_X86_64,
        .first_version = 14,
        .last_version = 14,
#include "libompd/runtime/kmp-layouts/llvm-14.def"
    },
    {
        .machine = PROBE_X86_64,
        .first_version = 15,
        .last_version = 15,
#include "libompd/runtime/kmp-layouts/llvm-15.def"
    },
    {
        .machine = PROBE_X86_64,
        .first_version = 16,
        .last_version = 16,
#include "libompd/runtime/kmp-layouts/llvm-16.def"
    },
    {
        .machine = PROBE_X86_64,
        .first_version = 17,
        .last_version = 17,
#include "libompd/runtime/kmp-layouts/llvm-17.def"
    },
    {
        .machine = PROBE_X86_64,
        .first_version = 18,
        .last_version = 18,
#include "libompd/runtime/kmp-layouts/llvm-18.def"
    },
    {
        .machine = PROBE_X86_64,
        .first_version = 19,
        .last_version = 20,
#include "libompd/runtime/kmp-layouts/llvm-19.def"
    },
    {
        .machine = PROBE_X86_64,
        .first_version = 21,
        .last_version = 23,
#include "libompd/runtime/kmp-layouts/llvm-21.def"
    },
    {
        .machine = PROBE_AARCH64,
        .first_version = 14,
        .last_version = 14,
#include "libompd/runtime/kmp-layouts/llvm-14.def"
#include "libompd/runtime/kmp-layouts/aarch64.def"
    },
    {
        .machine = PROBE_AARCH64,
        .first_version = 15,
        .last_version = 15,
#include "libompd/runtime/kmp-layouts/llvm-15.def"
#include "libompd/runtime/kmp-layouts/aarch64.def"
    },
    {
        .machine = PROBE_AARCH64,
        .first_version = 16,
        .last_version = 16,
#include "libompd/runtime/kmp-layouts/llvm-16.def"
#include "libompd/runtime/kmp-layouts/aarch64.def"
    },
    {
        .machine = PROBE_AARCH64,
        .first_version = 17,
        .last_version = 17,
#include "libompd/runtime/kmp-layouts/llvm-17.def"
#include "libompd/runtime/kmp-layouts/aarch64.def"
    },
    {
        .machine = PROBE_AARCH64,
        .first_version = 18,
        .last_version = 18,
#include "libompd/runtime/kmp-layouts/llvm-18.def"
#include "libompd/runtime/kmp-layouts/aarch64.def"
    },
    {
        .machine = PROBE_AARCH64,
        .first_version = 19,
        .last_version = 20,
#include "libompd/runtime/kmp-layouts/llvm-19.def"
#include "libompd/runtime/kmp-layouts/aarch64.def"
    },
    {
        .machine = PROBE_AARCH64,
        .first_version = 21,
        .last_version = 23,
#include "libompd/runtime/kmp-layouts/llvm-21.def"
#include "libompd/runtime/kmp-layouts/aarch64.def"
    },
};
