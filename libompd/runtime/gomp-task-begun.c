/* SPDX-License-Identifier: MIT
 *
 * The tasks that a thread of a stock libgomp has begun and not ended: from what it runs
 * by way of parents, and where it met a region, out of that.
 */
#include <string.h>

#include "libompd/runtime/gomp-task.h"

enum rc gomp_find_on_thread(const struct space *space, const struct gomp_thread *thread,
                            taddr task, struct gomp_team *team, uint32_t *number)
{
    taddr at = thread->task;
    taddr team_at = thread->team;
    uint32_t team_id = thread->team_id, level = thread->level;
    struct gomp_guard guard = {0};
    while (at && gomp_advance(&guard, at)) {
        struct gomp_task object;
        enum rc rc;
        if (at == task) {
            *number = team_id;
            if (!level) {
                memset(team, 0, sizeof *team);
                return RC_OK;
            }
            if (!team_at)
                return RC_STALE_HANDLE;
            rc = gomp_read_team(space, team_at, team);
            return rc == RC_OK && !team->sound ? RC_STALE_HANDLE : rc;
        }
        rc = gomp_read_task(space, at, &object);
        if (rc != RC_OK)
            return rc == RC_NONSENSE ? RC_STALE_HANDLE : rc;
        if (object.kind == GOMP_KIND_IMPLICIT && level) {
            struct gomp_team inner;
            bool begun = false;
            rc = team_at ? gomp_read_team(space, team_at, &inner) : RC_STALE_HANDLE;
            if (rc == RC_OK && inner.sound)
                rc = gomp_has_begun(space, &inner, 0, &begun);
            if (rc != RC_OK)
                return rc;
            /* Who met the region is its first thread's business only. */
            if (!begun || team_id)
                return RC_STALE_HANDLE;
            team_at = inner.prev_team;
            team_id = inner.prev_team_id;
            level = inner.prev_level;
        }
        at = object.parent;
    }
    return RC_STALE_HANDLE;
}

enum rc gomp_serial_task(const struct space *space, const struct gomp_thread *thread,
                         taddr *out)
{
    taddr at = thread->team;
    uint32_t team_id = thread->team_id, level = thread->level;
    if (!level) {
        *out = thread->task;
        return RC_OK;
    }
    for (uint32_t depth = 0; depth < GOMP_LEVELS_MAX; depth++) {
        struct gomp_team team;
        bool begun = false;
        enum rc rc = !at || team_id || at % 16 ? RC_STALE_HANDLE : RC_OK;
        if (rc == RC_OK)
            rc = gomp_read_team(space, at, &team);
        if (rc == RC_OK && team.sound && !team.prev_level)
            rc = gomp_has_begun(space, &team, 0, &begun);
        if (rc == RC_OK && (!team.sound || (!team.prev_level && !begun)))
            rc = RC_STALE_HANDLE;
        if (rc != RC_OK)
            return rc;
        if (!team.prev_level)
            return gomp_pointer(space,
                                gomp_implicit_task(space, &team, 0) +
                                    gomp_offset(space, GOMP_gomp_task_parent),
                                out);
        at = team.prev_team;
        team_id = team.prev_team_id;
        level = team.prev_level;
    }
    return RC_STALE_HANDLE;
}

enum rc gomp_walk_serial_tasks(const struct space *space,
                               const struct gomp_thread *thread, ref_visitor *visit,
                               void *arg)
{
    taddr at;
    struct gomp_guard guard = {0};
    enum rc rc = gomp_serial_task(space, thread, &at);
    if (rc == RC_STALE_HANDLE) /* a worker that leads a nested team */
        return RC_OK;
    while (rc == RC_OK) {
        struct gomp_task task;
        if (!visit(arg, gomp_serial_ref(thread, at)) || !at)
            return RC_OK;
        rc = gomp_advance(&guard, at) ? gomp_read_task(space, at, &task) : RC_NONSENSE;
        if (rc == RC_OK && task.kind == GOMP_KIND_IMPLICIT)
            return RC_OK;
        at = task.parent;
    }
    return rc;
}
