/* SPDX-License-Identifier: MIT
 *
 * Locks, from C and C++ and, with an underscore, from Fortran. Only setting one may wait,
 * so that is all we stand in front of; a lock made with a hint is a lock like any other.
 */
#include "state.h"

#define SET_LOCK(name, state)                                                            \
    void name(void *lock)                                                                \
    {                                                                                    \
        struct thread *t = tracked_thread();                                             \
        if (!t) {                                                                        \
            real.name(lock);                                                             \
            return;                                                                      \
        }                                                                                \
        struct wait w;                                                                   \
        wait_begin(&w, t, state, (uintptr_t)lock, HERE);                                 \
        real.name(lock);                                                                 \
        wait_end(&w, t);                                                                 \
    }

SET_LOCK(omp_set_lock, STATE_WAIT_LOCK)
SET_LOCK(omp_set_lock_, STATE_WAIT_LOCK)
SET_LOCK(omp_set_nest_lock, STATE_WAIT_NEST_LOCK)
SET_LOCK(omp_set_nest_lock_, STATE_WAIT_NEST_LOCK)
