/* SPDX-License-Identifier: MIT
 *
 * Threads: all of a process, those of operating system ids, and their states.
 */
#include "libompd/abi-2/abi.h"

ompd_rc_t ompd_get_threads(ompd_address_space_handle_t *handle,
                           ompd_thread_handle_t ***thread_handle_vector, int *num_handles)
{
    if (!num_handles)
        return ompd_rc_bad_input;
    struct handle **vector;
    enum rc rc =
        threads_of_space(abi_space(handle), thread_handle_vector ? &vector : NULL, num_handles);
    if (rc == RC_OK && thread_handle_vector)
        *thread_handle_vector = (ompd_thread_handle_t **)vector;
    return abi_answer(rc);
}

/* False: a kind that this runtime's threads do not have. */
static bool os_kind(ompd_osthread_kind_t kind, enum os_thread_kind *out)
{
    switch (kind) {
    case ompd_osthread_pthread:
        *out = OS_THREAD_PTHREAD;
        return true;
    case ompd_osthread_lwp:
        *out = OS_THREAD_LWP;
        return true;
    default:
        return false;
    }
}

/* The one routine that writes its out-parameter on failure, too. */
ompd_rc_t ompd_get_thread_handle(ompd_address_space_handle_t *handle, ompd_osthread_kind_t kind,
                                 ompd_size_t sizeof_osthread, const void *osthread,
                                 ompd_thread_handle_t **thread_handle)
{
    if (!osthread || !thread_handle)
        return ompd_rc_bad_input;
    enum os_thread_kind os;
    enum rc rc = space_check(abi_space(handle));
    if (rc == RC_OK && !os_kind(kind, &os))
        rc = RC_UNSUPPORTED;
    struct handle *thread;
    if (rc == RC_OK)
        rc = thread_of_os_id(abi_space(handle), os, sizeof_osthread, osthread, &thread);
    if (rc == RC_OK)
        *thread_handle = (ompd_thread_handle_t *)thread;
    if (rc == RC_UNAVAILABLE) {
        *thread_handle = NULL;
        rc = RC_BAD_INPUT;
    }
    return abi_answer(rc);
}

ompd_rc_t ompd_get_osthread(ompd_thread_handle_t *thread_handle, ompd_osthread_kind_t kind,
                            ompd_size_t sizeof_osthread, void *osthread)
{
    if (!osthread)
        return ompd_rc_bad_input;
    enum os_thread_kind os;
    enum rc rc = handle_check(abi_thread(thread_handle), HANDLE_THREAD);
    if (rc == RC_OK && !os_kind(kind, &os))
        rc = RC_UNSUPPORTED;
    if (rc == RC_OK)
        rc = os_id_of_thread(abi_thread(thread_handle), os, sizeof_osthread, osthread);
    return abi_answer(rc);
}

ompd_rc_t ompd_get_state(ompd_thread_handle_t *thread_handle, ompd_state_t *state,
                         ompd_wait_id_t *wait_id)
{
    if (!state)
        return ompd_rc_bad_input;
    struct thread_facts facts;
    enum rc rc = facts_of_thread(abi_thread(thread_handle), &facts);
    uint64_t what, wait;
    if (rc == RC_OK)
        rc = fact_value(facts.state, &what);
    if (rc == RC_OK)
        rc = fact_value(facts.wait_id, &wait);
    if (rc == RC_OK) {
        *state = (ompd_state_t)what;
        if (wait_id)
            *wait_id = wait;
    }
    return abi_answer(rc);
}
