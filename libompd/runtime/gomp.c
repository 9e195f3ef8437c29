/* SPDX-License-Identifier: MIT
 *
 * The reader for a stock libgomp without hooks: the facts of threads and the table of
 * operations. README.md tells the algorithm.
 */
#include <string.h>

#include "libompd/runtime/gomp-task.h"

static struct fact state_of(const struct instance *instance,
                            const struct gomp_thread *thread, enum gomp_thread_kind kind)
{
    static const enum state plain[] = {
        [GOMP_FOREIGN] = STATE_undefined,    [GOMP_RELEASED] = STATE_undefined,
        [GOMP_INITIAL] = STATE_work_serial,  [GOMP_IDLE] = STATE_idle,
        [GOMP_MEMBER] = STATE_work_parallel, [GOMP_IN_TRANSITION] = STATE_overhead,
    };
    struct fact state = {KNOWN, plain[kind]};
    if ((kind == GOMP_MEMBER || kind == GOMP_INITIAL) && thread->task)
        state.known =
            gomp_mark(gomp_task_state(instance, thread->task, plain[kind], &state));
    return state;
}

static enum rc fill_membership(const struct instance *instance,
                               const struct gomp_thread *thread,
                               struct thread_facts *facts)
{
    struct gomp_team team;
    enum gomp_thread_kind kind;
    enum rc rc = gomp_classify_thread(instance, thread, &kind, &team);
    if (rc != RC_OK)
        return rc;
    facts->state = state_of(instance, thread, kind);
    if (kind == GOMP_INITIAL) {
        facts->thread_num = facts->level = (struct fact){KNOWN, 0};
        facts->team_size = (struct fact){KNOWN, 1};
    }
    if (kind == GOMP_MEMBER) {
        facts->team_size = (struct fact){KNOWN, team.nthreads};
        facts->level = (struct fact){KNOWN, thread->level};
        facts->thread_num = (struct fact){KNOWN, thread->team_id};
        rc = gomp_team_ref(instance, &team, &facts->region.ref);
        if (rc != RC_OK)
            return rc;
        facts->region.known = KNOWN;
    }
    rc = gomp_current_task_ref(instance, thread, kind, &team, &facts->task.ref);
    if (rc == RC_OK)
        facts->task.known = KNOWN;
    return rc == RC_UNAVAILABLE ? RC_OK : rc;
}

/* Of a thread whose team, pool or task cannot be read, that is the mark of all facts but
 * its ids. */
static enum rc facts_of(const struct instance *instance, const struct gomp_thread *thread,
                        struct thread_facts *out)
{
    struct thread_facts facts;
    memset(&facts, 0, sizeof facts);
    facts.codeptr.known = facts.frame.known = NEEDS_TRACKING;
    facts.thread_num.known = facts.team_size.known = facts.level.known = NONE_HERE;
    facts.region.known = facts.task.known = NONE_HERE;
    enum rc rc = fill_membership(instance, thread, &facts);
    if (rc_is_damage(rc))
        facts.state.known = facts.thread_num.known = facts.team_size.known =
            facts.level.known = facts.region.known = facts.task.known = gomp_mark(rc);
    else if (rc != RC_OK)
        return rc;
    facts.lwp = (struct fact){KNOWN, thread->tid};
    facts.pthread = (struct fact){KNOWN, thread->pthread};
    facts.wait_id = (struct fact){KNOWN, 0};
    *out = facts;
    return RC_OK;
}

enum rc gomp_thread(struct instance *instance, struct ref ref, struct thread_facts *out)
{
    struct gomp_thread thread;
    enum rc rc = gomp_read_thread_ref(instance, ref, &thread);
    return rc == RC_OK ? facts_of(instance, &thread, out) : rc;
}

struct thread_walk {
    struct instance *instance;
    thread_visitor *visit;
    void *arg;
    enum rc rc;
};

static bool visit_facts(void *arg, const struct gomp_thread *thread)
{
    struct thread_walk *walk = arg;
    struct thread_facts facts;
    walk->rc = facts_of(walk->instance, thread, &facts);
    return walk->rc == RC_OK && walk->visit(walk->arg, gomp_thread_ref(thread), &facts);
}

enum rc gomp_each_thread(struct instance *instance, thread_visitor *visit, void *arg)
{
    struct thread_walk walk = {.instance = instance, .visit = visit, .arg = arg};
    bool part = false;
    enum rc rc = gomp_walk_openmp(instance, visit_facts, &walk, &part);
    if (rc == RC_OK)
        rc = walk.rc;
    return rc == RC_OK && part ? RC_INCOMPLETE : rc;
}

static taddr runtime(const struct instance *instance)
{
    return gomp_state(instance)->accessor;
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
        gomp_begin(instance);                                                            \
        enum rc rc = gomp_prove(instance);                                               \
        if (rc == RC_OK)                                                                 \
            rc = gomp_##function(__VA_ARGS__);                                           \
        gomp_end(instance);                                                              \
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
QUERY(region, (struct instance * instance, struct ref ref, struct region_facts *out),
      instance, ref, out)
QUERY(task, (struct instance * instance, struct ref ref, struct task_facts *out),
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
QUERY(globals, (struct instance * instance, struct global_facts *out), instance, out)
SURVEY(each_thread, (struct instance * instance, thread_visitor *visit, void *arg),
       instance, visit, arg)
SURVEY(each_task, (struct instance * instance, task_visitor *visit, void *arg), instance,
       visit, arg)
QUERY(barriers,
      (struct instance * instance, struct ref region,
       struct barrier_facts out[BARRIERS_MAX], unsigned *count),
      instance, region, out, count)
QUERY(lock,
      (struct instance * instance, taddr address, enum lock_kind kind,
       struct lock_facts *out),
      instance, address, kind, out)
QUERY(loop, (struct instance * instance, struct ref thread, struct loop_facts *out),
      instance, thread, out)
QUERY(stack, (struct instance * instance, struct ref thread, struct stack_facts *out),
      instance, thread, out)
QUERY(gone, (struct instance * instance, struct ref region, uint32_t *out), instance,
      region, out)
SURVEY(walk_dependers,
       (struct instance * instance, struct ref task, depender_visitor *visit, void *arg),
       instance, task, visit, arg)

static void gomp_versions(const struct instance *instance, struct fact *first,
                          struct fact *last)
{
    const struct gomp_layout *layout = gomp_state(instance)->layout;
    *first = (struct fact){KNOWN, layout->first_version};
    *last = (struct fact){KNOWN, layout->last_version};
}

const struct reader gomp_reader = {
    .versions = gomp_versions,
    .name = "gomp",
    .open = gomp_open,
    .close = gomp_close,
    .find_thread = query_find_thread,
    .walk_threads = query_walk_threads,
    .thread = query_thread,
    .region = query_region,
    .task = query_task,
    .walk_team = query_walk_team,
    .walk_implicit_tasks = query_walk_implicit_tasks,
    .team_thread = query_team_thread,
    .implicit_task = query_team_task,
    .icvs = query_icvs,
    .runtime = runtime,
    .globals = query_globals,
    .each_thread = query_each_thread,
    .each_task = query_each_task,
    .begin = gomp_begin,
    .end = gomp_end,
    .barriers = query_barriers,
    .lock = query_lock,
    .loop = query_loop,
    .stack = query_stack,
    .gone = query_gone,
    .walk_dependers = query_walk_dependers,
    .region_id = no_id,
    .task_id = no_id,
};
