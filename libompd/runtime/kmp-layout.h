/* SPDX-License-Identifier: MIT
 *
 * The rows of kmp-fields.def, and where the versions of LLVM's runtime have the fields.
 */
#ifndef LIBOMPD_KMP_LAYOUT_H
#define LIBOMPD_KMP_LAYOUT_H

#include <stdint.h>

#include "libompd/runtime/probe.h"

enum kmp_struct {
#define KMP_STRUCT(s) KMP_STRUCT_##s,
#include "libompd/runtime/kmp-fields.def"
    KMP_STRUCT_COUNT
};

enum kmp_field {
#define KMP_FIELD(s, f, path) KMP_##s##_##f,
#include "libompd/runtime/kmp-fields.def"
    KMP_FIELD_COUNT,
};

enum kmp_flag {
#define KMP_BIT(s, f, path) KMP_FLAG_##f,
#include "libompd/runtime/kmp-fields.def"
    KMP_FLAG_COUNT
};

enum {
#define KMP_CONSTANT(name, value) KMP_##name = value,
#include "libompd/runtime/kmp-fields.def"
};

enum kmp_global_icv {
#define KMP_GLOBAL_ICV(name, accessor, bytes) KMP_GLOBAL_##name,
#include "libompd/runtime/kmp-fields.def"
    KMP_GLOBALS
};

/* Bytes. */
struct kmp_place {
    uint16_t offset;
    uint16_t size;
};

struct kmp_layout {
    enum probe_machine machine;
    unsigned first_version, last_version; /* of LLVM */
    uint16_t size[KMP_STRUCT_COUNT];
    struct kmp_place place[KMP_FIELD_COUNT];
    uint8_t bit[KMP_FLAG_COUNT]; /* in td_flags */
};

/* In rising order of versions, for one machine after the other. */
enum { KMP_LAYOUTS = 14 };
extern const struct kmp_layout kmp_layouts[KMP_LAYOUTS];

#endif
