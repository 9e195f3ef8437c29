/* SPDX-License-Identifier: MIT
 *
 * Facts of the object that a handle names, and how a mark becomes an answer.
 */
#include "libompd/handle/handle.h"
#include "libompd/runtime/reader.h"

enum rc facts_of_thread(const struct handle *thread, struct thread_facts *out)
{
    enum rc rc = handle_check(thread, HANDLE_THREAD);
    if (rc != RC_OK)
        return rc;
    return thread->instance->reader->thread(thread->instance, thread->ref, out);
}

enum rc facts_of_region(const struct handle *region, struct region_facts *out)
{
    enum rc rc = handle_check(region, HANDLE_PARALLEL);
    if (rc != RC_OK)
        return rc;
    rc = region->instance->reader->region(region->instance, region->ref, out);
    if (rc == RC_OK && out->league.known == KNOWN)
        out->generator =
            fact_of(out->league.value ? TEAM_GENERATOR_TEAMS : TEAM_GENERATOR_PARALLEL);
    return rc;
}

enum rc facts_of_task(const struct handle *task, struct task_facts *out)
{
    enum rc rc = handle_check(task, HANDLE_TASK);
    if (rc != RC_OK)
        return rc;
    return task->instance->reader->task(task->instance, task->ref, out);
}

static enum rc number_of(const struct handle *handle, uint64_t *out)
{
    if (ref_is_made(handle->ref))
        return RC_NEEDS_TRACKING;
    *out = handle->ref.id;
    return RC_OK;
}

enum rc number_of_region(const struct handle *region, uint64_t *out)
{
    struct region_facts facts;
    enum rc rc = facts_of_region(region, &facts);
    return rc == RC_OK ? number_of(region, out) : rc;
}

enum rc number_of_task(const struct handle *task, uint64_t *out)
{
    struct task_facts facts;
    enum rc rc = facts_of_task(task, &facts);
    return rc == RC_OK ? number_of(task, out) : rc;
}

enum rc globals_of_space(struct space *space, struct global_facts *out)
{
    struct instance *instance;
    enum rc rc = space_instance(space, &instance);
    if (rc != RC_OK)
        return rc;
    return instance->reader->globals ? instance->reader->globals(instance, out) : RC_UNSUPPORTED;
}

enum rc icvs_of_task(const struct handle *task, struct icv_facts *out)
{
    enum rc rc = handle_check(task, HANDLE_TASK);
    if (rc != RC_OK)
        return rc;
    return task->instance->reader->icvs
               ? task->instance->reader->icvs(task->instance, task->ref, out)
               : RC_UNSUPPORTED;
}

enum rc icvs_of_thread(const struct handle *thread, struct icv_facts *out)
{
    struct thread_facts facts;
    enum rc rc = facts_of_thread(thread, &facts);
    struct ref task;
    if (rc == RC_OK)
        rc = fact_ref(thread->instance, HANDLE_TASK, facts.task, &task);
    if (rc != RC_OK)
        return rc;
    return thread->instance->reader->icvs
               ? thread->instance->reader->icvs(thread->instance, task, out)
               : RC_UNSUPPORTED;
}

static enum rc answer_of_mark(enum known known)
{
    switch (known) {
    case KNOWN:
        return RC_OK;
    case NONE_HERE:
        return RC_UNAVAILABLE;
    case NEEDS_TRACKING:
        return RC_NEEDS_TRACKING;
    case IMPOSSIBLE:
        return RC_NONSENSE;
    case NOT_HELD:
        return RC_UNSUPPORTED;
    case UNREADABLE:
        break;
    }
    return (enum rc)(RC_READ_ERROR + known - UNREADABLE);
}

enum rc fact_value(struct fact fact, uint64_t *out)
{
    enum rc rc = answer_of_mark(fact.known);
    if (rc == RC_OK)
        *out = fact.value;
    return rc;
}

enum rc fact_ref(struct instance *instance, enum handle_kind kind, struct ref_fact fact,
                 struct ref *out)
{
    enum rc rc = answer_of_mark(fact.known);
    if (rc == RC_OK && fact.torn)
        rc = kind == HANDLE_PARALLEL
                 ? instance->reader->region_id(instance, fact.ref.address, &fact.ref.id)
                 : instance->reader->task_id(instance, fact.ref.address, &fact.ref.id);
    if (rc == RC_OK)
        *out = fact.ref;
    return rc;
}
