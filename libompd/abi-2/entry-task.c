/* SPDX-License-Identifier: MIT
 *
 * Sections 7.4 and 11, and the levels of section 9: tasks.
 */
#include "libompd/abi-2/abi.h"

ompd_rc_t ompd_get_top_task_region(ompd_thread_handle_t *thread_handle,
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

ompd_rc_t ompd_get_ancestor_task_region(ompd_task_handle_t *task_handle,
                                        ompd_task_handle_t **parent_task_handle)
{
    if (!parent_task_handle)
        return ompd_rc_bad_input;
    struct handle *task;
    enum rc rc = parent_of_task(abi_task(task_handle), &task);
    if (rc == RC_OK)
        *parent_task_handle = (ompd_task_handle_t *)task;
    return abi_answer(rc);
}

ompd_rc_t ompd_get_implicit_task_in_parallel(ompd_parallel_handle_t *parallel_handle,
                                             ompd_task_handle_t ***task_handle_vector,
                                             int *num_handles)
{
    if (!num_handles)
        return ompd_rc_bad_input;
    struct handle **vector;
    enum rc rc = implicit_tasks_of_region(
        abi_parallel(parallel_handle), task_handle_vector ? &vector : NULL, num_handles);
    if (rc == RC_OK && task_handle_vector)
        *task_handle_vector = (ompd_task_handle_t **)vector;
    return abi_answer(rc);
}

ompd_rc_t ompd_release_task_handle(ompd_task_handle_t *task_handle)
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

ompd_rc_t ompd_get_task_handle_string_id(ompd_task_handle_t *task_handle,
                                         char **string_id)
{
    if (!string_id)
        return ompd_rc_bad_input;
    return abi_answer(handle_string(abi_task(task_handle), HANDLE_TASK, string_id));
}

ompd_rc_t ompd_get_level(ompd_task_handle_t *task_handle, ompd_tword_t *val)
{
    if (!val)
        return ompd_rc_bad_input;
    struct task_facts facts;
    enum rc rc = facts_of_task(abi_task(task_handle), &facts);
    return abi_answer_word(rc, &facts.level, val);
}

ompd_rc_t ompd_get_active_level(ompd_task_handle_t *task_handle, ompd_tword_t *val)
{
    if (!val)
        return ompd_rc_bad_input;
    struct task_facts facts;
    enum rc rc = facts_of_task(abi_task(task_handle), &facts);
    return abi_answer_word(rc, &facts.active_level, val);
}

ompd_rc_t ompd_get_task_function(ompd_task_handle_t *task_handle,
                                 ompd_address_t *entry_point)
{
    if (!entry_point)
        return ompd_rc_bad_input;
    struct task_facts facts;
    enum rc rc = facts_of_task(abi_task(task_handle), &facts);
    return abi_answer_address(rc, &facts.function, entry_point);
}

ompd_rc_t ompd_in_parallel(const ompd_task_handle_t *task_handle, ompd_tword_t *val)
{
    if (!val)
        return ompd_rc_bad_input;
    struct task_facts facts;
    enum rc rc = facts_of_task(abi_task(task_handle), &facts);
    if (rc == RC_OK)
        facts.active_level.value = facts.active_level.value > 0;
    return abi_answer_word(rc, &facts.active_level, val);
}

ompd_rc_t ompd_in_final(const ompd_task_handle_t *task_handle, ompd_tword_t *val)
{
    if (!val)
        return ompd_rc_bad_input;
    struct task_facts facts;
    enum rc rc = facts_of_task(abi_task(task_handle), &facts);
    return abi_answer_word(rc, &facts.final, val);
}

ompd_rc_t ompd_is_implicit(ompd_task_handle_t *task_handle, ompd_tword_t *val)
{
    if (!val)
        return ompd_rc_bad_input;
    struct task_facts facts;
    enum rc rc = facts_of_task(abi_task(task_handle), &facts);
    return abi_answer_word(rc, &facts.implicit, val);
}

ompd_rc_t ompd_get_task_frame(ompd_task_handle_t *task_handle,
                              ompd_address_t *exit_runtime_addr,
                              ompd_address_t *reenter_runtime_addr)
{
    if (!exit_runtime_addr || !reenter_runtime_addr)
        return ompd_rc_bad_input;
    struct task_facts facts;
    enum rc rc = facts_of_task(abi_task(task_handle), &facts);
    uint64_t left, entered;
    if (rc == RC_OK)
        rc = fact_value(facts.exit_frame, &left);
    if (rc == RC_OK)
        rc = fact_value(facts.enter_frame, &entered);
    if (rc == RC_OK) {
        *exit_runtime_addr = abi_address(left);
        *reenter_runtime_addr = abi_address(entered);
    }
    return abi_answer(rc);
}

ompd_rc_t ompd_get_task_id(ompd_task_handle_t *task_handle, ompd_task_id_t *task_id)
{
    if (!task_id)
        return ompd_rc_bad_input;
    uint64_t number;
    enum rc rc = number_of_task(abi_task(task_handle), &number);
    if (rc == RC_OK)
        *task_id = number;
    return abi_answer(rc);
}
