/* SPDX-License-Identifier: MIT
 *
 * Finds the callee of the call instruction before a return address.
 */
#ifndef OMPD_HOOKS_CALL_SITE_H
#define OMPD_HOOKS_CALL_SITE_H

#include <stdint.h>

enum call_kind {
    CALL_UNKNOWN, /* through a register or a computed address, or not decodable */
    CALL_TARGET,  /* direct, through the PLT, or through a slot of the GOT */
};

/* `start` is the first address of the object that contains the return address; nothing
 * before it is read. `*target` is set for CALL_TARGET only. */
enum call_kind call_site(uintptr_t return_address, uintptr_t start, uintptr_t *target)
    __attribute__((visibility("hidden")));

#endif
