/* SPDX-License-Identifier: MIT
 *
 * The extension: tasks and the dependences between them.
 */
#include "libompd/ext/answer.h"

_Static_assert((int)ompd_ext_task_created == (int)TASK_STATE_CREATED &&
                   (int)ompd_ext_task_ready == (int)TASK_STATE_READY &&
                   (int)ompd_ext_task_waiting == (int)TASK_STATE_WAITING &&
                   (int)ompd_ext_task_running == (int)TASK_STATE_RUNNING &&
                   (int)ompd_ext_task_suspended == (int)TASK_STATE_SUSPENDED &&
                   (int)ompd_ext_task_completed == (int)TASK_STATE_COMPLETED &&
                   (int)ompd_ext_task_detached == (int)TASK_STATE_DETACHED,
               "states are those of the survey");
_Static_assert((int)ompd_ext_task_initial == (int)TASK_KIND_INITIAL &&
                   (int)ompd_ext_task_implicit == (int)TASK_KIND_IMPLICIT &&
                   (int)ompd_ext_task_explicit == (int)TASK_KIND_EXPLICIT,
               "kinds are those of the facts");
_Static_assert((int)ompd_ext_depend_in == (int)DEPEND_IN &&
                   (int)ompd_ext_depend_out == (int)DEPEND_OUT &&
                   (int)ompd_ext_depend_mutexinoutset == (int)DEPEND_MUTEXINOUTSET &&
                   (int)ompd_ext_depend_inoutset == (int)DEPEND_INOUTSET &&
                   (int)ompd_ext_depend_unknown == (int)DEPEND_UNKNOWN,
               "kinds are those of the facts");

/* The flags come from one word: known together or not at all. */
static void convert_flags(const struct task_facts *facts, ompd_ext_task_t *out)
{
    if (!ext_known(&out->known, OMPD_EXT_TASK_FLAGS, facts->undeferred.known))
        return;
    out->flags = (facts->undeferred.value ? OMPD_EXT_TASK_UNDEFERRED : 0) |
                 (facts->final.value ? OMPD_EXT_TASK_FINAL : 0) |
                 (facts->untied.value ? OMPD_EXT_TASK_UNTIED : 0) |
                 (facts->mergeable.value ? OMPD_EXT_TASK_MERGEABLE : 0) |
                 (facts->detachable.value ? OMPD_EXT_TASK_DETACHABLE : 0) |
                 (facts->taskloop.value ? OMPD_EXT_TASK_TASKLOOP : 0);
}

static void convert_task(const struct instance *instance, const void *surveyed, void *result)
{
    (void)instance;
    const struct surveyed_task *task = surveyed;
    const struct task_facts *facts = &task->facts;
    ompd_ext_task_t *out = result;
    out->task = ext_object(task->ref);
    if (task->state && ext_known(&out->known, OMPD_EXT_TASK_STATE, KNOWN))
        out->state = task->state;
    convert_flags(facts, out);
    EXT_NUMBER(out, OMPD_EXT_TASK_KIND, kind, facts->kind);
    EXT_NUMBER(out, OMPD_EXT_TASK_LEVEL, level, facts->level);
    EXT_NUMBER(out, OMPD_EXT_TASK_FUNCTION, function, facts->function);
    EXT_NUMBER(out, OMPD_EXT_TASK_CODEPTR, codeptr, facts->codeptr);
    EXT_NUMBER(out, OMPD_EXT_TASK_SERIAL, serial, facts->serial);
    EXT_NUMBER(out, OMPD_EXT_TASK_EVENT, event, facts->event);
    EXT_NUMBER(out, OMPD_EXT_TASK_DEPENDENCES, dependences, facts->dependence_count);
    EXT_OBJECT(out, OMPD_EXT_TASK_PARENT, parent, facts->parent);
    EXT_OBJECT(out, OMPD_EXT_TASK_REGION, region, facts->region);
    EXT_OBJECT(out, OMPD_EXT_TASK_THREAD, thread, facts->thread);
    EXT_OBJECT(out, OMPD_EXT_TASK_SCHEDULING, scheduling, facts->scheduling);
    EXT_NUMBER(out, OMPD_EXT_TASK_CANCELLED, cancelled, facts->cancelled);
    EXT_NUMBER(out, OMPD_EXT_TASK_NUMBER, number, facts->number);
    EXT_NUMBER(out, OMPD_EXT_TASK_DEVICE, device, facts->device);
}

EXT_SURVEY(ompd_ext_get_tasks, ompd_ext_task_t, EXT_FIRST_SIZE(ompd_ext_task_t, cancelled),
           survey_tasks_and_states, convert_task)

ompd_rc_t ompd_ext_get_task(ompd_task_handle_t *handle, ompd_size_t size, ompd_ext_task_t *task)
{
    if (!task || !ext_size_is_valid(size, EXT_FIRST_SIZE(ompd_ext_task_t, cancelled)))
        return ompd_rc_bad_input;
    struct surveyed_task surveyed;
    enum rc rc = facts_of_task(abi_task(handle), &surveyed.facts);
    if (rc != RC_OK)
        return abi_answer(rc);
    surveyed.ref = abi_task(handle)->ref;
    surveyed.state = task_state_of(&surveyed.facts);
    ext_give(abi_task(handle)->instance, &surveyed, convert_task, sizeof *task, size, task);
    return ompd_rc_ok;
}

static void convert_dependence(const struct instance *instance, const void *surveyed, void *result)
{
    (void)instance;
    const struct surveyed_dependence *edge = surveyed;
    ompd_ext_dependence_t *out = result;
    out->predecessor = ext_object(edge->predecessor);
    out->successor = ext_object(edge->successor);
    out->address = edge->address;
    out->predecessor_kind = edge->predecessor_kind;
    out->successor_kind = edge->successor_kind;
}

EXT_SURVEY(ompd_ext_get_dependences, ompd_ext_dependence_t, sizeof(ompd_ext_dependence_t),
           survey_all_dependences, convert_dependence)
