/* SPDX-License-Identifier: MIT
 *
 * libgomp's structures, fetched and decoded by the layout that fits the process.
 */
#include <string.h>

#include "libompd/runtime/gomp-task.h"

enum rc gomp_fetch(const struct instance *instance, enum gomp_struct object, taddr address,
                   struct gomp_bytes *out)
{
    if (address % GOMP_ALIGNMENT)
        return RC_NONSENSE;
    return memory_read(instance, address, gomp_state(instance)->layout->size[object], out->bytes);
}

uint64_t gomp_field(const struct instance *instance, const void *bytes, enum gomp_field field)
{
    struct gomp_place place = gomp_state(instance)->layout->place[field];
    if (place.offset == GOMP_LACKING)
        return 0;
    return target_decode(instance->space, (const char *)bytes + place.offset, place.size);
}

uint32_t gomp_offset(const struct instance *instance, enum gomp_field field)
{
    return gomp_state(instance)->layout->place[field].offset;
}

bool gomp_has(const struct instance *instance, enum gomp_field field)
{
    return gomp_offset(instance, field) != GOMP_LACKING;
}

/* From the start of struct pthread to what the thread pointer holds. */
static taddr pointer_distance(const struct gomp_state *state)
{
    return state->machine == PROBE_AARCH64 ? state->memory.pthreads.size : 0;
}

#define FIELD(object, field) gomp_field(instance, bytes, GOMP_##object##_##field)

static void decode_thread(const struct instance *instance, const void *bytes,
                          struct gomp_thread *out)
{
    out->team = FIELD(gomp_thread, team);
    out->task = FIELD(gomp_thread, task);
    out->pool = FIELD(gomp_thread, pool);
    out->team_id = (uint32_t)FIELD(gomp_thread, team_id);
    out->level = (uint32_t)FIELD(gomp_thread, level);
    out->active_level = (uint32_t)FIELD(gomp_thread, active_level);
}

/* x86-64 keeps a pointer to the struct pthread in it. */
enum { SELF_OFFSET_X86_64 = 16, SELF_END_X86_64 = 24 };

/* struct pthread and struct gomp_thread are neighbours: one read takes both, unless the
 * program has much thread-local data between them. Both addresses come from the target;
 * reject wrap-around. */
enum rc gomp_read_thread(const struct instance *instance, taddr pthread, struct gomp_thread *out)
{
    const struct gomp_state *state = gomp_state(instance);
    const struct pthreads *place = &state->memory.pthreads;
    unsigned char bytes[TARGET_BULK_BYTES];
    uint32_t size = state->layout->size[GOMP_STRUCT_gomp_thread];
    if (!state->distance_known || !place->tid_offset || pthread % GOMP_ALIGNMENT ||
        (state->machine == PROBE_AARCH64 && !place->size))
        return RC_UNAVAILABLE;
    struct gomp_thread thread;
    memset(&thread, 0, sizeof thread);
    thread.pthread = pthread;
    thread.address = pthread + pointer_distance(state) + (taddr)state->distance;

    uint32_t head = place->tid_offset + 4;
    if (head < SELF_END_X86_64)
        head = SELF_END_X86_64;
    if (pthread > UINT64_MAX - head || thread.address > UINT64_MAX - size)
        return RC_NONSENSE;
    taddr pthread_end = pthread + head;
    taddr low = thread.address < pthread ? thread.address : pthread;
    taddr high = thread.address + size > pthread_end ? thread.address + size : pthread_end;
    const unsigned char *own, *kernel;
    unsigned char header[TARGET_BULK_BYTES / 4];
    if (high - low <= TARGET_BULK_BYTES / 4) {
        enum rc rc = memory_read(instance, low, (size_t)(high - low), bytes);
        if (rc != RC_OK)
            return rc;
        own = bytes + (thread.address - low);
        kernel = bytes + (pthread - low);
    } else {
        if (head > sizeof header)
            return RC_NONSENSE;
        enum rc rc = memory_read(instance, pthread, head, header);
        if (rc == RC_OK)
            rc = memory_read(instance, thread.address, size, bytes);
        if (rc != RC_OK)
            return rc;
        own = bytes;
        kernel = header;
    }
    if (state->machine == PROBE_X86_64 &&
        target_decode(instance->space, kernel + SELF_OFFSET_X86_64, 8) != pthread)
        return RC_UNAVAILABLE;
    thread.tid = target_decode(instance->space, kernel + place->tid_offset, 4);
    if (!thread.tid || thread.tid > INT32_MAX) /* it has exited */
        return RC_UNAVAILABLE;
    decode_thread(instance, own, &thread);
    *out = thread;
    return RC_OK;
}

