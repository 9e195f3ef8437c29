/* SPDX-License-Identifier: MIT
 *
 * Task records as facts, all initial and explicit tasks of a process with hooks, and what
 * the tasks named in their depend clauses.
 */
#include <string.h>

#include "libompd/runtime/hooks.h"

_Static_assert((int)TASK_KIND_INITIAL == TASK_INITIAL && (int)TASK_KIND_IMPLICIT == TASK_IMPLICIT &&
                   (int)TASK_KIND_EXPLICIT == TASK_EXPLICIT,
               "kinds of tasks are those of the records");
_Static_assert((int)TASK_PROGRESS_CREATED == TASK_CREATED &&
                   (int)TASK_PROGRESS_RUNNING == TASK_RUNNING &&
                   (int)TASK_PROGRESS_COMPLETED == TASK_COMPLETED &&
                   (int)TASK_PROGRESS_DETACHED == TASK_DETACHED,
               "progress of tasks is that of the records");
_Static_assert((int)DEPEND_IN == DEPENDENCE_IN && (int)DEPEND_OUT == DEPENDENCE_OUT &&
                   (int)DEPEND_MUTEXINOUTSET == DEPENDENCE_MUTEXINOUTSET &&
                   (int)DEPEND_INOUTSET == DEPENDENCE_INOUTSET &&
                   (int)DEPEND_UNKNOWN == DEPENDENCE_UNKNOWN,
               "kinds of dependences are those of the records");

static struct fact flag(uint64_t flags, uint64_t which)
{
    return (struct fact){KNOWN, (flags & which) != 0};
}

static struct fact coded(uint64_t value, uint64_t last)
{
    return (struct fact){value && value <= last ? KNOWN : IMPOSSIBLE, value};
}

/* A task that claims to be its own relative would be walked without end. */
static struct ref_fact other_task(struct ref_fact task, struct ref self)
{
    if (task.known == KNOWN && (task.ref.address == self.address || task.ref.id == self.id))
        task.known = IMPOSSIBLE;
    return task;
}

static void fill_flags(uint64_t flags, struct task_facts *facts)
{
    facts->undeferred = flag(flags, TASK_FLAG_UNDEFERRED);
    facts->final = flag(flags, TASK_FLAG_FINAL);
    facts->untied = flag(flags, TASK_FLAG_UNTIED);
    facts->mergeable = flag(flags, TASK_FLAG_MERGEABLE);
    facts->detachable = flag(flags, TASK_FLAG_DETACH);
    facts->taskloop = flag(flags, TASK_FLAG_TASKLOOP);
}

void hooks_task_facts(const struct instance *instance, const void *bytes, struct ref self,
                      struct task_facts *out)
{
    struct task_facts facts;
    memset(&facts, 0, sizeof facts);
    facts.kind = coded(hooks_field(instance, bytes, FIELD_task_kind), TASK_EXPLICIT);
    facts.implicit = (struct fact){facts.kind.known, facts.kind.value != TASK_EXPLICIT};
    facts.is_explicit = (struct fact){facts.kind.known, facts.kind.value == TASK_EXPLICIT};
    facts.progress = coded(hooks_field(instance, bytes, FIELD_task_state), TASK_DETACHED);
    fill_flags(hooks_field(instance, bytes, FIELD_task_flags), &facts);
    facts.level = hooks_fact(instance, bytes, FIELD_task_level);
    facts.active_level = hooks_fact(instance, bytes, FIELD_task_active_level);
    facts.thread_num = hooks_fact(instance, bytes, FIELD_task_thread_num);
    facts.function = hooks_fact(instance, bytes, FIELD_task_function);
    if (facts.function.known == KNOWN && !facts.function.value)
        facts.function.known = NONE_HERE;
    facts.exit_frame = hooks_fact(instance, bytes, FIELD_task_exit_frame);
    facts.enter_frame = hooks_fact(instance, bytes, FIELD_task_enter_frame);
    facts.codeptr = hooks_fact(instance, bytes, FIELD_task_codeptr);
    facts.parent =
        other_task(hooks_ref_fact(instance, bytes, FIELD_task_parent, FIELD_task_parent_id), self);
    facts.region = hooks_ref_fact(instance, bytes, FIELD_task_region, FIELD_task_region_id);
    facts.thread = hooks_ref_fact(instance, bytes, FIELD_task_thread, FIELD_task_thread_id);

