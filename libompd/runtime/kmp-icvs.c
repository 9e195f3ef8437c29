/* SPDX-License-Identifier: MIT
 *
 * ICVs of a data environment, which are in its task; and variables of which exported accessors
 * return the value.
 */
#include <string.h>

#include "libompd/runtime/kmp.h"

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
    static const uint64_t modifiers =
        UINT64_C(1) << KMP_SCHEDULE_NONMONOTONIC_BIT | UINT64_C(1) << KMP_SCHEDULE_MONOTONIC_BIT;
    struct kmp_task task;
    enum rc rc = kmp_read_task_ref(instance, ref, &task);
    if (rc != RC_OK)
        return rc;
#define FIELD(field) kmp_field(instance, task.bytes.bytes, KMP_kmp_taskdata_##field)
    struct icv_facts facts;
    memset(&facts, 0, sizeof facts);
    facts.nthreads.first = fact_at_most(fact_of(FIELD(nproc)), INT32_MAX);
    facts.bind.first = fact_at_most(fact_of(FIELD(proc_bind)), BIND_LAST);
    facts.dynamic = fact_at_most(fact_of(FIELD(dynamic)), 1);
    facts.max_active_levels = fact_at_most(fact_of(FIELD(max_active_levels)), INT32_MAX);
    uint64_t schedule = FIELD(schedule);
    facts.schedule = schedule_of(schedule & ~modifiers);
    facts.schedule_monotonic = (struct fact){KNOWN, (schedule & monotonic) != 0};
    /* Without a chunk the field has what the runtime uses in its place. */
    bool has_chunk = facts.schedule.value != SCHED_STATIC ||
                     (schedule & ~modifiers) == KMP_SCHEDULE_STATIC_CHUNKED;
    facts.schedule_chunk = (struct fact){KNOWN, has_chunk ? memory_signed(FIELD(chunk)) : 0};
    facts.thread_limit = fact_at_most(fact_of(FIELD(thread_limit)), INT32_MAX);
    facts.default_device = fact_of(memory_signed(FIELD(default_device)));
#undef FIELD
    *out = facts;
    return RC_OK;
}

/* An accessor initialises the runtime where that has not been done, and loads the variable last;
 * some of them jump to the function that does, and one goes on with the string that it points to,
 * which is not followed. One that cannot be followed stays unknown. */
static bool find_global(const struct instance *instance, enum probe_machine machine,
                        const char *accessor, struct kmp_global *out)
{
    struct probe_trace trace, tail;
    if (probe_function(instance, machine, accessor, &trace) != RC_OK ||
        (!trace.returns && out->size != sizeof(taddr)) || trace.unresolved || !trace.count ||
        trace.count == PROBE_STEPS_MAX)
        return false;
    const struct probe_step *first = &trace.step[0];
    const struct probe_step *last = &trace.step[trace.count - 1];
    if (trace.tail) {
        if (probe_code(instance, machine, trace.tail, &tail) != RC_OK || !tail.returns ||
            tail.unresolved || tail.tail || !tail.count)
            return false;
        last = &tail.step[tail.count - 1];
    }
    while (first < last && first->kind == PROBE_GLOBAL_ADDRESS)
        first++;
    if (first->kind != PROBE_GLOBAL_LOAD || first->size != sizeof(uint32_t) ||
        last->kind != PROBE_GLOBAL_LOAD || last->size != out->size ||
        last->address == first->address)
        return false;
    out->initialised = first->address;
    out->address = last->address;
    return true;
}

void kmp_find_globals(const struct instance *instance, struct kmp_state *state)
{
    static const struct {
        const char *accessor;
        unsigned size;
    } icvs[] = {
#define KMP_GLOBAL_ICV(name, accessor, bytes) {accessor, bytes},
#include "libompd/runtime/kmp-fields.def"
    };
    for (unsigned i = 0; i < KMP_GLOBALS; i++) {
        struct kmp_global global = {.size = icvs[i].size};
        if (find_global(instance, state->layout->machine, icvs[i].accessor, &global))
            state->global[i] = global;
    }
}

static struct fact read_global(const struct instance *instance, enum kmp_global_icv which)
{
    const struct kmp_global *global = &kmp_state(instance)->global[which];
    unsigned char bytes[8], flag[4];
    if (!global->address)
        return (struct fact){.known = NOT_HELD};
    enum rc rc = memory_read(instance, global->initialised, sizeof flag, flag);
    if (rc == RC_OK && !target_decode(instance->space, flag, sizeof flag))
        return (struct fact){.known = NONE_HERE};
    if (rc == RC_OK)
        rc = memory_read(instance, global->address, global->size, bytes);
    if (rc != RC_OK)
        return (struct fact){.known = memory_mark(rc)};
    return (struct fact){KNOWN, target_decode(instance->space, bytes, global->size)};
}

/* OMP_WAIT_POLICY selects one of two libraries that the runtime can be. */
static struct fact wait_policy(struct fact library)
{
    enum { PASSIVE, ACTIVE };
    if (library.known == KNOWN && library.value == KMP_LIBRARY_TURNAROUND)
        return (struct fact){KNOWN, ACTIVE};
    if (library.known == KNOWN && library.value == KMP_LIBRARY_THROUGHPUT)
        return (struct fact){KNOWN, PASSIVE};
    return (struct fact){.known = library.known == KNOWN ? NOT_HELD : library.known};
}

enum rc kmp_globals(struct instance *instance, struct global_facts *out)
{
#define GLOBAL(name, last) fact_at_most(read_global(instance, KMP_GLOBAL_##name), last)
    struct global_facts facts = {
        .cancel = GLOBAL(cancel, 1),
        .max_task_priority = GLOBAL(max_task_priority, INT32_MAX),
        .num_procs = GLOBAL(num_procs, INT32_MAX),
        .stacksize = GLOBAL(stacksize, INT64_MAX),
        .nteams = GLOBAL(nteams, INT32_MAX),
        .teams_thread_limit = GLOBAL(teams_thread_limit, INT32_MAX),
        .affinity_format_text = GLOBAL(affinity_format, INT64_MAX),
        .wait_policy = wait_policy(GLOBAL(library, INT32_MAX)),
        /* It is the compiler's: each that generates calls of this runtime takes that one. */
        .def_schedule = {KNOWN, SCHED_STATIC},
    };
#undef GLOBAL
    *out = facts;
    return RC_OK;
}
