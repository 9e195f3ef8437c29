/* SPDX-License-Identifier: MIT
 *
 * poison.h, over the names that glibc keeps for its own functions.
 */
#include "poison.h"

static volatile bool armed, paused;
static volatile unsigned calls;

void poison_begin(void)
{
    calls = 0;
    armed = true;
}

unsigned poison_end(void)
{
    armed = false;
    return calls;
}

void poison_pause(void)
{
    paused = true;
}

void poison_resume(void)
{
    paused = false;
}

#ifdef __SANITIZE_ADDRESS__
const bool poison_works = false;
#else
const bool poison_works = true;

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *memory, size_t bytes);
extern void __libc_free(void *memory);

static void count(void)
{
    if (armed && !paused)
        calls = calls + 1;
}

void *malloc(size_t bytes)
{
    count();
    return __libc_malloc(bytes);
}

void *calloc(size_t number, size_t bytes)
{
    count();
    return __libc_calloc(number, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    count();
    return __libc_realloc(memory, bytes);
}

void free(void *memory)
{
    count();
    __libc_free(memory);
}
#endif
