/* SPDX-License-Identifier: MIT
 *
 * The reader for a stock libgomp without hooks: the facts of threads and the table of
 * operations. README.md has the algorithm.
 */
#include "libompd/runtime/gomp-task.h"

static struct fact state_of(const struct instance *instance, const struct gomp_thread *thread,
                            enum gomp_thread_kind kind)
{
    static const enum state plain[] = {
        [GOMP_FOREIGN] = STATE_undefined,    [GOMP_RELEASED] = STATE_undefined,
        [GOMP_INITIAL] = STATE_work_serial,  [GOMP_IDLE] = STATE_idle,
        [GOMP_MEMBER] = STATE_work_parallel, [GOMP_IN_TRANSITION] = STATE_overhead,
    };
    struct fact state = {KNOWN, plain[kind]};
    if ((kind == GOMP_MEMBER || kind == GOMP_INITIAL) && thread->task)
        state.known = memory_mark(gomp_task_state(instance, thread->task, plain[kind], &state));
    return state;
}

/* Does it come from outside of all regions? */
static struct fact is_initial(const struct instance *instance, const struct gomp_thread *thread)
{
    struct gomp_nesting at = gomp_innermost(thread);
    enum rc rc = RC_OK;
    struct gomp_team team;
    while (rc == RC_OK && gomp_is_in_team(&at) && !at.number)
        rc = gomp_next_team(instance, &at, &team);
    enum known known = rc == RC_STALE_HANDLE ? NONE_HERE : memory_mark(rc);
    return (struct fact){known, !gomp_is_in_team(&at)};
}

static enum rc fill_thread(struct instance *instance, const struct gomp_thread *thread,
                           struct thread_facts *facts)
{
    struct gomp_team team;
    struct gomp_thread member;
    enum gomp_thread_kind kind;
    enum rc rc = gomp_classify_thread(instance, thread, &kind, &team);
    if (rc != RC_OK)
        return rc;
    if (kind == GOMP_FOREIGN && gomp_is_aside(instance, thread, &member, &team)) {
        kind = GOMP_MEMBER;
        thread = &member;
    }
    facts->state = state_of(instance, thread, kind);
    if (kind == GOMP_INITIAL || kind == GOMP_MEMBER)
        facts->initial = is_initial(instance, thread);
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
        facts->barrier_word = (struct fact){
            KNOWN, team.address + gomp_offset(instance, GOMP_gomp_team_barrier_generation)};
    }
    if (thread->pool) {
        rc = gomp_dock(instance, thread->pool, facts);
        if (rc != RC_OK)
            return rc;
    }
    rc = thread == &member ? RC_UNAVAILABLE
                           : gomp_current_task_ref(instance, thread, kind, &team, &facts->task.ref);
    if (rc == RC_OK)
        facts->task.known = KNOWN;
    return rc == RC_UNAVAILABLE ? RC_OK : rc;
}

static bool gomp_is_damaged(const struct instance *instance, const struct gomp_thread *thread,
                            taddr *at)
{
    struct gomp_team team;
    enum gomp_thread_kind kind;
    if (gomp_classify_thread(instance, thread, &kind, &team) != RC_NONSENSE)
        return false;
    bool has_team = gomp_read_team(instance, thread->team, &team) == RC_OK;
    *at = has_team ? thread->address : thread->team;
    return true;
}

MEMORY_THREADS(gomp)
MEMORY_READER(gomp)
QUERY(gomp, barriers,
      (struct instance * instance, struct ref region, struct barrier_facts out[BARRIERS_MAX],
       unsigned *count),
      instance, region, out, count)
QUERY(gomp, globals, (struct instance * instance, struct global_facts *out), instance, out)
QUERY_FACTS(gomp, loop, loop_facts)
QUERY_FACTS(gomp, absence, absence_facts)
SURVEY_ALL(gomp, each_device, device_visitor)
SURVEY_ALL(gomp, each_mapping, mapping_visitor)

const struct reader gomp_reader = {
    MEMORY_READER_ROWS(gomp),
    .close = memory_close,
    .barriers = query_barriers,
    .globals = query_globals,
    .loop = query_loop,
    .absence = query_absence,
    .each_device = query_each_device,
    .each_mapping = query_each_mapping,
};
