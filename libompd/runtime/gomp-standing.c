/* SPDX-License-Identifier: MIT
 *
 * What a thread's structures say it is to libgomp. A stopped process may be anywhere,
 * also between two stores of libgomp, so a thread counts as member of a team only when
 * the team agrees.
 */
#include "libompd/runtime/gomp.h"

bool gomp_has_outer(const struct gomp_team *team)
{
    return team->prev_team && team->prev_level;
}

/* The first thread of a team is who met its region: a member of the team around it, or
 * the first thread of the pool. 0: not to be found. */
static enum rc find_first(const struct space *space, const struct gomp_team *team,
                          taddr threads, taddr *out)
{
    struct gomp_team outer = *team;
    *out = 0;
    for (uint32_t level = 0; level < GOMP_LEVELS_MAX && gomp_has_outer(&outer); level++) {
        uint32_t number = outer.prev_team_id;
        enum rc rc = gomp_read_team(space, outer.prev_team, &outer);
        if (rc != RC_OK)
            return rc;
        if (!outer.sound || number >= outer.nthreads)
            return RC_OK;
        if (number)
            return gomp_team_member_at(space, &outer, number, out);
    }
    return threads ? gomp_pointer(space, threads, out) : RC_OK;
}

/* Is a thread in a team, perhaps by way of teams that are nested in it? */
static enum rc stands_in(const struct space *space, const struct gomp_thread *thread,
                         taddr team, bool *out)
{
    struct gomp_team at = {.prev_team = thread->team, .prev_level = thread->level};
    *out = false;
    for (uint32_t level = 0; level < GOMP_LEVELS_MAX && gomp_has_outer(&at); level++) {
        if (at.prev_team == team) {
            *out = true;
            return RC_OK;
        }
        if (at.prev_team % 16)
            return RC_OK;
        enum rc rc = gomp_read_team(space, at.prev_team, &at);
        if (rc != RC_OK)
            return rc;
        if (!at.sound)
            return RC_OK;
    }
    return RC_OK;
}

/* Is the first thread of a team still, or already, in it? It is the first to enter and
 * the first to leave the structures of a team. Where the answer cannot be had it is yes:
 * a thread that runs a target region on the host has its data put aside, and while a pool
 * grows anything may stand in place of its first thread. */
static enum rc first_is_in(const struct space *space, const struct gomp_thread *thread,
                           const struct gomp_team *team, taddr threads, bool *out)
{
    taddr at;
    struct gomp_thread first;
    *out = true;
    enum rc rc = find_first(space, team, threads, &at);
    if (rc != RC_OK || !at)
        return rc;
    rc = gomp_read_thread_at(space, at, &first);
    if (rc == RC_UNAVAILABLE || rc == RC_NONSENSE || rc == RC_READ_ERROR)
        return RC_OK;
    if (rc == RC_OK && first.pool == thread->pool)
        rc = stands_in(space, &first, team->address, out);
    return rc;
}

/* The team's own record of a member; in place of the first thread it has itself. */
enum rc gomp_is_listed(const struct space *space, const struct gomp_thread *thread,
                       const struct gomp_team *team, bool *out)
{
    taddr listed;
    if (!thread->team_id) {
        enum rc rc = gomp_pointer(space, team->ordered_release, &listed);
        if (rc == RC_OK)
            *out = listed ==
                   team->address + gomp_offset(space, GOMP_gomp_team_master_release);
        return rc;
    }
    enum rc rc = gomp_team_member_at(space, team, thread->team_id, &listed);
    if (rc == RC_OK)
        *out = listed == thread->address;
    return rc;
}

/* Its task is its implicit task or one that is explicit: read before it is believed. */
static enum rc task_fits(const struct space *space, const struct gomp_thread *thread,
                         const struct gomp_team *team, bool *out)
{
    *out = thread->task == gomp_implicit_task(space, team, thread->team_id);
    if (*out || !thread->task)
        return RC_OK;
    struct gomp_task task;
    enum rc rc = gomp_read_task(space, thread->task, &task);
    if (rc == RC_OK)
        *out = task.kind != GOMP_KIND_IMPLICIT;
    return rc == RC_NONSENSE ? RC_OK : rc;
}

