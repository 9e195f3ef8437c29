/* SPDX-License-Identifier: MIT
 *
 * Locks, from C and C++ and, with an underscore, from Fortran. Only setting one may wait,
 * so that is all we stand in front of; a lock made with a hint is a lock like any other.
 */
#include "state.h"

#define SET_LOCK(name, state)                                                            \
    void name(void *lock)                                                                \
    {                                                                                    \
        FORWARD_UNLESS_TRACKED(t, real.name(lock));                                             \
        struct wait w;                                                                   \
        wait_begin(&w, t, state, (uintptr_t)lock, HERE);                                 \
        real.name(lock);                                                                 \
        wait_end(&w, t);                                                                 \
    }

SET_LOCK(omp_set_lock, STATE_WAIT_LOCK)
SET_LOCK(omp_set_lock_, STATE_WAIT_LOCK)
SET_LOCK(omp_set_nest_lock, STATE_WAIT_NEST_LOCK)
SET_LOCK(omp_set_nest_lock_, STATE_WAIT_NEST_LOCK)

/* The old versions of the same symbols. The names on the left stay inside. */
#define OLD_VERSION(name, symbol) __asm__(".symver " #name "," #symbol "@OMP_1.0")

SET_LOCK(omp_set_lock_25, STATE_WAIT_LOCK)
SET_LOCK(omp_set_lock_25_, STATE_WAIT_LOCK)
SET_LOCK(omp_set_nest_lock_25, STATE_WAIT_NEST_LOCK)
SET_LOCK(omp_set_nest_lock_25_, STATE_WAIT_NEST_LOCK)
OLD_VERSION(omp_set_lock_25, omp_set_lock);
OLD_VERSION(omp_set_lock_25_, omp_set_lock_);
OLD_VERSION(omp_set_nest_lock_25, omp_set_nest_lock);
OLD_VERSION(omp_set_nest_lock_25_, omp_set_nest_lock_);
