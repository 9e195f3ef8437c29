/* SPDX-License-Identifier: MIT
 *
 * A second stack for each thread. Undeferred tasks nest as deep as the program's stack
 * allows; what a wrapper keeps while it is inside one stands here, so that the program's
 * stack holds little more than without the hooks.
 */
#ifndef OMPD_HOOKS_SCRATCH_H
#define OMPD_HOOKS_SCRATCH_H

#include "threads.h"

#pragma GCC visibility push(hidden)

#define SCRATCH_ALIGN 16

/* The slow ways: to the next chunk, and back from it. */
void *scratch_next_chunk(struct thread *t, size_t size);
void scratch_previous_chunk(struct thread *t);

/* Forgets all that was pushed: the thread that pushed it is no more. */
void scratch_reset(struct thread *t);

/* Memory until the matching pop, aligned to SCRATCH_ALIGN; NULL when there is none or the
 * size is more than a chunk's. */
static inline void *scratch_push(struct thread *t, size_t size)
{
    size = (size + SCRATCH_ALIGN - 1) & ~(size_t)(SCRATCH_ALIGN - 1);
    if (unlikely((size_t)(t->scratch_end - t->scratch_next) < size))
        return scratch_next_chunk(t, size);
    void *memory = t->scratch_next;
    t->scratch_next += size;
    return memory;
}

/* Gives up `memory` and all that was pushed after it. */
static inline void scratch_pop(struct thread *t, void *memory)
{
    t->scratch_next = memory;
    if (unlikely(t->scratch_next == t->scratch_start))
        scratch_previous_chunk(t);
}

#pragma GCC visibility pop

#endif
