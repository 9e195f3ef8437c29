/* SPDX-License-Identifier: MIT
 *
 * Parallel regions.
 */
#include "libompd/abi-5/abi.h"

ompd_rc_t ompd_get_curr_parallel_handle(ompd_thread_handle_t *thread_handle,
                                        ompd_parallel_handle_t **parallel_handle)
{
    if (!parallel_handle)
        return ompd_rc_bad_input;
    struct handle *region;
    enum rc rc = any_region_of_thread(abi_thread(thread_handle), &region);
    if (rc == RC_OK)
        *parallel_handle = (ompd_parallel_handle_t *)region;
    return abi_answer(rc);
}

ompd_rc_t
ompd_get_enclosing_parallel_handle(ompd_parallel_handle_t *parallel_handle,
                                   ompd_parallel_handle_t **enclosing_parallel_handle)
{
    if (!enclosing_parallel_handle)
        return ompd_rc_bad_input;
    struct handle *region;
    enum rc rc = any_region_of_region(abi_parallel(parallel_handle), &region);
    if (rc == RC_OK)
        *enclosing_parallel_handle = (ompd_parallel_handle_t *)region;
    return abi_answer(rc);
}

ompd_rc_t ompd_get_task_parallel_handle(ompd_task_handle_t *task_handle,
                                        ompd_parallel_handle_t **task_parallel_handle)
{
    if (!task_parallel_handle)
        return ompd_rc_bad_input;
    struct handle *region;
    enum rc rc = any_region_of_task(abi_task(task_handle), &region);
    if (rc == RC_OK)
        *task_parallel_handle = (ompd_parallel_handle_t *)region;
    return abi_answer(rc);
}

ompd_rc_t ompd_rel_parallel_handle(ompd_parallel_handle_t *parallel_handle)
{
    return abi_answer(region_release(abi_parallel(parallel_handle)));
}

ompd_rc_t ompd_parallel_handle_compare(ompd_parallel_handle_t *parallel_handle_1,
                                       ompd_parallel_handle_t *parallel_handle_2,
                                       int *cmp_value)
{
    if (!cmp_value)
        return ompd_rc_bad_input;
    return abi_answer(region_compare(abi_parallel(parallel_handle_1),
                                     abi_parallel(parallel_handle_2), cmp_value));
}