/* May a task meet regions: is it under way? */
static enum rc may_meet(const struct space *space, taddr at, bool *out)
{
    struct gomp_task task, parent;
    *out = false;
    enum rc rc = gomp_read_task(space, at, &task);
    if (rc == RC_OK && task.parent && task.kind != GOMP_KIND_IMPLICIT)
        rc = gomp_read_task(space, task.parent, &parent);
    if (rc == RC_OK)
        *out = task.kind == GOMP_KIND_UNDEFERRED || task.kind == GOMP_KIND_TIED ||
               (task.kind == GOMP_KIND_IMPLICIT && !task.parent);
    return rc == RC_NONSENSE || rc == RC_READ_ERROR ? RC_OK : rc;
}

/* Is a pointer of a task 0 or one to an object whose flags are flags? */
static bool leads(const struct space *space, taddr at, enum gomp_struct object,
                  enum gomp_field flag)
{
    struct gomp_bytes bytes;
    return !at || (gomp_fetch(space, object, at, &bytes) == RC_OK &&
                   gomp_field(space, bytes.bytes, flag) <= 1);
}

/* What libgomp writes last into an implicit task and never changes; and its pointers,
 * since the memory may have held a task before. */
static enum rc read_implicit(const struct space *space, const struct gomp_team *team,
                             uint32_t number, struct gomp_task *out, bool *whole)
{
    enum rc rc = gomp_read_task(space, gomp_implicit_task(space, team, number), out);
    *whole = rc == RC_OK && out->kind == GOMP_KIND_IMPLICIT && !out->depend_count &&
             !out->dependers && !out->final &&
             leads(space, out->taskgroup, GOMP_STRUCT_gomp_taskgroup,
                   GOMP_gomp_taskgroup_in_wait) &&
             leads(space, out->taskwait, GOMP_STRUCT_gomp_taskwait,
                   GOMP_gomp_taskwait_in_taskwait);
    return rc == RC_NONSENSE ? RC_OK : rc;
}

enum rc gomp_has_begun(const struct space *space, const struct gomp_team *team,
                       uint32_t number, bool *out)
{
    struct gomp_task first, own;
    enum rc rc = read_implicit(space, team, 0, &first, out);
    if (rc != RC_OK || !*out)
        return rc;
    struct gomp_team outer = {.address = team->prev_team};
    *out = gomp_has_outer(team)
               ? first.parent == gomp_implicit_task(space, &outer, team->prev_team_id)
               : !first.parent;
    if (!*out && first.parent)
        rc = may_meet(space, first.parent, out);
    if (rc != RC_OK || !*out || !number)
        return rc;
    rc = read_implicit(space, team, number, &own, out);
    *out = *out && own.parent == first.parent;
    return rc;
}

enum rc gomp_stand(const struct space *space, const struct gomp_thread *thread,
                   enum gomp_standing *out, struct gomp_team *team)
{
    if (!thread->team && !thread->task && !thread->pool) {
        *out = GOMP_FOREIGN;
        return RC_OK;
    }
    if (!thread->task && !thread->pool) {
        *out = GOMP_RELEASED;
        return RC_OK;
    }
    /* A detached task or a reduction outside regions brings a team of its own, which is
     * none of a region. */
    if (!thread->team || !thread->level) {
        *out = thread->level ? GOMP_PASSING : GOMP_INITIAL;
        return RC_OK;
    }
    taddr threads = 0;
    if (thread->pool) {
        struct gomp_bytes pool;
        enum rc rc = gomp_fetch(space, GOMP_STRUCT_gomp_thread_pool, thread->pool, &pool);
        if (rc != RC_OK)
            return rc;
        if (gomp_field(space, pool.bytes, GOMP_gomp_thread_pool_last_team) ==
            thread->team) {
            *out = GOMP_IDLE;
            return RC_OK;
        }
        threads = gomp_field(space, pool.bytes, GOMP_gomp_thread_pool_threads);
    }
    *out = GOMP_PASSING;
    if (thread->team % 16)
        return RC_OK;
    enum rc rc = gomp_read_team(space, thread->team, team);
    if (rc != RC_OK)
        return rc;
    if (!team->sound || thread->team_id >= team->nthreads ||
        thread->level != team->prev_level + 1)
        return RC_OK;
    bool fits;
    rc = gomp_is_listed(space, thread, team, &fits);
    if (rc == RC_OK && fits)
        rc = task_fits(space, thread, team, &fits);
    if (rc == RC_OK && fits && thread->team_id)
        rc = first_is_in(space, thread, team, threads, &fits);
    if (rc == RC_OK && fits)
        rc = gomp_has_begun(space, team, thread->team_id, &fits);
    if (rc == RC_OK && fits)
        *out = GOMP_ACTIVE;
    return rc;
}
