/* SPDX-License-Identifier: MIT
 *
 * Regions, each known by its team: nesting, references, members and facts.
 */
#include <string.h>

#include "libompd/runtime/kmp.h"

/* A thread whose team is serialised is in all of its levels; the innermost one is meant. */
enum rc kmp_innermost(const struct kmp_team *team, uint32_t number, struct kmp_region *out)
{
    if (!team->level)
        return RC_UNAVAILABLE;
    *out = (struct kmp_region){*team, team->serialized, team->serialized ? 0 : number};
    return RC_OK;
}

/* The teams of a league are of the level that the league is of: they are no region of their
 * own. */
enum rc kmp_enclosing(const struct instance *instance, const struct kmp_region *region,
                      struct kmp_region *out)
{
    uint32_t level = kmp_region_level(region);
    if (region->depth > 1) {
        *out = *region;
        out->depth--;
        return RC_OK;
    }
    struct kmp_team team = region->team;
    for (unsigned i = 0; team.parent && i < KMP_LEVELS_MAX; i++) {
        struct kmp_team parent;
        enum rc rc = kmp_read_team(instance, team.parent, &parent);
        bool is_outermost = false;
        if (rc == RC_OK)
            rc = kmp_is_of_helpers(instance, &parent, &is_outermost);
        if (rc != RC_OK || is_outermost)
            return rc == RC_OK ? RC_UNAVAILABLE : rc;
        if (parent.level < level)
            return kmp_innermost(&parent, team.master_number, out);
        team = parent;
    }
    return RC_UNAVAILABLE;
}

static uint64_t region_bits(const struct kmp_region *region)
{
    const struct kmp_team *team = &region->team;
    uint64_t origin = memory_mix(team->parent, team->master_number);
    origin = memory_mix(origin, kmp_region_size(region));
    /* Added, not hashed: the next 2^16 regions of the team all differ. */
    uint64_t completed = region->depth ? 0 : team->arrived[KMP_BARRIER_FORK_JOIN];
    return ((origin >> 16) + completed + region->depth) & 0xffff;
}

struct ref kmp_region_ref(const struct instance *instance, const struct kmp_region *region)
{
    taddr team = region->team.address;
    return (struct ref){.address = team | (taddr)region->depth << MEMORY_ADDRESS_BITS,
                        .id = memory_id(instance, team, region_bits(region))};
}

/* RC_STALE_HANDLE: it is not that region any more. */
enum rc kmp_read_region(const struct instance *instance, struct ref ref, struct kmp_region *out)
{
    struct kmp_region region = {.depth = (uint32_t)(ref.address >> MEMORY_ADDRESS_BITS)};
    taddr team = ref.address & MEMORY_ADDRESS_MASK;
    enum rc rc = kmp_read_team(instance, team, &region.team);
    if (rc == RC_NONSENSE)
        return RC_STALE_HANDLE;
    if (rc != RC_OK)
        return rc;
    bool is_level = region.depth ? region.depth <= region.team.serialized : !region.team.serialized;
    if (!region.team.level || !is_level || kmp_region_ref(instance, &region).id != ref.id)
        return RC_STALE_HANDLE;
    *out = region;
    return RC_OK;
}

enum rc kmp_member(const struct instance *instance, const struct kmp_region *region,
                   uint32_t number, struct kmp_thread *out)
{
    taddr at, threads = region->team.threads;
    if (number >= kmp_region_size(region))
        return RC_BAD_INPUT;
    enum rc rc = memory_pointer(instance, threads + (taddr)number * sizeof at, &at);
    if (rc == RC_OK)
        rc = at ? kmp_read_thread(instance, at, out) : RC_UNAVAILABLE;
    if (rc != RC_OK || !number)
        return rc;
    enum kmp_thread_kind kind;
    struct kmp_team team;
    rc = kmp_classify(instance, out, &kind, &team);
    bool is_idle = rc == RC_OK && (kind == KMP_IDLE || kind == KMP_IN_TRANSITION);
    return is_idle ? RC_UNAVAILABLE : rc;
}

