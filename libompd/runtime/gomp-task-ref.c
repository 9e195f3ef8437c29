/* SPDX-License-Identifier: MIT
 *
 * How tasks of a stock libgomp are named. A task knows its parent and neither its team
 * nor its thread, so the address in the reference to it is where it was found, and that
 * of the task itself is part of the id:
 *
 *   team            a task of that team's region, implicit or explicit
 *   thread | 1      a task of that thread outside regions. Where there is no struct
 *                   gomp_task, the id has the address of the thread's data
 *   thread | 2      an explicit task that the thread had begun
 */
#include "libompd/runtime/gomp-task.h"

taddr gomp_task_address(struct ref ref)
{
    return ref.id & GOMP_ADDRESS_MASK;
}

taddr gomp_task_struct(struct ref ref)
{
    bool none = ref.address & VIA_SERIAL &&
                gomp_task_address(ref) == (ref.address & ~(taddr)VIA_MASK);
    return none ? 0 : gomp_task_address(ref);
}

bool gomp_implicit_index(const struct space *space, const struct gomp_team *team,
                         taddr task, uint32_t *out)
{
    uint32_t size = gomp_state(space)->layout->size[GOMP_STRUCT_gomp_task];
    taddr first = gomp_implicit_task(space, team, 0);
    if (task < first || (task - first) % size || (task - first) / size >= team->nthreads)
        return false;
    *out = (uint32_t)((task - first) / size);
    return true;
}

/* Undeferred tasks stand on stacks and their function is never written. */
uint64_t gomp_explicit_bits(uint64_t team_bits, const struct gomp_task *task)
{
    if (task->kind == GOMP_KIND_UNDEFERRED)
        return team_bits;
    uint64_t x = (task->fn ^ task->fn_data << 7) * UINT64_C(0x9e3779b97f4a7c15);
    return team_bits ^ x >> 40;
}

struct ref gomp_serial_ref(const struct gomp_thread *thread, taddr task)
{
    taddr address = task ? task : thread->address;
    return (struct ref){.address = thread->address | VIA_SERIAL,
                        .id = gomp_make_id(address, thread->tid)};
}

enum rc gomp_team_task_ref(const struct space *space, const struct gomp_team *team,
                           taddr task, struct ref *out)
{
    uint64_t bits;
    uint32_t index;
    enum rc rc = gomp_team_bits(space, team, &bits);
    if (rc != RC_OK)
        return rc;
    if (!gomp_implicit_index(space, team, task, &index)) {
        struct gomp_task object;
        rc = gomp_read_task(space, task, &object);
        if (rc != RC_OK)
            return rc;
        bits = gomp_explicit_bits(bits, &object);
    }
    *out = (struct ref){.address = team->address, .id = gomp_make_id(task, bits)};
    return RC_OK;
}

enum rc gomp_found_task_ref(const struct space *space, const struct gomp_team *team,
                            taddr task, taddr runner, struct ref *out)
{
    enum rc rc = gomp_team_task_ref(space, team, task, out);
    if (rc == RC_OK && runner)
        out->address = runner | VIA_RUNNING;
    return rc;
}

enum rc gomp_thread_task_ref(const struct space *space, const struct gomp_thread *thread,
                             enum gomp_standing standing, const struct gomp_team *team,
                             struct ref *out)
{
    uint32_t index;
    if (standing == GOMP_INITIAL) {
        *out = gomp_serial_ref(thread, thread->task);
        return RC_OK;
    }
    if (standing != GOMP_ACTIVE || !thread->task)
        return RC_UNAVAILABLE;
    enum rc rc = gomp_team_task_ref(space, team, thread->task, out);
    if (rc == RC_OK && !gomp_implicit_index(space, team, thread->task, &index))
        out->address = thread->address | VIA_RUNNING;
    return rc;
}

enum rc gomp_begun_task_ref(const struct space *space, const struct gomp_thread *thread,
                            taddr task, struct ref *out)
{
    struct gomp_team team;
    uint32_t number, index;
    enum rc rc = gomp_find_on_thread(space, thread, task, &team, &number);
    if (rc != RC_OK)
        return rc;
    if (!team.address) {
        *out = gomp_serial_ref(thread, task);
        return RC_OK;
    }
    rc = gomp_team_task_ref(space, &team, task, out);
    if (rc == RC_OK && !gomp_implicit_index(space, &team, task, &index))
        out->address = thread->address | VIA_RUNNING;
    return rc;
}
