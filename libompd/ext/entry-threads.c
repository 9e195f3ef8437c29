/* SPDX-License-Identifier: MIT
 *
 * The extension: threads and regions.
 */
#include "libompd/ext/answer.h"

static void convert_thread(const struct instance *instance, const void *surveyed, void *result)
{
    const struct surveyed_thread *thread = surveyed;
    const struct thread_facts *facts = &thread->facts;
    ompd_ext_thread_t *out = result;
    out->thread = ext_object(thread->ref);
    ompd_word_t state;
    if (facts->state.known == KNOWN && abi_state(facts->state.value, &state) == RC_OK &&
        ext_known(&out->known, OMPD_EXT_THREAD_STATE, KNOWN))
        out->state = (uint32_t)state;
    EXT_NUMBER(out, OMPD_EXT_THREAD_LWP, lwp, facts->lwp);
    EXT_NUMBER(out, OMPD_EXT_THREAD_PTHREAD, pthread, facts->pthread);
    EXT_NUMBER(out, OMPD_EXT_THREAD_WAIT_ID, wait_id, facts->wait_id);
    EXT_NUMBER(out, OMPD_EXT_THREAD_THREAD_NUM, thread_num, facts->thread_num);
    EXT_NUMBER(out, OMPD_EXT_THREAD_TEAM_SIZE, team_size, facts->team_size);
    EXT_NUMBER(out, OMPD_EXT_THREAD_LEVEL, level, facts->level);
    EXT_NUMBER(out, OMPD_EXT_THREAD_CODEPTR, codeptr, facts->codeptr);
    EXT_NUMBER(out, OMPD_EXT_THREAD_FRAME, frame, facts->frame);
    EXT_OBJECT(out, OMPD_EXT_THREAD_REGION, region, facts->region);
    EXT_OBJECT(out, OMPD_EXT_THREAD_TASK, task, facts->task);
    EXT_NUMBER(out, OMPD_EXT_THREAD_RUNTIME, runtime, runtime_of(instance, NULL));
    EXT_NUMBER(out, OMPD_EXT_THREAD_BARRIER, barrier, facts->barrier);
    EXT_NUMBER(out, OMPD_EXT_THREAD_BARRIERS, barriers, facts->barriers_entered);
    EXT_NUMBER(out, OMPD_EXT_THREAD_BARRIER_WORD, barrier_word, facts->barrier_word);
    EXT_NUMBER(out, OMPD_EXT_THREAD_DOCK_WORD, dock_word, facts->dock_word);
    EXT_NUMBER(out, OMPD_EXT_THREAD_DOCK_WORD, docked, facts->docked);
    EXT_NUMBER(out, OMPD_EXT_THREAD_WAIT_SINCE, wait_since, facts->wait_since);
    EXT_NUMBER(out, OMPD_EXT_THREAD_LAST_WAIT, last_wait, facts->last_wait);
    EXT_NUMBER(out, OMPD_EXT_THREAD_TESTED, tested, facts->tested);
    EXT_NUMBER(out, OMPD_EXT_THREAD_TESTS, tests, facts->tests);
    EXT_NUMBER(out, OMPD_EXT_THREAD_TESTED_SINCE, tested_since, facts->tested_since);
    EXT_NUMBER(out, OMPD_EXT_THREAD_TARGET, target, facts->target);
    EXT_NUMBER(out, OMPD_EXT_THREAD_TARGET_DEVICE, target_device, facts->target_device);
    EXT_NUMBER(out, OMPD_EXT_THREAD_TARGET_CODEPTR, target_codeptr, facts->target_codeptr);
    EXT_NUMBER(out, OMPD_EXT_THREAD_TARGET_SINCE, target_since, facts->target_since);
}

EXT_SURVEY(ompd_ext_get_threads, ompd_ext_thread_t, EXT_FIRST_SIZE(ompd_ext_thread_t, runtime),
           survey_threads, convert_thread)

/* A torn reference takes one more read. One that cannot be resolved is not known. */
static void resolve_torn(struct instance *instance, enum handle_kind kind, struct ref_fact *fact)
{
    struct ref ref;
    if (fact->known != KNOWN || !fact->torn)
        return;
    if (fact_ref(instance, kind, *fact, &ref) == RC_OK)
        *fact = (struct ref_fact){.known = KNOWN, .ref = ref};
    else
        fact->known = UNREADABLE;
}

