/* SPDX-License-Identifier: MIT
 *
 * Tasks.
 */
#include "libompd/abi-5/abi.h"

/* Gives a handle that the core has made, or its refusal. */
static ompd_rc_t give(enum rc rc, struct handle *task, ompd_task_handle_t **out)
{
    if (rc == RC_OK)
        *out = (ompd_task_handle_t *)task;
    return abi_answer(rc);
}

ompd_rc_t ompd_get_curr_task_handle(ompd_thread_handle_t *thread_handle,
                                    ompd_task_handle_t **task_handle)
{
    if (!task_handle)
        return ompd_rc_bad_input;
    struct handle *task = NULL;
    enum rc rc = task_of_thread(abi_thread(thread_handle), &task);
    return give(rc, task, task_handle);
}

ompd_rc_t ompd_get_generating_task_handle(ompd_task_handle_t *task_handle,
                                          ompd_task_handle_t **generating_task_handle)
{
    if (!generating_task_handle)
        return ompd_rc_bad_input;
    struct handle *task = NULL;
    enum rc rc = parent_of_task(abi_task(task_handle), &task);
    return give(rc, task, generating_task_handle);
}

ompd_rc_t ompd_get_scheduling_task_handle(ompd_task_handle_t *task_handle,
                                          ompd_task_handle_t **scheduling_task_handle)
{
    if (!scheduling_task_handle)
        return ompd_rc_bad_input;
    struct handle *task = NULL;
    enum rc rc = scheduling_task_of_task(abi_task(task_handle), &task);
    return give(rc, task, scheduling_task_handle);
}

ompd_rc_t ompd_get_task_in_parallel(ompd_parallel_handle_t *parallel_handle,
                                    int thread_num, ompd_task_handle_t **task_handle)
{
    if (!task_handle)
        return ompd_rc_bad_input;
    struct handle *task = NULL;
    enum rc rc = task_in_any_region(abi_parallel(parallel_handle), thread_num, &task);
    return give(rc, task, task_handle);
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
    uint64_t function;
    if (rc == RC_OK)
        rc = fact_value(facts.function, &function);
    if (rc == RC_OK)
        *entry_point = abi_address(function);
    return abi_answer(rc);
}

static ompd_frame_info_t frame(uint64_t address)
{
    return (ompd_frame_info_t){
        .frame_address = abi_address(address),
        .frame_flag = address ? ompt_frame_runtime | ompt_frame_cfa : 0,
    };
}

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
        *exit_frame = frame(left);
        *enter_frame = frame(entered);
    }
    return abi_answer(rc);
}
