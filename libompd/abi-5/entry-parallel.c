/* SPDX-License-Identifier: MIT
 *
 * Handles of parallel regions, which 5.x has of implicit ones, too.
 */
#include "libompd/abi-5/abi.h"

ompd_rc_t ompd_rel_parallel_handle(ompd_parallel_handle_t *parallel_handle)
{
    return abi_answer(region_release(abi_parallel(parallel_handle)));
}

ompd_rc_t ompd_parallel_handle_compare(ompd_parallel_handle_t *parallel_handle_1,
                                       ompd_parallel_handle_t *parallel_handle_2, int *cmp_value)
{
    if (!cmp_value)
        return ompd_rc_bad_input;
    return abi_answer(region_compare(abi_parallel(parallel_handle_1),
                                     abi_parallel(parallel_handle_2), cmp_value));
}
