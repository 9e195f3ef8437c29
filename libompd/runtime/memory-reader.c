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
    facts->region.known = facts->task.known = facts->initial.known = NONE_HERE;
    facts->wait_since.known = facts->last_wait.known = NEEDS_TRACKING;
    facts->tested.known = facts->tests.known = facts->tested_since.known = NEEDS_TRACKING;
    facts->target.known = NEEDS_TRACKING;
    facts->barrier_word.known = facts->dock_word.known = facts->docked.known = NONE_HERE;
    facts->wait_id = (struct fact){KNOWN, 0};
}

enum rc memory_thread_end(struct thread_facts *facts, uint64_t tid, taddr pthread, enum rc rc)
{
    if (rc_is_damage(rc))
        facts->state.known = facts->thread_num.known = facts->team_size.known = facts->level.known =
            facts->region.known = facts->task.known = memory_mark(rc);
    else if (rc != RC_OK)
        return rc;
    facts->lwp = (struct fact){KNOWN, tid};
    facts->pthread = (struct fact){KNOWN, pthread};
    return RC_OK;
}

void memory_close(struct instance *instance)
{
    struct memory *memory = memory_of(instance);
    array_free(&memory->hints);
    query_free(instance->space, &memory->query);
    instance->space->ops->release(memory);
    instance->reader_state = NULL;
}

enum rc memory_open(struct instance *instance, struct memory *state, size_t bytes,
                    threads_agree *agree)
{
    static const struct thread_hint nobody;
    state->hints = array_of(instance->space->ops, sizeof nobody);
    enum rc rc = array_add(&state->hints, &nobody); /* no question allocates what stays */
    if (rc != RC_OK)
        return rc;
    state->hints.count = 0;
    rc = reader_keep_state(instance, state, bytes);
    if (rc != RC_OK) {
        array_free(&state->hints);
        return rc;
    }
    reader_begin(instance);
    bool fits = agree(instance) || memory_of(instance)->proven;
    reader_end(instance);
    if (!fits)
        instance->reader->close(instance);
    return fits ? RC_OK : RC_INCOMPATIBLE;
}

bool memory_begin(struct instance *instance)
{
    struct memory *memory = memory_of(instance);
    bool is_outermost = query_begin(instance->space, &memory->query);
    if (is_outermost) {
        memory->ghosts.alive = 0;
        memory->ghosts.none = false;
    }
    return is_outermost;
}

void memory_end(struct instance *instance)
{
    query_end(&memory_of(instance)->query);
}

enum rc memory_pointer(const struct instance *instance, taddr address, taddr *out)
{
    unsigned char bytes[8];
    if (address % sizeof bytes)
        return RC_NONSENSE;
    enum rc rc = memory_read(instance, address, sizeof bytes, bytes);
    if (rc == RC_OK)
        *out = target_decode(instance->space, bytes, sizeof bytes);
    return rc;
}

void memory_keep_hint(struct instance *instance, uint64_t tid, taddr at)
{
    struct thread_hint hint = {(uint32_t)tid, at};
    (void)array_add(&memory_of(instance)->hints, &hint);
}

enum rc memory_has_thread(const struct instance *instance, uint64_t tid)
{
    const struct space *space = instance->space;
    struct ghosts *ghosts = &memory_of(instance)->ghosts;
    unsigned char lwp[8];
    target_encode(space, tid, lwp, sizeof lwp);
    enum rc rc = space->ops->has_thread(space->context, sizeof lwp, lwp);
    if (rc == RC_OK) {
        ghosts->debugger_answers = true;
        ghosts->none = ghosts->none || (ghosts->alive && ghosts->alive != tid);
        ghosts->alive = tid;
    }
    return rc;
}

bool memory_is_gone(const struct instance *instance, uint64_t tid)
{
    return memory_of(instance)->ghosts.debugger_answers &&
           memory_has_thread(instance, tid) == RC_UNAVAILABLE;
}

bool memory_is_ghost(const struct instance *instance, uint64_t tid)
{
    return !memory_of(instance)->ghosts.none && memory_is_gone(instance, tid);
}

enum rc memory_walk_members(struct instance *instance, const void *region, uint32_t count,
                            enum members members, member_ref *find, ref_visitor *visit, void *arg)
{
    enum rc rc = RC_OK;
    for (uint32_t i = 0; rc == RC_OK && i < count; i++) {
        struct ref found;
        rc = find(instance, region, i, &found);
        if (rc == RC_OK && members == MEMBER_THREADS &&
            memory_is_ghost(instance, memory_tid(instance, found)))
            continue;
        if (rc == RC_OK && !visit(arg, found))
            return RC_OK;
        if (rc == RC_UNAVAILABLE)
            rc = RC_OK;
    }
    return rc;
}
