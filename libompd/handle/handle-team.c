/* SPDX-License-Identifier: MIT
 *
 * One thread or implicit task of a team, and the task that another one was begun from.
 */
#include "libompd/handle/handle.h"
#include "libompd/runtime/reader.h"

typedef enum rc (*element_of_team)(struct space *space, struct ref region,
                                   uint32_t number, struct ref *out);

static enum rc element(const struct handle *region, int number, element_of_team fetch,
                       enum handle_kind kind, struct handle **out)
{
    if (number < 0)
        return RC_BAD_INPUT;
    if (!fetch)
        return RC_UNSUPPORTED;
    struct ref ref;
    enum rc rc = fetch(region->space, region->ref, (uint32_t)number, &ref);
    return rc == RC_OK ? handle_create(region->space, kind, ref, out) : rc;
}

enum rc thread_in_region(const struct handle *region, int number, struct handle **out)
{
    enum rc rc = handle_check(region, HANDLE_PARALLEL);
    if (rc != RC_OK)
        return rc;
    return element(region, number, region->space->reader->team_thread, HANDLE_THREAD,
                   out);
}

enum rc task_in_region(const struct handle *region, int number, struct handle **out)
{
    enum rc rc = handle_check(region, HANDLE_PARALLEL);
    if (rc != RC_OK)
        return rc;
    return element(region, number, region->space->reader->team_task, HANDLE_TASK, out);
}

enum rc scheduling_task_of_task(const struct handle *task, struct handle **out)
{
    struct task_facts facts;
    enum rc rc = facts_of_task(task, &facts);
    struct ref ref;
    if (rc == RC_OK)
        rc = fact_ref(task->space, HANDLE_TASK, facts.scheduling, &ref);
    return rc == RC_OK ? handle_create(task->space, HANDLE_TASK, ref, out) : rc;
}
