/* SPDX-License-Identifier: MIT
 *
 * What a library of the report is given: the debugger's callbacks, and what return codes
 * mean.
 */
#include "config.h"

#include <string.h>

#include "abi2.h"

/* Contexts are opaque to the library. One address space, and threads only where the library
 * asks for one: this host hands out the address of the lwp record as the thread context. */
struct _ompd_address_space_context_s {
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
    [ANSWER_READ_ERROR] = ompd_rc_target_read_error,
    [ANSWER_WRITE_ERROR] = ompd_rc_target_write_error,
    [ANSWER_NOMEM] = ompd_rc_nomem,
    [ANSWER_INCOMPLETE] = ompd_rc_error, /* unknown to the report */
    [ANSWER_OTHER] = ompd_rc_error,
};

enum answer abi2_answer(ompd_rc_t rc)
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

static ompd_rc_t cb_print(const char *string)
{
    (void)string; /* this host has no use for what a library wants to say */
    return ompd_rc_ok;
}

static ompd_rc_t cb_sizes(ompd_address_space_context_t *space,
                          ompd_target_type_sizes_t *sizes)
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

static pid_t lwp_of(ompd_thread_context_t *thread)
{
    return (pid_t)(intptr_t)thread;
}

static ompd_rc_t cb_symbol(ompd_address_space_context_t *space,
                           ompd_thread_context_t *thread, const char *name,
                           ompd_address_t *address)
{
    uint64_t found;
    if (!space || !name)
        return ompd_rc_bad_input;
    enum answer answer = host_symbol(space->session, lwp_of(thread), NULL, name, &found);
    if (answer == ANSWER_OK)
        *address = (ompd_address_t){OMPD_SEGMENT_UNSPECIFIED, found};
    return answer_codes[answer];
}

static ompd_rc_t cb_read(ompd_address_space_context_t *space,
                         ompd_thread_context_t *thread, const ompd_address_t *address,
                         ompd_tword_t length, void *buffer)
{
    (void)thread;
    if (!space || length < 0)
        return ompd_rc_bad_input;
    return answer_codes[host_read(space->session, address->address, (uint64_t)length,
                                  buffer)];
}

static ompd_rc_t cb_write(ompd_address_space_context_t *space,
                          ompd_thread_context_t *thread, const ompd_address_t *address,
                          ompd_tword_t length, const void *buffer)
{
    (void)thread;
    if (!space || length < 0)
        return ompd_rc_bad_input;
    return answer_codes[host_write(space->session, address->address, (uint64_t)length,
                                   buffer)];
}

/* Both sides have the byte order of this machine: live.c and core.c refuse others. */
static ompd_rc_t cb_convert(ompd_address_space_context_t *space, const void *input,
                            int unit_size, int count, void *output)
{
    (void)space;
    if (unit_size <= 0 || count < 0)
        return ompd_rc_bad_input;
    memmove(output, input, (size_t)unit_size * (size_t)count);
    return ompd_rc_ok;
}

static ompd_rc_t cb_thread_context(ompd_address_space_context_t *space,
                                   ompd_osthread_kind_t kind, ompd_size_t size,
                                   const void *id, ompd_thread_context_t **thread)
{
    uint64_t value = 0;
    if (!space || !id || (size != 4 && size != 8))
        return ompd_rc_bad_input;
    if (size == 8) {
        memcpy(&value, id, sizeof value);
    } else {
        uint32_t half;
        memcpy(&half, id, sizeof half);
        value = half;
    }
    struct target *target = space->session->target;
    for (size_t i = 0; i < target->lwp_count; i++) {
        const struct lwp *lwp = &target->lwps[i];
        if (value && ((kind == ompd_osthread_lwp && (uint64_t)lwp->lwp == value) ||
                      (kind == ompd_osthread_pthread && lwp->pthread == value))) {
            /* The id itself, so that it outlives the list of threads. */
            *thread = (ompd_thread_context_t *)(intptr_t)lwp->lwp;
            return ompd_rc_ok;
        }
    }
    return ompd_rc_unavailable;
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

ompd_address_space_context_t *abi2_context(struct session *s)
{
    the_space.session = s;
    return &the_space;
}
