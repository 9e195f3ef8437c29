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

static ompd_address_space_context_t the_space;

static const ompd_rc_t answer_codes[] = {
    [ANSWER_OK] = ompd_rc_ok,
    [ANSWER_UNAVAILABLE] = ompd_rc_unavailable,
    [ANSWER_STALE_HANDLE] = ompd_rc_stale_handle,
    [ANSWER_BAD_INPUT] = ompd_rc_bad_input,
    [ANSWER_ERROR] = ompd_rc_error,
    [ANSWER_UNSUPPORTED] = ompd_rc_unsupported,
    [ANSWER_NEEDS_STATE_TRACKING] = ompd_rc_needs_state_tracking,
    [ANSWER_INCOMPATIBLE] = ompd_rc_incompatible,
    [ANSWER_READ_ERROR] = ompd_rc_device_read_error,
    [ANSWER_WRITE_ERROR] = ompd_rc_device_write_error,
    [ANSWER_NOMEM] = ompd_rc_nomem,
    [ANSWER_INCOMPLETE] = ompd_rc_incomplete,
    [ANSWER_OTHER] = ompd_rc_error,
};

enum answer abi5_answer(ompd_rc_t rc)
{
    for (int i = 0; i < ANSWER_OTHER; i++)
        if (answer_codes[i] == rc)
            return (enum answer)i;
    return ANSWER_OTHER;
}

static ompd_rc_t cb_alloc(ompd_size_t bytes, void **pointer)
{
    return answer_codes[host_alloc(bytes, pointer)];
}

static ompd_rc_t cb_free(void *pointer)
{
    return answer_codes[host_free(pointer)];
}

static ompd_rc_t cb_print(const char *string, int category)
{
    (void)string, (void)category;
    return ompd_rc_ok;
}

static ompd_rc_t cb_sizes(ompd_address_space_context_t *space,
                          ompd_device_type_sizes_t *sizes)
{
    const uint8_t word = (uint8_t)space->session->target->word_size; /* of a long as well */
    *sizes = (ompd_device_type_sizes_t){sizeof(char), sizeof(short),     sizeof(int),
                                        word,         sizeof(long long), word};
    return ompd_rc_ok;
}

static ompd_rc_t cb_symbol(ompd_address_space_context_t *space,
                           ompd_thread_context_t *thread, const char *name,
                           ompd_address_t *address, const char *file)
{
    uint64_t found;
    if (!space || !name)
        return ompd_rc_bad_input;
    enum answer answer =
        host_symbol(space->session, (pid_t)(intptr_t)thread, file, name, &found);
    if (answer == ANSWER_OK)
        *address = (ompd_address_t){OMPD_SEGMENT_UNSPECIFIED, found};
    return answer_codes[answer];
}

static ompd_rc_t cb_read(ompd_address_space_context_t *space,
                         ompd_thread_context_t *thread, const ompd_address_t *address,
                         ompd_size_t length, void *buffer)
{
    (void)thread;
    if (!space)
        return ompd_rc_bad_input;
    return answer_codes[host_read(space->session, address->address, length, buffer)];
}

static ompd_rc_t cb_write(ompd_address_space_context_t *space,
                          ompd_thread_context_t *thread, const ompd_address_t *address,
                          ompd_size_t length, const void *buffer)
{
    (void)thread;
    if (!space)
        return ompd_rc_bad_input;
    return answer_codes[host_write(space->session, address->address, length, buffer)];
}

static ompd_rc_t cb_read_string(ompd_address_space_context_t *space,
                                ompd_thread_context_t *thread,
                                const ompd_address_t *address, ompd_size_t size,
                                void *buffer)
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

static ompd_rc_t cb_thread_context(ompd_address_space_context_t *space,
                                   ompd_thread_id_t kind, ompd_size_t size, const void *id,
                                   ompd_thread_context_t **thread)
{
    uint64_t value = 0;
    if (!space || !id || size > sizeof value)
        return ompd_rc_bad_input;
    memcpy(&value, id, size); /* little endian */
    const struct target *target = space->session->target;
    for (size_t i = 0; i < target->lwp_count; i++) {
        const struct lwp *lwp = &target->lwps[i];
        uint64_t own = kind == OMPD_THREAD_ID_LWP ? (uint64_t)lwp->lwp : lwp->pthread;
        if (kind <= OMPD_THREAD_ID_LWP && value && own == value) {
            *thread = (ompd_thread_context_t *)(intptr_t)lwp->lwp;
            return ompd_rc_ok;
        }
    }
    return ompd_rc_unavailable;
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

ompd_address_space_context_t *abi5_context(struct session *s)
{
    the_space.session = s;
    return &the_space;
}
