/* SPDX-License-Identifier: MIT
 *
 * ICVs of a process with hooks: those of a task's data environment, and those of which
 * the process has one.
 */
#include <string.h>

#include "libompd/runtime/hooks.h"

static struct fact held_unless(struct fact fact, uint64_t missing)
{
    if (fact.known == KNOWN && fact.value == missing)
        fact.known = NOT_HELD;
    return fact;
}

static struct list_fact list(const struct instance *instance, const void *bytes,
                             enum hooks_field first, enum hooks_field rest, enum hooks_field count)
{
    struct list_fact list = {
        .first = hooks_fact(instance, bytes, first),
        .rest = hooks_field(instance, bytes, rest),
        .rest_count = (uint32_t)hooks_field(instance, bytes, count),
    };
    if (list.rest_count > HOOKS_LIST_MAX || (list.rest_count && !list.rest))
        list.first.known = IMPOSSIBLE;
    return list;
}

enum rc hooks_icvs(struct instance *instance, struct ref task, struct icv_facts *out)
{
    if (!hooks_state(instance)->field[FIELD_task_icvs].size)
        return RC_UNSUPPORTED;
    struct hooks_bytes record;
    enum rc rc = hooks_fetch_ref(instance, RECORD_task, task, &record);
    if (rc != RC_OK)
        return rc;
    taddr set = hooks_field(instance, record.bytes, FIELD_task_icvs);
    if (!set)
        return RC_UNSUPPORTED;
    rc = hooks_fetch(instance, RECORD_icvs, set, &record);
    if (rc != RC_OK)
        return rc;
    const void *bytes = record.bytes;
    /* Sets are never released. */
    if (!hooks_field(instance, bytes, FIELD_icvs_id))
        return RC_NONSENSE;

    struct icv_facts facts;
    memset(&facts, 0, sizeof facts);
    facts.nthreads = list(instance, bytes, FIELD_icvs_nthreads, FIELD_icvs_nthreads_list,
                          FIELD_icvs_nthreads_count);
    facts.bind =
        list(instance, bytes, FIELD_icvs_bind, FIELD_icvs_bind_list, FIELD_icvs_bind_count);
    facts.bind.first = fact_at_most(facts.bind.first, 4);
    facts.dynamic = fact_at_most(hooks_fact(instance, bytes, FIELD_icvs_dynamic), 1);
    facts.max_active_levels = hooks_fact(instance, bytes, FIELD_icvs_max_active_levels);
    facts.schedule = fact_at_most(hooks_fact(instance, bytes, FIELD_icvs_schedule), 4);
    if (!facts.schedule.value)
        facts.schedule.known = IMPOSSIBLE;
    facts.schedule_monotonic =
        fact_at_most(hooks_fact(instance, bytes, FIELD_icvs_schedule_monotonic), 1);
    facts.schedule_chunk = hooks_fact(instance, bytes, FIELD_icvs_schedule_chunk);
    facts.thread_limit = hooks_fact(instance, bytes, FIELD_icvs_thread_limit);
    facts.default_device = hooks_fact(instance, bytes, FIELD_icvs_default_device);
    facts.default_device.value = (uint64_t)(int64_t)(int32_t)(uint32_t)facts.default_device.value;
    facts.place_first = hooks_fact(instance, bytes, FIELD_icvs_place_first);
    facts.place_count = hooks_fact(instance, bytes, FIELD_icvs_place_count);
    facts.default_allocator =
        held_unless(hooks_fact(instance, bytes, FIELD_icvs_default_allocator), 0);
    *out = facts;
    return RC_OK;
}

enum rc hooks_globals(struct instance *instance, struct global_facts *out)
{
    if (!hooks_state(instance)->field[FIELD_root_globals].size)
        return RC_UNSUPPORTED;
    struct hooks_bytes record;
    enum rc rc = hooks_read_root(instance, &record);
    if (rc != RC_OK)
        return rc;
    taddr globals = hooks_field(instance, record.bytes, FIELD_root_globals);
    if (!globals)
        return hooks_state(instance)->tracking ? RC_UNSUPPORTED : RC_NEEDS_TRACKING;
    rc = hooks_fetch(instance, RECORD_globals, globals, &record);
    if (rc != RC_OK)
        return rc;
    const void *bytes = record.bytes;

    struct global_facts facts;
    memset(&facts, 0, sizeof facts);
#define GET(name) facts.name = hooks_fact(instance, bytes, FIELD_globals_##name)
#define GET_TEXT(name) facts.name##_text = hooks_fact(instance, bytes, FIELD_globals_##name)
    GET(display_affinity);
    GET(target_offload);
    GET(debug);
    GET(tool);
    if (!hooks_state(instance)->shows_reported) {
        GET(cancel);
        GET(max_task_priority);
        GET(num_procs);
        GET(num_devices);
        GET(wait_policy);
        GET(def_schedule);
        GET(nteams);
        GET(teams_thread_limit);
        GET(stacksize);
    }
    GET_TEXT(affinity_format);
    GET_TEXT(tool_libraries);
    GET_TEXT(tool_verbose_init);
    GET_TEXT(available_devices);
#undef GET
#undef GET_TEXT
    facts.cancel = fact_at_most(facts.cancel, 1);
    facts.display_affinity = fact_at_most(facts.display_affinity, 1);
    facts.debug = fact_at_most(facts.debug, 1);
    facts.tool = fact_at_most(facts.tool, 1);
    facts.target_offload = fact_at_most(facts.target_offload, 2);
    facts.wait_policy = fact_at_most(facts.wait_policy, 2);
    facts.def_schedule = fact_at_most(facts.def_schedule, 4);
    facts.num_devices = held_unless(facts.num_devices, NUM_DEVICES_UNKNOWN);
    facts.affinity_format_text = held_unless(facts.affinity_format_text, 0);
    *out = facts;
    return RC_OK;
}
