/* SPDX-License-Identifier: MIT
 *
 * References to tasks of a stock libgomp. A task knows its parent and neither its team nor
 * its thread, so the address of a reference says where to find the task, and the address
 * of the task is part of the id:
 *
 *   team            implicit task, or explicit task that no thread is certain to have begun
 *   thread | 1      task of that thread outside regions. Without a struct gomp_task the id
 *                   has the address of struct gomp_thread
 *   thread | 2      explicit task that the thread has begun
 */
#include "libompd/runtime/gomp-task.h"

taddr gomp_task_struct(const struct instance *instance, struct ref ref)
{
    taddr address = memory_address(instance, ref);
    bool none = ref.address & REF_SERIAL && address == (ref.address & ~(taddr)REF_MARKS);
    return none ? 0 : address;
}

bool gomp_implicit_index(const struct instance *instance, const struct gomp_team *team, taddr task,
                         uint32_t *out)
{
    uint32_t size = gomp_state(instance)->layout->size[GOMP_STRUCT_gomp_task];
    taddr first = gomp_implicit_task(instance, team, 0);
    if (task < first || (task - first) % size || (task - first) / size >= team->nthreads)
        return false;
    *out = (uint32_t)((task - first) / size);
    return true;
}

/* An undeferred task is on a stack, and its function is not initialised. */
uint64_t gomp_explicit_bits(uint64_t team_bits, const struct gomp_task *task)
{
    if (task->kind == GOMP_KIND_UNDEFERRED)
        return team_bits;
    uint64_t x = (task->fn ^ task->fn_data << 7) * UINT64_C(0x9e3779b97f4a7c15);
    return team_bits ^ x >> 40;
}

struct ref gomp_serial_ref(const struct instance *instance, const struct gomp_thread *thread,
                           taddr task)
{
    taddr address = task ? task : thread->address;
    return (struct ref){.address = thread->address | REF_SERIAL,
                        .id = memory_id(instance, address, thread->tid)};
}

static struct ref running_ref(const struct gomp_thread *thread, struct ref ref)
{
    return (struct ref){.address = thread->address | REF_RUNNING, .id = ref.id};
}

enum rc gomp_team_task_ref(const struct instance *instance, const struct gomp_team *team,
                           taddr task, struct ref *out)
{
    uint64_t bits;
    uint32_t index;
    enum rc rc = gomp_team_bits(instance, team, &bits);
    if (rc != RC_OK)
        return rc;
    if (!gomp_implicit_index(instance, team, task, &index)) {
        struct gomp_task object;
        rc = gomp_read_task(instance, task, &object);
        if (rc != RC_OK)
            return rc;
        bits = gomp_explicit_bits(bits, &object);
    }
    *out = (struct ref){.address = team->address, .id = memory_id(instance, task, bits)};
    return RC_OK;
}

enum rc gomp_current_task_ref(const struct instance *instance, const struct gomp_thread *thread,
                              enum gomp_thread_kind kind, const struct gomp_team *team,
                              struct ref *out)
{
    uint32_t index;
    if (kind == GOMP_INITIAL) {
        *out = gomp_serial_ref(instance, thread, thread->task);
        return RC_OK;
    }
    if (kind != GOMP_MEMBER || !thread->task)
        return RC_UNAVAILABLE;
    enum rc rc = gomp_team_task_ref(instance, team, thread->task, out);
    if (rc == RC_OK && !gomp_implicit_index(instance, team, thread->task, &index))
        *out = running_ref(thread, *out);
    return rc;
}

enum rc gomp_task_ref(struct instance *instance, const struct gomp_team *team, taddr task,
                      struct ref *out)
{
    struct gomp_located located;
    struct ref ref;
    enum rc rc = gomp_team_task_ref(instance, team, task, &ref);
    if (rc == RC_OK)
        rc = gomp_locate_task(instance, ref, &located);
    if (rc == RC_OK && !located.is_implicit)
        rc = gomp_locate_thread(instance, &located);
    if (rc == RC_STALE_HANDLE || (team->locked && rc_is_damage(rc)))
        return RC_UNAVAILABLE;
    if (rc != RC_OK)
        return rc;
    bool has_runner = !located.is_implicit && located.has_thread && located.is_certain;
    *out = has_runner ? running_ref(&located.thread, ref) : ref;
    return RC_OK;
}

enum rc gomp_begun_task_ref(struct instance *instance, const struct gomp_thread *thread, taddr task,
                            struct ref *out)
{
    struct gomp_team team;
    uint32_t number;
    enum rc rc = gomp_find_ancestor(instance, thread, task, &team, &number);
    if (rc != RC_OK)
        return rc;
    if (team.address)
        return gomp_task_ref(instance, &team, task, out);
    *out = gomp_serial_ref(instance, thread, task);
    return RC_OK;
}
