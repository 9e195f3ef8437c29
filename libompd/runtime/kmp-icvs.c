/* SPDX-License-Identifier: MIT
 *
 * ICVs of a data environment, which are in its task.
 */
#include <string.h>

#include "libompd/runtime/kmp.h"

static struct fact at_most(uint64_t value, uint64_t last)
{
    return (struct fact){value <= last ? KNOWN : IMPOSSIBLE, value};
}

static uint64_t signed_word(uint64_t value)
{
    return (uint64_t)(int64_t)(int32_t)(uint32_t)value;
}

/* The numbers of omp_sched_t and omp_proc_bind_t. */
enum { SCHED_STATIC = 1, SCHED_DYNAMIC, SCHED_GUIDED, SCHED_AUTO, BIND_LAST = 4 };

static struct fact schedule_of(uint64_t kind)
{
    switch (kind) {
    case KMP_SCHEDULE_STATIC:
    case KMP_SCHEDULE_STATIC_CHUNKED:
    case KMP_SCHEDULE_STATIC_GREEDY:
    case KMP_SCHEDULE_STATIC_BALANCED:
        return (struct fact){KNOWN, SCHED_STATIC};
    case KMP_SCHEDULE_DYNAMIC:
        return (struct fact){KNOWN, SCHED_DYNAMIC};
    case KMP_SCHEDULE_GUIDED:
    case KMP_SCHEDULE_GUIDED_ITERATIVE:
    case KMP_SCHEDULE_GUIDED_ANALYTICAL:
        return (struct fact){KNOWN, SCHED_GUIDED};
    case KMP_SCHEDULE_AUTO:
        return (struct fact){KNOWN, SCHED_AUTO};
    default:
        return (struct fact){.known = NOT_HELD}; /* a kind of LLVM's own */
    }
}

enum rc kmp_icvs(struct instance *instance, struct ref ref, struct icv_facts *out)
{
    static const uint64_t monotonic = UINT64_C(1) << KMP_SCHEDULE_MONOTONIC_BIT;
    static const uint64_t modifiers = UINT64_C(1) << KMP_SCHEDULE_NONMONOTONIC_BIT |
                                      UINT64_C(1) << KMP_SCHEDULE_MONOTONIC_BIT;
    struct kmp_task task;
    enum rc rc = kmp_read_task_ref(instance, ref, &task);
    if (rc != RC_OK)
        return rc;
#define FIELD(field) kmp_field(instance, task.bytes.bytes, KMP_kmp_taskdata_##field)
    struct icv_facts facts;
    memset(&facts, 0, sizeof facts);
    facts.nthreads.first = at_most(FIELD(nproc), INT32_MAX);
    facts.bind.first = at_most(FIELD(proc_bind), BIND_LAST);
    facts.dynamic = at_most(FIELD(dynamic), 1);
    facts.max_active_levels = at_most(FIELD(max_active_levels), INT32_MAX);
    uint64_t schedule = FIELD(schedule);
    facts.schedule = schedule_of(schedule & ~modifiers);
    facts.schedule_monotonic = (struct fact){KNOWN, (schedule & monotonic) != 0};
    /* Without a chunk the field has what the runtime uses in its place. */
    bool has_chunk = facts.schedule.value != SCHED_STATIC ||
                     (schedule & ~modifiers) == KMP_SCHEDULE_STATIC_CHUNKED;
    facts.schedule_chunk =
        (struct fact){KNOWN, has_chunk ? signed_word(FIELD(chunk)) : 0};
    facts.thread_limit = at_most(FIELD(thread_limit), INT32_MAX);
    facts.default_device = (struct fact){KNOWN, signed_word(FIELD(default_device))};
#undef FIELD
    *out = facts;
    return RC_OK;
}
