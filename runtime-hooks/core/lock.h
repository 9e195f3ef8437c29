/* SPDX-License-Identifier: MIT
 *
 * Waiting on a word, and the one lock of the hooks. The lock guards what is shared
 * between threads and rarely needed: registration, the global pools. It is held across
 * fork.
 */
#ifndef OMPD_HOOKS_LOCK_H
#define OMPD_HOOKS_LOCK_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* All leave errno alone. A wait returns when the word differs or for no reason. */
void word_wait(uint32_t *word, uint32_t value);
void word_wait_for(uint32_t *word, uint32_t value, unsigned milliseconds);
void word_wake_all(uint32_t *word);

void hooks_lock(void);
void hooks_unlock(void);

/* For fork: takes the lock unless this thread is inside it (a signal handler may fork).
 */
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
