/* SPDX-License-Identifier: MIT
 *
 * Routines that set ICVs, for C and, with `_` and `_8_`, for Fortran, where arguments are
 * passed by reference. The runtime is queried for the result.
 */
#include "state/globals.h"
#include "state/icvs.h"

#define SET(name, type)                                                                            \
    WRAPPER(void, name, (type value), (value))                                                     \
    {                                                                                              \
        FORWARD_UNLESS_TRACKED(t, real->name(value));                                              \
        real->name(value);                                                                         \
        icvs_changed(t, real);                                                                     \
    }

#define SET_ALL(name)                                                                              \
    SET(name, int)                                                                                 \
    SET(name##_, const void *)                                                                     \
    SET(name##_8_, const void *)

SET_ALL(omp_set_num_threads)
SET_ALL(omp_set_dynamic)
SET_ALL(omp_set_nested)
SET_ALL(omp_set_max_active_levels)

SET(omp_set_default_allocator, uintptr_t)
SET(omp_set_default_allocator_, const void *)

#define SET_SCHEDULE(name, kind_type, chunk_type)                                                  \
    WRAPPER(void, name, (kind_type kind, chunk_type chunk), (kind, chunk))                         \
    {                                                                                              \
        FORWARD_UNLESS_TRACKED(t, real->name(kind, chunk));                                        \
        real->name(kind, chunk);                                                                   \
        icvs_changed(t, real);                                                                     \
    }

SET_SCHEDULE(omp_set_schedule, unsigned, int)
SET_SCHEDULE(omp_set_schedule_, const void *, const void *)
SET_SCHEDULE(omp_set_schedule_8_, const void *, const void *)

/* In all modes, as recording may start later. */
#define SET_DEVICE(name, type)                                                                     \
    void name(type value)                                                                          \
    {                                                                                              \
        __atomic_store_n(&icvs_device_set, true, __ATOMIC_RELAXED);                                \
        FORWARD_UNLESS_TRACKED(t, real->name(value));                                              \
        real->name(value);                                                                         \
        icvs_changed(t, real);                                                                     \
    }

SET_DEVICE(omp_set_default_device, int)
SET_DEVICE(omp_set_default_device_, const void *)
SET_DEVICE(omp_set_default_device_8_, const void *)

/* ICVs with global scope. */
#define SET_GLOBAL(name, type)                                                                     \
    WRAPPER(void, name, (type value), (value))                                                     \
    {                                                                                              \
        FORWARD_IF_OFF(real->name(value));                                                         \
        bool tracked = hooks_on(real);                                                             \
        real->name(value);                                                                         \
        if (tracked)                                                                               \
            globals_changed(real);                                                                 \
    }

SET_GLOBAL(omp_set_num_teams, int)
SET_GLOBAL(omp_set_num_teams_, const void *)
SET_GLOBAL(omp_set_num_teams_8_, const void *)
SET_GLOBAL(omp_set_teams_thread_limit, int)
SET_GLOBAL(omp_set_teams_thread_limit_, const void *)
SET_GLOBAL(omp_set_teams_thread_limit_8_, const void *)
SET_GLOBAL(omp_set_affinity_format, const char *)

WRAPPER(void, omp_set_affinity_format_, (const char *format, size_t length), (format, length))
{
    FORWARD_IF_OFF(real->omp_set_affinity_format_(format, length));
    bool tracked = hooks_on(real);
    real->omp_set_affinity_format_(format, length);
    if (tracked)
        globals_changed(real);
}

/* The call initializes the devices, so their number can be recorded. */
#define GET_DEVICES(name)                                                                          \
    WRAPPER(int, name, (void), ())                                                                 \
    {                                                                                              \
        FORWARD_IF_OFF(real->name());                                                              \
        bool tracked = hooks_on(real);                                                             \
        int devices = real->name();                                                                \
        if (tracked)                                                                               \
            globals.num_devices = (uint32_t)devices;                                               \
        return devices;                                                                            \
    }

GET_DEVICES(omp_get_num_devices)
GET_DEVICES(omp_get_num_devices_)
