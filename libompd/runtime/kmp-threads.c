/* SPDX-License-Identifier: MIT
 *
 * The threads of a process that LLVM's runtime knows. It has an array of pointers with a
 * place for each gtid, and behind it, in the same allocation, the array of roots. Both are
 * replaced by larger ones when they are full.
 */
#include "libompd/runtime/kmp.h"

enum rc kmp_thread_table(const struct instance *instance, struct kmp_table *out)
{
    taddr threads, roots;
    taddr at = kmp_state(instance)->threads;
    *out = (struct kmp_table){0};
    enum rc rc = memory_pointer(instance, at, &threads);
    if (rc == RC_OK)
        rc = memory_pointer(instance, at + sizeof at, &roots);
    if (rc != RC_OK || !threads)
        return rc;
    uint64_t capacity = (roots - threads) / sizeof at;
    if (threads % sizeof at || roots % sizeof at || roots <= threads || capacity > KMP_THREADS_MAX)
        return RC_NONSENSE;
    *out = (struct kmp_table){threads, (uint32_t)capacity};
    return RC_OK;
}

static enum rc entry(const struct instance *instance, const struct kmp_table *table, uint32_t gtid,
                     taddr *out)
{
    if (gtid >= table->capacity)
        return RC_UNAVAILABLE;
    enum rc rc = memory_pointer(instance, table->first + (taddr)gtid * sizeof *out, out);
    return rc == RC_OK && !*out ? RC_UNAVAILABLE : rc;
}

enum rc kmp_thread_of_gtid(const struct instance *instance, uint32_t gtid, taddr *out)
{
    struct kmp_table table;
    enum rc rc = kmp_thread_table(instance, &table);
    return rc == RC_OK ? entry(instance, &table, gtid, out) : rc;
}

static void keep_hint(struct instance *instance, const struct kmp_thread *thread)
{
    memory_keep_hint(instance, thread->tid, thread->address);
    if (!memory_of(instance)->ghosts.debugger_answers && instance->space->ops->has_thread)
        (void)memory_has_thread(instance, thread->tid);
}

/* The first of them is asked for twice: the debugger is not believed before it has known
 * one. */
static enum rc walk_table(struct instance *instance, kmp_thread_visitor *visit, void *arg,
                          bool *part)
{
    struct kmp_table table;
    enum rc rc = kmp_thread_table(instance, &table);
    for (uint32_t i = 0; rc == RC_OK && i < table.capacity; i++) {
        taddr at;
        struct kmp_thread thread;
        rc = entry(instance, &table, i, &at);
        if (rc == RC_OK)
            rc = kmp_read_thread(instance, at, &thread);
        if (rc == RC_OK && thread.gtid == i) {
            keep_hint(instance, &thread);
            if (!memory_is_ghost(instance, thread.tid) && !visit(arg, &thread))
                return RC_OK;
        }
        /* The array itself is one allocation: where a part of it cannot be read, the rest
         * may be. */
        *part |= rc_is_damage(rc);
        if (rc == RC_UNAVAILABLE || rc_is_damage(rc))
            rc = RC_OK;
    }
    return rc;
}

static bool is_unanswered(void *arg, const struct kmp_thread *thread)
{
    struct instance *instance = arg;
    (void)thread;
    return !memory_of(instance)->ghosts.debugger_answers;
}

enum rc kmp_walk_known(struct instance *instance, kmp_thread_visitor *visit, void *arg, bool *part)
{
    bool unused = false;
    struct memory *state = memory_of(instance);
    state->hints.count = 0;
    if (instance->space->ops->has_thread && !state->ghosts.debugger_answers) {
        enum rc rc = walk_table(instance, is_unanswered, instance, &unused);
        if (rc != RC_OK)
            return rc;
        state->hints.count = 0;
    }
    return walk_table(instance, visit, arg, part);
}

struct search {
    enum os_thread_kind kind;
    uint64_t os_id;
    bool found;
    struct kmp_thread thread;
};

static bool matches(const struct search *search, const struct kmp_thread *thread)
{
    return (search->kind == OS_THREAD_LWP ? thread->tid : thread->pthread) == search->os_id;
}

static bool compare(void *arg, const struct kmp_thread *thread)
{
    struct search *search = arg;
    if (matches(search, thread)) {
        search->thread = *thread;
        search->found = true;
    }
    return true; /* to the end: the next search has all hints */
}

static bool find_hinted(struct instance *instance, struct search *search)
{
    const struct memory *state = memory_of(instance);
    const struct thread_hint *hints = state->hints.elements;
    for (size_t i = 0; i < state->hints.count && search->kind == OS_THREAD_LWP; i++) {
        taddr at;
        if (hints[i].tid != search->os_id)
            continue;
        search->found = kmp_read_thread(instance, hints[i].at, &search->thread) == RC_OK &&
                        matches(search, &search->thread) &&
                        kmp_thread_of_gtid(instance, search->thread.gtid, &at) == RC_OK &&
                        at == search->thread.address;
        return search->found;
    }
    return false;
}

enum rc kmp_find_thread(struct instance *instance, enum os_thread_kind kind, uint64_t os_id,
                        struct ref *out)
{
    struct search search = {.kind = kind, .os_id = os_id};
    bool part = false;
    enum rc rc = RC_OK;
    if (!find_hinted(instance, &search))
        rc = kmp_walk_known(instance, compare, &search, &part);
    if (rc != RC_OK)
        return rc;
    if (!search.found)
        return RC_UNAVAILABLE;
    *out = kmp_thread_ref(instance, &search.thread);
    return RC_OK;
}
