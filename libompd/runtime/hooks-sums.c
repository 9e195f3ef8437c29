/* SPDX-License-Identifier: MIT
 *
 * The sums that threads keep: those of one thread after the other, as they are.
 */
#include "libompd/runtime/hooks.h"

struct sums_walk {
    const struct instance *instance;
    const struct hooks_clock *clock;
    sum_visitor *visit;
    void *arg;
    bool stopped;
};

static bool give(struct sums_walk *walk, const struct sum_facts *facts)
{
    walk->stopped = !walk->visit(walk->arg, facts);
    return !walk->stopped;
}

/* The ticks of which the logarithm is the mean of COUNT whose SUM is this. */
static uint64_t typical(uint64_t sum, uint64_t count)
{
    uint64_t mean = count ? sum / count : 0, whole = mean / SUM_LOG_ONE;
    return mean && whole < 48 ? ((SUM_LOG_ONE + mean % SUM_LOG_ONE) << whole) / SUM_LOG_ONE : 0;
}

static bool visit_sum(void *arg, uint32_t index, taddr address, const void *bytes)
{
    (void)index;
    (void)address;
    struct sums_walk *walk = arg;
#define FIELD_OF(name) hooks_field(walk->instance, bytes, FIELD_sum_##name)
#define TIME_OF(name) hooks_nanoseconds(walk->clock, FIELD_OF(name), 0)
    uint64_t flags = FIELD_OF(flags), work = typical(FIELD_OF(logs), FIELD_OF(count));
    struct sum_facts facts = {
        .kind = (uint32_t)FIELD_OF(kind),
        .number = (uint32_t)FIELD_OF(number),
        .count = FIELD_OF(count),
        .object = FIELD_OF(object),
        .region = FIELD_OF(region),
        .codeptr = FIELD_OF(codeptr),
        .holder = FIELD_OF(holder),
        .time = TIME_OF(ticks),
        .waited = TIME_OF(waited),
        .longest = TIME_OF(longest),
        .contended = {KNOWN, FIELD_OF(contended)},
        .typical = hooks_nanoseconds(walk->clock, work, 0),
        .several = {KNOWN, (flags & SUM_SEVERAL) != 0},
    };
    if (facts.kind == SUM_MEMBER)
        facts.contended = TIME_OF(contended);
    if (flags & SUM_REPORTED)
        facts.time = facts.contended = (struct fact){.known = NONE_HERE};
#undef TIME_OF
#undef FIELD_OF
    return facts.kind && facts.kind != SUM_THREADS ? give(walk, &facts) : true;
}

static enum rc walk_thread(struct instance *instance, taddr address, struct sums_walk *walk,
                           taddr *next)
{
    struct hooks_bytes record;
    enum rc rc = hooks_fetch(instance, RECORD_sums, address, &record);
    if (rc != RC_OK)
        return rc;
#define FIELD_OF(name) hooks_field(instance, record.bytes, FIELD_sums_##name)
    uint64_t used = FIELD_OF(used), start = walk->clock->start_ticks;
    *next = FIELD_OF(next);
    if (used > HOOKS_SUMS_MAX || (used && !FIELD_OF(sums)))
        return RC_NONSENSE;
    struct sum_facts facts = {
        .kind = SUM_THREADS,
        .number = (uint32_t)FIELD_OF(lwp),
        .count = FIELD_OF(threads),
        .time =
            hooks_nanoseconds(walk->clock, FIELD_OF(first_ticks) - start, walk->clock->start_time),
        .waited =
            hooks_nanoseconds(walk->clock, FIELD_OF(last_ticks) - start, walk->clock->start_time),
        .longest = {.known = NONE_HERE},
        .typical = {.known = NONE_HERE},
        .contended = {KNOWN, FIELD_OF(lost)},
        .several = {.known = NONE_HERE},
    };
    if (!facts.count)
        return RC_OK; /* in the child of a fork */
    return give(walk, &facts) ? target_each(instance->space, FIELD_OF(sums),
                                            hooks_state(instance)->record_size[RECORD_sum],
                                            (uint32_t)used, visit_sum, walk)
                              : RC_OK;
#undef FIELD_OF
}

enum rc hooks_sums(struct instance *instance, sum_visitor *visit, void *arg)
{
    struct hooks_bytes root;
    struct hooks_clock clock = {0};
    const struct hooks_state *state = hooks_state(instance);
    if (!state->field[FIELD_root_sums].size || !state->record_need[RECORD_sum] ||
        !state->record_need[RECORD_sums])
        return RC_UNSUPPORTED;
    enum rc rc = hooks_read_tracked_root(instance, &root);
    taddr next = rc == RC_OK ? hooks_field(instance, root.bytes, FIELD_root_sums) : 0;
    if (rc == RC_OK)
        rc = hooks_read_clock(instance, &clock);
    if (rc == RC_OK && (!next || clock.rate <= 0))
        return RC_UNAVAILABLE;
    struct sums_walk walk = {instance, &clock, visit, arg, false};
    for (uint32_t threads = 0; rc == RC_OK && next && !walk.stopped; threads++)
        rc = threads < HOOKS_WALK_READS_MAX ? walk_thread(instance, next, &walk, &next)
                                            : RC_NONSENSE;
    return rc;
}
