/* SPDX-License-Identifier: MIT
 *
 * The runtime's structures, fetched and decoded by the layout that fits the process.
 */
#include <string.h>

#include "libompd/runtime/kmp.h"

enum rc kmp_fetch(const struct instance *instance, enum kmp_struct object, taddr address,
                  struct kmp_bytes *out)
{
    if (!address || address % KMP_TASK_ALIGNMENT)
        return RC_NONSENSE;
    return memory_read(instance, address, kmp_size(instance, object), out->bytes);
}

uint64_t kmp_field(const struct instance *instance, const void *bytes, enum kmp_field field)
{
    struct kmp_place place = kmp_state(instance)->layout->place[field];
    if (place.size == 1)
        return ((const unsigned char *)bytes)[place.offset];
    return target_decode(instance->space, (const char *)bytes + place.offset, place.size);
}

#define FIELD(object, field) kmp_field(instance, bytes, KMP_##object##_##field)

/* The counts of arrivals at a thread's or a team's barriers, of which there is one for each
 * kind. */
static void decode_arrived(const struct instance *instance, const unsigned char *first,
                           enum kmp_struct barrier, enum kmp_field arrived,
                           uint64_t out[KMP_BARRIERS])
{
    for (unsigned i = 0; i < KMP_BARRIERS; i++)
        out[i] = kmp_field(instance, first + i * kmp_size(instance, barrier), arrived) >>
                 KMP_BARRIER_SHIFT;
}

enum rc kmp_read_thread_part(const struct instance *instance, taddr address, struct kmp_thread *out)
{
    struct kmp_bytes object;
    if (address % KMP_ALIGNMENT)
        return RC_NONSENSE;
    enum rc rc = kmp_fetch(instance, KMP_STRUCT_kmp_base_info, address, &object);
    if (rc != RC_OK)
        return rc;
    const unsigned char *bytes = object.bytes;
    *out = (struct kmp_thread){
        .address = address,
        .pthread = FIELD(kmp_base_info, pthread),
        .gtid = (uint32_t)FIELD(kmp_base_info, gtid),
        .number = (uint32_t)FIELD(kmp_base_info, number),
        .team = FIELD(kmp_base_info, team),
        .root = FIELD(kmp_base_info, root),
        .task = FIELD(kmp_base_info, task),
        .task_team = FIELD(kmp_base_info, task_team),
        .in_pool = FIELD(kmp_base_info, in_pool) != 0,
        .sleeps_on = FIELD(kmp_base_info, sleep_loc),
        .spins = FIELD(kmp_base_info, spin_here) != 0,
        .next_waiting = (uint32_t)FIELD(kmp_base_info, next_waiting),
    };
    decode_arrived(instance, bytes + kmp_offset(instance, KMP_kmp_base_info_bar),
                   KMP_STRUCT_kmp_barrier_union, KMP_kmp_barrier_union_arrived, out->arrived);
    return out->gtid < KMP_THREADS_MAX ? RC_OK : RC_NONSENSE;
}

/* On x86-64 glibc keeps a pointer to the struct pthread in it. */
enum { SELF_OFFSET = 16 };

enum rc kmp_read_thread(const struct instance *instance, taddr address, struct kmp_thread *out)
{
    uint32_t tid = memory_of(instance)->pthreads.tid_offset;
    unsigned char self[8], word[4];
    struct kmp_thread thread;
    enum rc rc = kmp_read_thread_part(instance, address, &thread);
    if (rc != RC_OK)
        return rc;
    if (!thread.pthread)
        return RC_UNAVAILABLE;
    if (thread.pthread % sizeof self || thread.pthread > UINT64_MAX - 2 * tid - 64)
        return RC_NONSENSE;
    rc = memory_read(instance, thread.pthread + SELF_OFFSET, sizeof self, self);
    if (rc == RC_OK)
        rc = memory_read(instance, thread.pthread + tid, sizeof word, word);
    if (rc != RC_OK)
        return rc;
    thread.tid = target_decode(instance->space, word, sizeof word);
    bool has_self = kmp_state(instance)->layout->machine == PROBE_X86_64;
    if ((has_self && target_decode(instance->space, self, sizeof self) != thread.pthread) ||
        !thread.tid || thread.tid > INT32_MAX)
        return RC_UNAVAILABLE;
    *out = thread;
    return RC_OK;
}

