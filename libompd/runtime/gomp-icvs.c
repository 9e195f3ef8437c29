/* SPDX-License-Identifier: MIT
 *
 * ICVs of a stock libgomp. Those of a data environment stand in its task, or in a global
 * for a thread that has set none; of the others, those that an exported accessor loads.
 */
#include <string.h>

#include "libompd/runtime/gomp-task.h"

static struct fact at_most(uint64_t value, uint64_t last)
{
    return (struct fact){value <= last ? KNOWN : IMPOSSIBLE, value};
}

static struct fact number(uint64_t value)
{
    return (struct fact){KNOWN, value};
}

static uint64_t signed_word(uint64_t value)
{
    return (uint64_t)(int64_t)(int32_t)(uint32_t)value;
}

/* libgomp's numbers of schedules are those of omp.h, and 0 for the one that the
 * environment names. Its monotonic bit is the highest. */
enum { SCHEDULE_LAST = 4 };
static const uint64_t monotonic = UINT64_C(1) << 31;

enum rc gomp_icvs(struct space *space, struct ref task, struct icv_facts *out)
{
    struct task_facts unused;
    struct gomp_bytes object;
    enum rc rc = gomp_task(space, task, &unused);
    if (rc != RC_OK)
        return rc;
    taddr at = gomp_task_struct(task);
    at = at ? at + gomp_offset(space, GOMP_gomp_task_icv) : gomp_state(space)->global_icv;
    if (!at)
        return RC_UNSUPPORTED;
    rc = gomp_fetch(space, GOMP_STRUCT_gomp_task_icv, at, &object);
    if (rc != RC_OK)
        return rc;
    const void *bytes = object.bytes;
#define FIELD(field) gomp_field(space, bytes, GOMP_gomp_task_icv_##field)
    struct icv_facts facts;
    memset(&facts, 0, sizeof facts);
    /* The rest of the lists stands in globals that nothing exported leads to. */
    facts.nthreads.first = at_most(FIELD(nthreads), INT32_MAX);
    facts.bind.first = at_most(FIELD(bind), 4);
    facts.dynamic = at_most(FIELD(dyn), 1);
    if (gomp_has(space, GOMP_gomp_task_icv_max_active_levels))
        facts.max_active_levels = number(FIELD(max_active_levels));
    uint64_t schedule = FIELD(run_sched);
    facts.schedule = at_most(schedule & ~monotonic, SCHEDULE_LAST);
    facts.schedule_monotonic = number((schedule & monotonic) != 0);
    facts.schedule_chunk = number(signed_word(FIELD(run_sched_chunk)));
    uint64_t limit = FIELD(thread_limit);
    facts.thread_limit = number(limit > INT32_MAX ? INT32_MAX : limit);
    facts.default_device = number(signed_word(FIELD(default_device)));
#undef FIELD
    *out = facts;
    return RC_OK;
}

enum rc gomp_globals(struct space *space, struct global_facts *out)
{
    const struct gomp_global *global = gomp_state(space)->global;
    struct fact value[GOMP_GLOBALS];
    memset(value, 0, sizeof value);
    for (unsigned i = 0; i < GOMP_GLOBALS; i++) {
        unsigned char bytes[8];
        if (!global[i].address)
            continue;
        enum rc rc = gomp_read(space, global[i].address, global[i].size, bytes);
        value[i].known = rc == RC_OK ? KNOWN : UNREADABLE;
        if (rc == RC_OK)
            value[i].value = target_decode(space, bytes, global[i].size);
    }
    struct global_facts facts;
    memset(&facts, 0, sizeof facts);
    facts.cancel = value[GOMP_GLOBAL_CANCEL];
    if (facts.cancel.value > 1)
        facts.cancel.known = IMPOSSIBLE;
    facts.max_task_priority = value[GOMP_GLOBAL_MAX_TASK_PRIORITY];
    facts.nteams = value[GOMP_GLOBAL_NTEAMS];
    facts.teams_thread_limit = value[GOMP_GLOBAL_TEAMS_THREAD_LIMIT];
    *out = facts;
    return RC_OK;
}
