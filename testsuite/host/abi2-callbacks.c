/* SPDX-License-Identifier: MIT
 *
 * What a library of the report is given: the debugger's callbacks, and what return codes
 * mean.
 */
#include "config.h"

#include <string.h>

#include "abi2.h"

struct _ompd_address_space_context_s {
    struct session *session;
};

#include "abi-callbacks.h"

static ompd_rc_t cb_print(const char *string)
{
    (void)string; /* this host has no use for what a library wants to say */
    return ompd_rc_ok;
}

static ompd_rc_t cb_sizes(ompd_address_space_context_t *space, ompd_target_type_sizes_t *sizes)
{
    const int word = (int)space->session->target->word_size; /* of a long as well */
    *sizes = (ompd_target_type_sizes_t){
        .sizeof_char = sizeof(char),
        .sizeof_short = sizeof(short),
        .sizeof_int = sizeof(int),
        .sizeof_long = word,
        .sizeof_long_long = sizeof(long long),
        .sizeof_pointer = word,
    };
    return ompd_rc_ok;
}

static ompd_rc_t cb_symbol(ompd_address_space_context_t *space, ompd_thread_context_t *thread,
                           const char *name, ompd_address_t *address)
{
    return find_symbol(space, thread, NULL, name, address);
}

/* Both sides have the byte order of this machine: live.c and core.c refuse others. */
static ompd_rc_t cb_convert(ompd_address_space_context_t *space, const void *input, int unit_size,
                            int count, void *output)
{
    (void)space;
    if (unit_size <= 0 || count < 0)
        return ompd_rc_bad_input;
    memmove(output, input, (size_t)unit_size * (size_t)count);
    return ompd_rc_ok;
}

static ompd_rc_t cb_thread_context(ompd_address_space_context_t *space, ompd_osthread_kind_t kind,
                                   ompd_size_t size, const void *id, ompd_thread_context_t **thread)
{
    if (size != 4 && size != 8)
        return ompd_rc_bad_input;
    if (kind != ompd_osthread_lwp && kind != ompd_osthread_pthread)
        return space && id ? ompd_rc_unavailable : ompd_rc_bad_input;
    return find_thread(space, kind == ompd_osthread_lwp, size, id, thread);
}

static ompd_rc_t cb_space_of_thread(ompd_thread_context_t *thread,
                                    ompd_address_space_context_t **space)
{
    if (!thread)
        return ompd_rc_bad_input;
    *space = &the_space;
    return ompd_rc_ok;
}

const ompd_callbacks_t abi2_callbacks = {
    .d_alloc_memory = cb_alloc,
    .d_free_memory = cb_free,
    .print_string = cb_print,
    .t_sizeof_prim_type = cb_sizes,
    .t_symbol_addr_lookup = cb_symbol,
    .t_read_memory = cb_read,
    .t_write_memory = cb_write,
    .target_to_host = cb_convert,
    .host_to_target = cb_convert,
    .get_thread_context_for_osthread = cb_thread_context,
    .get_address_space_context_for_thread = cb_space_of_thread,
};
