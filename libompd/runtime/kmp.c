/* SPDX-License-Identifier: MIT
 *
 * The reader for LLVM's runtime: the facts of threads and the table of operations.
 */
#include <string.h>

#include "libompd/runtime/kmp.h"

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
        facts->region =
            (struct ref_fact){.known = KNOWN, .ref = kmp_region_ref(&region)};
    } else {
        facts->thread_num = facts->level = (struct fact){KNOWN, 0};
        facts->team_size = (struct fact){KNOWN, 1};
    }
    rc = kmp_task_ref(instance, thread->task, &facts->task.ref);
    facts->task.known = kmp_mark(rc);
    return kmp_wait(instance, thread, team,
                    kind == KMP_MEMBER ? STATE_work_parallel : STATE_work_serial,
                    &facts->state, &facts->wait_id);
}

/* Of a thread whose team or task cannot be read, that is the mark of all facts but its
 * ids. */
static enum rc facts_of(struct instance *instance, const struct kmp_thread *thread,
                        struct thread_facts *out)
{
    struct thread_facts facts;
    struct kmp_team team;
    enum kmp_thread_kind kind;
    memset(&facts, 0, sizeof facts);
    facts.codeptr.known = facts.frame.known = NEEDS_TRACKING;
    facts.thread_num.known = facts.team_size.known = facts.level.known = NONE_HERE;
    facts.region.known = facts.task.known = NONE_HERE;
    facts.wait_id = (struct fact){KNOWN, 0};
    enum rc rc = kmp_classify(instance, thread, &kind, &team);
    if (rc == RC_OK)
        facts.state =
            (struct fact){KNOWN, kind == KMP_IDLE ? STATE_idle : STATE_overhead};
    if (rc == RC_OK && (kind == KMP_MEMBER || kind == KMP_INITIAL))
        rc = fill_member(instance, thread, kind, &team, &facts);
    if (rc_is_damage(rc))
        facts.state.known = facts.thread_num.known = facts.team_size.known =
            facts.level.known = facts.region.known = facts.task.known = kmp_mark(rc);
    else if (rc != RC_OK)
        return rc;
    facts.lwp = (struct fact){KNOWN, thread->tid};
    facts.pthread = (struct fact){KNOWN, thread->pthread};
    *out = facts;
    return RC_OK;
}

static enum rc kmp_thread(struct instance *instance, struct ref ref,
                          struct thread_facts *out)
{
    struct kmp_thread thread;
    enum rc rc = kmp_read_thread_ref(instance, ref, &thread);
    return rc == RC_OK ? facts_of(instance, &thread, out) : rc;
}

struct thread_walk {
    struct instance *instance;
    thread_visitor *visit;
    void *arg;
    enum rc rc;
};

static bool visit_facts(void *arg, const struct kmp_thread *thread)
{
    struct thread_walk *walk = arg;
    struct thread_facts facts;
    walk->rc = facts_of(walk->instance, thread, &facts);
    return walk->rc == RC_OK && walk->visit(walk->arg, kmp_thread_ref(thread), &facts);
}

static enum rc kmp_each_thread(struct instance *instance, thread_visitor *visit,
                               void *arg)
{
    struct thread_walk walk = {.instance = instance, .visit = visit, .arg = arg};
    bool part = false;
    enum rc rc = kmp_walk(instance, visit_facts, &walk, &part);
    if (rc == RC_OK)
        rc = walk.rc;
    return rc == RC_OK && part ? RC_INCOMPLETE : rc;
}

/* References of this reader are never torn, so an id is never asked for alone. */
static enum rc no_id(struct instance *instance, taddr address, uint64_t *out)
{
    (void)instance;
    (void)address;
    (void)out;
    return RC_UNAVAILABLE;
}

/* Each call from the layers above is one query. `too_long` is the return code when it takes
 * more steps than it may. */
