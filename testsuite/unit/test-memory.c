/* SPDX-License-Identifier: MIT
 *
 * The library of the 2.000 interface has memory from the debugger's callbacks only: the
 * program's own malloc counts who calls it while the library is at work.
 */
#include "poison.h"
#include "unit.h"

/* The fake debugger with the count at rest while it is called. */
static ompd_rc_t d_alloc_memory(ompd_size_t bytes, void **out)
{
    return PAUSED(fake_debugger.d_alloc_memory(bytes, out));
}

static ompd_rc_t d_free_memory(void *memory)
{
    return PAUSED(fake_debugger.d_free_memory(memory));
}

static ompd_rc_t t_sizeof_prim_type(ompd_address_space_context_t *c, ompd_target_type_sizes_t *out)
{
    return PAUSED(fake_debugger.t_sizeof_prim_type(c, out));
}

static ompd_rc_t t_symbol_addr_lookup(ompd_address_space_context_t *c, ompd_thread_context_t *t,
                                      const char *name, ompd_address_t *out)
{
    return PAUSED(fake_debugger.t_symbol_addr_lookup(c, t, name, out));
}

static ompd_rc_t t_read_memory(ompd_address_space_context_t *c, ompd_thread_context_t *t,
                               const ompd_address_t *from, ompd_tword_t bytes, void *out)
{
    return PAUSED(fake_debugger.t_read_memory(c, t, from, bytes, out));
}

static ompd_rc_t target_to_host(ompd_address_space_context_t *c, const void *in, int unit,
                                int count, void *out)
{
    return PAUSED(fake_debugger.target_to_host(c, in, unit, count, out));
}

static const ompd_callbacks_t debugger = {
    .d_alloc_memory = d_alloc_memory,
    .d_free_memory = d_free_memory,
    .t_sizeof_prim_type = t_sizeof_prim_type,
    .t_symbol_addr_lookup = t_symbol_addr_lookup,
    .t_read_memory = t_read_memory,
    .target_to_host = target_to_host,
};

static ompd_rc_t initialize(void)
{
    return ompd_initialize(&debugger);
}

#include "memory-tests.h"
