/* SPDX-License-Identifier: MIT
 *
 * What a thread is to libgomp. A process is stopped anywhere, also between two stores of
 * libgomp, so a thread is a member of a team only where the team agrees.
 */
#include "libompd/runtime/gomp-task.h"

/* Is the primary thread in its team? It joins first and leaves first. Assumed true when
 * that cannot be determined: while it runs a target region on the host its data are saved
 * elsewhere, and while the pool grows its array may hold anything. */
static enum rc primary_is_in(const struct instance *instance, const struct gomp_thread *thread,
                             const struct gomp_team *team, taddr threads, bool *out)
{
    taddr at;
    struct gomp_team outermost;
    struct gomp_thread primary;
    *out = true;
    enum rc rc = gomp_listed_primary(instance, team, &outermost, &at);
    if (rc == RC_STALE_HANDLE)
        return RC_OK;
    if (rc == RC_OK && !at && threads)
        rc = memory_pointer(instance, threads, &at);
    if (rc != RC_OK || !at)
        return rc;
    rc = gomp_read_thread_at(instance, at, &primary);
    if (rc == RC_UNAVAILABLE || rc_is_damage(rc))
        return RC_OK;
    if (rc == RC_OK && primary.pool == thread->pool)
        rc = gomp_is_member(instance, &primary, team, GOMP_ANY_NUMBER, out);
    return rc;
}

/* In place of the primary thread a team lists itself. */
enum rc gomp_is_listed(const struct instance *instance, const struct gomp_thread *thread,
                       const struct gomp_team *team, bool *out)
{
    taddr listed;
    if (!thread->team_id) {
        enum rc rc = memory_pointer(instance, team->ordered_release, &listed);
        if (rc == RC_OK)
            *out = listed == team->address + gomp_offset(instance, GOMP_gomp_team_master_release);
        return rc;
    }
    enum rc rc = gomp_team_member_at(instance, team, thread->team_id, &listed);
    if (rc == RC_OK)
        *out = listed == thread->address;
    return rc;
}

/* Is the thread's task its implicit task or an explicit one? */
static enum rc task_fits(const struct instance *instance, const struct gomp_thread *thread,
                         const struct gomp_team *team, bool *out)
{
    *out = thread->task == gomp_implicit_task(instance, team, thread->team_id);
    if (*out || !thread->task)
        return RC_OK;
    struct gomp_task task;
    enum rc rc = gomp_read_task(instance, thread->task, &task);
    if (rc == RC_OK)
        *out = task.kind != GOMP_KIND_IMPLICIT;
    return rc == RC_NONSENSE ? RC_OK : rc;
}

/* May a task have encountered a region: has it begun? */
static enum rc may_encounter(const struct instance *instance, taddr at, bool *out)
{
    struct gomp_task task, parent;
    *out = false;
    enum rc rc = gomp_read_task(instance, at, &task);
    if (rc == RC_OK && task.parent && task.kind != GOMP_KIND_IMPLICIT)
        rc = gomp_read_task(instance, task.parent, &parent);
    if (rc == RC_OK)
        *out = task.kind == GOMP_KIND_UNDEFERRED || task.kind == GOMP_KIND_TIED ||
               (task.kind == GOMP_KIND_IMPLICIT && !task.parent);
    return rc_is_damage(rc) ? RC_OK : rc;
}

/* Is a pointer of a task 0, or does it point to an object with a valid flag? */
static bool is_valid_pointer(const struct instance *instance, taddr at, enum gomp_struct object,
                             enum gomp_field flag)
{
    struct gomp_bytes bytes;
    return !at || (gomp_fetch(instance, object, at, &bytes) == RC_OK &&
                   gomp_field(instance, bytes.bytes, flag) <= 1);
}

/* The fields that libgomp writes last and never changes, and the pointers, since the
 * memory may have held a task before. */
static enum rc read_implicit(const struct instance *instance, const struct gomp_team *team,
                             uint32_t number, struct gomp_task *out, bool *whole)
{
    enum rc rc = gomp_read_task(instance, gomp_implicit_task(instance, team, number), out);
    *whole = rc == RC_OK && out->kind == GOMP_KIND_IMPLICIT && !out->depend_count &&
             !out->dependers && !out->final &&
             is_valid_pointer(instance, out->taskgroup, GOMP_STRUCT_gomp_taskgroup,
                              GOMP_gomp_taskgroup_in_wait) &&
             is_valid_pointer(instance, out->taskwait, GOMP_STRUCT_gomp_taskwait,
                              GOMP_gomp_taskwait_in_taskwait);
    return rc == RC_NONSENSE ? RC_OK : rc;
}

