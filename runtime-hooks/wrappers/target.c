/* SPDX-License-Identifier: MIT
 *
 * Target constructs, and the error directive. Events, and for a target region on the host
 * its league and its pool of threads. What a device executes is unknown.
 */
#include "state/events.h"
#include "wrappers/league.h"

#include <string.h>

/* Flags of GOMP_target_ext and similar functions. */
enum {
    GOMP_TARGET_NOWAIT = 1 << 0,
    GOMP_TARGET_EXIT_DATA = 1 << 1,
};

/* A negative number is the default device. */
static int device_number(const struct runtime *real, int device)
{
    return device < 0 ? real->omp_get_default_device() : device;
}

static enum target_kind with_nowait(enum target_kind kind, unsigned flags)
{
    return flags & GOMP_TARGET_NOWAIT ? (enum target_kind)(kind + TARGET_NOWAIT) : kind;
}

#define TARGET_DATA(name, kind, device, parameters, arguments)                           \
    WRAPPER(void, name, parameters, arguments)                                           \
    {                                                                                    \
        FORWARD_UNLESS_WANTED(t, EVENT_BIT(target), real->name arguments);               \
        struct place here = HERE;                                                        \
        int number = device_number(real, device);                                        \
        event_target(t, kind, EVENT_BEGIN, number, here);                                \
        real->name arguments;                                                            \
        event_target(t, kind, EVENT_END, number, here);                                  \
    }

/* Around a target region, which has a pool of threads of its own. */
struct target_run {
    struct pool pool;
    struct region *region;
    body_fn body;
    uint64_t task;
    int number;
};

static void target_begin(struct target_run *run, struct thread *t,
                         const struct runtime *real, enum target_kind kind, int device,
                         body_fn fn, struct place here)
{
    run->number = 0;
    run->pool = t->pool;
    run->region = t->region;
    run->body = t->target_body;
    run->task = t->target_task;
    if (event_wanted(EVENT_BIT(target)))
        event_target(t, kind, EVENT_BEGIN, run->number = device_number(real, device),
                     here);
    t->rec->targets++;
    t->pool = (struct pool){++t->last_pool, 0};
    t->target_body = fn;
    t->target_task = t->rec->task_id;
    event_ompd_bp_target_begin();
}

static void target_end(const struct target_run *run, struct thread *t,
                       enum target_kind kind, struct place here)
{
    league_end(t, run->region, here);
    event_ompd_bp_target_end();
    t->rec->targets--;
    t->target_body = run->body;
    t->target_task = run->task;
    t->pool = run->pool;
    if (event_wanted(EVENT_BIT(target)))
        event_target(t, kind, EVENT_END, run->number, here);
}

#define TARGET(name, kind, parameters, arguments)                                        \
    WRAPPER_OF_BODY(void, name, parameters, arguments)                                   \
    {                                                                                    \
        ROUTE_BODY(fn);                                                                  \
        TRACKED_OR_FORWARD(t, real->name arguments);                                     \
        struct place here = HERE;                                                        \
        struct target_run run;                                                           \
        target_begin(&run, t, real, kind, device, fn, here);                             \
        real->name arguments;                                                            \
        target_end(&run, t, kind, here);                                                 \
    }

TARGET(GOMP_target, TARGET_REGION,
       (int device, body_fn fn, const void *unused, size_t count, void **host,
        size_t *sizes, unsigned char *kinds),
       (device, fn, unused, count, host, sizes, kinds))
TARGET(GOMP_target_ext, with_nowait(TARGET_REGION, flags),
       (int device, body_fn fn, size_t count, void **host, size_t *sizes,
        unsigned short *kinds, unsigned flags, void **depend, void **args),
       (device, fn, count, host, sizes, kinds, flags, depend, args))

TARGET_DATA(GOMP_target_update, TARGET_UPDATE, device,
            (int device, const void *unused, size_t count, void **host, size_t *sizes,
             unsigned char *kinds),
            (device, unused, count, host, sizes, kinds))
TARGET_DATA(GOMP_target_update_ext, with_nowait(TARGET_UPDATE, flags), device,
            (int device, size_t count, void **host, size_t *sizes, unsigned short *kinds,
             unsigned flags, void **depend),
            (device, count, host, sizes, kinds, flags, depend))
TARGET_DATA(GOMP_target_enter_exit_data,
            with_nowait(flags &GOMP_TARGET_EXIT_DATA ? TARGET_EXIT_DATA
                                                     : TARGET_ENTER_DATA,
                        flags),
            device,
            (int device, size_t count, void **host, size_t *sizes, unsigned short *kinds,
             unsigned flags, void **depend),
            (device, count, host, sizes, kinds, flags, depend))

/* A data region has events at both ends. The call at its end has no device. */
TARGET_DATA(GOMP_target_data, TARGET_ENTER_DATA, device,
            (int device, const void *unused, size_t count, void **host, size_t *sizes,
             unsigned char *kinds),
            (device, unused, count, host, sizes, kinds))
TARGET_DATA(GOMP_target_data_ext, TARGET_ENTER_DATA, device,
            (int device, size_t count, void **host, size_t *sizes, unsigned short *kinds),
            (device, count, host, sizes, kinds))
TARGET_DATA(GOMP_target_end_data, TARGET_EXIT_DATA, -1, (void), ())

static size_t length_of(const char *message, size_t length)
{
    return length == (size_t)-1 ? strlen(message) : length;
}

WRAPPER(void, GOMP_warning, (const char *message, size_t length), (message, length))
{
    FORWARD_UNLESS_WANTED(t, EVENT_BIT(error), real->GOMP_warning(message, length));
    event_error(t, false, message, message ? length_of(message, length) : 0,
                HERE.codeptr);
    real->GOMP_warning(message, length);
}

/* The runtime ends the program. */
WRAPPER(void, GOMP_error, (const char *message, size_t length), (message, length))
{
    FORWARD_UNLESS_WANTED(t, EVENT_BIT(error), real->GOMP_error(message, length));
    event_error(t, true, message, message ? length_of(message, length) : 0, HERE.codeptr);
    real->GOMP_error(message, length);
}
