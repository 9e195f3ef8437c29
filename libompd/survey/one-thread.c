/* SPDX-License-Identifier: MIT
 *
 * What costs reads of its own and is asked of one thread: its loop, its stack and its last events; and of a
 * process, how often it has forked, in which orders it has acquired locks, and its sums.
 */
#include "libompd/handle/handle.h"
#include "libompd/runtime/reader.h"
#include "libompd/survey/survey.h"

enum rc survey_loop(const struct handle *thread, struct loop_facts *out)
{
    enum rc rc = handle_check(thread, HANDLE_THREAD);
    if (rc != RC_OK)
        return rc;
    struct instance *instance = thread->instance;
    return instance->reader->loop ? instance->reader->loop(instance, thread->ref, out)
                                  : RC_UNSUPPORTED;
}

static bool add_event(void *arg, const struct event_facts *facts)
{
    return collect(arg, facts);
}

enum rc survey_history(const struct handle *thread, struct array *events)
{
    *events = array_of(NULL, sizeof(struct event_facts));
    enum rc rc = handle_check(thread, HANDLE_THREAD);
    if (rc != RC_OK)
        return rc;
    struct instance *instance = thread->instance;
    events->ops = instance->space->ops;
    if (!instance->reader->history)
        return RC_UNSUPPORTED;
    struct collector collector = {events, SURVEY_EVENTS_MAX, RC_OK};
    rc = instance->reader->history(instance, thread->ref, add_event, &collector);
    return rc == RC_OK ? collector.rc : rc;
}

enum rc survey_stack(const struct handle *thread, struct stack_facts *out)
{
    enum rc rc = handle_check(thread, HANDLE_THREAD);
    if (rc != RC_OK)
        return rc;
    struct instance *instance = thread->instance;
    return instance->reader->stack ? instance->reader->stack(instance, thread->ref, out)
                                   : RC_UNSUPPORTED;
}

enum rc survey_forks(struct space *space, uint32_t *out)
{
    struct instance *instance;
    enum rc rc = space_instance(space, &instance);
    if (rc != RC_OK)
        return rc;
    return instance->reader->forks ? instance->reader->forks(instance, out) : RC_UNSUPPORTED;
}

static bool add_order(void *arg, const struct order_facts *facts)
{
    return collect(arg, facts);
}

static bool add_sum(void *arg, const struct sum_facts *facts)
{
    return collect(arg, facts);
}

enum rc survey_orders(struct space *space, struct array *orders)
{
    struct instance *instance;
    *orders = array_of(NULL, sizeof(struct order_facts));
    enum rc rc = space_instance(space, &instance);
    if (rc != RC_OK)
        return rc;
    orders->ops = space->ops;
    if (!instance->reader->orders)
        return RC_UNSUPPORTED;
    struct collector collector = {orders, SURVEY_EVENTS_MAX, RC_OK};
    rc = instance->reader->orders(instance, add_order, &collector);
    return rc_is_answer(rc) && collector.rc != RC_OK ? collector.rc : rc;
}

enum rc survey_sums(struct space *space, struct array *sums)
{
    struct instance *instance;
    *sums = array_of(NULL, sizeof(struct sum_facts));
    enum rc rc = space_instance(space, &instance);
    if (rc != RC_OK)
        return rc;
    sums->ops = space->ops;
    if (!instance->reader->sums)
        return RC_UNSUPPORTED;
    struct collector collector = {sums, SURVEY_SUMS_MAX, RC_OK};
    rc = instance->reader->sums(instance, add_sum, &collector);
    return rc == RC_OK ? collector.rc : rc;
}