enum rc gomp_has_implicit_task(const struct instance *instance, const struct gomp_team *team,
                               uint32_t number, bool *out)
{
    struct gomp_task first, own;
    enum rc rc = read_implicit(instance, team, 0, &first, out);
    if (rc != RC_OK || !*out)
        return rc;
    struct gomp_nesting around = gomp_enclosing(team);
    struct gomp_team outer = {.address = around.team};
    *out = gomp_is_in_team(&around)
               ? first.parent == gomp_implicit_task(instance, &outer, around.number)
               : !first.parent;
    if (!*out && first.parent)
        rc = may_encounter(instance, first.parent, out);
    if (rc != RC_OK || !*out || !number)
        return rc;
    rc = read_implicit(instance, team, number, &own, out);
    *out = *out && own.parent == first.parent;
    return rc;
}

/* Of a thread in what is no team: it is leaving one, which has been freed. That is not done before
 * the primary thread has left, so where that one is in it the memory is damaged. */
static enum rc check_no_team(const struct instance *instance, const struct gomp_thread *thread,
                             taddr threads)
{
    struct gomp_thread primary = *thread;
    taddr at;
    if (thread->team_id && (memory_pointer(instance, threads, &at) != RC_OK ||
                            gomp_read_thread_at(instance, at, &primary) != RC_OK))
        return RC_OK;
    return primary.team == thread->team && !primary.team_id ? RC_NONSENSE : RC_OK;
}

/* Of one that has a team and a level. */
static enum rc is_in_its_team(const struct instance *instance, const struct gomp_thread *thread,
                              taddr threads, struct gomp_team *team, bool *out)
{
    *out = false;
    enum rc rc = gomp_read_team(instance, thread->team, team);
    if (rc != RC_OK)
        return rc == RC_NONSENSE ? check_no_team(instance, thread, threads) : rc;
    if (thread->team_id >= team->nthreads || thread->level != team->prev_level + 1)
        return RC_OK;
    rc = gomp_is_listed(instance, thread, team, out);
    if (rc == RC_OK && *out)
        rc = task_fits(instance, thread, team, out);
    if (rc == RC_OK && *out && thread->team_id)
        rc = primary_is_in(instance, thread, team, threads, out);
    if (rc == RC_OK && *out)
        rc = gomp_has_implicit_task(instance, team, thread->team_id, out);
    return rc;
}

enum rc gomp_classify_thread(const struct instance *instance, const struct gomp_thread *thread,
                             enum gomp_thread_kind *out, struct gomp_team *team)
{
    if (!thread->task && !thread->pool) {
        *out = thread->team ? GOMP_RELEASED : GOMP_FOREIGN;
        return RC_OK;
    }
    /* A detached task or a reduction outside regions has a team of its own, which is not
     * that of a region. */
    if (!thread->team || !thread->level) {
        *out = thread->level ? GOMP_IN_TRANSITION : GOMP_INITIAL;
        return RC_OK;
    }
    /* Who enters a team has a pool. One that ends loses it first, with GCC 14 before its task:
     * its team may be freed. */
    if (!thread->pool) {
        *out = GOMP_IN_TRANSITION;
        return RC_OK;
    }
    struct gomp_bytes pool;
    enum rc rc = gomp_fetch(instance, GOMP_STRUCT_gomp_thread_pool, thread->pool, &pool);
    if (rc != RC_OK)
        return rc;
    if (gomp_field(instance, pool.bytes, GOMP_gomp_thread_pool_last_team) == thread->team) {
        *out = GOMP_IDLE;
        return RC_OK;
    }
    taddr threads = gomp_field(instance, pool.bytes, GOMP_gomp_thread_pool_threads);
    bool is_in;
    rc = is_in_its_team(instance, thread, threads, team, &is_in);
    *out = is_in ? GOMP_MEMBER : GOMP_IN_TRANSITION;
    return rc;
}
