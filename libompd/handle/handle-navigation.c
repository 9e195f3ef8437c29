/* SPDX-License-Identifier: MIT
 *
 * From one object to another: fetch the facts of the one, take the reference to the
 * other, make a handle of it. The other object itself is not read.
 */
#include "libompd/handle/handle.h"
#include "libompd/runtime/reader.h"
#include "libompd/target/target.h"

static enum rc create_from_fact(struct space *space, enum handle_kind kind,
                                struct ref_fact fact, struct handle **out)
{
    struct ref ref;
    enum rc rc = fact_ref(space, kind, fact, &ref);
    if (rc != RC_OK)
        return rc;
    return handle_create(space, kind, ref, out);
}

enum rc region_of_thread(const struct handle *thread, struct handle **out)
{
    struct thread_facts facts;
    enum rc rc = facts_of_thread(thread, &facts);
    if (rc != RC_OK)
        return rc;
    return create_from_fact(thread->space, HANDLE_PARALLEL, facts.region, out);
}

enum rc task_of_thread(const struct handle *thread, struct handle **out)
{
    struct thread_facts facts;
    enum rc rc = facts_of_thread(thread, &facts);
    if (rc != RC_OK)
        return rc;
    return create_from_fact(thread->space, HANDLE_TASK, facts.task, out);
}

enum rc region_of_region(const struct handle *region, struct handle **out)
{
    struct region_facts facts;
    enum rc rc = facts_of_region(region, &facts);
    if (rc != RC_OK)
        return rc;
    return create_from_fact(region->space, HANDLE_PARALLEL, facts.enclosing, out);
}

enum rc master_of_region(const struct handle *region, struct handle **out)
{
    struct region_facts facts;
    enum rc rc = facts_of_region(region, &facts);
    if (rc != RC_OK)
        return rc;
    return create_from_fact(region->space, HANDLE_THREAD, facts.master, out);
}

enum rc thread_in_region(const struct handle *region, int number, struct handle **out)
{
    enum rc rc = handle_check(region, HANDLE_PARALLEL);
    if (rc != RC_OK)
        return rc;
    struct space *space = region->space;
    struct ref ref;
    if (number < 0)
        return RC_BAD_INPUT;
    rc = space->reader->team_thread(space, region->ref, (uint32_t)number, &ref);
    if (rc != RC_OK)
        return rc;
    return handle_create(space, HANDLE_THREAD, ref, out);
}

enum rc task_in_region(const struct handle *region, int number, struct handle **out)
{
    enum rc rc = handle_check(region, HANDLE_PARALLEL);
    if (rc != RC_OK)
        return rc;
    struct space *space = region->space;
    struct ref ref;
    if (number < 0)
        return RC_BAD_INPUT;
    rc = space->reader->implicit_task(space, region->ref, (uint32_t)number, &ref);
    if (rc != RC_OK)
        return rc;
    return handle_create(space, HANDLE_TASK, ref, out);
}

enum rc region_of_task(const struct handle *task, struct handle **out)
{
    struct task_facts facts;
    enum rc rc = facts_of_task(task, &facts);
    if (rc != RC_OK)
        return rc;
    return create_from_fact(task->space, HANDLE_PARALLEL, facts.region, out);
}

enum rc parent_of_task(const struct handle *task, struct handle **out)
{
    struct task_facts facts;
    enum rc rc = facts_of_task(task, &facts);
    if (rc != RC_OK)
        return rc;
    return create_from_fact(task->space, HANDLE_TASK, facts.parent, out);
}

enum rc scheduling_task_of_task(const struct handle *task, struct handle **out)
{
    struct task_facts facts;
    enum rc rc = facts_of_task(task, &facts);
    if (rc != RC_OK)
        return rc;
    return create_from_fact(task->space, HANDLE_TASK, facts.scheduling, out);
}

/* A pthread_t is as wide as the target's long. Debuggers hand kernel ids as a pid_t or as
 * a long. */
static bool os_id_has_size(const struct space *space, enum os_thread_kind kind,
                           size_t size)
{
    if (kind == OS_THREAD_PTHREAD)
        return size == space->sizes.sizeof_long;
    return size == 4 || size == 8;
}

enum rc thread_of_os_id(struct space *space, enum os_thread_kind kind, size_t size,
                        const void *os_id, struct handle **out)
{
    enum rc rc = space_settle(space);
    if (rc != RC_OK)
        return rc;
    if (!os_id_has_size(space, kind, size))
        return RC_BAD_INPUT;
    uint64_t id = target_decode(space, os_id, (unsigned)size);
    struct ref ref;
    rc = space->reader->find_thread(space, kind, id, &ref);
    if (rc != RC_OK)
        return rc;
    return handle_create(space, HANDLE_THREAD, ref, out);
}

enum rc os_id_of_thread(const struct handle *thread, enum os_thread_kind kind,
                        size_t size, void *out)
{
    enum rc rc = handle_check(thread, HANDLE_THREAD);
    if (rc != RC_OK)
        return rc;
    if (!os_id_has_size(thread->space, kind, size))
        return RC_BAD_INPUT;
    struct thread_facts facts;
    rc = facts_of_thread(thread, &facts);
    if (rc != RC_OK)
        return rc;
    uint64_t id;
    rc = fact_value(kind == OS_THREAD_PTHREAD ? facts.pthread : facts.lwp, &id);
    if (rc == RC_OK)
        target_encode(thread->space, id, out, (unsigned)size);
    return rc;
}
