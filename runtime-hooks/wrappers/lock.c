/* SPDX-License-Identifier: MIT
 *
 * Locks, from C and C++ and, with an underscore, from Fortran. Setting one may wait; the
 * other functions say who holds it.
 */
#include "state/waits.h"

/* Where it is to be known whether the thread has to wait, the lock is tested first: that
 * takes a free one just as the real function would. */
static NOINLINE void test_or_wait(struct thread *t, enum mutex_kind kind, void *lock,
                                  int (*test)(void *), void (*set)(void *))
{
    t->asked = MUTEX_FREE;
    if (!test(lock)) {
        told_contention_begin(t, kind, true);
        set(lock);
    }
    told_contention_end(t, kind);
}

static inline void take_lock(struct thread *t, enum mutex_kind kind, void *lock,
                             int (*test)(void *), void (*set)(void *))
{
    if (event_wanted(EVENT_BIT(mutex_wait)))
        test_or_wait(t, kind, lock, test, set);
    else
        set(lock);
}

#define SET_LOCK(name, test, mutex, state, kind)                                         \
    WRAPPER(void, name, (void *lock), (lock))                                            \
    {                                                                                    \
        FORWARD_UNLESS_TRACKED(t, real->name(lock));                                     \
        struct wait w;                                                                   \
        struct place here = HERE;                                                        \
        mutex_begin(&w, t, mutex, state, (uintptr_t)lock, here);                         \
        take_lock(t, mutex, lock, real->test, real->name);                               \
        wait_end(&w, t);                                                                 \
        mutex_taken(t, mutex, kind, (uintptr_t)lock, here);                              \
    }

/* For a nest lock the answer is how often it is held. */
#define TEST_LOCK(name, mutex, kind)                                                     \
    WRAPPER(int, name, (void *lock), (lock))                                             \
    {                                                                                    \
        FORWARD_UNLESS_TRACKED(t, real->name(lock));                                     \
        struct place here = HERE;                                                        \
        event_mutex_acquire(t, mutex, (uintptr_t)lock, here.codeptr);                    \
        int held = real->name(lock);                                                     \
        if (held)                                                                        \
            mutex_taken(t, mutex, kind, (uintptr_t)lock, here);                          \
        return held;                                                                     \
    }

#define UNSET_LOCK(name, mutex)                                                          \
    WRAPPER(void, name, (void *lock), (lock))                                            \
    {                                                                                    \
        FORWARD_IF_OFF(real->name(lock));                                                \
        bool still_held = false;                                                         \
        if (likely(hooks_on(real)))                                                      \
            still_held = lock_leaving((uintptr_t)lock);                                  \
        real->name(lock);                                                                \
        mutex_left(still_held, mutex, (uintptr_t)lock, HERE.codeptr);                    \
    }

#define INIT_LOCK(name, mutex, kind)                                                     \
    WRAPPER(void, name, (void *lock), (lock))                                            \
    {                                                                                    \
        FORWARD_IF_OFF(real->name(lock));                                                \
        bool tracked = hooks_on(real);                                                   \
        real->name(lock);                                                                \
        if (tracked)                                                                     \
            lock_made((uintptr_t)lock, kind);                                            \
        if (event_wanted(EVENT_BIT(lock_init)))                                          \
            told_lock_made(mutex, (uintptr_t)lock, HERE.codeptr);                        \
    }

#define DESTROY_LOCK(name, mutex)                                                        \
    WRAPPER(void, name, (void *lock), (lock))                                            \
    {                                                                                    \
        FORWARD_IF_OFF(real->name(lock));                                                \
        if (event_wanted(EVENT_BIT(lock_destroy)))                                       \
            told_lock_destroyed(mutex, (uintptr_t)lock, HERE.codeptr);                   \
        if (likely(hooks_on(real)))                                                      \
            lock_destroyed((uintptr_t)lock);                                             \
        real->name(lock);                                                                \
    }

static __attribute__((cold)) void told_lock_made(enum mutex_kind kind, uintptr_t lock,
                                                 uintptr_t codeptr)
{
    struct thread *t = thread_known();
    if (t)
        event_lock_init(t, kind, lock, codeptr);
}

