/* SPDX-License-Identifier: MIT
 *
 * What the record of a thread says.
 */
#include <string.h>

#include "libompd/runtime/hooks.h"

static bool state_is_valid(unsigned state)
{
    switch (state) {
#define STATE(name2, value2, name5, value5)                                                        \
    case value2:                                                                                   \
        return true;
#include "libompd/tables/states.def"
#undef STATE
    default:
        return false;
    }
}

static bool state_waits(unsigned state)
{
    return state >= STATE_wait_barrier && state <= STATE_wait_ordered;
}

static const struct fact no_fact = {.known = NONE_HERE};
static const struct ref_fact no_ref = {.known = NONE_HERE};

/* The region's id is in the status word. A torn pair keeps its address only. */
static struct ref_fact thread_region(taddr address, uint64_t id, bool torn)
{
    struct ref_fact region = {.known = KNOWN, .torn = torn, .ref = {address, id}};
    if (torn ? !address : !id)
        region.known = NONE_HERE;
    else if (!address)
        region.known = IMPOSSIBLE;
    return region;
}

/* The word is 0 where the time is not known, and is not there in records before 1.7. */
static void fill_times(struct fact word, bool waits, struct thread_facts *facts)
{
    facts->last_wait = word.known == KNOWN && !word.value ? no_fact : word;
    facts->wait_since = waits ? facts->last_wait : no_fact;
}

/* 0 where the last test of a lock has acquired it, and not there in records before 1.9. */
static void fill_tests(const struct instance *instance, const void *bytes, bool works,
                       struct thread_facts *facts)
{
    facts->tested = hooks_fact(instance, bytes, FIELD_thread_tested);
    facts->tests = facts->tested_since = no_fact;
    if (!works || (facts->tested.known == KNOWN && !facts->tested.value))
        facts->tested = no_fact;
    if (facts->tested.known != KNOWN)
        return;
    facts->tests = hooks_fact(instance, bytes, FIELD_thread_tests);
    facts->tested_since = hooks_fact(instance, bytes, FIELD_thread_tested_since);
    if (facts->tested_since.known == KNOWN && !facts->tested_since.value)
        facts->tested_since = no_fact;
}

static struct fact target_of(struct fact word)
{
    static const enum target_construct constructs[] = {
        [TARGET_REGION] = TARGET_CONSTRUCT_REGION,
        [TARGET_ENTER_DATA] = TARGET_CONSTRUCT_ENTER_DATA,
        [TARGET_EXIT_DATA] = TARGET_CONSTRUCT_EXIT_DATA,
        [TARGET_UPDATE] = TARGET_CONSTRUCT_UPDATE,
    };
    uint64_t kind = word.value & ~(uint64_t)TARGET_NOWAIT;
    if (word.known != KNOWN || !word.value)
        return word.known == KNOWN ? no_fact : word;
    word.value = kind < sizeof constructs / sizeof *constructs ? constructs[kind] : 0;
    word.known = word.value ? KNOWN : IMPOSSIBLE;
    return word;
}

/* 0 where it is in none, and not there in records before 1.13. */
static void fill_target(const struct instance *instance, const void *bytes,
                        struct thread_facts *facts)
{
    facts->target = target_of(hooks_fact(instance, bytes, FIELD_thread_target));
    facts->target_device = facts->target_codeptr = facts->target_since = no_fact;
    if (facts->target.known != KNOWN)
        return;
    facts->target_device = hooks_fact(instance, bytes, FIELD_thread_target_device);
    facts->target_codeptr = hooks_fact(instance, bytes, FIELD_thread_target_codeptr);
    facts->target_since = hooks_fact(instance, bytes, FIELD_thread_target_since);
    if (facts->target_device.value >= TARGET_DEVICE_UNKNOWN)
        facts->target_device = no_fact;
    if (!facts->target_codeptr.value)
        facts->target_codeptr = no_fact;
    if (!facts->target_since.value)
        facts->target_since = no_fact;
}

static void fill_barrier(struct fact word, struct thread_facts *facts)
{
    facts->barrier = facts->barriers_entered = word;
    facts->barriers_entered.value >>= BARRIER_SHIFT;
    facts->barrier.value = !(word.value & BARRIER_INSIDE) ? BARRIER_NONE
                           : word.value & BARRIER_AT_END  ? BARRIER_END
                                                          : BARRIER_WITHIN;
}

void hooks_thread_facts(const struct instance *instance, const void *bytes,
                        struct thread_facts *out)
{
    uint64_t status = hooks_field(instance, bytes, FIELD_thread_status);
    uint64_t flags = hooks_field(instance, bytes, FIELD_thread_flags);
    bool torn = hooks_field(instance, bytes, FIELD_thread_seq) & 1;
    unsigned state = status & 0xff;

    struct thread_facts facts;
    memset(&facts, 0, sizeof facts);
    facts.state = (struct fact){state_is_valid(state) ? KNOWN : IMPOSSIBLE, state};
    facts.initial = (struct fact){KNOWN, (flags & THREAD_INITIAL) != 0};
    facts.lwp = hooks_fact(instance, bytes, FIELD_thread_lwp);
    facts.pthread = hooks_fact(instance, bytes, FIELD_thread_pthread);
    facts.codeptr = hooks_fact(instance, bytes, FIELD_thread_codeptr);
    facts.frame = hooks_fact(instance, bytes, FIELD_thread_frame);
    facts.targets = hooks_fact(instance, bytes, FIELD_thread_targets);
    facts.tool_data = hooks_fact(instance, bytes, FIELD_thread_tool_data);
    facts.outside_data = hooks_fact(instance, bytes, FIELD_thread_outside_data);
    /* What it waited for last stays in the record. */
    facts.wait_id = state_waits(state) ? hooks_fact(instance, bytes, FIELD_thread_wait_id)
                                       : (struct fact){KNOWN, 0};
    fill_times(hooks_fact(instance, bytes, FIELD_thread_wait_since), state_waits(state), &facts);
    fill_tests(instance, bytes, !state_waits(state) && state != STATE_idle, &facts);
    fill_target(instance, bytes, &facts);

    if (state == STATE_idle || flags & THREAD_UNTRACKED) {
        facts.thread_num = no_fact;
        facts.team_size = no_fact;
        facts.level = no_fact;
        facts.region = no_ref;
        facts.task = no_ref;
        facts.barrier = no_fact;
        facts.barriers_entered = no_fact;
    } else {
        fill_barrier(hooks_fact(instance, bytes, FIELD_thread_barrier), &facts);
        facts.thread_num = hooks_fact(instance, bytes, FIELD_thread_thread_num);
        facts.team_size = hooks_fact(instance, bytes, FIELD_thread_team_size);
        facts.level = hooks_fact(instance, bytes, FIELD_thread_level);
        facts.region =
            thread_region(hooks_field(instance, bytes, FIELD_thread_region), status >> 8, torn);
        facts.task = hooks_ref_fact(instance, bytes, FIELD_thread_task, FIELD_thread_task_id);
        if (torn) {
            taddr task = hooks_field(instance, bytes, FIELD_thread_task);
            facts.task = (struct ref_fact){
                .known = task ? KNOWN : NONE_HERE, .torn = true, .ref = {.address = task}};
            /* It may belong to another region than the one in the same record. */
            facts.thread_num = no_fact;
            facts.barrier = no_fact;
            facts.barriers_entered = no_fact;
        }
    }
    *out = facts;
}
