/* SPDX-License-Identifier: MIT
 *
 * The worksharing construct that a thread has begun last, and members that a fork has not
 * taken along. libgomp does not keep whether the thread still is in the construct, nor
 * whether that is a loop: the caller knows by the code that the thread runs.
 */
#include <string.h>

#include "libompd/runtime/gomp-task.h"

/* The counters of a doacross loop are aligned and follow their description,
 * whose place an ordered loop uses for a list. */
enum { COUNTER_ALIGNMENT = 64, DIMENSIONS_MAX = 64, COUNTERS_FARTHEST = 4096 };

struct doacross {
    struct gomp_bytes object;
    taddr address, array;
    uint64_t element, dimensions;
    bool flattened;
};

static bool read_doacross(const struct instance *instance, taddr at, struct doacross *out)
{
    if (!at ||
        gomp_fetch(instance, GOMP_STRUCT_gomp_doacross_work_share, at, &out->object) != RC_OK)
        return false;
#define FIELD(field) gomp_field(instance, out->object.bytes, GOMP_gomp_doacross_work_share_##field)
    out->address = at;
    out->array = FIELD(array);
    out->element = FIELD(elt_sz);
    out->dimensions = FIELD(ncounts);
    out->flattened = FIELD(flattened) != 0;
    bool is_flag = FIELD(flattened) <= 1;
#undef FIELD
    return is_flag && out->dimensions && out->dimensions <= DIMENSIONS_MAX && out->array > at &&
           out->array - at < COUNTERS_FARTHEST && out->array % COUNTER_ALIGNMENT == 0 &&
           out->element && out->element % COUNTER_ALIGNMENT == 0 &&
           out->element < COUNTERS_FARTHEST;
}

/* In a static schedule each thread has one counter: the iteration posted last, of all
 * dimensions in one word or of the outermost in the first word, plus 1; 0: none yet. */
static struct fact posted_by(const struct instance *instance, const struct doacross *doacross,
                             uint32_t number)
{
    taddr counter, at = doacross->array + number * doacross->element;
    enum rc rc = memory_pointer(instance, at, &counter);
    if (rc != RC_OK)
        return (struct fact){.known = memory_mark(rc)};
    if (!counter)
        return (struct fact){.known = NONE_HERE};
    uint64_t value = counter - 1;
    if (doacross->flattened) {
        unsigned char shift[4];
        at = doacross->address + gomp_offset(instance, GOMP_gomp_doacross_work_share_shift_counts);
        rc = memory_read(instance, at, sizeof shift, shift);
        uint64_t bits = rc == RC_OK ? target_decode(instance->space, shift, sizeof shift) : 0;
        if (rc != RC_OK || bits > 63)
            return (struct fact){.known = memory_mark(rc == RC_OK ? RC_NONSENSE : rc)};
        value >>= bits;
    }
    return (struct fact){KNOWN, value};
}

static void fill_doacross(const struct instance *instance, const struct gomp_thread *thread,
                          taddr at, bool is_static, struct loop_facts *out)
{
    struct doacross doacross;
    out->dimensions = (struct fact){KNOWN, 0};
    if (!read_doacross(instance, at, &doacross))
        return;
    out->dimensions.value = doacross.dimensions;
    if (is_static)
        out->posted = posted_by(instance, &doacross, thread->team_id);
}

