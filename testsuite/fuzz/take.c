/* SPDX-License-Identifier: MIT
 *
 * take.h.
 */
#include "take.h"
#include "target.h"

void release(const struct slot *slot)
{
    int rc = release_handle(slot->kind, slot->handle);
    if (rc != RC_ok)
        fuzz_fail("release answers %d", rc);
}

static void keep(struct pool *pool, enum kind kind, void *handle, unsigned space)
{
    if (!handle || pool_find(pool, handle))
        fuzz_fail("a handle that is none or is given twice");
    if (!pool_add(pool, kind, handle, space))
        release(&(struct slot){.kind = kind, .handle = handle});
}

static void keep_vector(struct pool *pool, enum kind kind, const struct outs *outs, unsigned space)
{
    enum { KEPT = 6 };
    if (outs->number < 0)
        fuzz_fail("%d objects", outs->number);
    if (outs_untouched(&outs->vector, sizeof outs->vector) || !outs->number)
        return;
    for (int i = 0; i < outs->number; i++) {
        if (i < KEPT)
            keep(pool, kind, outs->vector[i], space);
        else
            release(&(struct slot){.kind = kind, .handle = outs->vector[i]});
    }
    allocator_free(outs->vector);
}

static void give_back(void *const *list, const uint64_t *count)
{
    if (*count && !outs_untouched(count, sizeof *count) && !outs_untouched(list, sizeof *list))
        allocator_free(*list);
}

void bury(struct pool *pool, struct slot *slot)
{
    slot->alive = false;
    if (slot->kind != KIND_SPACE)
        return;
    for (unsigned i = 0; i < pool->count; i++) {
        struct slot *other = &pool->slot[i];
        if (&pool->slot[other->space] == slot)
            other->alive = false;
    }
}

void take(struct pool *pool, const struct routine *routine, const struct args *args,
          const struct outs *outs)
{
    struct slot *subject = pool_find(pool, args->h);
    unsigned space = subject ? subject->space : 0;
    switch (routine->gives) {
    case GIVES_SPACE:
        keep(pool, KIND_SPACE, outs->handle, 0);
        break;
    case GIVES_THREAD:
        keep(pool, KIND_THREAD, outs->handle, space);
        break;
    case GIVES_REGION:
        keep(pool, KIND_REGION, outs->handle, space);
        break;
    case GIVES_TASK:
        keep(pool, KIND_TASK, outs->handle, space);
        break;
    case GIVES_THREADS:
        keep_vector(pool, KIND_THREAD, outs, space);
        break;
    case GIVES_TASKS:
        keep_vector(pool, KIND_TASK, outs, space);
        break;
    case GIVES_PAIR:
        allocator_free(outs->list);
        allocator_free(outs->list2);
        break;
    case GIVES_STRING:
    case GIVES_WORDS:
        if (!outs->string[0])
            fuzz_fail("an empty string");
        allocator_free(outs->string);
        break;
    case GIVES_ANY_WORDS:
        allocator_free(outs->string);
        break;
    case GIVES_TWO_LISTS:
        give_back(&outs->list2, &outs->size2);
        give_back(&outs->list, &outs->size);
        break;
    case GIVES_LIST:
        give_back(&outs->list, &outs->size);
        break;
    case GIVES_VARS:
        if (release_vars(outs->list) != RC_ok)
            fuzz_fail("settings are not taken back");
        break;
    case GIVES_RELEASE:
        bury(pool, subject);
        break;
    case GIVES_TEAM_SIZE:
        if (outs->word < 1 || outs->word > 1 << 16)
            fuzz_fail("%lld threads", (long long)outs->word);
        break;
    case GIVES_NOTHING:
    case GIVES_ORDER:
    case GIVES_BOOL:
        break;
    }
}

void release_all(struct pool *pool)
{
    for (unsigned i = pool->count; i-- > 0;) {
        const struct slot *slot = &pool->slot[i];
        if (slot->alive && slot->kind != KIND_SPACE)
            release(slot);
    }
    for (unsigned i = 0; i < pool->count; i++) {
        if (pool->slot[i].alive && pool->slot[i].kind == KIND_SPACE)
            release(&pool->slot[i]);
    }
    pool->count = 0;
}

void take_leave(void)
{
    if (fuzz_abi.finalize() != RC_ok)
        fuzz_fail("finalize");
    if (allocator_alive())
        fuzz_fail("%ld allocations are left", allocator_alive());
    allocator_end();
}
