/* SPDX-License-Identifier: MIT
 *
 * The 2.000 interface for the fuzz driver: its callback table over the driver's callbacks.
 */
#include "libompd/abi-2/ompd.h"
#include "abi-callbacks.h"

static ompd_rc_t sizes_of(ompd_address_space_context_t *context, ompd_target_type_sizes_t *sizes)
{
    sizes->sizeof_char = 1;
    sizes->sizeof_short = 2;
    sizes->sizeof_int = 4;
    sizes->sizeof_long_long = 8;
    return (ompd_rc_t)callback_sizes(context, &sizes->sizeof_long, &sizes->sizeof_pointer);
}

static ompd_rc_t symbol_addr(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
                             const char *name, ompd_address_t *out)
{
    (void)thread;
    return find_symbol(context, NULL, name, out);
}

static ompd_rc_t read_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
                             const ompd_address_t *addr, ompd_tword_t nbytes, void *buffer)
{
    (void)thread;
    return (ompd_rc_t)callback_read(context, addr->address, (uint64_t)nbytes, buffer);
}

static ompd_rc_t to_host(ompd_address_space_context_t *context, const void *input, int unit_size,
                         int count, void *output)
{
    return (ompd_rc_t)callback_to_host(context, input, unit_size, count, output);
}

static ompd_rc_t thread_context(ompd_address_space_context_t *context, ompd_osthread_kind_t kind,
                                ompd_size_t bytes, const void *id, ompd_thread_context_t **out)
{
    if (kind != ompd_osthread_lwp)
        fuzz_fail("thread ids of kind %d", (int)kind);
    return (ompd_rc_t)callback_thread(context, bytes, id, (void **)out);
}

static int initialize(void)
{
    static const ompd_callbacks_t table = {
        .d_alloc_memory = alloc_memory,
        .d_free_memory = free_memory,
        .t_sizeof_prim_type = sizes_of,
        .t_symbol_addr_lookup = symbol_addr,
        .t_read_memory = read_memory,
        .get_thread_context_for_osthread = thread_context,
        .target_to_host = to_host,
    };
    return (int)ompd_initialize(&table);
}

const struct abi fuzz_abi = {
    .name = "abi-2",
    .initialize = initialize,
    .finalize = finalize,
    .initialized = RC_error,
    .uninitialized = RC_error,
};
