/* SPDX-License-Identifier: MIT
 *
 * From one object to another: fetch the facts of the one, take the reference to the
 * other, make a handle of it. The other object itself is not read.
 */
#include "libompd/handle/handle.h"
#include "libompd/runtime/reader.h"
#include "libompd/target/target.h"

static enum rc create_from_fact(struct instance *instance, enum handle_kind kind,
                                struct ref_fact fact, struct handle **out)
{
    struct ref ref;
    enum rc rc = fact_ref(instance, kind, fact, &ref);
    if (rc != RC_OK)
        return rc;
    return handle_create(instance, kind, ref, out);
}

/* From a handle of a `from` to the object of kind `to` in `field` of its facts. */
#define NAVIGATION(name, from, field, to)                                                          \
    enum rc name(const struct handle *from, struct handle **out)                                   \
    {                                                                                              \
        struct from##_facts facts;                                                                 \
        enum rc rc = facts_of_##from(from, &facts);                                                \
        if (rc != RC_OK)                                                                           \
            return rc;                                                                             \
        return create_from_fact(from->instance, HANDLE_##to, facts.field, out);                    \
    }

NAVIGATION(region_of_thread, thread, region, PARALLEL)
NAVIGATION(task_of_thread, thread, task, TASK)
NAVIGATION(region_of_region, region, enclosing, PARALLEL)
NAVIGATION(master_of_region, region, master, THREAD)
NAVIGATION(region_of_task, task, region, PARALLEL)
NAVIGATION(parent_of_task, task, parent, TASK)
NAVIGATION(scheduling_task_of_task, task, scheduling, TASK)

static enum rc find_member(const struct handle *region, enum members members, int number,
                           struct handle **out)
{
    enum rc rc = handle_check(region, HANDLE_PARALLEL);
    if (rc != RC_OK)
        return rc;
    if (number < 0)
        return RC_BAD_INPUT;
    struct ref ref;
    struct instance *instance = region->instance;
    rc = instance->reader->find_member(instance, region->ref, members, (uint32_t)number, &ref);
    enum handle_kind kind = members == MEMBER_THREADS ? HANDLE_THREAD : HANDLE_TASK;
    return rc == RC_OK ? handle_create(instance, kind, ref, out) : rc;
}

enum rc thread_in_region(const struct handle *region, int number, struct handle **out)
{
    return find_member(region, MEMBER_THREADS, number, out);
}

enum rc task_in_region(const struct handle *region, int number, struct handle **out)
{
    return find_member(region, MEMBER_TASKS, number, out);
}

/* A pthread_t is as wide as the target's long. Debuggers pass kernel ids as a pid_t or as
 * a long. */
static bool os_id_has_size(const struct space *space, enum os_thread_kind kind, size_t size)
{
    if (kind == OS_THREAD_PTHREAD)
        return size == space->sizes.sizeof_long;
    return size == 4 || size == 8;
}

struct search {
    enum os_thread_kind kind;
    uint64_t id;
    struct instance *instance; /* NULL: not found yet */
    struct ref ref;
};

static bool is_in_region(struct instance *instance, struct ref thread)
{
    struct thread_facts facts;
    return instance->reader->thread(instance, thread, &facts) == RC_OK &&
           facts.region.known == KNOWN;
}

static bool records(struct instance *instance)
{
    bool does = false;
    return instance->reader->records && instance->reader->records(instance, &does) == RC_OK && does;
}

/* Has the thread a record by which it is in a region of the runtime? That is its innermost one. */
static bool is_recorded_in_region(const struct search *search)
{
    return !ref_is_made(search->ref) && is_in_region(search->instance, search->ref);
}

/* A thread that has used several runtimes: where they are recorded, the one of its innermost
 * region, else the last one in a region of which it is, because what was loaded later is called by
 * what was there before; outside of all, the first. */
static enum rc search_all(struct space *space, struct search *search)
{
    enum rc answer = RC_UNAVAILABLE;
    for (struct instance *i = NULL; (i = instance_next(space, i));) {
        struct ref ref;
        enum rc rc = i->reader->find_thread(i, search->kind, search->id, &ref);
        if (rc != RC_OK) {
            if (answer == RC_UNAVAILABLE)
                answer = rc;
        } else if (!search->instance ||
                   (is_in_region(i, ref) && !(records(i) && is_recorded_in_region(search)))) {
            search->instance = i;
            search->ref = ref;
        }
    }
    return search->instance ? RC_OK : answer;
}

enum rc thread_of_os_id(struct space *space, enum os_thread_kind kind, size_t size,
                        const void *os_id, struct handle **out)
{
    struct instance *instance;
    enum rc rc = space_instance(space, &instance);
    if (rc != RC_OK)
        return rc;
    if (!os_id_has_size(space, kind, size))
        return RC_BAD_INPUT;
    struct search search = {.kind = kind, .id = target_decode(space, os_id, (unsigned)size)};
    if (instance_next(space, instance))
        instances_refresh(space);
    rc = search_all(space, &search);
    if (rc == RC_UNAVAILABLE && instances_refresh(space))
        rc = search_all(space, &search);
    if (rc != RC_OK)
        return rc;
    return handle_create(search.instance, HANDLE_THREAD, search.ref, out);
}

enum rc os_id_of_thread(const struct handle *thread, enum os_thread_kind kind, size_t size,
                        void *out)
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