/* The second and further levels of a team that is serialised have no task of their own. */
static enum rc implicit_ref(const struct instance *instance, const struct kmp_region *region,
                            uint32_t number, struct ref *out)
{
    if (region->depth > 1)
        return RC_UNAVAILABLE;
    return kmp_task_ref(instance,
                        region->team.implicit_task +
                            (taddr)number * kmp_size(instance, KMP_STRUCT_kmp_taskdata),
                        out);
}

/* The task that encountered a region: the parent of its implicit tasks. */
static void fill_encountering(const struct instance *instance, const struct kmp_region *region,
                              struct region_facts *facts)
{
    struct kmp_task implicit;
    enum rc rc = kmp_read_task(instance, region->team.implicit_task, &implicit);
    if (rc == RC_OK && region->depth > 1)
        rc = RC_UNAVAILABLE;
    if (rc == RC_OK)
        rc = implicit.parent
                 ? kmp_task_ref(instance, implicit.parent, &facts->encountering_task.ref)
                 : RC_UNAVAILABLE;
    facts->encountering_task.known = memory_mark(rc);
}

/* Serialised regions are called by the program, not by the runtime. Code of GCC enters by
 * wrappers within the runtime, whose first argument is the function. */
struct fact kmp_region_function(const struct instance *instance, const struct kmp_team *team)
{
    const struct image *image = &instance->image;
    struct fact function = {KNOWN, team->function};
    if (team->serialized || !team->function)
        return (struct fact){.known = NEEDS_TRACKING};
    if (team->function >= image->start && team->function < image->end)
        function.known = memory_mark(memory_pointer(instance, team->arguments, &function.value));
    return function;
}

/* A request is that of a region, or of a worksharing construct in it. In a serialised team it may
 * be left from a region that has ended. */
static struct fact is_cancelled(const struct kmp_team *team)
{
    if (team->serialized)
        return (struct fact){.known = NOT_HELD};
    return (struct fact){team->cancel_request <= KMP_CANCEL_LAST ? KNOWN : IMPOSSIBLE,
                         team->cancel_request == KMP_CANCEL_PARALLEL};
}

enum rc kmp_region(struct instance *instance, struct ref ref, struct region_facts *out)
{
    struct kmp_region region, around;
    enum rc rc = kmp_read_region(instance, ref, &region);
    if (rc != RC_OK)
        return rc;
    struct region_facts facts;
    memset(&facts, 0, sizeof facts);
    facts.num_threads = (struct fact){KNOWN, kmp_region_size(&region)};
    facts.level = (struct fact){KNOWN, kmp_region_level(&region)};
    facts.active_level = (struct fact){KNOWN, region.team.active_level};
    facts.league = (struct fact){KNOWN, 0};
    facts.cancelled = is_cancelled(&region.team);
    facts.requested.known = facts.codeptr.known = NEEDS_TRACKING;
    facts.function = kmp_region_function(instance, &region.team);
    facts.record = (struct fact){KNOWN, region.team.record};
    rc = kmp_enclosing(instance, &region, &around);
    facts.enclosing.known = facts.master_num.known = memory_mark(rc);
    if (rc == RC_OK) {
        facts.master_num.value = around.number;
        facts.enclosing.ref = kmp_region_ref(instance, &around);
    }
    fill_encountering(instance, &region, &facts);
    struct kmp_thread primary;
    rc = kmp_member(instance, &region, 0, &primary);
    facts.master.known = memory_mark(rc);
    if (rc == RC_OK)
        facts.master.ref = kmp_thread_ref(instance, &primary);
    *out = facts;
    return RC_OK;
}

static enum rc task_ref(struct instance *instance, const void *region, uint32_t number,
                        struct ref *out)
{
    struct kmp_thread member;
    enum rc rc = kmp_member(instance, region, number, &member);
    return rc == RC_OK ? implicit_ref(instance, region, number, out) : rc;
}

MEMORY_MEMBERS(kmp, struct kmp_region, kmp_read_region, kmp_region_size)