#define QUESTION(too_long, function, parameters, ...)                                    \
    static enum rc query_##function parameters                                           \
    {                                                                                    \
        kmp_begin(instance);                                                             \
        enum rc rc = kmp_prove(instance);                                                \
        if (rc == RC_OK)                                                                 \
            rc = kmp_##function(__VA_ARGS__);                                            \
        kmp_end(instance);                                                               \
        return rc == RC_INCOMPLETE ? too_long : rc;                                      \
    }
#define QUERY(...) QUESTION(RC_NONSENSE, __VA_ARGS__)

/* Of many objects: what was visited is right. */
#define SURVEY(...) QUESTION(RC_INCOMPLETE, __VA_ARGS__)

QUERY(find_thread,
      (struct instance * instance, enum os_thread_kind kind, uint64_t id,
       struct ref *out),
      instance, kind, id, out)
QUERY(walk_threads, (struct instance * instance, ref_visitor *visit, void *arg), instance,
      visit, arg)
QUERY(thread, (struct instance * instance, struct ref ref, struct thread_facts *out),
      instance, ref, out)
QUERY(region_facts,
      (struct instance * instance, struct ref ref, struct region_facts *out), instance,
      ref, out)
QUERY(task_of_ref, (struct instance * instance, struct ref ref, struct task_facts *out),
      instance, ref, out)
QUERY(walk_team,
      (struct instance * instance, struct ref region, ref_visitor *visit, void *arg),
      instance, region, visit, arg)
QUERY(walk_implicit_tasks,
      (struct instance * instance, struct ref region, ref_visitor *visit, void *arg),
      instance, region, visit, arg)
QUERY(team_thread,
      (struct instance * instance, struct ref region, uint32_t number, struct ref *out),
      instance, region, number, out)
QUERY(team_task,
      (struct instance * instance, struct ref region, uint32_t number, struct ref *out),
      instance, region, number, out)
QUERY(icvs, (struct instance * instance, struct ref task, struct icv_facts *out),
      instance, task, out)
SURVEY(each_thread, (struct instance * instance, thread_visitor *visit, void *arg),
       instance, visit, arg)
SURVEY(each_task, (struct instance * instance, task_visitor *visit, void *arg), instance,
       visit, arg)
SURVEY(each_lock, (struct instance * instance, lock_visitor *visit, void *arg), instance,
       visit, arg)
QUERY(barriers,
      (struct instance * instance, struct ref region,
       struct barrier_facts out[BARRIERS_MAX], unsigned *count),
      instance, region, out, count)
QUERY(lock,
      (struct instance * instance, taddr address, enum lock_kind kind,
       struct lock_facts *out),
      instance, address, kind, out)
SURVEY(walk_dependers,
       (struct instance * instance, struct ref task, depender_visitor *visit, void *arg),
       instance, task, visit, arg)

static void kmp_versions(const struct instance *instance, struct fact *first,
                         struct fact *last)
{
    const struct kmp_layout *layout = kmp_state(instance)->layout;
    *first = (struct fact){KNOWN, layout->first_version};
    *last = (struct fact){KNOWN, layout->last_version};
}

const struct reader kmp_reader = {
    .versions = kmp_versions,
    .name = "kmp",
    .open = kmp_open,
    .close = kmp_close,
    .find_thread = query_find_thread,
    .walk_threads = query_walk_threads,
    .thread = query_thread,
    .region = query_region_facts,
    .task = query_task_of_ref,
    .walk_team = query_walk_team,
    .walk_implicit_tasks = query_walk_implicit_tasks,
    .team_thread = query_team_thread,
    .implicit_task = query_team_task,
    .icvs = query_icvs,
    .each_thread = query_each_thread,
    .each_task = query_each_task,
    .each_lock = query_each_lock,
    .begin = kmp_begin,
    .end = kmp_end,
    .barriers = query_barriers,
    .lock = query_lock,
    .walk_dependers = query_walk_dependers,
    .region_id = no_id,
    .task_id = no_id,
};
