/* SPDX-License-Identifier: MIT
 *
 * The extension: why a program makes no progress. Evidence and verdicts of why/ in the words of
 * the interface.
 */
#include "libompd/ext/answer.h"
#include "libompd/why/why.h"

#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs)
SAME(EVIDENCE_PROCESS, ompd_ext_evidence_process);
SAME(EVIDENCE_NEEDS, ompd_ext_evidence_needs);
SAME(EVIDENCE_END - 1, ompd_ext_evidence_polls);
SAME(WITNESS_RECORDED, ompd_ext_witness_recorded);
SAME(WITNESS_STACKS, ompd_ext_witness_stacks);
SAME(WITNESS_END - 1, ompd_ext_witness_source);
SAME(DOING_WORKS, ompd_ext_doing_works);
SAME(DOING_IDLE, ompd_ext_doing_idle);
SAME(DOING_END - 1, ompd_ext_doing_unknown);
SAME(THING_LOCK, ompd_ext_thing_lock);
SAME(THING_MUTEX, ompd_ext_thing_mutex);
SAME(THING_EVENT, ompd_ext_thing_event);
SAME(THING_OTHER, ompd_ext_thing_other);
SAME(THING_END - 1, ompd_ext_thing_semaphore);
SAME(PROGRESS_CREATED, ompd_ext_progress_created);
SAME(PROGRESS_END - 1, ompd_ext_progress_detached);
SAME(FLAG_CONFIRMED, OMPD_EXT_FLAG_CONFIRMED);
SAME(FLAG_HELD, OMPD_EXT_FLAG_HELD);
SAME(FLAG_WHOEVER, OMPD_EXT_FLAG_WHOEVER);
SAME(FLAG_COMPLETE, OMPD_EXT_FLAG_COMPLETE);
SAME(FLAG_RETURNED, OMPD_EXT_FLAG_RETURNED);
SAME(FLAG_DESTROYED, OMPD_EXT_FLAG_DESTROYED);
SAME(FLAG_SAME_PLACE, OMPD_EXT_FLAG_SAME_PLACE);
SAME(FLAG_MOVED, OMPD_EXT_FLAG_MOVED);
SAME(FLAG_OVERFLOW, OMPD_EXT_FLAG_OVERFLOW);
SAME(FLAG_UNCAUGHT, OMPD_EXT_FLAG_UNCAUGHT);
SAME(FLAG_RECORDED, OMPD_EXT_FLAG_RECORDED);
SAME(FLAG_CANCELLED, OMPD_EXT_FLAG_CANCELLED);
SAME(FLAG_UNMADE, OMPD_EXT_FLAG_UNMADE);
SAME(FLAG_FORKED, OMPD_EXT_FLAG_FORKED);
SAME(FLAG_THROTTLED, OMPD_EXT_FLAG_THROTTLED);
SAME(FLAG_REPEATS, OMPD_EXT_FLAG_REPEATS);
SAME(FLAG_INITIAL, OMPD_EXT_FLAG_INITIAL);
SAME(FLAG_SUSPENDED, OMPD_EXT_FLAG_SUSPENDED);
SAME(FLAG_ONE_CALL, OMPD_EXT_FLAG_ONE_CALL);
SAME(FLAG_HANDLED, OMPD_EXT_FLAG_HANDLED);
SAME(FLAG_ALONE, OMPD_EXT_FLAG_ALONE);
SAME(FLAG_LOOPS, OMPD_EXT_FLAG_LOOPS);
SAME(FLAG_PLAIN, OMPD_EXT_FLAG_PLAIN);
SAME(FLAG_MIXED, OMPD_EXT_FLAG_MIXED);
SAME(FLAG_TORN, OMPD_EXT_FLAG_TORN);
SAME(FLAG_STRAY, OMPD_EXT_FLAG_STRAY);
SAME(FLAG_INSIDE, OMPD_EXT_FLAG_INSIDE);
SAME(FLAG_RUNNING, OMPD_EXT_FLAG_RUNNING);
SAME(KIND_NOTHING, ompd_ext_verdict_nothing);
SAME(KIND_WAITING, ompd_ext_verdict_waiting);
SAME(CERTAINTY_CERTAIN, ompd_ext_certainty_certain);
SAME(ROLE_WAITS, ompd_ext_role_waits);
SAME(ROLE_OTHER, ompd_ext_role_other);

