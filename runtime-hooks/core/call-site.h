/* SPDX-License-Identifier: MIT
 *
 * What the machine code in front of a return address calls.
 */
#ifndef OMPD_HOOKS_CALL_SITE_H
#define OMPD_HOOKS_CALL_SITE_H

#include <stdint.h>

enum call_kind {
    CALL_UNKNOWN, /* through a register or a pointer in memory, or it cannot be decoded */
    CALL_TARGET,  /* of a known function, also through the procedure linkage table */
};

/* `start` is the first address of the object that holds the return address. */
enum call_kind call_site(uintptr_t return_address, uintptr_t start, uintptr_t *target)
    __attribute__((visibility("hidden")));

#endif
