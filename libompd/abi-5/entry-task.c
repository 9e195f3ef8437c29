/* SPDX-License-Identifier: MIT
 *
 * Tasks.
 */
#include "libompd/abi-5/abi.h"

ompd_rc_t ompd_get_curr_task_handle(ompd_thread_handle_t *thread_handle,
                                    ompd_task_handle_t **task_handle)
{
    if (!task_handle)
        return ompd_rc_bad_input;
    struct handle *task;
    enum rc rc = task_of_thread(abi_thread(thread_handle), &task);
    if (rc == RC_OK)
        *task_handle = (ompd_task_handle_t *)task;
    return abi_answer(rc);
}

ompd_rc_t ompd_get_generating_task_handle(ompd_task_handle_t *task_handle,
                                          ompd_task_handle_t **generating_task_handle)
{
    if (!generating_task_handle)
        return ompd_rc_bad_input;
    struct handle *task;
    enum rc rc = parent_of_task(abi_task(task_handle), &task);
    if (rc == RC_OK)
        *generating_task_handle = (ompd_task_handle_t *)task;
    return abi_answer(rc);
}

ompd_rc_t ompd_get_task_in_parallel(ompd_parallel_handle_t *parallel_handle,
                                    int thread_num, ompd_task_handle_t **task_handle)
{
    if (!task_handle)
        return ompd_rc_bad_input;
    struct handle *task;
    enum rc rc = task_in_region(abi_parallel(parallel_handle), thread_num, &task);
    if (rc == RC_OK)
        *task_handle = (ompd_task_handle_t *)task;
    return abi_answer(rc);
}

ompd_rc_t ompd_rel_task_handle(ompd_task_handle_t *task_handle)
{
    return abi_answer(handle_release(abi_task(task_handle), HANDLE_TASK));
}

ompd_rc_t ompd_task_handle_compare(ompd_task_handle_t *task_handle_1,
                                   ompd_task_handle_t *task_handle_2, int *cmp_value)
{
    if (!cmp_value)
        return ompd_rc_bad_input;
    return abi_answer(handle_compare(abi_task(task_handle_1), abi_task(task_handle_2),
                                     HANDLE_TASK, cmp_value));
}

ompd_rc_t ompd_get_task_function(ompd_task_handle_t *task_handle,
                                 ompd_address_t *entry_point)
{
    if (!entry_point)
        return ompd_rc_bad_input;
    struct task_facts facts;
    enum rc rc = facts_of_task(abi_task(task_handle), &facts);
    return abi_answer_address(rc, facts.function, entry_point);
}

/* ompt_frame_runtime | ompt_frame_cfa */
enum { FRAME_FLAG = 0x10 };

ompd_rc_t ompd_get_task_frame(ompd_task_handle_t *task_handle,
                              ompd_frame_info_t *exit_frame,
                              ompd_frame_info_t *enter_frame)
{
    if (!exit_frame || !enter_frame)
        return ompd_rc_bad_input;
    struct task_facts facts;
    enum rc rc = facts_of_task(abi_task(task_handle), &facts);
    uint64_t left, entered;
    if (rc == RC_OK)
        rc = fact_value(facts.exit_frame, &left);
    if (rc == RC_OK)
        rc = fact_value(facts.enter_frame, &entered);
    if (rc == RC_OK) {
        *exit_frame = (ompd_frame_info_t){abi_address(left), FRAME_FLAG};
        *enter_frame = (ompd_frame_info_t){abi_address(entered), FRAME_FLAG};
    }
    return abi_answer(rc);
}
