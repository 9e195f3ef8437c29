/* SPDX-License-Identifier: MIT
 *
 * ICVs of a stock libgomp: those of a data environment, which are in its task, or in a
 * global for an initial task without a struct; and globals that exported accessors load.
 */
#include <string.h>

#include "libompd/runtime/gomp-task.h"

static const uint64_t monotonic = UINT64_C(1) << GOMP_SCHEDULE_MONOTONIC_BIT;

enum rc gomp_icvs(struct instance *instance, struct ref task, struct icv_facts *out)
{
    struct gomp_located located;
    struct gomp_bytes object;
    enum rc rc = gomp_locate_task(instance, task, &located);
    if (rc != RC_OK)
        return rc;
    taddr at = gomp_task_struct(instance, task);
    at = at ? at + gomp_offset(instance, GOMP_gomp_task_icv) : gomp_state(instance)->global_icv;
    if (!at)
        return RC_UNSUPPORTED;
    rc = gomp_fetch(instance, GOMP_STRUCT_gomp_task_icv, at, &object);
    if (rc != RC_OK)
        return rc;
    const void *bytes = object.bytes;
#define FIELD(field) gomp_field(instance, bytes, GOMP_gomp_task_icv_##field)
    struct icv_facts facts;
    memset(&facts, 0, sizeof facts);
    /* The rest of the lists is in globals that no exported function loads. */
    facts.nthreads.first = fact_at_most(fact_of(FIELD(nthreads)), INT32_MAX);
    facts.bind.first = fact_at_most(fact_of(FIELD(bind)), GOMP_BIND_LAST);
    facts.dynamic = fact_at_most(fact_of(FIELD(dyn)), 1);
    if (gomp_has(instance, GOMP_gomp_task_icv_max_active_levels))
        facts.max_active_levels = fact_of(FIELD(max_active_levels));
    uint64_t schedule = FIELD(run_sched);
    facts.schedule = fact_at_most(fact_of(schedule & ~monotonic), GOMP_SCHEDULE_LAST);
    facts.schedule_monotonic = fact_of((schedule & monotonic) != 0);
    facts.schedule_chunk = fact_of(memory_signed(FIELD(run_sched_chunk)));
    uint64_t limit = FIELD(thread_limit);
    facts.thread_limit = fact_of(limit > INT32_MAX ? INT32_MAX : limit);
    facts.default_device = fact_of(memory_signed(FIELD(default_device)));
#undef FIELD
    *out = facts;
    return RC_OK;
}

enum rc gomp_globals(struct instance *instance, struct global_facts *out)
{
    const struct gomp_global *global = gomp_state(instance)->global;
    struct fact value[GOMP_GLOBALS];
    memset(value, 0, sizeof value);
    for (unsigned i = 0; i < GOMP_GLOBALS; i++) {
        unsigned char bytes[8];
        if (!global[i].address)
            continue;
        enum rc rc = memory_read(instance, global[i].address, global[i].size, bytes);
        value[i].known = memory_mark(rc);
        if (rc == RC_OK)
            value[i].value = target_decode(instance->space, bytes, global[i].size);
    }
    struct global_facts facts;
    memset(&facts, 0, sizeof facts);
    facts.cancel = fact_at_most(value[GOMP_GLOBAL_cancel], 1);
    facts.max_task_priority = value[GOMP_GLOBAL_max_task_priority];
    facts.nteams = value[GOMP_GLOBAL_nteams];
    facts.teams_thread_limit = value[GOMP_GLOBAL_teams_thread_limit];
    *out = facts;
    return RC_OK;
}