ompd_rc_t ompd_ext_get_thread(ompd_thread_handle_t *handle, ompd_size_t size,
                              ompd_ext_thread_t *thread)
{
    if (!thread || !ext_size_is_valid(size, EXT_FIRST_SIZE(ompd_ext_thread_t, runtime)))
        return ompd_rc_bad_input;
    struct surveyed_thread surveyed;
    enum rc rc = facts_of_thread(abi_thread(handle), &surveyed.facts);
    if (rc != RC_OK)
        return abi_answer(rc);
    surveyed.ref = abi_thread(handle)->ref;
    resolve_torn(abi_thread(handle)->instance, HANDLE_PARALLEL, &surveyed.facts.region);
    resolve_torn(abi_thread(handle)->instance, HANDLE_TASK, &surveyed.facts.task);
    ext_give(abi_thread(handle)->instance, &surveyed, convert_thread, sizeof *thread, size, thread);
    return ompd_rc_ok;
}

static void convert_region(const struct instance *instance, const void *surveyed, void *result)
{
    const struct surveyed_region *region = surveyed;
    const struct region_facts *facts = &region->facts;
    ompd_ext_region_t *out = result;
    if (region->ref.id)
        out->region = ext_object(region->ref);
    if (ext_known(&out->known, OMPD_EXT_REGION_KIND, facts->league.known))
        out->kind = facts->league.value ? ompd_generator_teams : ompd_generator_parallel;
    EXT_NUMBER(out, OMPD_EXT_REGION_LEVEL, level, facts->level);
    EXT_NUMBER(out, OMPD_EXT_REGION_ACTIVE_LEVEL, active_level, facts->active_level);
    EXT_NUMBER(out, OMPD_EXT_REGION_REQUESTED, requested, facts->requested);
    EXT_NUMBER(out, OMPD_EXT_REGION_NUM_THREADS, num_threads, facts->num_threads);
    EXT_NUMBER(out, OMPD_EXT_REGION_FUNCTION, function, facts->function);
    EXT_NUMBER(out, OMPD_EXT_REGION_CODEPTR, codeptr, facts->codeptr);
    EXT_OBJECT(out, OMPD_EXT_REGION_ENCLOSING, enclosing, facts->enclosing);
    EXT_OBJECT(out, OMPD_EXT_REGION_TASK, task, facts->encountering_task);
    EXT_OBJECT(out, OMPD_EXT_REGION_MASTER, master, facts->master);
    EXT_NUMBER(out, OMPD_EXT_REGION_MASTER_NUM, master_num, facts->master_num);
    EXT_NUMBER(out, OMPD_EXT_REGION_RUNTIME, runtime, runtime_of(instance, facts));
    EXT_NUMBER(out, OMPD_EXT_REGION_CANCELLED, cancelled, facts->cancelled);
    EXT_NUMBER(out, OMPD_EXT_REGION_NUMBER, number, facts->number);
    EXT_NUMBER(out, OMPD_EXT_REGION_PARTED, parted, facts->parted);
    EXT_NUMBER(out, OMPD_EXT_REGION_PARTED_FIRST, parted_first, facts->parted_first);
    EXT_NUMBER(out, OMPD_EXT_REGION_PARTED_OTHER, parted_other, facts->parted_other);
}

ompd_rc_t ompd_ext_get_region(ompd_parallel_handle_t *handle, ompd_size_t size,
                              ompd_ext_region_t *region)
{
    if (!region || !ext_size_is_valid(size, EXT_FIRST_SIZE(ompd_ext_region_t, runtime)))
        return ompd_rc_bad_input;
    struct surveyed_region surveyed;
    enum rc rc = facts_of_any_region(abi_parallel(handle), &surveyed.facts);
    if (rc != RC_OK)
        return abi_answer(rc);
    surveyed.ref = handle_check(abi_parallel(handle), HANDLE_PARALLEL) == RC_OK
                       ? abi_parallel(handle)->ref
                       : (struct ref){0, 0};
    ext_give(abi_parallel(handle)->instance, &surveyed, convert_region, sizeof *region, size,
             region);
    return ompd_rc_ok;
}

EXT_SURVEY(ompd_ext_get_regions, ompd_ext_region_t, EXT_FIRST_SIZE(ompd_ext_region_t, runtime),
           survey_regions, convert_region)
