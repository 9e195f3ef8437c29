/* SPDX-License-Identifier: MIT
 *
 * The argument block of a task as the runtime gets it from us: our header, then the
 * user's block, aligned as the user asked.
 *
 * The runtime writes into the first words of the block it was given: the event of a
 * detachable task before it copies the block, the bounds of each task of a taskloop after.
 * It reads a third word for the reductions of a taskloop. The header begins with room for
 * these, and the user's block gets them before anybody looks there.
 */
#ifndef OMPD_HOOKS_TASK_BLOCK_H
#define OMPD_HOOKS_TASK_BLOCK_H

#include "state.h"

/* Flags of GOMP_task and GOMP_taskloop, from what GCC emits. */
enum {
    GOMP_UNTIED = 1 << 0,
    GOMP_FINAL = 1 << 1,
    GOMP_MERGEABLE = 1 << 2,
    GOMP_DEPEND = 1 << 3,
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

typedef unsigned long long ull;

struct loop_head {
    long start, end;
    uintptr_t *reductions;
};

struct loop_head_ull {
    ull start, end;
    uintptr_t *reductions;
};

struct task_header {
    union {
        void *event;
        struct loop_head loop;
        struct loop_head_ull loop_ull;
    } runtime;
    body_fn fn;
    copy_fn copy;     /* the user's, NULL if there is none */
    void *source;     /* the user's block at the construct, for `copy` */
    size_t offset;    /* of the user's part in this block */
    struct rec_task *task;
};

/* Sizes of a block, or what is wrong with the user's. */
struct block_shape {
    size_t offset, size, align;
};

/* The user's numbers come from the compiler; anything that it would not say is left to
 * the runtime alone. */
static inline bool block_shape(struct block_shape *shape, size_t header_size, long arg_size,
                               long arg_align)
{
    size_t align = (size_t)arg_align;
    if (arg_size < 0 || arg_align <= 0 || (align & (align - 1)))
        return false;
    if (align < 16)
        align = 16;
    shape->align = align;
    shape->offset = (header_size + align - 1) & ~(align - 1);
    shape->size = shape->offset + (size_t)arg_size;
    return true;
}

/* Source blocks up to this size stand on the stack, larger ones in the heap. */
#define SMALL_BLOCK 1024

/* Room for a block and for aligning it; a statement's own stack memory ends with the
 * function, hence a macro. NULL when there is no memory. */
#define BLOCK_MEMORY(shape)                                                              \
    ((shape).size + (shape).align <= SMALL_BLOCK                                         \
         ? __builtin_alloca((shape).size + (shape).align)                                \
         : malloc((shape).size + (shape).align))

#define BLOCK_FREE(shape, memory)                                                        \
    do {                                                                                 \
        if ((shape).size + (shape).align > SMALL_BLOCK)                                  \
            free(memory);                                                                \
    } while (0)

static inline void *block_align(const struct block_shape *shape, void *memory)
{
    return (void *)(((uintptr_t)memory + shape->align - 1) & ~(shape->align - 1));
}

#endif