static void convert_verdict(const struct instance *instance, const void *judged, void *result)
{
    const struct why_verdict *verdict = judged;
    (void)instance;
    *(ompd_ext_verdict_t *)result = (ompd_ext_verdict_t){
        .verdict = verdict->name,
        .kind = verdict->kind,
        .certainty = verdict->certainty,
        .cause = verdict->cause,
        .next = verdict->next,
        .threads = verdict->threads,
        .others = verdict->others,
        .links = verdict->links,
        .first_link = verdict->first_link,
        .subject = verdict->subject,
    };
}

static void convert_link(const struct instance *instance, const void *judged, void *result)
{
    const struct why_link *link = judged;
    (void)instance;
    *(ompd_ext_link_t *)result = (ompd_ext_link_t){link->role, link->evidence};
}

/* What a debugger hands in, whose elements may be wider than ours. */
static enum rc take_evidence(const char *given, size_t size, size_t count,
                             struct why_evidence **out)
{
    void *memory;
    if (count > WHY_EVIDENCE_MAX)
        return RC_BAD_INPUT;
    enum rc rc = abi_ops()->alloc((count + 1) * sizeof **out, &memory);
    if (rc != RC_OK)
        return rc;
    *out = memory;
    for (size_t i = 0; i < count; i++) {
        const ompd_ext_evidence_t *one = (const void *)(given + i * size);
        (*out)[i] = (struct why_evidence){.kind = one->kind,
                                          .witness = one->witness,
                                          .what = one->what,
                                          .flags = one->flags,
                                          .id = one->id,
                                          .other = one->other,
                                          .number = one->number};
    }
    return RC_OK;
}

static enum rc judge(const void *given, size_t size, size_t count, struct survey_parts *verdicts,
                     struct survey_parts *links)
{
    struct why_evidence *evidence;
    enum rc rc = take_evidence(given, size, count, &evidence);
    if (rc != RC_OK)
        return rc;
    rc = why_judge(abi_ops(), evidence, count, &verdicts->part[0].elements,
                   &links->part[0].elements);
    abi_ops()->release(evidence);
    return rc;
}

ompd_rc_t ompd_ext_get_verdicts(const ompd_ext_evidence_t *evidence, ompd_size_t evidence_size,
                                ompd_size_t evidence_count, ompd_size_t verdict_size,
                                ompd_ext_verdict_t **verdicts, ompd_size_t *verdict_count,
                                ompd_ext_link_t **links, ompd_size_t *link_count)
{
    if ((!evidence && evidence_count) || !verdicts || !verdict_count || !links || !link_count ||
        !ext_size_is_valid(evidence_size, sizeof *evidence) ||
        !ext_size_is_valid(verdict_size, sizeof **verdicts))
        return ompd_rc_bad_input;
    if (!abi_ops())
        return ompd_rc_callback_error;
    struct survey_parts judged = {.count = 1}, linked = {.count = 1};
    enum rc rc = judge(evidence, evidence_size, evidence_count, &judged, &linked);
    void *verdict_vector, *link_vector;
    ompd_size_t count;
    rc = ext_vector(&judged, convert_verdict, sizeof **verdicts, verdict_size, rc, &verdict_vector,
                    &count);
    if (rc == RC_OK) {
        rc = ext_vector(&linked, convert_link, sizeof **links, sizeof **links, rc, &link_vector,
                        link_count);
        if (rc != RC_OK)
            abi_ops()->release(verdict_vector);
    }
    if (rc == RC_OK) {
        *verdicts = verdict_vector;
        *verdict_count = count;
        *links = link_vector;
    }
    survey_parts_free(&judged);
    survey_parts_free(&linked);
    return abi_answer(rc);
}
