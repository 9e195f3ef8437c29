/* SPDX-License-Identifier: MIT
 *
 * Locks, for C and C++ and, with an underscore, for Fortran.
 */
#include "state/waits.h"

/* For mutex_wait. */
static NOINLINE void ompd_hooks_test_or_wait(struct thread *t, enum mutex_kind kind, void *lock,
                                             int (*test)(void *), void (*set)(void *))
{
    t->contention = MUTEX_FREE;
    if (!test(lock)) {
        wait_contended(t);
        notify_contention_begin(t, kind, true);
        set(lock);
    }
    notify_contention_end(t, kind);
}

/* A lock that can be acquired without waiting is acquired by the test. */
static inline void acquire_lock(struct thread *t, enum mutex_kind kind, enum thread_state state,
                                void *lock, int (*test)(void *), void (*set)(void *),
                                struct place here)
{
    struct wait w;
    mutex_begin(&w, t, kind, state, (uintptr_t)lock, here);
    if (event_wanted(EVENT_BIT(mutex_wait))) {
        ompd_hooks_test_or_wait(t, kind, lock, test, set);
    } else if (unlikely(!test(lock))) {
        wait_contended(t);
        set(lock);
    }
    wait_end(&w, t);
}

#define SET_LOCK(name, test, mutex, state, kind)                                                   \
    WRAPPER(void, name, (void *lock), (lock))                                                      \
    {                                                                                              \
        FORWARD_UNLESS_TRACKED(t, real->name(lock));                                               \
        struct place here = HERE;                                                                  \
        acquire_lock(t, mutex, state, lock, real->test, real->name, here);                         \
        mutex_acquired(t, mutex, kind, (uintptr_t)lock, here);                                     \
    }

/* The result for a nest lock is its nesting count. */
#define TEST_LOCK(name, mutex, kind)                                                               \
    WRAPPER(int, name, (void *lock), (lock))                                                       \
    {                                                                                              \
        FORWARD_UNLESS_TRACKED(t, real->name(lock));                                               \
        struct place here = HERE;                                                                  \
        event_mutex_acquire(t, mutex, (uintptr_t)lock, here.codeptr);                              \
        int held = real->name(lock);                                                               \
        if (held) {                                                                                \
            t->rec->tested = 0;                                                                    \
            mutex_acquired(t, mutex, kind, (uintptr_t)lock, here);                                 \
        } else {                                                                                   \
            lock_tested(t, (uintptr_t)lock, 1);                                                    \
        }                                                                                          \
        return held;                                                                               \
    }

#define UNSET_LOCK(name, mutex)                                                                    \
    WRAPPER(void, name, (void *lock), (lock))                                                      \
    {                                                                                              \
        FORWARD_IF_OFF(real->name(lock));                                                          \
        bool still_held = false;                                                                   \
        if (likely(hooks_on(real)) || real == hooks_reporting)                                     \
            still_held = lock_releasing((uintptr_t)lock);                                          \
        RELEASE_MUTEX(real->name(lock), still_held, mutex, (uintptr_t)lock);                       \
    }

#define INIT_LOCK(name, mutex, kind)                                                               \
    WRAPPER(void, name, (void *lock), (lock))                                                      \
    {                                                                                              \
        FORWARD_IF_OFF(real->name(lock));                                                          \
        bool tracked = hooks_on(real);                                                             \
        real->name(lock);                                                                          \
        if (tracked)                                                                               \
            lock_initialized((uintptr_t)lock, kind, false);                                        \
        if (event_wanted(EVENT_BIT(lock_init)))                                                    \
            notify_lock_init(mutex, (uintptr_t)lock, HERE.codeptr);                                \
    }

#define DESTROY_LOCK(name, mutex)                                                                  \
    WRAPPER(void, name, (void *lock), (lock))                                                      \
    {                                                                                              \
        FORWARD_IF_OFF(real->name(lock));                                                          \
        if (event_wanted(EVENT_BIT(lock_destroy)))                                                 \
            notify_lock_destroy(mutex, (uintptr_t)lock, HERE.codeptr);                             \
        if (likely(hooks_on(real)))                                                                \
            lock_destroyed((uintptr_t)lock);                                                       \
        real->name(lock);                                                                          \
    }

static __attribute__((cold)) void notify_lock_init(enum mutex_kind kind, uintptr_t lock,
                                                   uintptr_t codeptr)
{
    struct thread *t = thread_known();
    if (t)
        event_lock_init(t, kind, lock, codeptr);
}

static __attribute__((cold)) void notify_lock_destroy(enum mutex_kind kind, uintptr_t lock,
                                                      uintptr_t codeptr)
{
    struct thread *t = thread_known();
    if (t)
        event_lock_destroy(t, kind, lock, codeptr);
}

