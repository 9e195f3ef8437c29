/* SPDX-License-Identifier: MIT
 *
 * Where records come from; see memory.h.
 */
#include "records/memory.h"
#include "core/hooks.h"

#include <errno.h>
#include <sys/mman.h>

#define CHUNK ((size_t)256 * 1024)

void *memory_pages(size_t size)
{
    int saved_errno = errno;
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = saved_errno;
    return pages == MAP_FAILED ? NULL : pages;
}

void *memory_piece(size_t size)
{
    static char *next;
    static size_t left;

    size = (size + 63) & ~(size_t)63;
    if (size > CHUNK / 4)
        return memory_pages(size);
    if (size > left) {
        char *chunk = memory_pages(CHUNK);
        if (!chunk)
            return NULL;
        next = chunk;
        left = CHUNK;
    }
    void *piece = next;
    next += size;
    left -= size;
    return piece;
}
