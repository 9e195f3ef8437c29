/* SPDX-License-Identifier: MIT
 *
 * memory-reader.h.
 */
#include <string.h>

#include "libompd/runtime/memory-reader.h"

void memory_thread_begin(struct thread_facts *facts)
{
    memset(facts, 0, sizeof *facts);
    facts->codeptr.known = facts->frame.known = NEEDS_TRACKING;
    facts->thread_num.known = facts->team_size.known = facts->level.known = NONE_HERE;
    facts->region.known = facts->task.known = NONE_HERE;
    facts->barrier_word.known = facts->dock_word.known = facts->docked.known = NONE_HERE;
    facts->wait_id = (struct fact){KNOWN, 0};
}

enum rc memory_thread_end(struct thread_facts *facts, uint64_t tid, taddr pthread, enum rc rc)
{
    if (rc_is_damage(rc))
        facts->state.known = facts->thread_num.known = facts->team_size.known =
            facts->level.known = facts->region.known = facts->task.known = memory_mark(rc);
    else if (rc != RC_OK)
        return rc;
    facts->lwp = (struct fact){KNOWN, tid};
    facts->pthread = (struct fact){KNOWN, pthread};
    return RC_OK;
}

enum rc memory_has_thread(const struct space *space, struct ghosts *ghosts, uint64_t tid)
{
    unsigned char lwp[8];
    target_encode(space, tid, lwp, sizeof lwp);
    enum rc rc = space->ops->has_thread(space->context, sizeof lwp, lwp);
    if (rc == RC_OK) {
        ghosts->debugger_tells = true;
        ghosts->none = ghosts->none || (ghosts->alive && ghosts->alive != tid);
        ghosts->alive = tid;
    }
    return rc;
}

bool memory_is_gone(const struct space *space, struct ghosts *ghosts, uint64_t tid)
{
    return ghosts->debugger_tells && memory_has_thread(space, ghosts, tid) == RC_UNAVAILABLE;
}

bool memory_is_ghost(const struct space *space, struct ghosts *ghosts, uint64_t tid)
{
    return !ghosts->none && memory_is_gone(space, ghosts, tid);
}

enum rc memory_walk_members(struct instance *instance, const void *region, uint32_t count,
                            member_ref *find, struct ghosts *ghosts, ref_visitor *visit,
                            void *arg)
{
    enum rc rc = RC_OK;
    for (uint32_t i = 0; rc == RC_OK && i < count; i++) {
        struct ref found;
        rc = find(instance, region, i, &found);
        if (rc == RC_OK && ghosts &&
            memory_is_ghost(instance->space, ghosts, memory_tid(instance, found)))
            continue;
        if (rc == RC_OK && !visit(arg, found))
            return RC_OK;
        if (rc == RC_UNAVAILABLE)
            rc = RC_OK;
    }
    return rc;
}
