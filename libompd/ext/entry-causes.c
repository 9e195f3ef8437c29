/* SPDX-License-Identifier: MIT
 *
 * The extension: what explains the size of a team, where a thread is in a loop and on its stack,
 * what it did last, and what that adds up to. Reads of their own. The orders of locks of a process.
 */
#include "libompd/ext/answer.h"

_Static_assert((int)ompd_ext_shortfall_levels == (int)SHORTFALL_LEVELS &&
                   (int)ompd_ext_shortfall_limit == (int)SHORTFALL_LIMIT &&
                   (int)ompd_ext_shortfall_dynamic == (int)SHORTFALL_DYNAMIC &&
                   (int)ompd_ext_shortfall_other == (int)SHORTFALL_OTHER,
               "reasons are those of the facts");

static void convert_team(const struct instance *instance, const void *surveyed, void *result)
{
    (void)instance;
    const struct surveyed_team *team = surveyed;
    ompd_ext_team_t *out = result;
    EXT_NUMBER(out, OMPD_EXT_TEAM_REQUESTED, requested, team->region.requested);
    EXT_NUMBER(out, OMPD_EXT_TEAM_NTHREADS, nthreads, team->nthreads);
    EXT_NUMBER(out, OMPD_EXT_TEAM_NUM_THREADS, num_threads, team->region.num_threads);
    EXT_NUMBER(out, OMPD_EXT_TEAM_SHORTFALL, shortfall, team->shortfall);
    EXT_NUMBER(out, OMPD_EXT_TEAM_DYNAMIC, dynamic, team->dynamic);
    EXT_NUMBER(out, OMPD_EXT_TEAM_THREAD_LIMIT, thread_limit, team->thread_limit);
    EXT_NUMBER(out, OMPD_EXT_TEAM_MAX_ACTIVE_LEVELS, max_active_levels, team->max_active_levels);
    EXT_NUMBER(out, OMPD_EXT_TEAM_GONE, gone, team->gone);
    EXT_NUMBER(out, OMPD_EXT_TEAM_UNBEGUN, unbegun, team->unbegun);
}

ompd_rc_t ompd_ext_get_team(ompd_parallel_handle_t *handle, ompd_size_t size, ompd_ext_team_t *team)
{
    if (!team || !ext_size_is_valid(size, EXT_FIRST_SIZE(ompd_ext_team_t, unbegun)))
        return ompd_rc_bad_input;
    struct surveyed_team surveyed;
    enum rc rc = survey_team(abi_parallel(handle), &surveyed);
    if (rc == RC_OK)
        ext_give(abi_parallel(handle)->instance, &surveyed, convert_team, sizeof *team, size, team);
    return abi_answer(rc);
}

static void convert_loop(const struct instance *instance, const void *surveyed, void *result)
{
    (void)instance;
    const struct loop_facts *loop = surveyed;
    ompd_ext_loop_t *out = result;
    EXT_NUMBER(out, OMPD_EXT_LOOP_ADDRESS, address, loop->address);
    EXT_NUMBER(out, OMPD_EXT_LOOP_SCHEDULE, schedule, loop->schedule);
    EXT_NUMBER(out, OMPD_EXT_LOOP_DIMENSIONS, dimensions, loop->dimensions);
    EXT_NUMBER(out, OMPD_EXT_LOOP_CHUNK, chunk, loop->chunk);
    EXT_NUMBER(out, OMPD_EXT_LOOP_NEXT, next, loop->next);
    EXT_NUMBER(out, OMPD_EXT_LOOP_END, end, loop->end);
    EXT_NUMBER(out, OMPD_EXT_LOOP_INCREMENT, increment, loop->increment);
    EXT_NUMBER(out, OMPD_EXT_LOOP_TRIPS, trips, loop->trips);
    EXT_NUMBER(out, OMPD_EXT_LOOP_POSTED, posted, loop->posted);
    EXT_NUMBER(out, OMPD_EXT_LOOP_AWAITED, awaited, loop->awaited);
}

ompd_rc_t ompd_ext_get_loop(ompd_thread_handle_t *handle, ompd_size_t size, ompd_ext_loop_t *loop)
{
    if (!loop || !ext_size_is_valid(size, sizeof *loop))
        return ompd_rc_bad_input;
    struct loop_facts facts;
    enum rc rc = survey_loop(abi_thread(handle), &facts);
    if (rc == RC_OK)
        ext_give(abi_thread(handle)->instance, &facts, convert_loop, sizeof *loop, size, loop);
    return abi_answer(rc);
}

static void convert_stack(const struct instance *instance, const void *surveyed, void *result)
{
    (void)instance;
    const struct stack_facts *stack = surveyed;
    ompd_ext_stack_t *out = result;
    out->low = stack->low;
    out->high = stack->high;
    out->guard = stack->guard;
    out->known = 1 << OMPD_EXT_STACK_LOW | 1 << OMPD_EXT_STACK_HIGH | 1 << OMPD_EXT_STACK_GUARD;
}