static __attribute__((cold)) void told_lock_destroyed(enum mutex_kind kind,
                                                      uintptr_t lock, uintptr_t codeptr)
{
    struct thread *t = thread_known();
    if (t)
        event_lock_destroy(t, kind, lock, codeptr);
}

SET_LOCK(omp_set_lock, omp_test_lock, MUTEX_LOCK, STATE_WAIT_LOCK, LOCK_SIMPLE)
SET_LOCK(omp_set_lock_, omp_test_lock_, MUTEX_LOCK, STATE_WAIT_LOCK, LOCK_SIMPLE)
SET_LOCK(omp_set_nest_lock, omp_test_nest_lock, MUTEX_NEST_LOCK, STATE_WAIT_NEST_LOCK,
         LOCK_NEST)
SET_LOCK(omp_set_nest_lock_, omp_test_nest_lock_, MUTEX_NEST_LOCK, STATE_WAIT_NEST_LOCK,
         LOCK_NEST)
TEST_LOCK(omp_test_lock, MUTEX_TEST_LOCK, LOCK_SIMPLE)
TEST_LOCK(omp_test_lock_, MUTEX_TEST_LOCK, LOCK_SIMPLE)
TEST_LOCK(omp_test_nest_lock, MUTEX_TEST_NEST_LOCK, LOCK_NEST)
TEST_LOCK(omp_test_nest_lock_, MUTEX_TEST_NEST_LOCK, LOCK_NEST)
UNSET_LOCK(omp_unset_lock, MUTEX_LOCK)
UNSET_LOCK(omp_unset_lock_, MUTEX_LOCK)
UNSET_LOCK(omp_unset_nest_lock, MUTEX_NEST_LOCK)
UNSET_LOCK(omp_unset_nest_lock_, MUTEX_NEST_LOCK)
INIT_LOCK(omp_init_lock, MUTEX_LOCK, LOCK_SIMPLE)
INIT_LOCK(omp_init_lock_, MUTEX_LOCK, LOCK_SIMPLE)
INIT_LOCK(omp_init_nest_lock, MUTEX_NEST_LOCK, LOCK_NEST)
INIT_LOCK(omp_init_nest_lock_, MUTEX_NEST_LOCK, LOCK_NEST)
DESTROY_LOCK(omp_destroy_lock, MUTEX_LOCK)
DESTROY_LOCK(omp_destroy_lock_, MUTEX_LOCK)
DESTROY_LOCK(omp_destroy_nest_lock, MUTEX_NEST_LOCK)
DESTROY_LOCK(omp_destroy_nest_lock_, MUTEX_NEST_LOCK)

/* The old versions of the same symbols: they have no records, only waits and events. The
 * names on the left stay inside. */
#define OLD(name, symbol) __asm__(".symver " #name "," #symbol "@OMP_1.0");

/* An old nest lock is its owner and how often it is held; whoever holds it may look. */
static bool held_twice(enum mutex_kind kind, const void *lock)
{
    return kind == MUTEX_NEST_LOCK && ((const int *)lock)[1] > 1;
}

static __attribute__((cold)) void told_old_taken(struct thread *t, enum mutex_kind kind,
                                                 bool again, const void *lock,
                                                 uintptr_t codeptr)
{
    if (again)
        event_nest_lock(t, EVENT_BEGIN, (uintptr_t)lock, codeptr);
    else
        event_mutex_acquired(t, kind, (uintptr_t)lock, codeptr);
}

static __attribute__((cold)) void told_old_left(enum mutex_kind kind, bool still_held,
                                                const void *lock, uintptr_t codeptr)
{
    struct thread *t = thread_known(); /* none while a tool is being started */
    if (t && still_held)
        event_nest_lock(t, EVENT_END, (uintptr_t)lock, codeptr);
    else if (t)
        event_mutex_released(t, kind, (uintptr_t)lock, codeptr);
}

