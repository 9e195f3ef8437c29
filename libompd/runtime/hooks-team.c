/* SPDX-License-Identifier: MIT
 *
 * The team of a region with hooks: one read for the region, then its arrays in pieces.
 */
#include "libompd/runtime/hooks.h"

struct team {
    const struct space *space;
    ref_visitor *visit;
    void *arg;
    bool impossible;
};

static bool visit_member(void *arg, uint32_t index, taddr address, const void *bytes)
{
    (void)index;
    (void)address;
    struct team *team = arg;
    struct ref_fact thread =
        hooks_ref_fact(team->space, bytes, FIELD_member_thread, FIELD_member_thread_id);
    if (thread.known == KNOWN)
        return team->visit(team->arg, thread.ref);
    /* The writer stores the address first and the id last. */
    team->impossible = hooks_field(team->space, bytes, FIELD_member_thread_id) != 0;
    return !team->impossible;
}

static bool visit_task(void *arg, uint32_t index, taddr address, const void *bytes)
{
    (void)index;
    struct team *team = arg;
    uint64_t id = hooks_field(team->space, bytes, FIELD_task_id);
    return !id || team->visit(team->arg, (struct ref){address, id});
}

static enum rc walk(struct space *space, struct ref region, enum hooks_field array,
                    enum hooks_record element, element_visitor *visit, struct team *team)
{
    struct hooks_bytes record;
    enum rc rc = hooks_fetch_ref(space, RECORD_region, region, &record);
    if (rc != RC_OK)
        return rc;
    uint64_t count = hooks_field(space, record.bytes, FIELD_region_capacity);
    uint64_t actual = hooks_field(space, record.bytes, FIELD_region_actual);
    if (count > HOOKS_TEAM_MAX || actual > HOOKS_TEAM_MAX)
        return RC_NONSENSE;
    if (actual && actual < count)
        count = actual;
    rc = target_each(space, hooks_field(space, record.bytes, array),
                     hooks_state(space)->record_size[element], (uint32_t)count, visit,
                     team);
    return rc == RC_OK && team->impossible ? RC_NONSENSE : rc;
}

enum rc hooks_walk_team(struct space *space, struct ref region, ref_visitor *visit,
                        void *arg)
{
    struct team team = {.space = space, .visit = visit, .arg = arg};
    return walk(space, region, FIELD_region_members, RECORD_member, visit_member, &team);
}

enum rc hooks_walk_implicit_tasks(struct space *space, struct ref region,
                                  ref_visitor *visit, void *arg)
{
    struct team team = {.space = space, .visit = visit, .arg = arg};
    return walk(space, region, FIELD_region_implicit_tasks, RECORD_task, visit_task,
                &team);
}

/* One element of one of the region's arrays, read by itself. */
static enum rc fetch_element(struct space *space, struct ref region, uint32_t number,
                             enum hooks_field array, enum hooks_record element,
                             struct hooks_bytes *out, taddr *at)
{
    struct hooks_bytes record;
    enum rc rc = hooks_fetch_ref(space, RECORD_region, region, &record);
    if (rc != RC_OK)
        return rc;
    uint64_t capacity = hooks_field(space, record.bytes, FIELD_region_capacity);
    uint64_t actual = hooks_field(space, record.bytes, FIELD_region_actual);
    if (capacity > HOOKS_TEAM_MAX || actual > HOOKS_TEAM_MAX)
        return RC_NONSENSE;
    if (number >= capacity || (actual && number >= actual))
        return RC_BAD_INPUT;
    taddr first = hooks_field(space, record.bytes, array);
    *at = first + (taddr)number * hooks_state(space)->record_size[element];
    if (!first || *at < first)
        return RC_NONSENSE;
    return hooks_fetch(space, element, *at, out);
}

enum rc hooks_team_thread(struct space *space, struct ref region, uint32_t number,
                          struct ref *out)
{
    struct hooks_bytes member;
    taddr at;
    enum rc rc = fetch_element(space, region, number, FIELD_region_members, RECORD_member,
                               &member, &at);
    if (rc != RC_OK)
        return rc;
    struct ref_fact thread =
        hooks_ref_fact(space, member.bytes, FIELD_member_thread, FIELD_member_thread_id);
    if (thread.known != KNOWN)
        return hooks_field(space, member.bytes, FIELD_member_thread_id) ? RC_NONSENSE
                                                                        : RC_UNAVAILABLE;
    *out = thread.ref;
    return RC_OK;
}

enum rc hooks_team_task(struct space *space, struct ref region, uint32_t number,
                        struct ref *out)
{
    struct hooks_bytes task;
    taddr at;
    enum rc rc = fetch_element(space, region, number, FIELD_region_implicit_tasks,
                               RECORD_task, &task, &at);
    if (rc != RC_OK)
        return rc;
    uint64_t id = hooks_field(space, task.bytes, FIELD_task_id);
    if (!id)
        return RC_UNAVAILABLE;
    *out = (struct ref){at, id};
    return RC_OK;
}
