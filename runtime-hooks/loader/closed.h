/* SPDX-License-Identifier: MIT
 *
 * Which objects there were when dlclose() was last called: where no memory is any more, a reader
 * has the name of what was there.
 */
#ifndef OMPD_HOOKS_CLOSED_H
#define OMPD_HOOKS_CLOSED_H

#include "core/hooks.h"

#include <stdint.h>

/* For readers, in the target's byte order. An entry that is being written has start 0. */
#define OBJECTS_COOKIE "OMPDOBJ" /* eight bytes with its NUL */
#define MAX_OBJECTS_LISTED 256   /* the oldest ones are replaced */
#define MAX_OBJECT_NAME 104      /* of longer names there is the end */

struct hooks_objects {
    char cookie[8];
    uint32_t size; /* of an entry */
    uint32_t used; /* entries, grows only */
    struct hooks_object {
        uintptr_t start, end;
        char name[MAX_OBJECT_NAME]; /* as the loader has it, with a NUL */
    } object[MAX_OBJECTS_LISTED];
};

EXPORT extern struct hooks_objects ompd_hooks_objects;

#pragma GCC visibility push(hidden)

/* Lists those there are. Acquires the lock of dl_iterate_phdr(). */
void objects_list(void);

#pragma GCC visibility pop

#endif
