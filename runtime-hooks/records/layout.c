/* SPDX-License-Identifier: MIT
 *
 * What readers find by name: the description of the records, and their root.
 */
#include "core/hooks.h"
#include "records/records.h"

/* In writable memory, so that core files hold it. */
EXPORT struct hooks_descriptor ompd_hooks_layout = {
    .header =
        {
            .cookie = HOOKS_COOKIE,
            .byte_order = HOOKS_BYTE_ORDER,
            .version_major = HOOKS_VERSION_MAJOR,
            .version_minor = HOOKS_VERSION_MINOR,
            .record_count = RECORD_COUNT,
            .field_count = FIELD_COUNT,
            .pointer_size = sizeof(void *),
        },
    .record_size =
        {
#define RECORD(r, comment) [RECORD_##r] = sizeof(struct rec_##r),
#define FIELD(r, type, f)
#define END_RECORD(r)
#include "records.def"
#undef RECORD
#undef FIELD
#undef END_RECORD
        },
    .field =
        {
#define RECORD(r, comment)
#define FIELD(r, type, f) [FIELD_##r##_##f] = {offsetof(struct rec_##r, f), sizeof(rec_##type)},
#define END_RECORD(r)
#include "records.def"
#undef RECORD
#undef FIELD
#undef END_RECORD
        },
};

EXPORT struct rec_root ompd_hooks_root;