#define ROUTINES(suffix)                                                                           \
    SET_LOCK(omp_set_lock##suffix, omp_test_lock##suffix, MUTEX_LOCK, STATE_WAIT_LOCK,             \
             LOCK_SIMPLE)                                                                          \
    SET_LOCK(omp_set_nest_lock##suffix, omp_test_nest_lock##suffix, MUTEX_NEST_LOCK,               \
             STATE_WAIT_NEST_LOCK, LOCK_NEST)                                                      \
    TEST_LOCK(omp_test_lock##suffix, MUTEX_TEST_LOCK, LOCK_SIMPLE)                                 \
    TEST_LOCK(omp_test_nest_lock##suffix, MUTEX_TEST_NEST_LOCK, LOCK_NEST)                         \
    UNSET_LOCK(omp_unset_lock##suffix, MUTEX_LOCK)                                                 \
    UNSET_LOCK(omp_unset_nest_lock##suffix, MUTEX_NEST_LOCK)                                       \
    INIT_LOCK(omp_init_lock##suffix, MUTEX_LOCK, LOCK_SIMPLE)                                      \
    INIT_LOCK(omp_init_nest_lock##suffix, MUTEX_NEST_LOCK, LOCK_NEST)                              \
    DESTROY_LOCK(omp_destroy_lock##suffix, MUTEX_LOCK)                                             \
    DESTROY_LOCK(omp_destroy_nest_lock##suffix, MUTEX_NEST_LOCK)

ROUTINES()
ROUTINES(_)

/* Version OMP_1.0 of the same symbols: waits and events, but no lock records. */
#define OLD(name, symbol) __asm__(".symver " #name "," #symbol "@OMP_1.0");

/* For the owner of the lock: its second word is the nesting count. */
static bool held_twice(enum mutex_kind kind, const void *lock)
{
    return kind == MUTEX_NEST_LOCK && ((const int *)lock)[1] > 1;
}

static __attribute__((cold)) void notify_old_acquired(struct thread *t, enum mutex_kind kind,
                                                      bool again, const void *lock,
                                                      uintptr_t codeptr)
{
    if (again)
        event_nest_lock(t, EVENT_BEGIN, (uintptr_t)lock, codeptr);
    else
        event_mutex_acquired(t, kind, (uintptr_t)lock, codeptr);
}

static __attribute__((cold)) void notify_old_released(enum mutex_kind kind, bool still_held,
                                                      const void *lock, uintptr_t codeptr)
{
    struct thread *t = thread_known(); /* NULL while a tool is being started */
    if (t && still_held)
        event_nest_lock(t, EVENT_END, (uintptr_t)lock, codeptr);
    else if (t)
        event_mutex_released(t, kind, (uintptr_t)lock, codeptr);
}

#define OLD_SET_LOCK(name, symbol, test, mutex, state)                                             \
    WRAPPER(void, name, (void *lock), (lock))                                                      \
    {                                                                                              \
        FORWARD_UNLESS_TRACKED(t, real->name(lock));                                               \
        struct place here = HERE;                                                                  \
        acquire_lock(t, mutex, state, lock, real->test, real->name, here);                         \
        if (event_wanted(EVENT_BIT(mutex_acquired) | EVENT_BIT(nest_lock)))                        \
            notify_old_acquired(t, mutex, held_twice(mutex, lock), lock, here.codeptr);            \
    }                                                                                              \
    OLD(name, symbol)

/* The result is the nesting count. */
#define OLD_TEST_LOCK(name, symbol, mutex)                                                         \
    WRAPPER(int, name, (void *lock), (lock))                                                       \
    {                                                                                              \
        FORWARD_UNLESS_WANTED(                                                                     \
            t, EVENT_BIT(mutex_acquire) | EVENT_BIT(mutex_acquired) | EVENT_BIT(nest_lock),        \
            real->name(lock));                                                                     \
        uintptr_t codeptr = HERE.codeptr;                                                          \
        event_mutex_acquire(t, mutex, (uintptr_t)lock, codeptr);                                   \
        int held = real->name(lock);                                                               \
        if (held)                                                                                  \
            notify_old_acquired(t, mutex, held > 1, lock, codeptr);                                \
        return held;                                                                               \
    }                                                                                              \
    OLD(name, symbol)

#define OLD_UNSET_LOCK(name, symbol, mutex)                                                        \
    WRAPPER(void, name, (void *lock), (lock))                                                      \
    {                                                                                              \
        FORWARD_IF_OFF(real->name(lock));                                                          \
        bool wanted = event_wanted(RELEASE_EVENTS);                                                \
        bool still_held = wanted && held_twice(mutex, lock);                                       \
        real->name(lock);                                                                          \
        if (wanted)                                                                                \
            notify_old_released(mutex, still_held, lock, HERE.codeptr);                            \
    }                                                                                              \
    OLD(name, symbol)

#define OLD_ROUTINES(suffix)                                                                       \
    OLD_SET_LOCK(omp_set_lock_25##suffix, omp_set_lock##suffix, omp_test_lock_25##suffix,          \
                 MUTEX_LOCK, STATE_WAIT_LOCK)                                                      \
    OLD_SET_LOCK(omp_set_nest_lock_25##suffix, omp_set_nest_lock##suffix,                          \
                 omp_test_nest_lock_25##suffix, MUTEX_NEST_LOCK, STATE_WAIT_NEST_LOCK)             \
    OLD_TEST_LOCK(omp_test_lock_25##suffix, omp_test_lock##suffix, MUTEX_TEST_LOCK)                \
    OLD_TEST_LOCK(omp_test_nest_lock_25##suffix, omp_test_nest_lock##suffix, MUTEX_TEST_NEST_LOCK) \
    OLD_UNSET_LOCK(omp_unset_lock_25##suffix, omp_unset_lock##suffix, MUTEX_LOCK)                  \
    OLD_UNSET_LOCK(omp_unset_nest_lock_25##suffix, omp_unset_nest_lock##suffix, MUTEX_NEST_LOCK)

OLD_ROUTINES()
OLD_ROUTINES(_)
