/* SPDX-License-Identifier: MIT
 *
 * The 5.x callback table as the core's target_ops. The copy of the table and the version
 * are the only state that the library keeps outside of handles.
 */
#include <string.h>

#include "libompd/abi-5/abi.h"
#include "libompd/handle/callbacks.h"

static ompd_callbacks_t callbacks;
static ompd_word_t version; /* 0 while not initialised */

/* What a callback's failure is in our terms. */
static enum rc failure(ompd_rc_t rc)
{
    if (rc == ompd_rc_device_read_error)
        return RC_READ_ERROR;
    if (rc == ompd_rc_nomem)
        return RC_NOMEM;
#define RC(name, name2, value2, name5, value5)
#define CALLBACK_RC(name, name2, value2, name5, value5)                                            \
    if (rc == ompd_rc_##name5)                                                                     \
        return RC_##name;
#include "libompd/tables/rc.def"
#undef RC
    return RC_CALLBACK_ERROR;
}

CALLBACKS_OF_MEMORY(alloc_memory, free_memory)
CALLBACK_SYMBOL(ompd_rc_device_read_error)
CALLBACK_HAS_THREAD(get_thread_context_for_thread_id, OMPD_THREAD_ID_LWP)

static enum rc type_sizes(void *context, struct type_sizes *out)
{
    ompd_device_type_sizes_t sizes = {0};
    ompd_rc_t rc = callbacks.sizeof_type(context, &sizes);
    if (rc != ompd_rc_ok)
        return failure(rc);
    *out = (struct type_sizes){
        .sizeof_long = sizes.sizeof_long,
        .sizeof_pointer = sizes.sizeof_pointer,
    };
    return RC_OK;
}

static enum rc symbol_address(void *context, const char *file, const char *name, taddr *out)
{
    ompd_address_t address = {ompd_segment_none, 0};
    ompd_rc_t rc = callbacks.symbol_addr_lookup(context, NULL, name, &address, file);
    return symbol_found(rc, &address, out);
}

static enum rc read_memory(void *context, taddr address, size_t bytes, void *out)
{
    ompd_address_t from = abi_address(address);
    ompd_rc_t rc = callbacks.read_memory(context, NULL, &from, bytes, out);
    return rc == ompd_rc_ok ? RC_OK : failure(rc);
}

static enum rc to_host(void *context, const void *in, int unit, int count, void *out)
{
    ompd_rc_t rc =
        callbacks.device_to_host(context, in, (ompd_size_t)unit, (ompd_size_t)count, out);
    return rc == ompd_rc_ok ? RC_OK : failure(rc);
}

static void log_sentence(const char *sentence)
{
    if (callbacks.print_string)
        (void)callbacks.print_string(sentence, 0);
}

static const struct target_ops ops = {
    .alloc = alloc_memory,
    .release = free_memory,
    .type_sizes = type_sizes,
    .goes_by_file = true,
    .symbol = symbol_address,
    .read = read_memory,
    .to_host = to_host,
    .has_thread = has_thread,
    .log = log_sentence,
};

const struct target_ops *abi_ops(void)
{
    return version ? &ops : NULL;
}

ompd_word_t abi_version(void)
{
    return version;
}

ompd_rc_t ompd_initialize(ompd_word_t api_version, const ompd_callbacks_t *table)
{
    if (!table || !table->alloc_memory || !table->free_memory || !table->sizeof_type ||
        !table->symbol_addr_lookup || !table->read_memory || !table->device_to_host)
        return ompd_rc_bad_input;
    if (api_version < API_OLDEST || api_version > API_NEWEST)
        return ompd_rc_unsupported;
    if (version && memcmp(&callbacks, table, sizeof callbacks) != 0)
        return ompd_rc_error; /* memory of the first is still in use */
    callbacks = *table;
    version = api_version;
    return ompd_rc_ok;
}

ompd_rc_t ompd_finalize(void)
{
    if (!version)
        return ompd_rc_unsupported;
    version = 0;
    return ompd_rc_ok;
}