    facts.scheduling = other_task(
        hooks_ref_fact(instance, bytes, FIELD_task_scheduling_task, FIELD_task_scheduling_task_id),
        self);
    facts.serial = hooks_fact(instance, bytes, FIELD_task_serial);
    facts.event = hooks_fact(instance, bytes, FIELD_task_event);
    facts.tool_data = hooks_fact(instance, bytes, FIELD_task_tool_data);
    facts.word = hooks_fact(instance, bytes, FIELD_task_word);
    facts.number = (struct fact){KNOWN, self.id};
    facts.dependences = hooks_fact(instance, bytes, FIELD_task_dependences);
    facts.dependence_count = hooks_fact(instance, bytes, FIELD_task_dependence_count);
    facts.dependences_held = hooks_fact(instance, bytes, FIELD_task_dependences_held);
    if (facts.dependences_held.value > facts.dependence_count.value ||
        (facts.dependences_held.value && !facts.dependences.value))
        facts.dependences_held.known = IMPOSSIBLE;
    *out = facts;
}

enum rc hooks_planned_task(struct instance *instance, taddr function, taddr block,
                           struct task_facts *facts)
{
    const struct hooks_state *state = hooks_state(instance);
    struct hooks_bytes origin;
    if (!function || function != state->loop_task)
        return RC_UNAVAILABLE;
    enum rc rc = hooks_fetch(instance, RECORD_origin, block + state->loop_origin, &origin);
    if (rc == RC_OK && hooks_field(instance, origin.bytes, FIELD_origin_task))
        rc = RC_UNAVAILABLE;
    if (rc != RC_OK)
        return rc;
    fill_flags(hooks_field(instance, origin.bytes, FIELD_origin_flags), facts);
    facts->function = hooks_fact(instance, origin.bytes, FIELD_origin_function);
    facts->codeptr = hooks_fact(instance, origin.bytes, FIELD_origin_codeptr);
    facts->serial = hooks_fact(instance, origin.bytes, FIELD_origin_serial);
    facts->parent =
        hooks_ref_fact(instance, origin.bytes, FIELD_origin_parent, FIELD_origin_parent_id);
    facts->region =
        hooks_ref_fact(instance, origin.bytes, FIELD_origin_region, FIELD_origin_region_id);
    return RC_OK;
}

struct task_walk {
    task_visitor *visit;
    void *arg;
};

static bool visit_task(void *arg, const struct instance *instance, const void *bytes,
                       struct ref ref)
{
    struct task_walk *walk = arg;
    struct task_facts facts;
    hooks_task_facts(instance, bytes, ref, &facts);
    if (hooks_hides_reported(instance) && facts.word.value && facts.is_explicit.value)
        return true;
    return walk->visit(walk->arg, ref, &facts);
}

enum rc hooks_each_task(struct instance *instance, task_visitor *visit, void *arg)
{
    struct task_walk walk = {visit, arg};
    return hooks_walk_all(instance, RECORD_task, FIELD_root_task_slab, UINT32_MAX, visit_task,
                          &walk);
}

enum rc hooks_dependences(struct instance *instance, struct query *query, taddr array,
                          uint32_t count, struct dependence *out)
{
    unsigned char bytes[TARGET_BULK_BYTES];
    uint32_t stride = hooks_state(instance)->record_size[RECORD_dependence];
    if (!stride)
        return RC_UNSUPPORTED;
    if (count > DEPENDENCES_MAX || count > sizeof bytes / stride)
        return RC_NONSENSE;
    enum rc rc = query_read(instance->space, query, array, (size_t)count * stride, bytes);
    for (uint32_t i = 0; rc == RC_OK && i < count; i++) {
        const unsigned char *item = bytes + i * stride;
        uint64_t kind = hooks_field(instance, item, FIELD_dependence_kind);
        if (!kind || kind > DEPENDENCE_UNKNOWN)
            return RC_NONSENSE;
        out[i].address = hooks_field(instance, item, FIELD_dependence_address);
        out[i].kind = (enum dependence_kind)kind;
    }
    return rc;
}
