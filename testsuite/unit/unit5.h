/* SPDX-License-Identifier: MIT
 *
 * unit.h for the 5.x interface and the extension: callbacks over the fake target, and one
 * program with all its records in each kind of target.
 */
#ifndef UNIT5_H
#define UNIT5_H

#include "fake-records.h"
#include "libompd/ext/ompd-ext.h"
#include "ompd-types.h"

struct unit {
    struct program *program;
    struct fake *fake;
    struct records records;
    ompd_address_space_handle_t *space;
};

#include "unit-interface.h"

/* What its read_memory answers when it fails. */
extern ompd_rc_t unit5_read_code;

/* Does a structure of the extension have this field? */
#define KNOWS(s, bit) ((s)->known >> (bit)&1)

/* The number that ompd_enumerate_icvs gives a name; its scope if asked. */
ompd_icv_id_t unit_icv(const struct unit *unit, const char *name, ompd_scope_t *scope);

#endif
