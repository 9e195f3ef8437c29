/* SPDX-License-Identifier: MIT
 *
 * The argument block of a task that is passed to the runtime: our header, then the user's
 * block with its alignment.
 *
 * The runtime writes to the first words of the block: the event of a detachable task
 * before it copies the block, the bounds of each task of a taskloop after. It reads the
 * reductions of a taskloop from the third word. A header begins with room for these,
 * which are copied to the user's block before its code runs.
 */
#ifndef OMPD_HOOKS_TASK_BLOCK_H
#define OMPD_HOOKS_TASK_BLOCK_H

#include "state/state.h"

#include <errno.h>
#include <stdlib.h>

/* Flags of GOMP_task and GOMP_taskloop. */
enum {
    GOMP_UNTIED = 1 << 0,
    GOMP_FINAL = 1 << 1,
    GOMP_MERGEABLE = 1 << 2,
    GOMP_DEPEND = 1 << 3,
    GOMP_UP = 1 << 8,
    GOMP_NOGROUP = 1 << 11,
    GOMP_REDUCTION = 1 << 12,
    GOMP_DETACH = 1 << 13,
};

static inline uint32_t task_flags(unsigned gomp_flags)
{
    return (gomp_flags & GOMP_UNTIED ? TASK_FLAG_UNTIED : 0) |
           (gomp_flags & GOMP_FINAL ? TASK_FLAG_FINAL : 0) |
           (gomp_flags & GOMP_MERGEABLE ? TASK_FLAG_MERGEABLE : 0) |
           (gomp_flags & GOMP_DEPEND ? TASK_FLAG_DEPEND : 0) |
           (gomp_flags & GOMP_DETACH ? TASK_FLAG_DETACH : 0);
}

/* The user's alignment, but at least that of a header. */
#define BLOCK_ALIGN 16

static inline size_t block_align(long arg_align)
{
    return (size_t)arg_align < BLOCK_ALIGN ? BLOCK_ALIGN : (size_t)arg_align;
}

/* The offset of the user's block. */
static inline size_t block_offset(size_t header_size, long arg_align)
{
    size_t align = block_align(arg_align);
    return (header_size + align - 1) & ~(align - 1);
}

/* False for arguments that no compiler emits: the call is only forwarded. */
static inline bool block_fits(long arg_size, long arg_align)
{
    return arg_size >= 0 && arg_align > 0 && !(arg_align & (arg_align - 1));
}

/* What alloca() and malloc() align by on every machine: the former 8 on s390x, both on ARM. */
#define MEMORY_ALIGN 8

/* The size of memory in which the block can be aligned. */
static inline size_t block_room(size_t size, size_t align)
{
    return size + align - MEMORY_ALIGN;
}

/* Larger blocks are allocated by malloc(): undeferred tasks nest, and the runtime's
 * copies are on the stack already. */
#define BLOCK_ON_STACK 256

static inline void block_free(void *heap)
{
    int saved_errno = errno;
    free(heap);
    errno = saved_errno;
}

static inline void *block_place(void *memory, size_t align)
{
    return (void *)(((uintptr_t)memory + align - 1) & ~(align - 1));
}

#endif
