/* SPDX-License-Identifier: MIT
 *
 * The team of a region with hooks: one read for the region, then its arrays in pieces.
 */
#include "libompd/runtime/hooks.h"

struct team {
    const struct instance *instance;
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
        hooks_ref_fact(team->instance, bytes, FIELD_member_thread, FIELD_member_thread_id);
    if (thread.known == KNOWN)
        return team->visit(team->arg, thread.ref);
    /* The writer stores the address first and the id last. */
    team->impossible = hooks_field(team->instance, bytes, FIELD_member_thread_id) != 0;
    return !team->impossible;
}

static bool visit_task(void *arg, uint32_t index, taddr address, const void *bytes)
{
    (void)index;
    struct team *team = arg;
    uint64_t id = hooks_field(team->instance, bytes, FIELD_task_id);
    return !id || team->visit(team->arg, (struct ref){address, id});
}

/* One read: the address of an array of the region, and how many of its elements count. */
static enum rc read_array(const struct instance *instance, struct ref region,
                          enum hooks_field array, taddr *first, uint32_t *count)
{
    struct hooks_bytes record;
    enum rc rc = hooks_fetch_ref(instance, RECORD_region, region, &record);
    if (rc != RC_OK)
        return rc;
    uint64_t capacity = hooks_field(instance, record.bytes, FIELD_region_capacity);
    uint64_t actual = hooks_field(instance, record.bytes, FIELD_region_actual);
    if (capacity > HOOKS_TEAM_MAX || actual > HOOKS_TEAM_MAX)
        return RC_NONSENSE;
    *first = hooks_field(instance, record.bytes, array);
    *count = (uint32_t)(actual && actual < capacity ? actual : capacity);
    return RC_OK;
}

/* The array of a region that has the members. */
static const struct {
    enum hooks_field array;
    enum hooks_record element;
    element_visitor *visit;
} arrays[] = {
    [MEMBER_THREADS] = {FIELD_region_members, RECORD_member, visit_member},
    [MEMBER_TASKS] = {FIELD_region_implicit_tasks, RECORD_task, visit_task},
};

enum rc hooks_walk_members(struct instance *instance, struct ref region, enum members members,
                           ref_visitor *visit, void *arg)
{
    struct team team = {.instance = instance, .visit = visit, .arg = arg};
    uint32_t size = hooks_state(instance)->record_size[arrays[members].element];
    taddr first;
    uint32_t count;
    enum rc rc = read_array(instance, region, arrays[members].array, &first, &count);
    if (rc == RC_OK)
        rc = target_each(instance->space, first, size, count, arrays[members].visit, &team);
    return rc == RC_OK && team.impossible ? RC_NONSENSE : rc;
}

static bool take_ref(void *arg, struct ref ref)
{
    struct ref *out = arg;
    *out = ref;
    return true;
}

/* The same walk over one element only. */
enum rc hooks_find_member(struct instance *instance, struct ref region, enum members members,
                          uint32_t number, struct ref *out)
{
    taddr first;
    uint32_t count;
    enum rc rc = read_array(instance, region, arrays[members].array, &first, &count);
    if (rc != RC_OK)
        return rc;
    if (number >= count)
        return RC_BAD_INPUT;
    struct ref found = {0, 0};
    struct team team = {.instance = instance, .visit = take_ref, .arg = &found};
    uint32_t size = hooks_state(instance)->record_size[arrays[members].element];
    taddr at = first + (taddr)number * size;
    if (at < first)
        return RC_NONSENSE;
    rc = target_each(instance->space, at, size, 1, arrays[members].visit, &team);
    if (rc != RC_OK)
        return rc;
    if (team.impossible)
        return RC_NONSENSE;
    if (!found.id)
        return RC_UNAVAILABLE;
    *out = found;
    return RC_OK;
}