ompd_rc_t ompd_ext_get_stack(ompd_thread_handle_t *handle, ompd_size_t size,
                             ompd_ext_stack_t *stack)
{
    if (!stack || !ext_size_is_valid(size, sizeof *stack))
        return ompd_rc_bad_input;
    struct stack_facts facts;
    enum rc rc = survey_stack(abi_thread(handle), &facts);
    if (rc == RC_OK)
        ext_give(abi_thread(handle)->instance, &facts, convert_stack, sizeof *stack, size, stack);
    return abi_answer(rc);
}

static void convert_event(const struct instance *instance, const void *surveyed, void *result)
{
    (void)instance;
    const struct event_facts *event = surveyed;
    ompd_ext_event_t *out = result;
    EXT_NUMBER(out, OMPD_EXT_EVENT_TIME, time, event->time);
    EXT_NUMBER(out, OMPD_EXT_EVENT_WAITED, waited, event->waited);
    EXT_NUMBER(out, OMPD_EXT_EVENT_OPEN, open, event->open);
    out->number = event->number;
    out->object = event->object;
    out->codeptr = event->codeptr;
    out->kind = event->kind;
}

ompd_rc_t ompd_ext_get_history(ompd_thread_handle_t *handle, ompd_size_t event_size,
                               ompd_ext_event_t **events, ompd_size_t *count)
{
    void *vector;
    if (!events || !count || !ext_size_is_valid(event_size, sizeof **events))
        return ompd_rc_bad_input;
    struct survey_parts parts = {.count = 1};
    enum rc rc = survey_history(abi_thread(handle), &parts.part[0].elements);
    rc = ext_vector(&parts, convert_event, sizeof **events, event_size, rc, &vector, count);
    if (rc_is_answer(rc))
        *events = vector;
    survey_parts_free(&parts);
    return abi_answer(rc);
}

static void convert_sum(const struct instance *instance, const void *surveyed, void *result)
{
    (void)instance;
    const struct sum_facts *sum = surveyed;
    ompd_ext_sum_t *out = result;
    EXT_NUMBER(out, OMPD_EXT_SUM_TIME, time, sum->time);
    EXT_NUMBER(out, OMPD_EXT_SUM_WAITED, waited, sum->waited);
    EXT_NUMBER(out, OMPD_EXT_SUM_LONGEST, longest, sum->longest);
    EXT_NUMBER(out, OMPD_EXT_SUM_CONTENDED, contended, sum->contended);
    EXT_NUMBER(out, OMPD_EXT_SUM_TYPICAL, typical, sum->typical);
    EXT_NUMBER(out, OMPD_EXT_SUM_SEVERAL, several, sum->several);
    out->count = sum->count;
    out->object = sum->object;
    out->region = sum->region;
    out->codeptr = sum->codeptr;
    out->holder = sum->holder;
    out->kind = sum->kind;
    out->number = sum->number;
}

ompd_rc_t ompd_ext_get_sums(ompd_address_space_handle_t *handle, ompd_size_t sum_size,
                            ompd_ext_sum_t **sums, ompd_size_t *count)
{
    void *vector;
    if (!sums || !count || !ext_size_is_valid(sum_size, sizeof **sums))
        return ompd_rc_bad_input;
    struct survey_parts parts = {.count = 1};
    enum rc rc = survey_sums(abi_space(handle), &parts.part[0].elements);
    rc = ext_vector(&parts, convert_sum, sizeof **sums, sum_size, rc, &vector, count);
    if (rc_is_answer(rc))
        *sums = vector;
    survey_parts_free(&parts);
    return abi_answer(rc);
}

ompd_rc_t ompd_ext_get_forks(ompd_address_space_handle_t *handle, ompd_word_t *forks)
{
    uint32_t found;
    if (!forks)
        return ompd_rc_bad_input;
    enum rc rc = survey_forks(abi_space(handle), &found);
    if (rc == RC_OK)
        *forks = found;
    return abi_answer(rc);
}

static void convert_order(const struct instance *instance, const void *surveyed, void *result)
{
    (void)instance;
    const struct order_facts *order = surveyed;
    *(ompd_ext_order_t *)result = (ompd_ext_order_t){
        .order = order->id,
        .parent = order->parent,
        .lock = order->lock,
        .address = order->address,
        .codeptr = order->codeptr,
        .thread = order->thread,
        .region = order->region,
        .barrier = (uint32_t)order->barrier,
        .kind = order->kind,
    };
}

ompd_rc_t ompd_ext_get_orders(ompd_address_space_handle_t *handle, ompd_size_t order_size,
                              ompd_ext_order_t **orders, ompd_size_t *count)
{
    void *vector;
    if (!orders || !count || !ext_size_is_valid(order_size, sizeof **orders))
        return ompd_rc_bad_input;
    struct survey_parts parts = {.count = 1};
    enum rc rc = survey_orders(abi_space(handle), &parts.part[0].elements);
    rc = ext_vector(&parts, convert_order, sizeof **orders, order_size, rc, &vector, count);
    if (rc_is_answer(rc))
        *orders = vector;
    survey_parts_free(&parts);
    return abi_answer(rc);
}
