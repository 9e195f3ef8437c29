/* SPDX-License-Identifier: MIT
 *
 * The chunks of the second stack; see scratch.h. They stay with the thread's slot, a
 * chunk that was left is taken again when the stack grows.
 */
#include "scratch.h"
#include "memory.h"

#define CHUNK ((size_t)64 * 1024)

struct scratch_chunk {
    struct scratch_chunk *previous, *next;
    char *left_at; /* where the stack stood when it went on to the next chunk */
    void *padding; /* for SCRATCH_ALIGN */
};

static void use(struct thread *t, struct scratch_chunk *chunk)
{
    t->scratch = chunk;
    t->scratch_start = (char *)(chunk + 1);
    t->scratch_end = (char *)chunk + CHUNK;
}

void *scratch_next_chunk(struct thread *t, size_t size)
{
    if (size > CHUNK - sizeof(struct scratch_chunk))
        return NULL;
    struct scratch_chunk *chunk = t->scratch ? t->scratch->next : NULL;
    if (!chunk) {
        chunk = memory_pages(CHUNK);
        if (!chunk)
            return NULL;
        chunk->previous = t->scratch;
        if (t->scratch)
            t->scratch->next = chunk;
    }
    if (t->scratch)
        t->scratch->left_at = t->scratch_next;
    use(t, chunk);
    t->scratch_next = t->scratch_start + size;
    return t->scratch_start;
}

void scratch_previous_chunk(struct thread *t)
{
    struct scratch_chunk *previous = t->scratch->previous;
    if (!previous)
        return;
    use(t, previous);
    t->scratch_next = previous->left_at;
}

void scratch_reset(struct thread *t)
{
    struct scratch_chunk *first = t->scratch;
    if (!first)
        return;
    while (first->previous)
        first = first->previous;
    use(t, first);
    t->scratch_next = t->scratch_start;
}
