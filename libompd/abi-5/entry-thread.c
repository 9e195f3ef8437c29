/* SPDX-License-Identifier: MIT
 *
 * Threads by their operating system ids, and their device.
 */
#include "libompd/abi-5/abi.h"

/* False: a kind that this runtime's threads do not have. */
static bool os_kind(ompd_thread_id_t kind, enum os_thread_kind *out)
{
    if (kind != OMPD_THREAD_ID_PTHREAD && kind != OMPD_THREAD_ID_LWP)
        return false;
    *out = kind == OMPD_THREAD_ID_LWP ? OS_THREAD_LWP : OS_THREAD_PTHREAD;
    return true;
}

ompd_rc_t ompd_get_thread_handle(ompd_address_space_handle_t *handle, ompd_thread_id_t kind,
                                 ompd_size_t sizeof_thread_id, const void *thread_id,
                                 ompd_thread_handle_t **thread_handle)
{
    if (!thread_id || !thread_handle)
        return ompd_rc_bad_input;
    enum os_thread_kind os;
    struct space *space;
    enum rc rc = any_space_check(handle, &space);
    if (rc == RC_OK && !os_kind(kind, &os))
        rc = RC_UNSUPPORTED;
    struct handle *thread;
    if (rc == RC_OK)
        rc = thread_of_any_space(handle, os, sizeof_thread_id, thread_id, &thread);
    if (rc == RC_OK)
        *thread_handle = (ompd_thread_handle_t *)thread;
    return abi_answer(rc);
}

ompd_rc_t ompd_get_thread_id(ompd_thread_handle_t *thread_handle, ompd_thread_id_t kind,
                             ompd_size_t sizeof_thread_id, void *thread_id)
{
    if (!thread_id)
        return ompd_rc_bad_input;
    enum os_thread_kind os;
    enum rc rc = handle_check(abi_thread(thread_handle), HANDLE_THREAD);
    if (rc == RC_OK && !os_kind(kind, &os))
        rc = RC_UNSUPPORTED;
    if (rc == RC_OK)
        rc = os_id_of_thread(abi_thread(thread_handle), os, sizeof_thread_id, thread_id);
    return abi_answer(rc);
}

ompd_rc_t ompd_get_device_from_thread(ompd_thread_handle_t *thread_handle,
                                      ompd_address_space_handle_t **device)
{
    if (!device)
        return ompd_rc_bad_input;
    enum rc rc = handle_check(abi_thread(thread_handle), HANDLE_THREAD);
    if (rc == RC_OK)
        *device = (ompd_address_space_handle_t *)abi_thread(thread_handle)->space;
    return abi_answer(rc);
}