enum rc kmp_read_thread_ref(const struct instance *instance, struct ref ref, struct kmp_thread *out)
{
    enum rc rc = kmp_read_thread(instance, ref.address, out);
    if (rc == RC_UNAVAILABLE || rc == RC_NONSENSE ||
        (rc == RC_OK && memory_thread_id(instance, out->tid) != ref.id))
        return RC_STALE_HANDLE;
    return rc;
}

enum rc kmp_read_team(const struct instance *instance, taddr address, struct kmp_team *out)
{
    struct kmp_bytes object;
    if (address % KMP_ALIGNMENT)
        return RC_NONSENSE;
    enum rc rc = kmp_fetch(instance, KMP_STRUCT_kmp_base_team, address, &object);
    if (rc != RC_OK)
        return rc;
    const unsigned char *bytes = object.bytes;
    struct kmp_team team = {
        .address = address,
        .parent = FIELD(kmp_base_team, parent),
        .threads = FIELD(kmp_base_team, threads),
        .implicit_task = FIELD(kmp_base_team, implicit_task),
        .function = FIELD(kmp_base_team, function),
        .record = FIELD(kmp_base_team, word),
        .arguments = FIELD(kmp_base_team, arguments),
        .argument_count = (uint32_t)FIELD(kmp_base_team, argument_count),
        .nproc = (uint32_t)FIELD(kmp_base_team, nproc),
        .level = (uint32_t)FIELD(kmp_base_team, level),
        .active_level = (uint32_t)FIELD(kmp_base_team, active_level),
        .serialized = (uint32_t)FIELD(kmp_base_team, serialized),
        .cancel_request = (uint32_t)FIELD(kmp_base_team, cancel_request),
        .master_number = (uint32_t)FIELD(kmp_base_team, master_number),
    };
    uint32_t task_team = kmp_offset(instance, KMP_kmp_base_team_task_team);
    for (unsigned i = 0; i < 2; i++)
        team.task_team[i] = target_decode(instance->space, bytes + task_team + 8 * i, 8);
    decode_arrived(instance, bytes + kmp_offset(instance, KMP_kmp_base_team_bar),
                   KMP_STRUCT_kmp_barrier_team_union, KMP_kmp_barrier_team_union_arrived,
                   team.arrived);
    if (!team.nproc || team.nproc > KMP_TEAM_MAX || !team.threads || team.threads % 8 ||
        !team.implicit_task || team.implicit_task % 8 || team.level > KMP_LEVELS_MAX ||
        team.parent == address)
        team.address = 0;
    *out = team;
    /* One that is serialised within itself has its outermost level at least. */
    return !team.address || team.active_level > team.level || team.serialized > KMP_LEVELS_MAX ||
                   (team.level && team.serialized > team.level)
               ? RC_NONSENSE
               : RC_OK;
}

enum rc kmp_listed(const struct instance *instance, const struct kmp_team *team, uint32_t number,
                   taddr *out)
{
    if (number >= team->nproc)
        return RC_NONSENSE;
    return memory_pointer(instance, team->threads + (taddr)number * 8, out);
}

enum rc kmp_read_task(const struct instance *instance, taddr address, struct kmp_task *out)
{
    enum rc rc = kmp_fetch(instance, KMP_STRUCT_kmp_taskdata, address, &out->bytes);
    if (rc != RC_OK)
        return rc;
    const unsigned char *bytes = out->bytes.bytes;
    out->address = address;
    out->flags = (uint32_t)FIELD(kmp_taskdata, flags);
    out->team = FIELD(kmp_taskdata, team);
    out->parent = FIELD(kmp_taskdata, parent);
    out->taskgroup = FIELD(kmp_taskdata, taskgroup);
    out->depnode = FIELD(kmp_taskdata, depnode);
    out->record = FIELD(kmp_taskdata, word);
    out->taskwait_thread = (int32_t)FIELD(kmp_taskdata, taskwait_thread);
    out->children = (uint32_t)FIELD(kmp_taskdata, children);
    out->routine = 0;
    if (!out->team || out->team % KMP_ALIGNMENT || out->parent % KMP_TASK_ALIGNMENT ||
        out->parent == address || kmp_flag(instance, out, KMP_FLAG_freed))
        return RC_NONSENSE;
    if (!kmp_flag(instance, out, KMP_FLAG_is_explicit))
        return RC_OK;
    return memory_pointer(instance,
                          address + kmp_size(instance, KMP_STRUCT_kmp_taskdata) +
                              kmp_offset(instance, KMP_kmp_task_routine),
                          &out->routine);
}
