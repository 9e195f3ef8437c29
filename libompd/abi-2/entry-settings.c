/* SPDX-License-Identifier: MIT
 *
 * Sections 8 and 13 and the control variables of 11.2. The hooks record none of these and
 * no other reader exists yet, so a valid question is answered with "unsupported".
 */
#include "libompd/abi-2/abi.h"

static ompd_rc_t unsupported(enum rc handle, bool arguments)
{
    if (!arguments)
        return ompd_rc_bad_input;
    return abi_answer(handle == RC_OK ? RC_UNSUPPORTED : handle);
}

ompd_rc_t ompd_get_num_procs(ompd_address_space_handle_t *handle, ompd_tword_t *val)
{
    return unsupported(space_check(abi_space(handle)), val);
}

ompd_rc_t ompd_get_thread_limit(ompd_address_space_handle_t *handle, ompd_tword_t *val)
{
    return unsupported(space_check(abi_space(handle)), val);
}

ompd_rc_t ompd_get_max_threads(const ompd_task_handle_t *task_handle, ompd_tword_t *val)
{
    return unsupported(handle_check(abi_task(task_handle), HANDLE_TASK), val);
}

ompd_rc_t ompd_get_dynamic(const ompd_task_handle_t *task_handle, ompd_tword_t *val)
{
    return unsupported(handle_check(abi_task(task_handle), HANDLE_TASK), val);
}

ompd_rc_t ompd_get_nested(const ompd_task_handle_t *task_handle, ompd_tword_t *val)
{
    return unsupported(handle_check(abi_task(task_handle), HANDLE_TASK), val);
}

ompd_rc_t ompd_get_max_active_levels(const ompd_thread_handle_t *thread_handle,
                                     ompd_tword_t *val)
{
    return unsupported(handle_check(abi_thread(thread_handle), HANDLE_THREAD), val);
}

ompd_rc_t ompd_get_schedule(ompd_task_handle_t *task_handle, ompd_sched_t *kind,
                            ompd_tword_t *modifier)
{
    return unsupported(handle_check(abi_task(task_handle), HANDLE_TASK),
                       kind && modifier);
}

ompd_rc_t ompd_get_proc_bind(ompd_task_handle_t *task_handle, ompd_proc_bind_t *bind)
{
    return unsupported(handle_check(abi_task(task_handle), HANDLE_TASK), bind);
}

ompd_rc_t ompd_get_display_control_vars(ompd_address_space_handle_t *handle,
                                        const char *const **control_var_values)
{
    return unsupported(space_check(abi_space(handle)), control_var_values);
}

/* No vector of ours exists that could be given back. */
ompd_rc_t ompd_release_display_control_vars(const char *const *control_var_values)
{
    return unsupported(RC_OK, control_var_values);
}
