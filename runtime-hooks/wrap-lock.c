/* SPDX-License-Identifier: MIT
 *
 * Locks, from C and C++ and, with an underscore, from Fortran. Setting one may wait; the
 * other functions say who holds it.
 */
#include "lock-records.h"

#define SET_LOCK(name, state, kind)                                                      \
    void name(void *lock)                                                                \
    {                                                                                    \
        FORWARD_UNLESS_TRACKED(t, real.name(lock));                                      \
        struct wait w;                                                                   \
        wait_begin(&w, t, state, (uintptr_t)lock, HERE);                                 \
        real.name(lock);                                                                 \
        wait_end(&w, t);                                                                 \
        lock_taken(t, (uintptr_t)lock, kind, HERE.codeptr);                              \
    }

/* For a nest lock the answer is how often it is held. */
#define TEST_LOCK(name, kind)                                                            \
    int name(void *lock)                                                                 \
    {                                                                                    \
        FORWARD_UNLESS_TRACKED(t, real.name(lock));                                      \
        int held = real.name(lock);                                                      \
        if (held)                                                                        \
            lock_taken(t, (uintptr_t)lock, kind, HERE.codeptr);                          \
        return held;                                                                     \
    }

#define UNSET_LOCK(name)                                                                 \
    void name(void *lock)                                                                \
    {                                                                                    \
        FORWARD_IF_OFF(real.name(lock));                                                 \
        if (likely(hooks_on()))                                                          \
            lock_leaving((uintptr_t)lock);                                               \
        real.name(lock);                                                                 \
    }

#define INIT_LOCK(name, kind)                                                            \
    void name(void *lock)                                                                \
    {                                                                                    \
        FORWARD_IF_OFF(real.name(lock));                                                 \
        bool tracked = hooks_on();                                                       \
        real.name(lock);                                                                 \
        if (tracked)                                                                     \
            lock_made((uintptr_t)lock, kind);                                            \
    }

#define DESTROY_LOCK(name)                                                               \
    void name(void *lock)                                                                \
    {                                                                                    \
        FORWARD_IF_OFF(real.name(lock));                                                 \
        if (likely(hooks_on()))                                                          \
            lock_destroyed((uintptr_t)lock);                                             \
        real.name(lock);                                                                 \
    }

SET_LOCK(omp_set_lock, STATE_WAIT_LOCK, LOCK_SIMPLE)
SET_LOCK(omp_set_lock_, STATE_WAIT_LOCK, LOCK_SIMPLE)
SET_LOCK(omp_set_nest_lock, STATE_WAIT_NEST_LOCK, LOCK_NEST)
SET_LOCK(omp_set_nest_lock_, STATE_WAIT_NEST_LOCK, LOCK_NEST)
TEST_LOCK(omp_test_lock, LOCK_SIMPLE)
TEST_LOCK(omp_test_lock_, LOCK_SIMPLE)
TEST_LOCK(omp_test_nest_lock, LOCK_NEST)
TEST_LOCK(omp_test_nest_lock_, LOCK_NEST)
UNSET_LOCK(omp_unset_lock)
UNSET_LOCK(omp_unset_lock_)
UNSET_LOCK(omp_unset_nest_lock)
UNSET_LOCK(omp_unset_nest_lock_)
INIT_LOCK(omp_init_lock, LOCK_SIMPLE)
INIT_LOCK(omp_init_lock_, LOCK_SIMPLE)
INIT_LOCK(omp_init_nest_lock, LOCK_NEST)
INIT_LOCK(omp_init_nest_lock_, LOCK_NEST)
DESTROY_LOCK(omp_destroy_lock)
DESTROY_LOCK(omp_destroy_lock_)
DESTROY_LOCK(omp_destroy_nest_lock)
DESTROY_LOCK(omp_destroy_nest_lock_)

/* The old versions of the same symbols, of which the waits are enough. The names on the
 * left stay inside. */
#define OLD_SET_LOCK(name, symbol, state)                                                \
    void name(void *lock)                                                                \
    {                                                                                    \
        FORWARD_UNLESS_TRACKED(t, real.name(lock));                                      \
        struct wait w;                                                                   \
        wait_begin(&w, t, state, (uintptr_t)lock, HERE);                                 \
        real.name(lock);                                                                 \
        wait_end(&w, t);                                                                 \
    }                                                                                    \
    __asm__(".symver " #name "," #symbol "@OMP_1.0");

OLD_SET_LOCK(omp_set_lock_25, omp_set_lock, STATE_WAIT_LOCK)
OLD_SET_LOCK(omp_set_lock_25_, omp_set_lock_, STATE_WAIT_LOCK)
OLD_SET_LOCK(omp_set_nest_lock_25, omp_set_nest_lock, STATE_WAIT_NEST_LOCK)
OLD_SET_LOCK(omp_set_nest_lock_25_, omp_set_nest_lock_, STATE_WAIT_NEST_LOCK)
