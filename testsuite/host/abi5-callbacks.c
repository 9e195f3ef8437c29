/* SPDX-License-Identifier: MIT
 *
 * What a library of OpenMP 5.x is given: the debugger's callbacks, and what return codes
 * mean.
 */
#include "config.h"

#include <string.h>

#include "abi5.h"

struct _ompd_aspace_cont {
    struct session *session;
};

#include "abi-callbacks.h"

static ompd_rc_t cb_print(const char *string, int category)
{
    (void)string, (void)category;
    return ompd_rc_ok;
}

static ompd_rc_t cb_sizes(ompd_address_space_context_t *space, ompd_device_type_sizes_t *sizes)
{
    const uint8_t word = (uint8_t)space->session->target->word_size; /* of a long as well */
    *sizes = (ompd_device_type_sizes_t){sizeof(char), sizeof(short),     sizeof(int),
                                        word,         sizeof(long long), word};
    return ompd_rc_ok;
}

static ompd_rc_t cb_symbol(ompd_address_space_context_t *space, ompd_thread_context_t *thread,
                           const char *name, ompd_address_t *address, const char *file)
{
    return find_symbol(space, thread, file, name, address);
}

static ompd_rc_t cb_read_string(ompd_address_space_context_t *space, ompd_thread_context_t *thread,
                                const ompd_address_t *address, ompd_size_t size, void *buffer)
{
    (void)thread;
    if (!space)
        return ompd_rc_bad_input;
    space->session->counts.reads++;
    return target_read_string(space->session->target, address->address, buffer, size)
               ? ompd_rc_device_read_error
               : ompd_rc_ok;
}

static ompd_rc_t cb_convert(ompd_address_space_context_t *space, const void *input,
                            ompd_size_t unit_size, ompd_size_t count, void *output)
{
    (void)space;
    if (unit_size == 0 || unit_size > 16)
        return ompd_rc_bad_input;
    memmove(output, input, unit_size * count);
    return ompd_rc_ok;
}

static ompd_rc_t cb_thread_context(ompd_address_space_context_t *space, ompd_thread_id_t kind,
                                   ompd_size_t size, const void *id, ompd_thread_context_t **thread)
{
    if (kind > OMPD_THREAD_ID_LWP)
        return space && id && size <= sizeof(uint64_t) ? ompd_rc_unavailable : ompd_rc_bad_input;
    return find_thread(space, kind == OMPD_THREAD_ID_LWP, size, id, thread);
}

const ompd_callbacks_t abi5_callbacks = {
    .alloc_memory = cb_alloc,
    .free_memory = cb_free,
    .print_string = cb_print,
    .sizeof_type = cb_sizes,
    .symbol_addr_lookup = cb_symbol,
    .read_memory = cb_read,
    .write_memory = cb_write,
    .read_string = cb_read_string,
    .device_to_host = cb_convert,
    .host_to_device = cb_convert,
    .get_thread_context_for_thread_id = cb_thread_context,
};
