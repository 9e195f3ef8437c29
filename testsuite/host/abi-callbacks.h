/* SPDX-License-Identifier: MIT
 *
 * The callbacks that both dialects have alike, and what return codes mean: abi2-callbacks.c and
 * abi5-callbacks.c include this behind abi2.h or abi5.h and
 *
 *   struct CONTEXT { struct session *session; }     with the interface's own tag
 *
 * Contexts are opaque to the library. There is one address space; the context of a thread is the
 * id of its lwp, so that it outlives the list of threads.
 */
#ifndef HOST_ABI_CALLBACKS_H
#define HOST_ABI_CALLBACKS_H

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
    [ANSWER_READ_ERROR] = RC_READ_ERROR,
    [ANSWER_WRITE_ERROR] = RC_WRITE_ERROR,
    [ANSWER_NOMEM] = ompd_rc_nomem,
    [ANSWER_INCOMPLETE] = RC_INCOMPLETE,
    [ANSWER_OTHER] = ompd_rc_error,
};

enum answer ABI(answer)(ompd_rc_t rc)
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

static ompd_rc_t find_symbol(ompd_address_space_context_t *space, ompd_thread_context_t *thread,
                             const char *file, const char *name, ompd_address_t *address)
{
    uint64_t found;
    if (!space || !name)
        return ompd_rc_bad_input;
    enum answer answer = host_symbol(space->session, (pid_t)(intptr_t)thread, file, name, &found);
    if (answer == ANSWER_OK)
        *address = (ompd_address_t){OMPD_SEGMENT_UNSPECIFIED, found};
    return answer_codes[answer];
}

static ompd_rc_t cb_read(ompd_address_space_context_t *space, ompd_thread_context_t *thread,
                         const ompd_address_t *address, length_of_abi length, void *buffer)
{
    (void)thread;
    if (!space || (int64_t)length < 0)
        return ompd_rc_bad_input;
    return answer_codes[host_read(space->session, address->address, (uint64_t)length, buffer)];
}

static ompd_rc_t cb_write(ompd_address_space_context_t *space, ompd_thread_context_t *thread,
                          const ompd_address_t *address, length_of_abi length, const void *buffer)
{
    (void)thread;
    if (!space || (int64_t)length < 0)
        return ompd_rc_bad_input;
    return answer_codes[host_write(space->session, address->address, (uint64_t)length, buffer)];
}

/* Finds the thread with an id of `size` bytes, little endian. */
static ompd_rc_t find_thread(ompd_address_space_context_t *space, bool is_lwp, ompd_size_t size,
                             const void *id, ompd_thread_context_t **thread)
{
    uint64_t value = 0;
    if (!space || !id || size > sizeof value)
        return ompd_rc_bad_input;
    memcpy(&value, id, size);
    const struct target *target = space->session->target;
    for (size_t i = 0; i < target->lwp_count; i++) {
        const struct lwp *lwp = &target->lwps[i];
        if (value && (is_lwp ? (uint64_t)lwp->lwp : lwp->pthread) == value) {
            *thread = (ompd_thread_context_t *)(intptr_t)lwp->lwp;
            return ompd_rc_ok;
        }
    }
    return ompd_rc_unavailable;
}

ompd_address_space_context_t *ABI(context)(struct session *s)
{
    the_space.session = s;
    return &the_space;
}

#endif
