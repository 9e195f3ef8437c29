/* SPDX-License-Identifier: MIT
 *
 * The 5.x interface for the fuzz driver: its callback table over the driver's callbacks.
 */
#include "libompd/ext/ompd-ext.h"
#include "ompd-types.h"
#include "abi-callbacks.h"

static ompd_rc_t sizes_of(ompd_address_space_context_t *context, ompd_device_type_sizes_t *sizes)
{
    int sizeof_long = 0;
    int sizeof_pointer = 0;
    int rc = callback_sizes(context, &sizeof_long, &sizeof_pointer);
    *sizes = (ompd_device_type_sizes_t){1, 2, 4, (uint8_t)sizeof_long, 8, (uint8_t)sizeof_pointer};
    return (ompd_rc_t)rc;
}

static ompd_rc_t symbol_addr(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
                             const char *name, ompd_address_t *out, const char *file)
{
    (void)thread;
    return find_symbol(context, file, name, out);
}

static ompd_rc_t read_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
                             const ompd_address_t *addr, ompd_size_t nbytes, void *buffer)
{
    (void)thread;
    /* Its own code would be passed on, and checks compare with that of a failed read. */
    return callback_read(context, addr->address, nbytes, buffer) == RC_ok
               ? ompd_rc_ok
               : ompd_rc_device_read_error;
}

static ompd_rc_t to_host(ompd_address_space_context_t *context, const void *input,
                         ompd_size_t unit_size, ompd_size_t count, void *output)
{
    return (ompd_rc_t)callback_to_host(context, input, (int)unit_size, (int)count, output);
}

static ompd_rc_t thread_context(ompd_address_space_context_t *context, ompd_thread_id_t kind,
                                ompd_size_t bytes, const void *id, ompd_thread_context_t **out)
{
    if (kind != OMPD_THREAD_ID_LWP)
        fuzz_fail("thread ids of kind %d", (int)kind);
    return (ompd_rc_t)callback_thread(context, bytes, id, (void **)out);
}

static int initialize(void)
{
    static const ompd_callbacks_t table = {
        .alloc_memory = alloc_memory,
        .free_memory = free_memory,
        .sizeof_type = sizes_of,
        .symbol_addr_lookup = symbol_addr,
        .read_memory = read_memory,
        .get_thread_context_for_thread_id = thread_context,
        .device_to_host = to_host,
    };
    return (int)ompd_initialize(201811, &table);
}

const struct abi fuzz_abi = {
    .name = "abi-5",
    .initialize = initialize,
    .finalize = finalize,
    .initialized = RC_ok,
    .uninitialized = RC_unsupported,
};
