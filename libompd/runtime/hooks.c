/* SPDX-License-Identifier: MIT
 *
 * The reader for processes that run with our hooks: recognises them, and turns their
 * records (runtime-hooks/records/records.def) into facts.
 */
#include <string.h>

#include "libompd/runtime/hooks.h"

static const struct fact no_fact = {.known = NONE_HERE};

static enum rc hooks_records(struct instance *instance, bool *out)
{
    struct hooks_bytes root;
    enum rc rc = hooks_read_root(instance, &root);
    if (rc == RC_OK)
        *out = hooks_state(instance)->tracking;
    return rc;
}

static enum rc hooks_open(struct instance *instance)
{
    taddr descriptor;
    taddr root;
    enum rc rc = target_symbol(instance->space, HOOKS_SYMBOL_DESCRIPTOR, &descriptor);
    if (rc != RC_OK)
        return rc;
    rc = target_symbol(instance->space, HOOKS_SYMBOL_ROOT, &root);
    if (rc != RC_OK)
        return rc == RC_UNAVAILABLE ? RC_INCOMPATIBLE : rc;

    struct hooks_state layout;
    memset(&layout, 0, sizeof layout);
    layout.root = root;
    rc = hooks_read_layout(instance, descriptor, &layout);
    return rc == RC_OK ? reader_keep_state(instance, &layout, sizeof layout) : rc;
}

static void hooks_begin(struct instance *instance)
{
    struct hooks_state *state = hooks_state(instance);
    if (state->shows_reported)
        query_begin(instance->space, &state->query);
}

static void hooks_end(struct instance *instance)
{
    struct hooks_state *state = hooks_state(instance);
    if (state->shows_reported)
        query_end_free(instance->space, &state->query);
}

static void hooks_close(struct instance *instance)
{
    instance->space->ops->release(instance->reader_state);
    instance->reader_state = NULL;
}

static enum rc hooks_thread(struct instance *instance, struct ref ref, struct thread_facts *out)
{
    struct hooks_bytes record;
    enum rc rc = hooks_fetch_ref(instance, RECORD_thread, ref, &record);
    if (rc == RC_OK)
        hooks_thread_facts(instance, record.bytes, out);
    return rc;
}

static enum rc hooks_region(struct instance *instance, struct ref ref, struct region_facts *out)
{
    struct hooks_bytes record;
    enum rc rc = hooks_fetch_ref(instance, RECORD_region, ref, &record);
    if (rc != RC_OK)
        return rc;
    const void *bytes = record.bytes;

    struct region_facts facts;
    memset(&facts, 0, sizeof facts);
    uint64_t kind = hooks_field(instance, bytes, FIELD_region_kind);
    facts.league = (struct fact){
        kind == REGION_PARALLEL || kind == REGION_TEAMS ? KNOWN : IMPOSSIBLE, kind == REGION_TEAMS};
    facts.requested = hooks_fact(instance, bytes, FIELD_region_requested);
    facts.codeptr = hooks_fact(instance, bytes, FIELD_region_codeptr);
    facts.num_threads = hooks_fact(instance, bytes, FIELD_region_actual);
    if (facts.num_threads.known == KNOWN && !facts.num_threads.value)
        facts.num_threads.known = NONE_HERE;
    if (facts.num_threads.value > HOOKS_TEAM_MAX)
        facts.num_threads.known = IMPOSSIBLE;
    facts.league_size = kind == REGION_TEAMS ? facts.num_threads : no_fact;
    facts.level = hooks_fact(instance, bytes, FIELD_region_level);
    facts.active_level = hooks_fact(instance, bytes, FIELD_region_active_level);
    facts.function = hooks_fact(instance, bytes, FIELD_region_function);
    facts.runtime = hooks_fact(instance, bytes, FIELD_region_runtime);
    facts.tool_data = hooks_fact(instance, bytes, FIELD_region_tool_data);
    facts.cancelled = hooks_fact(instance, bytes, FIELD_region_cancelled);
    facts.word = hooks_fact(instance, bytes, FIELD_region_word);
    facts.number = (struct fact){KNOWN, ref.id};
    facts.parted = hooks_fact(instance, bytes, FIELD_region_parted);
    facts.parted_first = hooks_fact(instance, bytes, FIELD_region_parted_first);
    facts.parted_other = hooks_fact(instance, bytes, FIELD_region_parted_other);
    facts.enclosing = hooks_ref_fact(instance, bytes, FIELD_region_parent, FIELD_region_parent_id);
    if (facts.enclosing.known == KNOWN &&
        (facts.enclosing.ref.address == ref.address || facts.enclosing.ref.id == ref.id))
        facts.enclosing.known = IMPOSSIBLE;
    facts.encountering_task = hooks_ref_fact(instance, bytes, FIELD_region_encountering_task,
                                             FIELD_region_encountering_task_id);
    facts.master = hooks_ref_fact(instance, bytes, FIELD_region_master, FIELD_region_master_id);
    *out = facts;
    return RC_OK;
}

static enum rc hooks_task(struct instance *instance, struct ref ref, struct task_facts *out)
{
    struct hooks_bytes record;
    enum rc rc = hooks_fetch_ref(instance, RECORD_task, ref, &record);
    if (rc == RC_OK)
        hooks_task_facts(instance, record.bytes, ref, out);
    return rc;
}

static enum rc read_id(const struct instance *instance, taddr address, enum hooks_field field,
                       uint64_t *out)
{
    struct hooks_field_place place = hooks_state(instance)->field[field];
    unsigned char bytes[8];
    enum rc rc = query_read(instance->space, &hooks_state(instance)->query, address + place.offset,
                            place.size, bytes);
    if (rc != RC_OK)
        return rc;
    uint64_t id = target_decode(instance->space, bytes, place.size);
    if (!id)
        return RC_UNAVAILABLE;
    *out = id;
    return RC_OK;
}

static enum rc hooks_region_id(struct instance *instance, taddr address, uint64_t *out)
{
    return read_id(instance, address, FIELD_region_id, out);
}

static enum rc hooks_task_id(struct instance *instance, taddr address, uint64_t *out)
{
    return read_id(instance, address, FIELD_task_id, out);
}

const struct reader hooks_reader = {
    .name = "hooks",
    .open = hooks_open,
    .close = hooks_close,
    .begin = hooks_begin,
    .end = hooks_end,
    .records = hooks_records,
    .records_image = hooks_records_image,
    .reports_image = hooks_reports_image,
    .show_reported = hooks_show_reported,
    .reported_record = hooks_reported_record,
    .planned_task = hooks_planned_task,
    .find_thread = hooks_find_thread,
    .walk_threads = hooks_walk_threads,
    .thread = hooks_thread,
    .region = hooks_region,
    .task = hooks_task,
    .walk_members = hooks_walk_members,
    .find_member = hooks_find_member,
    .region_id = hooks_region_id,
    .task_id = hooks_task_id,
    .icvs = hooks_icvs,
    .globals = hooks_globals,
    .settings = hooks_settings,
    .tool = hooks_tool,
    .each_thread = hooks_each_thread,
    .each_task = hooks_each_task,
    .each_lock = hooks_each_lock,
    .dependences = hooks_dependences,
    .loop = hooks_loop,
    .history = hooks_history,
    .forks = hooks_forks,
    .mapped = hooks_mapped,
    .orders = hooks_orders,
    .sums = hooks_sums,
};
