/* SPDX-License-Identifier: MIT
 *
 * Futex wrappers, and the global lock of the hooks. The lock protects what threads share
 * off the fast path: thread registration, the global pools, the table of runtimes. It is
 * a leaf (no other lock is acquired and no callback runs under it), held across fork from the last
 * handler before it to the first after it (loader/fork.c).
 */
#ifndef OMPD_HOOKS_LOCK_H
#define OMPD_HOOKS_LOCK_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* All preserve errno. A wait returns at once if the word differs from `value`, else when
 * it is woken, at its timeout, or spuriously. */
void word_wait(uint32_t *word, uint32_t value);
void word_wait_for(uint32_t *word, uint32_t value, unsigned milliseconds);
void word_wake_all(uint32_t *word);

void hooks_lock(void);
void hooks_unlock(void);

/* The fork handlers. The thread may hold the lock already, if a signal handler
 * forks. */
void hooks_lock_fork(void);
void hooks_unlock_fork(void);

static inline void cpu_relax(void)
{
#if defined(__i386__) || defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield");
#endif
}

#pragma GCC visibility pop

#endif
