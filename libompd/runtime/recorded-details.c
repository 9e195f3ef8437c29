/* SPDX-License-Identifier: MIT
 *
 * Details of one object of a process with two witnesses: mostly what the runtime holds.
 */
#include "libompd/runtime/recorded.h"

enum rc recorded_icvs(struct instance *instance, struct ref task, struct icv_facts *out)
{
    struct recorded *state = recorded_state(instance);
    struct instance *maker = recorded_maker(state, task, false);
    return maker ? ON(maker, icvs, task, out) : RC_STALE_HANDLE;
}

/* The runtime keeps the loop; for which iteration a thread waits in it only the record says. */
enum rc recorded_loop(struct instance *instance, struct ref ref, struct loop_facts *out)
{
    struct recorded *state = recorded_state(instance);
    struct recorded_thread thread;
    struct loop_facts by_record, facts;
    enum rc rc = recorded_find_thread(state, ref, &thread);
    if (rc != RC_OK)
        return rc;
    enum rc recorded =
        thread.has_record ? ON(RECORDS, loop, thread.record, &by_record) : RC_UNSUPPORTED;
    if (!thread.has_runtime) {
        if (recorded == RC_OK)
            *out = by_record;
        return recorded;
    }
    rc = ON(thread.memory, loop, thread.runtime, &facts);
    if (rc != RC_OK)
        return rc;
    if (recorded == RC_OK)
        facts.awaited = by_record.awaited;
    else if (recorded == RC_UNAVAILABLE)
        facts.awaited = (struct fact){.known = NONE_HERE};
    *out = facts;
    return RC_OK;
}

enum rc recorded_stack(struct instance *instance, struct ref ref, struct stack_facts *out)
{
    struct recorded *state = recorded_state(instance);
    struct recorded_thread thread = {.runtime = ref};
    thread.memory = recorded_maker(state, ref, true);
    if (thread.memory == RECORDS) {
        enum rc rc = recorded_find_thread(state, ref, &thread);
        if (rc != RC_OK)
            return rc;
        if (!thread.has_runtime)
            return RC_UNSUPPORTED;
    }
    return thread.memory ? ON(thread.memory, stack, thread.runtime, out) : RC_STALE_HANDLE;
}
