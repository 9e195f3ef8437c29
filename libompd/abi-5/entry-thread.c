/* SPDX-License-Identifier: MIT
 *
 * Threads.
 */
#include "libompd/abi-5/abi.h"

ompd_rc_t ompd_get_thread_in_parallel(ompd_parallel_handle_t *parallel_handle,
                                      int thread_num,
                                      ompd_thread_handle_t **thread_handle)
{
    if (!thread_handle)
        return ompd_rc_bad_input;
    struct handle *thread;
    enum rc rc = thread_in_any_region(abi_parallel(parallel_handle), thread_num, &thread);
    if (rc == RC_OK)
        *thread_handle = (ompd_thread_handle_t *)thread;
    return abi_answer(rc);
}

/* False: a kind that this runtime's threads do not have. */
static bool os_kind(ompd_thread_id_t kind, enum os_thread_kind *out)
{
    if (kind != OMPD_THREAD_ID_PTHREAD && kind != OMPD_THREAD_ID_LWP)
        return false;
    *out = kind == OMPD_THREAD_ID_LWP ? OS_THREAD_LWP : OS_THREAD_PTHREAD;
    return true;
}

ompd_rc_t ompd_get_thread_handle(ompd_address_space_handle_t *handle,
                                 ompd_thread_id_t kind, ompd_size_t sizeof_thread_id,
                                 const void *thread_id,
                                 ompd_thread_handle_t **thread_handle)
{
    if (!thread_id || !thread_handle)
        return ompd_rc_bad_input;
    enum os_thread_kind os;
    enum rc rc = space_check(abi_space(handle));
    if (rc == RC_OK && !os_kind(kind, &os))
        rc = RC_UNSUPPORTED;
    struct handle *thread;
    if (rc == RC_OK)
        rc = thread_of_os_id(abi_space(handle), os, sizeof_thread_id, thread_id, &thread);
    if (rc == RC_OK)
        *thread_handle = (ompd_thread_handle_t *)thread;
    return abi_answer(rc);
}

ompd_rc_t ompd_rel_thread_handle(ompd_thread_handle_t *thread_handle)
{
    return abi_answer(handle_release(abi_thread(thread_handle), HANDLE_THREAD));
}

ompd_rc_t ompd_thread_handle_compare(ompd_thread_handle_t *thread_handle_1,
                                     ompd_thread_handle_t *thread_handle_2,
                                     int *cmp_value)
{
    if (!cmp_value)
        return ompd_rc_bad_input;
    return abi_answer(handle_compare(abi_thread(thread_handle_1),
                                     abi_thread(thread_handle_2), HANDLE_THREAD,
                                     cmp_value));
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
