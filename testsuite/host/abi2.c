/* SPDX-License-Identifier: MIT
 *
 * The dialect of the 2015 report (version 2.000), spoken against libompd-2.so: one short
 * function per question, and the table of them.
 */
#include "config.h"

#include "abi2.h"
#include "abi-questions.h"

ASKS(thread_num, thread, THREAD, int64_t, get_thread_num)
ASKS(thread_region, thread, THREAD, struct omp_region *, get_curr_parallel_handle)
ASKS(thread_string, thread, THREAD, char *, get_thread_handle_string_id)
ASKS(region_id, region, REGION, uint64_t, get_parallel_id)
ASKS(region_size, region, REGION, int64_t, get_num_threads)
ASKS(region_parent, region, REGION, struct omp_region *, get_enclosing_parallel_handle)
ASKS(region_master, region, REGION, struct omp_thread *, get_master_thread_in_parallel)
ASKS(region_string, region, REGION, char *, get_parallel_handle_string_id)
ASKS(task_id, task, TASK, uint64_t, get_task_id)
ASKS(task_region, task, TASK, struct omp_region *, get_task_parallel_handle)
ASKS(task_level, task, TASK, int64_t, get_level)
ASKS(task_active_level, task, TASK, int64_t, get_active_level)
ASKS(task_implicit, task, TASK, int64_t, is_implicit)
ASKS(task_final, task, TASK, int64_t, in_final)
ASKS(task_string, task, TASK, char *, get_task_handle_string_id)

/* int and size_t differ: take the count over only when it makes sense. */
static enum answer list_answer(ompd_rc_t rc, int got, size_t *count)
{
    if (rc != ompd_rc_ok)
        return abi2_answer(rc);
    if (got < 0)
        return ANSWER_OTHER;
    *count = (size_t)got;
    return ANSWER_OK;
}

static enum answer threads(struct session *s, struct omp_thread ***list, size_t *count)
{
    int got = -1;
    struct abi *abi = s->state;
    ompd_rc_t rc = abi->call.get_threads(abi->space, (ompd_thread_handle_t ***)list, &got);
    return list_answer(rc, got, count);
}

static enum answer thread_state(struct session *s, struct omp_thread *thread, uint64_t *state,
                                uint64_t *wait_id)
{
    ompd_state_t got;
    ompd_rc_t rc = CALL(s)->get_state(THREAD(thread), &got, wait_id);
    if (rc == ompd_rc_ok)
        *state = (uint64_t)got;
    return abi2_answer(rc);
}

static enum answer region_function(struct session *s, struct omp_region *region, uint64_t *address)
{
    ompd_address_t got;
    ompd_rc_t rc = CALL(s)->get_parallel_function(REGION(region), &got);
    if (rc == ompd_rc_ok)
        *address = got.address;
    return abi2_answer(rc);
}

static enum answer region_threads(struct session *s, struct omp_region *region,
                                  struct omp_thread ***list, size_t *count)
{
    int got = -1;
    ompd_rc_t rc =
        CALL(s)->get_thread_in_parallel(REGION(region), (ompd_thread_handle_t ***)list, &got);
    return list_answer(rc, got, count);
}

static enum answer region_tasks(struct session *s, struct omp_region *region,
                                struct omp_task ***list, size_t *count)
{
    int got = -1;
    ompd_rc_t rc =
        CALL(s)->get_implicit_task_in_parallel(REGION(region), (ompd_task_handle_t ***)list, &got);
    return list_answer(rc, got, count);
}

const struct dialect dialect_abi2 = {
    .abi = 2,
    .library = "libompd-2.so",
    DIALECT,
};
