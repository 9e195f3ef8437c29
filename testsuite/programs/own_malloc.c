/* SPDX-License-Identifier: MIT
 *
 * A program with an allocator of its own that is guarded by an OpenMP lock: who allocates
 * inside a wrapper of that lock calls itself. Never frees; the pool is large enough.
 */
#include <errno.h>
#include <omp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

enum { POOL = 64 << 20 };

static unsigned char pool[POOL] __attribute__((aligned(4096)));
static size_t used;
static omp_lock_t guard; /* zero is an initialised lock for libgomp */
static long calls;

static void *take(size_t size, size_t alignment)
{
    if (alignment < 16)
        alignment = 16;
    omp_set_lock(&guard);
    calls++;
    size_t at = (used + 16 + alignment - 1) & ~(alignment - 1);
    if (at + size > POOL) {
        omp_unset_lock(&guard);
        errno = ENOMEM;
        return NULL;
    }
    used = at + size;
    memcpy(pool + at - sizeof(size_t), &size, sizeof(size_t));
    omp_unset_lock(&guard);
    return pool + at;
}

void *malloc(size_t size)
{
    return take(size, 16);
}

void free(void *p)
{
    (void)p;
}

void *calloc(size_t n, size_t size)
{
    return take(n * size, 16);
}

void *realloc(void *old, size_t size)
{
    void *p = take(size, 16);
    if (p && old) {
        size_t had;
        memcpy(&had, (unsigned char *)old - sizeof(had), sizeof(had));
        memcpy(p, old, had < size ? had : size);
    }
    return p;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return take(size, alignment);
}

int posix_memalign(void **p, size_t alignment, size_t size)
{
    *p = take(size, alignment);
    return *p ? 0 : ENOMEM;
}

int main(void)
{
    int n = 0, tasks = 0;
    for (int round = 0; round < 20; round++)
#pragma omp parallel num_threads(3) reduction(+ : n)
    {
        char *volatile p = malloc(100);
        CHECK(p && (uintptr_t)p % 16 == 0);
        free(p);
        n++;
#pragma omp task shared(tasks)
        {
            free(malloc(10));
            __atomic_add_fetch(&tasks, 1, __ATOMIC_RELAXED);
        }
    }
    CHECK(n == 60 && tasks == 60);
    CHECK(calls > 0);
    return check_result("own_malloc");
}
