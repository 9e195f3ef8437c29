/* SPDX-License-Identifier: MIT
 *
 * The futex calls and the global lock; see lock.h.
 */
#include "core/lock.h"
#include "core/hooks.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Not a pthread mutex, as other tools interpose those. */
static uint32_t lock; /* 0 free, 1 held, 2 held and there may be waiters */

/* Acquisitions by the thread; incremented first, so that the fork handlers do not acquire
 * the lock in a signal handler that interrupts hooks_lock(). */
static __thread int depth;

void word_wait(uint32_t *word, uint32_t value)
{
    int saved_errno = errno;
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL);
    errno = saved_errno;
}

void word_wait_for(uint32_t *word, uint32_t value, unsigned milliseconds)
{
    int saved_errno = errno;
    struct timespec limit = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &limit);
    errno = saved_errno;
}

void word_wake_all(uint32_t *word)
{
    int saved_errno = errno;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX);
    errno = saved_errno;
}

static void acquire(void)
{
    uint32_t seen = 0;
    if (__atomic_compare_exchange_n(&lock, &seen, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    while (__atomic_exchange_n(&lock, 2, __ATOMIC_ACQUIRE) != 0)
        word_wait(&lock, 2);
}

static void release(void)
{
    if (__atomic_exchange_n(&lock, 0, __ATOMIC_RELEASE) == 2)
        word_wake_all(&lock);
}

void hooks_lock(void)
{
    depth++;
    publish_order();
    acquire();
}

void hooks_unlock(void)
{
    release();
    publish_order();
    depth--;
}

void hooks_lock_fork(void)
{
    if (depth++ == 0)
        acquire();
}

void hooks_unlock_fork(void)
{
    if (--depth == 0)
        release();
}
