/* SPDX-License-Identifier: MIT
 *
 * Facts of tasks that are no plain number or address.
 */
#include "libompd/abi-2/abi.h"

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
