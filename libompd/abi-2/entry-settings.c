/* SPDX-License-Identifier: MIT
 *
 * Sections 8, 11.2 and 13, but for what tables/routines.def has.
 */
#include "libompd/abi-2/abi.h"
#include "libompd/handle/settings.h"

ompd_rc_t ompd_get_num_procs(ompd_address_space_handle_t *handle, ompd_tword_t *val)
{
    if (!val)
        return ompd_rc_bad_input;
    struct global_facts facts;
    enum rc rc = globals_of_space(abi_space(handle), &facts);
    return abi_answer_word(rc, &facts.num_procs, val);
}

/* The limit is an ICV of tasks; what holds for the process is what was set at its start.
 */
ompd_rc_t ompd_get_thread_limit(ompd_address_space_handle_t *handle, ompd_tword_t *val)
{
    if (!val)
        return ompd_rc_bad_input;
    uint64_t limit;
    enum rc rc = settings_number(abi_space(handle), "OMP_THREAD_LIMIT", &limit);
    if (rc == RC_OK)
        /* As omp_get_thread_limit(): it has no larger number. */
        *val = limit > INT32_MAX ? INT32_MAX : (ompd_tword_t)limit;
    return abi_answer(rc);
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

/* nest-var is no more; what it said follows from the levels that may be active. */
ompd_rc_t ompd_get_nested(const ompd_task_handle_t *task_handle, ompd_tword_t *val)
{
    if (!val)
        return ompd_rc_bad_input;
    struct icv_facts icvs;
    enum rc rc = icvs_of_task(abi_task(task_handle), &icvs);
    if (rc != RC_OK)
        return abi_answer(rc);
    icvs.max_active_levels.value = icvs.max_active_levels.value > 1;
    return abi_answer_word(rc, &icvs.max_active_levels, val);
}

ompd_rc_t ompd_get_schedule(ompd_task_handle_t *task_handle, ompd_sched_t *kind,
                            ompd_tword_t *modifier)
{
    if (!kind || !modifier)
        return ompd_rc_bad_input;
    struct icv_facts icvs;
    enum rc rc = icvs_of_task(abi_task(task_handle), &icvs);
    uint64_t schedule, chunk;
    if (rc == RC_OK)
        rc = fact_value(icvs.schedule, &schedule);
    if (rc == RC_OK)
        rc = fact_value(icvs.schedule_chunk, &chunk);
    if (rc == RC_OK) {
        *kind = (ompd_sched_t)schedule;
        *modifier = (ompd_tword_t)chunk;
    }
    return abi_answer(rc);
}

ompd_rc_t ompd_get_proc_bind(ompd_task_handle_t *task_handle, ompd_proc_bind_t *bind)
{
    if (!bind)
        return ompd_rc_bad_input;
    struct icv_facts icvs;
    enum rc rc = icvs_of_task(abi_task(task_handle), &icvs);
    uint64_t policy;
    if (rc == RC_OK)
        rc = fact_value(icvs.bind.first, &policy);
    if (rc == RC_OK)
        *bind = (ompd_proc_bind_t)policy;
    return abi_answer(rc);
}

ompd_rc_t ompd_get_display_control_vars(ompd_address_space_handle_t *handle,
                                        const char *const **control_var_values)
{
    if (!control_var_values)
        return ompd_rc_bad_input;
    return abi_answer(settings_vector(abi_space(handle), control_var_values));
}

ompd_rc_t ompd_release_display_control_vars(const char *const *control_var_values)
{
    return abi_answer(settings_release(control_var_values));
}
