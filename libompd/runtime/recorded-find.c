/* SPDX-License-Identifier: MIT
 *
 * The objects of two witnesses that are one, for questions about one object: a thread is known by
 * what glibc has of it.
 */
#include <string.h>

#include "libompd/runtime/recorded.h"

static bool is_same_thread(const struct thread_facts *a, const struct thread_facts *b)
{
    return fact_is_equal(a->pthread, b->pthread) && fact_is_equal(a->lwp, b->lwp);
}

enum rc recorded_find_in(struct instance *memory, struct recorded_thread *thread)
{
    if (thread->by_record.pthread.known != KNOWN)
        return RC_OK;
    thread->memory = memory;
    enum rc rc = ON(memory, find_thread, OS_THREAD_PTHREAD,
                    thread->by_record.pthread.value, &thread->runtime);
    if (rc == RC_OK)
        rc = ON(memory, thread, thread->runtime, &thread->by_runtime);
    thread->has_runtime =
        rc == RC_OK && is_same_thread(&thread->by_record, &thread->by_runtime);
    return recorded_is_missing(rc) ? RC_OK : rc;
}

/* A thread that has a record, in the runtime that it is in of those that know it. */
static enum rc find_in_any(struct recorded *state, struct recorded_thread *thread)
{
    struct recorded_thread unknown = {
        .has_record = true, .record = thread->record, .by_record = thread->by_record};
    struct recorded_region region = {.ref = {0, 0}};
    struct instance *memory = recorded_next(state, NULL);
    enum rc rc = memory && recorded_next(state, memory)
                     ? recorded_find_region(state, unknown.by_record.region, &region)
                     : RC_OK;
    *thread = unknown;
    for (; rc == RC_OK && memory; memory = recorded_next(state, memory)) {
        struct recorded_thread now = unknown;
        rc = recorded_find_in(memory, &now);
        if (rc == RC_OK && now.has_runtime &&
            recorded_is_inner(state, &now, thread, &region))
            *thread = now;
    }
    return rc;
}

static enum rc find_record(struct recorded *state, struct recorded_thread *thread)
{
    if (thread->by_runtime.lwp.known != KNOWN || !recorded_goes_on(state))
        return RC_OK;
    enum rc rc = ON(RECORDS, find_thread, OS_THREAD_LWP, thread->by_runtime.lwp.value,
                    &thread->record);
    if (rc == RC_OK)
        rc = ON(RECORDS, thread, thread->record, &thread->by_record);
    thread->has_record =
        rc == RC_OK && is_same_thread(&thread->by_record, &thread->by_runtime);
    return recorded_is_missing(rc) ? RC_OK : rc;
}

/* A thread by its record, so far without a runtime, or by the name that one gave it. */
static enum rc find_named(struct recorded *state, struct ref ref,
                          struct recorded_thread *out)
{
    struct instance *maker = recorded_maker(state, ref, true);
    memset(out, 0, sizeof *out);
    if (!maker)
        return RC_STALE_HANDLE;
    if (maker == RECORDS) {
        out->record = ref;
        enum rc rc = ON(RECORDS, thread, ref, &out->by_record);
        out->has_record = rc == RC_OK;
        return rc;
    }
    out->runtime = ref;
    out->memory = maker;
    enum rc rc = ON(maker, thread, ref, &out->by_runtime);
    out->has_runtime = rc == RC_OK;
    return rc == RC_OK ? find_record(state, out) : rc;
}

enum rc recorded_find_thread(struct recorded *state, struct ref ref,
                             struct recorded_thread *out)
{
    enum rc rc = find_named(state, ref, out);
    bool is_found = out->has_runtime && !recorded_next(state, recorded_next(state, NULL));
    return rc == RC_OK && out->has_record && !is_found ? find_in_any(state, out) : rc;
}

/* Until a thread has begun, its place in the team may hold the address of one that has ended,
 * where one that the program has made since now stands: that one is in no region. */
enum rc recorded_thread_ref(struct recorded *state, struct ref runtime, uint32_t number,
                            struct ref *out)
{
    struct recorded_thread thread;
    enum rc rc = find_named(state, runtime, &thread);
    if (rc != RC_OK)
        return rc;
    if (number && thread.has_record && thread.by_record.state.known == KNOWN &&
        thread.by_record.state.value == STATE_work_serial)
        return RC_UNAVAILABLE;
    *out = thread.has_record ? thread.record : runtime;
    return RC_OK;
}

enum rc recorded_find_thread_in(struct recorded *state, struct instance *memory,
                                struct ref ref, struct recorded_thread *out)
{
    enum rc rc = find_named(state, ref, out);
    return rc == RC_OK && !out->has_runtime ? recorded_find_in(memory, out) : rc;
}

enum rc recorded_find_region(struct recorded *state, struct ref_fact ref,
                             struct recorded_region *out)
{
    memset(out, 0, sizeof *out);
    if (ref.known != KNOWN || !ref.ref.id)
        return RC_OK;
    enum rc rc = ON(RECORDS, region, ref.ref, &out->facts);
    if (rc == RC_OK)
        out->ref = ref.ref;
    return recorded_is_missing(rc) ? RC_OK : rc;
}
