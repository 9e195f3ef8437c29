/* SPDX-License-Identifier: MIT
 *
 * Sections 7.3 and 9: parallel regions. (The two levels of section 9, which ask about a
 * task, are in entry-task.c.)
 */
#include "libompd/abi-2/abi.h"

ompd_rc_t ompd_get_top_parallel_region(ompd_thread_handle_t *thread_handle,
                                       ompd_parallel_handle_t **parallel_handle)
{
    if (!parallel_handle)
        return ompd_rc_bad_input;
    struct handle *region;
    enum rc rc = region_of_thread(abi_thread(thread_handle), &region);
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
    enum rc rc = region_of_region(abi_parallel(parallel_handle), &region);
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
    enum rc rc = region_of_task(abi_task(task_handle), &region);
    if (rc == RC_OK)
        *task_parallel_handle = (ompd_parallel_handle_t *)region;
    return abi_answer(rc);
}

ompd_rc_t ompd_release_parallel_handle(ompd_parallel_handle_t *parallel_handle)
{
    return abi_answer(handle_release(abi_parallel(parallel_handle), HANDLE_PARALLEL));
}

ompd_rc_t ompd_parallel_handle_compare(ompd_parallel_handle_t *parallel_handle_1,
                                       ompd_parallel_handle_t *parallel_handle_2,
                                       int *cmp_value)
{
    if (!cmp_value)
        return ompd_rc_bad_input;
    return abi_answer(handle_compare(abi_parallel(parallel_handle_1),
                                     abi_parallel(parallel_handle_2), HANDLE_PARALLEL,
                                     cmp_value));
}

ompd_rc_t ompd_get_parallel_handle_string_id(ompd_parallel_handle_t *parallel_handle,
                                             char **string_id)
{
    if (!string_id)
        return ompd_rc_bad_input;
    return abi_answer(
        handle_string(abi_parallel(parallel_handle), HANDLE_PARALLEL, string_id));
}

ompd_rc_t ompd_get_num_threads(ompd_parallel_handle_t *parallel_handle, ompd_tword_t *val)
{
    if (!val)
        return ompd_rc_bad_input;
    struct region_facts facts;
    enum rc rc = facts_of_region(abi_parallel(parallel_handle), &facts);
    return abi_answer_word(rc, &facts.num_threads, val);
}

ompd_rc_t ompd_get_parallel_id(ompd_parallel_handle_t *parallel_handle,
                               ompd_parallel_id_t *id)
{
    if (!id)
        return ompd_rc_bad_input;
    uint64_t number;
    enum rc rc = number_of_region(abi_parallel(parallel_handle), &number);
    if (rc == RC_OK)
        *id = number;
    return abi_answer(rc);
}

ompd_rc_t ompd_get_parallel_function(ompd_parallel_handle_t *parallel_handle,
                                     ompd_address_t *entry_point)
{
    if (!entry_point)
        return ompd_rc_bad_input;
    struct region_facts facts;
    enum rc rc = facts_of_region(abi_parallel(parallel_handle), &facts);
    return abi_answer_address(rc, &facts.function, entry_point);
}