#define OLD_SET_LOCK(name, symbol, test, mutex, state)                                   \
    WRAPPER(void, name, (void *lock), (lock))                                            \
    {                                                                                    \
        FORWARD_UNLESS_TRACKED(t, real->name(lock));                                     \
        struct wait w;                                                                   \
        struct place here = HERE;                                                        \
        mutex_begin(&w, t, mutex, state, (uintptr_t)lock, here);                         \
        take_lock(t, mutex, lock, real->test, real->name);                               \
        wait_end(&w, t);                                                                 \
        if (event_wanted(EVENT_BIT(mutex_acquired) | EVENT_BIT(nest_lock)))              \
            told_old_taken(t, mutex, held_twice(mutex, lock), lock, here.codeptr);       \
    }                                                                                    \
    OLD(name, symbol)

/* The answer is how often it is held. */
#define OLD_TEST_LOCK(name, symbol, mutex)                                               \
    WRAPPER(int, name, (void *lock), (lock))                                             \
    {                                                                                    \
        FORWARD_UNLESS_TOLD(t,                                                           \
                            EVENT_BIT(mutex_acquire) | EVENT_BIT(mutex_acquired) |       \
                                EVENT_BIT(nest_lock),                                    \
                            real->name(lock));                                           \
        uintptr_t codeptr = HERE.codeptr;                                                \
        event_mutex_acquire(t, mutex, (uintptr_t)lock, codeptr);                         \
        int held = real->name(lock);                                                     \
        if (held)                                                                        \
            told_old_taken(t, mutex, held > 1, lock, codeptr);                           \
        return held;                                                                     \
    }                                                                                    \
    OLD(name, symbol)

#define OLD_UNSET_LOCK(name, symbol, mutex)                                              \
    WRAPPER(void, name, (void *lock), (lock))                                            \
    {                                                                                    \
        FORWARD_IF_OFF(real->name(lock));                                                \
        bool told = event_wanted(LEAVE_EVENTS);                                          \
        bool still_held = told && held_twice(mutex, lock);                               \
        real->name(lock);                                                                \
        if (told)                                                                        \
            told_old_left(mutex, still_held, lock, HERE.codeptr);                        \
    }                                                                                    \
    OLD(name, symbol)

OLD_SET_LOCK(omp_set_lock_25, omp_set_lock, omp_test_lock_25, MUTEX_LOCK, STATE_WAIT_LOCK)
OLD_SET_LOCK(omp_set_lock_25_, omp_set_lock_, omp_test_lock_25_, MUTEX_LOCK,
             STATE_WAIT_LOCK)
OLD_SET_LOCK(omp_set_nest_lock_25, omp_set_nest_lock, omp_test_nest_lock_25,
             MUTEX_NEST_LOCK, STATE_WAIT_NEST_LOCK)
OLD_SET_LOCK(omp_set_nest_lock_25_, omp_set_nest_lock_, omp_test_nest_lock_25_,
             MUTEX_NEST_LOCK, STATE_WAIT_NEST_LOCK)
OLD_TEST_LOCK(omp_test_lock_25, omp_test_lock, MUTEX_TEST_LOCK)
OLD_TEST_LOCK(omp_test_lock_25_, omp_test_lock_, MUTEX_TEST_LOCK)
OLD_TEST_LOCK(omp_test_nest_lock_25, omp_test_nest_lock, MUTEX_TEST_NEST_LOCK)
OLD_TEST_LOCK(omp_test_nest_lock_25_, omp_test_nest_lock_, MUTEX_TEST_NEST_LOCK)
OLD_UNSET_LOCK(omp_unset_lock_25, omp_unset_lock, MUTEX_LOCK)
OLD_UNSET_LOCK(omp_unset_lock_25_, omp_unset_lock_, MUTEX_LOCK)
OLD_UNSET_LOCK(omp_unset_nest_lock_25, omp_unset_nest_lock, MUTEX_NEST_LOCK)
OLD_UNSET_LOCK(omp_unset_nest_lock_25_, omp_unset_nest_lock_, MUTEX_NEST_LOCK)