enum rc gomp_loop(struct instance *instance, struct ref ref, struct loop_facts *out)
{
    struct gomp_thread thread;
    struct gomp_team team;
    enum gomp_thread_kind kind;
    struct gomp_bytes own, share;
    enum rc rc = gomp_read_thread_ref(instance, ref, &thread);
    if (rc == RC_OK)
        rc = gomp_classify_thread(instance, &thread, &kind, &team);
    if (rc == RC_OK && kind != GOMP_MEMBER && kind != GOMP_INITIAL)
        rc = RC_UNAVAILABLE;
    if (rc == RC_OK)
        rc = gomp_fetch(instance, GOMP_STRUCT_gomp_thread, thread.address, &own);
    if (rc != RC_OK)
        return rc;
    taddr at = gomp_field(instance, own.bytes, GOMP_gomp_thread_work_share);
    if (!at)
        return RC_UNAVAILABLE;
    rc = gomp_fetch(instance, GOMP_STRUCT_gomp_work_share, at, &share);
    if (rc != RC_OK)
        return rc;
#define FIELD(field) gomp_field(instance, share.bytes, GOMP_gomp_work_share_##field)
    uint64_t schedule = FIELD(sched) & ~(UINT64_C(1) << GOMP_SCHEDULE_MONOTONIC_BIT);
    if (!schedule || schedule > GOMP_SCHEDULE_LAST)
        return RC_UNAVAILABLE;
    struct loop_facts facts;
    memset(&facts, 0, sizeof facts);
    facts.address = (struct fact){KNOWN, at};
    facts.schedule = (struct fact){KNOWN, schedule};
    facts.chunk = (struct fact){KNOWN, FIELD(chunk)};
    facts.end = (struct fact){KNOWN, FIELD(end)};
    facts.increment = (struct fact){KNOWN, FIELD(incr)};
    bool is_static = schedule == GOMP_SCHEDULE_STATIC;
    if (is_static)
        facts.trips =
            (struct fact){KNOWN, gomp_field(instance, own.bytes, GOMP_gomp_thread_static_trip)};
    else
        facts.next = (struct fact){KNOWN, FIELD(next)};
    facts.awaited.known = NEEDS_TRACKING;
    fill_doacross(instance, &thread, FIELD(doacross), is_static, &facts);
#undef FIELD
    *out = facts;
    return RC_OK;
}

/* Whether the memory of a member that has ended, or was left in the parent of a fork, is that of
 * another member now, which a stack of glibc's cache has been given to since: for instance
 *
 *   number   listed thread   its own number
 *   1        a               2                 left in the parent, and its place was taken
 *   2        a               2                 made for this team, and has begun
 */
static bool is_replaced(const struct instance *instance, const struct gomp_team *team,
                        uint32_t number, taddr at)
{
    struct gomp_thread thread;
    bool listed = false;
    return gomp_read_thread_at(instance, at, &thread) == RC_OK && thread.team == team->address &&
           thread.team_id != number && thread.team_id && thread.team_id < team->nthreads &&
           gomp_is_listed(instance, &thread, team, &listed) == RC_OK && listed;
}

/* Threads that have ended, or of the parent that do not run in the child of a fork: glibc has
 * taken their kernel id away. What one is to execute it fetches from `fn` and clears there, as one
 * that ended in a body did. Their memory may be gone as well: then they are not counted. */
enum rc gomp_absence(struct instance *instance, struct ref region, struct absence_facts *out)
{
    enum { SELF = 16 }; /* a struct pthread of x86-64 has its own address there */
    const struct gomp_state *state = gomp_state(instance);
    struct gomp_team team;
    if (state->machine != PROBE_X86_64)
        return RC_UNSUPPORTED;
    enum rc rc = gomp_read_team_ref(instance, region, &team);
    if (rc != RC_OK)
        return rc;
    struct absence_facts facts = {0};
    for (uint32_t i = 1; i < team.nthreads; i++) {
        taddr at, self, function;
        unsigned char tid[4];
        rc = gomp_team_member_at(instance, &team, i, &at);
        if (rc != RC_OK)
            return rc;
        taddr pthread = at - (taddr)state->distance;
        if (at && memory_pointer(instance, pthread + SELF, &self) == RC_OK && self == pthread &&
            memory_pointer(instance, at + gomp_offset(instance, GOMP_gomp_thread_fn), &function) ==
                RC_OK &&
            memory_read(instance, pthread + state->memory.pthreads.tid_offset, sizeof tid, tid) ==
                RC_OK) {
            bool gone = target_decode(instance->space, tid, sizeof tid) == 0;
            bool replaced = !gone && !function && is_replaced(instance, &team, i, at);
            facts.gone += gone || replaced;
            facts.unbegun += replaced || (gone && function);
        }
    }
    *out = facts;
    return RC_OK;
}