enum rc gomp_read_thread_at(const struct instance *instance, taddr address, struct gomp_thread *out)
{
    const struct gomp_state *state = gomp_state(instance);
    return gomp_read_thread(instance, address - (taddr)state->distance - pointer_distance(state),
                            out);
}

enum rc gomp_read_thread_ref(const struct instance *instance, struct ref ref,
                             struct gomp_thread *out)
{
    enum rc rc = gomp_read_thread_at(instance, ref.address, out);
    /* With a thread its stack may go, in which the structure is. */
    bool is_gone = rc_is_unreadable(rc) && memory_is_gone(instance, memory_tid(instance, ref));
    if (rc == RC_UNAVAILABLE || is_gone ||
        (rc == RC_OK && memory_thread_id(instance, out->tid) != ref.id))
        return RC_STALE_HANDLE;
    return rc;
}

enum rc gomp_read_team(const struct instance *instance, taddr address, struct gomp_team *out)
{
    const struct gomp_state *state = gomp_state(instance);
    struct gomp_bytes object;
    if (address % GOMP_TEAM_ALIGNMENT)
        return RC_NONSENSE;
    enum rc rc = gomp_fetch(instance, GOMP_STRUCT_gomp_team, address, &object);
    if (rc != RC_OK)
        return rc;
    const void *bytes = object.bytes;
    *out = (struct gomp_team){
        .address = address,
        .nthreads = (uint32_t)FIELD(gomp_team, nthreads),
        .prev_team = FIELD(gomp_team, prev_team),
        .prev_team_id = (uint32_t)FIELD(gomp_team, prev_team_id),
        .prev_level = (uint32_t)FIELD(gomp_team, prev_level),
        .prev_active_level = (uint32_t)FIELD(gomp_team, prev_active_level),
        .ordered_release = FIELD(gomp_team, ordered_release),
        .generation = (uint32_t)FIELD(gomp_team, barrier_generation),
        .awaited = (uint32_t)FIELD(gomp_team, barrier_awaited),
        .awaited_final = (uint32_t)FIELD(gomp_team, barrier_awaited_final),
        .locked = FIELD(gomp_team, task_lock) != 0,
        .cancelled = FIELD(gomp_team, cancelled) != 0,
    };
    uint32_t task_size = state->layout->size[GOMP_STRUCT_gomp_task];
    bool is_team = out->nthreads && out->nthreads <= GOMP_TEAM_MAX &&
                   FIELD(gomp_team, barrier_total) == out->nthreads &&
                   out->prev_level < GOMP_LEVELS_MAX && out->prev_active_level <= out->prev_level &&
                   out->ordered_release ==
                       gomp_implicit_task(instance, out, 0) + (taddr)task_size * out->nthreads;
    return is_team ? RC_OK : RC_NONSENSE;
}

taddr gomp_implicit_task(const struct instance *instance, const struct gomp_team *team,
                         uint32_t number)
{
    const struct gomp_layout *layout = gomp_state(instance)->layout;
    return team->address + gomp_offset(instance, GOMP_gomp_team_implicit_task) +
           (taddr)layout->size[GOMP_STRUCT_gomp_task] * number;
}

enum rc gomp_team_member_at(const struct instance *instance, const struct gomp_team *team,
                            uint32_t number, taddr *out)
{
    taddr release;
    enum rc rc = memory_pointer(
        instance, team->ordered_release + (taddr)number * instance->space->sizes.sizeof_pointer,
        &release);
    if (rc == RC_OK)
        *out = release ? release - gomp_offset(instance, GOMP_gomp_thread_release) : 0;
    return rc;
}

enum rc gomp_read_task(const struct instance *instance, taddr address, struct gomp_task *out)
{
    enum rc rc = gomp_fetch(instance, GOMP_STRUCT_gomp_task, address, &out->bytes);
    if (rc != RC_OK)
        return rc;
    const void *bytes = out->bytes.bytes;
    out->address = address;
    out->parent = FIELD(gomp_task, parent);
    out->taskgroup = FIELD(gomp_task, taskgroup);
    out->taskwait = FIELD(gomp_task, taskwait);
    out->dependers = FIELD(gomp_task, dependers);
    out->fn = FIELD(gomp_task, fn);
    out->fn_data = FIELD(gomp_task, fn_data);
    out->depend_count = FIELD(gomp_task, depend_count);
    /* libgomp initialises it only for a task with a depend clause. */
    out->num_dependees = out->depend_count ? FIELD(gomp_task, num_dependees) : 0;
    out->kind = (uint32_t)FIELD(gomp_task, kind);
    uint64_t final = FIELD(gomp_task, final_task);
    out->final = final != 0;
    if (out->kind > GOMP_KIND_DETACHED || final > 1 || out->parent == address)
        return RC_NONSENSE;
    return RC_OK;
}
