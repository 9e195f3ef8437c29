/* SPDX-License-Identifier: MIT
 *
 * Regions of either kind: explicit ones, and the implicit parallel region in which an
 * initial thread is outside of them. That is a team of one thread with the initial task,
 * and no runtime has an object for it. Its handle names the thread, to which thread,
 * outermost region and initial task all refer: navigation takes one read, and the end of
 * the thread makes the handle stale.
 */
#include "libompd/handle/handle.h"
#include "libompd/runtime/reader.h"

/* Tasks between the current and the initial one: more than a program nests. */
enum { ANCESTORS_MAX = 256 };

static bool is_implicit(const struct handle *region)
{
    return handle_check(region, HANDLE_IMPLICIT) == RC_OK;
}

enum rc region_check(const struct handle *region)
{
    return is_implicit(region) ? RC_OK : handle_check(region, HANDLE_PARALLEL);
}

enum rc region_release(struct handle *region)
{
    return handle_release(region, is_implicit(region) ? HANDLE_IMPLICIT : HANDLE_PARALLEL);
}

/* Implicit regions are ordered before explicit ones: their ids are those of threads. */
enum rc region_compare(const struct handle *a, const struct handle *b, int *out)
{
    enum rc rc = region_check(a);
    if (rc == RC_OK)
        rc = region_check(b);
    if (rc != RC_OK)
        return rc;
    if (is_implicit(a) == is_implicit(b) || a->space->context != b->space->context)
        *out = handle_order(a, b);
    else
        *out = is_implicit(a) ? -1 : 1;
    return RC_OK;
}

/* The thread's facts, which say whether the region is still there. */
static enum rc facts_of_owner(const struct handle *region, struct thread_facts *out)
{
    enum rc rc = region->instance->reader->thread(region->instance, region->ref, out);
    uint64_t initial;
    if (rc == RC_OK)
        rc = fact_value(out->initial, &initial);
    return rc == RC_OK && !initial ? RC_STALE_HANDLE : rc;
}

enum rc facts_of_any_region(const struct handle *region, struct region_facts *out)
{
    if (!is_implicit(region))
        return facts_of_region(region, out);
    struct thread_facts thread;
    enum rc rc = facts_of_owner(region, &thread);
    if (rc != RC_OK)
        return rc;
    static const struct fact none = {.known = NONE_HERE};
    *out = (struct region_facts){
        .league = {KNOWN, 0},
        .requested = none,
        .codeptr = none,
        .num_threads = {KNOWN, 1},
        .league_size = none,
        .level = {KNOWN, 0},
        .active_level = {KNOWN, 0},
        .function = none,
        .tool_data = thread.outside_data,
        .enclosing = {.known = NONE_HERE},
        .encountering_task = {.known = NONE_HERE},
        .master = {.known = KNOWN, .ref = region->ref},
    };
    return RC_OK;
}

/* A handle of the explicit region, or, when there is none, of the implicit region of a
 * thread. */
static enum rc create(struct instance *instance, struct ref_fact region, struct ref_fact thread,
                      struct handle **out)
{
    bool is_outside = region.known == NONE_HERE;
    enum handle_kind kind = is_outside ? HANDLE_IMPLICIT : HANDLE_PARALLEL;
    struct ref ref;
    enum rc rc = is_outside ? fact_ref(instance, HANDLE_THREAD, thread, &ref)
                            : fact_ref(instance, HANDLE_PARALLEL, region, &ref);
    return rc == RC_OK ? handle_create(instance, kind, ref, out) : rc;
}

enum rc any_region_of_thread(const struct handle *thread, struct handle **out)
{
    struct thread_facts facts;
    enum rc rc = facts_of_thread(thread, &facts);
    if (rc != RC_OK)
        return rc;
    /* Idle threads have no task either, and are nowhere. */
    struct ref_fact self = {.known = NONE_HERE, .ref = thread->ref};
    if (facts.initial.known == KNOWN && facts.initial.value && facts.task.known == KNOWN)
        self.known = KNOWN;
    return create(thread->instance, facts.region, self, out);
}

enum rc any_region_of_region(const struct handle *region, struct handle **out)
{
    struct region_facts facts;
    enum rc rc = facts_of_any_region(region, &facts);
    if (rc != RC_OK)
        return rc;
    if (is_implicit(region))
        return RC_UNAVAILABLE;
    return create(region->instance, facts.enclosing, facts.master, out);
}

enum rc any_region_of_task(const struct handle *task, struct handle **out)
{
    struct task_facts facts;
    enum rc rc = facts_of_task(task, &facts);
    if (rc != RC_OK)
        return rc;
    return create(task->instance, facts.region, facts.thread, out);
}

enum rc thread_in_any_region(const struct handle *region, int number, struct handle **out)
{
    if (!is_implicit(region))
        return thread_in_region(region, number, out);
    struct thread_facts facts;
    enum rc rc = number ? RC_BAD_INPUT : facts_of_owner(region, &facts);
    return rc == RC_OK ? handle_create(region->instance, HANDLE_THREAD, region->ref, out) : rc;
}

/* The initial task is the last ancestor of what the thread runs. */
enum rc task_in_any_region(const struct handle *region, int number, struct handle **out)
{
    if (!is_implicit(region))
        return task_in_region(region, number, out);
    if (number)
        return RC_BAD_INPUT;
    struct instance *instance = region->instance;
    struct thread_facts thread;
    struct ref task;
    enum rc rc = facts_of_owner(region, &thread);
    if (rc == RC_OK)
        rc = fact_ref(instance, HANDLE_TASK, thread.task, &task);
    for (unsigned i = 0; rc == RC_OK && i < ANCESTORS_MAX; i++) {
        struct task_facts facts;
        uint64_t kind;
        rc = instance->reader->task(instance, task, &facts);
        if (rc == RC_OK)
            rc = fact_value(facts.kind, &kind);
        if (rc == RC_OK && kind == TASK_KIND_INITIAL)
            return handle_create(instance, HANDLE_TASK, task, out);
        if (rc == RC_OK)
            rc = fact_ref(instance, HANDLE_TASK, facts.parent, &task);
    }
    return rc == RC_OK ? RC_NONSENSE : rc;
}
