/* SPDX-License-Identifier: MIT
 *
 * The callbacks that abi-2.c and abi-5.c have alike; each includes it behind its interface.
 */
#ifndef FUZZ_ABI_CALLBACKS_H
#define FUZZ_ABI_CALLBACKS_H

#include "target.h"

static ompd_rc_t alloc_memory(ompd_size_t bytes, void **ptr)
{
    return (ompd_rc_t)callback_alloc(bytes, ptr);
}

static ompd_rc_t free_memory(void *ptr)
{
    return (ompd_rc_t)callback_free(ptr);
}

static ompd_rc_t find_symbol(ompd_address_space_context_t *context, const char *file,
                             const char *name, ompd_address_t *out)
{
    out->segment = 7;
    return (ompd_rc_t)callback_symbol(context, file, name, &out->address);
}

static int finalize(void)
{
    return (int)ompd_finalize();
}

#endif
