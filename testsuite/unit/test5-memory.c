/* SPDX-License-Identifier: MIT
 *
 * The library of the 5.x interface has memory from the debugger's callbacks only: the
 * program's own malloc counts who calls it while the library is at work.
 */
#include "poison.h"
#include "unit5.h"

/* The fake debugger with the count at rest while it is called. */
static ompd_rc_t alloc_memory(ompd_size_t bytes, void **out)
{
    return PAUSED(fake_debugger.alloc_memory(bytes, out));
}

static ompd_rc_t free_memory(void *memory)
{
    return PAUSED(fake_debugger.free_memory(memory));
}

static ompd_rc_t sizeof_type(ompd_address_space_context_t *c, ompd_device_type_sizes_t *out)
{
    return PAUSED(fake_debugger.sizeof_type(c, out));
}

static ompd_rc_t symbol_addr_lookup(ompd_address_space_context_t *c, ompd_thread_context_t *t,
                                    const char *name, ompd_address_t *out,
                                    const char *file)
{
    return PAUSED(fake_debugger.symbol_addr_lookup(c, t, name, out, file));
}

static ompd_rc_t read_memory(ompd_address_space_context_t *c, ompd_thread_context_t *t,
                             const ompd_address_t *from, ompd_size_t bytes, void *out)
{
    return PAUSED(fake_debugger.read_memory(c, t, from, bytes, out));
}

static ompd_rc_t device_to_host(ompd_address_space_context_t *c, const void *in,
                                ompd_size_t unit, ompd_size_t count, void *out)
{
    return PAUSED(fake_debugger.device_to_host(c, in, unit, count, out));
}

static const ompd_callbacks_t debugger = {
    .alloc_memory = alloc_memory,
    .free_memory = free_memory,
    .sizeof_type = sizeof_type,
    .symbol_addr_lookup = symbol_addr_lookup,
    .read_memory = read_memory,
    .device_to_host = device_to_host,
};

static ompd_rc_t initialize(void)
{
    return ompd_initialize(202411, &debugger);
}

#include "memory-tests.h"
