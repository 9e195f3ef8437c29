/* SPDX-License-Identifier: MIT
 *
 * Frames of tasks.
 */
#include "libompd/abi-5/abi.h"

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
