/* SPDX-License-Identifier: MIT
 *
 * The 2.000 callback table as the core's target_ops. The copy of the table is the only
 * state that the library keeps outside of handles.
 */
#include "libompd/abi-2/abi.h"
#include "libompd/handle/callbacks.h"

static ompd_callbacks_t callbacks;
static bool initialized;

CALLBACKS_OF_MEMORY(d_alloc_memory, d_free_memory)
CALLBACK_SYMBOL(ompd_rc_target_read_error)
CALLBACK_HAS_THREAD(get_thread_context_for_osthread, ompd_osthread_lwp)

static enum rc type_sizes(void *context, struct type_sizes *out)
{
    ompd_target_type_sizes_t sizes = {0};
    if (callbacks.t_sizeof_prim_type(context, &sizes) != ompd_rc_ok)
        return RC_CALLBACK_ERROR;
    *out = (struct type_sizes){
        .sizeof_long = (unsigned)sizes.sizeof_long,
        .sizeof_pointer = (unsigned)sizes.sizeof_pointer,
    };
    return RC_OK;
}

static enum rc symbol_address(void *context, const char *file, const char *name, taddr *out)
{
    (void)file;
    ompd_address_t address = {OMPD_SEGMENT_UNSPECIFIED, 0};
    ompd_rc_t rc = callbacks.t_symbol_addr_lookup(context, NULL, name, &address);
    return symbol_found(rc, &address, out);
}

static enum rc read_memory(void *context, taddr address, size_t bytes, void *out)
{
    ompd_address_t from = abi_address(address);
    if (callbacks.t_read_memory(context, NULL, &from, (ompd_tword_t)bytes, out) != ompd_rc_ok)
        return RC_READ_ERROR;
    return RC_OK;
}

static enum rc to_host(void *context, const void *in, int unit, int count, void *out)
{
    if (callbacks.target_to_host(context, in, unit, count, out) != ompd_rc_ok)
        return RC_CALLBACK_ERROR;
    return RC_OK;
}

static const struct target_ops ops = {
    .alloc = alloc_memory,
    .release = free_memory,
    .type_sizes = type_sizes,
    .symbol = symbol_address,
    .read = read_memory,
    .to_host = to_host,
    .has_thread = has_thread,
};

const struct target_ops *abi_ops(void)
{
    return initialized ? &ops : NULL;
}

ompd_rc_t ompd_initialize(const ompd_callbacks_t *table)
{
    if (!table || !table->d_alloc_memory || !table->d_free_memory || !table->t_sizeof_prim_type ||
        !table->t_symbol_addr_lookup || !table->t_read_memory || !table->target_to_host)
        return ompd_rc_bad_input;
    if (initialized)
        return ompd_rc_error;
    callbacks = *table;
    initialized = true;
    return ompd_rc_ok;
}

ompd_rc_t ompd_finalize(void)
{
    if (!initialized)
        return ompd_rc_error;
    initialized = false;
    return ompd_rc_ok;
}
