/* SPDX-License-Identifier: MIT
 *
 * The reader for LLVM's runtime: the facts of threads and the table of operations.
 */
#include "libompd/runtime/kmp.h"

/* Does it come from outside of all regions? */
static struct fact is_initial(const struct instance *instance, const struct kmp_region *innermost)
{
    struct kmp_region region = *innermost;
    enum rc rc = RC_OK;
    while (rc == RC_OK && !region.number)
        rc = kmp_enclosing(instance, &region, &region);
    return (struct fact){rc == RC_UNAVAILABLE ? KNOWN : memory_mark(rc), !region.number};
}

static enum rc fill_member(struct instance *instance, const struct kmp_thread *thread,
                           enum kmp_thread_kind kind, const struct kmp_team *team,
                           struct thread_facts *facts)
{
    struct kmp_region region;
    enum rc rc;
    if (kind == KMP_MEMBER) {
        rc = kmp_innermost(team, thread->number, &region);
        if (rc != RC_OK)
            return rc;
        facts->thread_num = (struct fact){KNOWN, region.number};
        facts->team_size = (struct fact){KNOWN, kmp_region_size(&region)};
        facts->level = (struct fact){KNOWN, team->level};
        facts->initial = is_initial(instance, &region);
        facts->region = (struct ref_fact){.known = KNOWN, .ref = kmp_region_ref(instance, &region)};
    } else {
        facts->thread_num = facts->level = (struct fact){KNOWN, 0};
        facts->team_size = (struct fact){KNOWN, 1};
        facts->initial = (struct fact){KNOWN, kind == KMP_INITIAL};
    }
    rc = kmp_task_ref(instance, thread->task, &facts->task.ref);
    facts->task.known = memory_mark(rc);
    return kmp_wait(instance, thread, team, kind == KMP_MEMBER, facts);
}

static enum rc fill_thread(struct instance *instance, const struct kmp_thread *thread,
                           struct thread_facts *facts)
{
    struct kmp_team team;
    enum kmp_thread_kind kind;
    enum rc rc = kmp_classify(instance, thread, &kind, &team);
    if (rc != RC_OK)
        return rc;
    uint32_t number;
    bool is_idle = kind == KMP_IDLE || (kind == KMP_HELPER &&
                                        kmp_implicit_index(instance, &team, thread->task, &number));
    facts->state = (struct fact){KNOWN, is_idle ? STATE_idle : STATE_overhead};
    return !is_idle && kmp_may_have_tasks(kind) ? fill_member(instance, thread, kind, &team, facts)
                                                : RC_OK;
}

static bool kmp_is_damaged(const struct instance *instance, const struct kmp_thread *thread,
                           taddr *at)
{
    struct kmp_team team;
    enum kmp_thread_kind kind;
    *at = thread->team;
    return kmp_classify(instance, thread, &kind, &team) == RC_NONSENSE;
}

MEMORY_THREADS(kmp)
MEMORY_READER(kmp)
SURVEY_ALL(kmp, each_lock, lock_visitor)
SURVEY_ALL(kmp, each_device, device_visitor)
SURVEY_ALL(kmp, each_mapping, mapping_visitor)

QUERY(kmp, lock_object,
      (struct instance * instance, taddr address, enum lock_kind kind, taddr *out), instance,
      address, kind, out)

QUERY(kmp, globals, (struct instance * instance, struct global_facts *out), instance, out)

static enum rc task_of_word(struct instance *instance, taddr word, struct ref *out)
{
    return kmp_task_ref(instance, word - kmp_offset(instance, KMP_kmp_taskdata_word), out);
}

const struct reader kmp_reader = {
    MEMORY_READER_ROWS(kmp),          .close = kmp_close,
    .lock_object = query_lock_object, .task_of_word = task_of_word,
    .globals = query_globals,         .each_lock = query_each_lock,
    .each_device = query_each_device, .each_mapping = query_each_mapping,
};
