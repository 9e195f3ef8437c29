/* SPDX-License-Identifier: MIT
 *
 * Target constructs, and the error directive: for tools only, but for what a region is inside
 * of when the host runs it. What happens on a device is not seen here.
 */
#include "state/events.h"
#include "wrappers/league.h"

#include <string.h>

/* Flags of GOMP_target_ext and its like, from what GCC emits. */
enum {
    GOMP_TARGET_NOWAIT = 1 << 0,
    GOMP_TARGET_EXIT_DATA = 1 << 1,
};

/* Below 0 the number stands for the default device. */
static int device_number(const struct runtime *real, int device)
{
    return device < 0 ? real->omp_get_default_device() : device;
}

static enum target_kind with_nowait(enum target_kind kind, unsigned flags)
{
    return flags & GOMP_TARGET_NOWAIT ? (enum target_kind)(kind + TARGET_NOWAIT) : kind;
}

#define TOLD(kind, real_call)                                                            \
    do {                                                                                 \
        FORWARD_UNLESS_TOLD(t, EVENT_BIT(target), real_call);                            \
        uintptr_t codeptr = HERE.codeptr;                                                \
        int number = device_number(real, device);                                              \
        event_target(t, kind, EVENT_BEGIN, number, codeptr);                             \
        real_call;                                                                       \
        event_target(t, kind, EVENT_END, number, codeptr);                               \
    } while (0)

/* Around a target region. The runtime gives the body threads of its own. */
struct target_run {
    struct pool pool;
    struct region *region;
    body_fn body;
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
    if (event_wanted(EVENT_BIT(target)))
        event_target(t, kind, EVENT_BEGIN, run->number = device_number(real, device),
                     here.codeptr);
    t->rec->targets++;
    t->pool = (struct pool){++t->last_pool, 0};
    t->target_body = fn;
}

static void target_end(const struct target_run *run, struct thread *t,
                       enum target_kind kind, struct place here)
{
    league_end(t, run->region, here);
    t->rec->targets--;
    t->target_body = run->body;
    t->pool = run->pool;
    if (event_wanted(EVENT_BIT(target)))
        event_target(t, kind, EVENT_END, run->number, here.codeptr);
}

#define TARGET_BODY(kind, real_call)                                                     \
    do {                                                                                 \
        FORWARD_BODY_IF_OFF(fn, real_call);                                              \
        TRACKED_OR_FORWARD(t, real_call);                                                \
        struct place here = HERE;                                                        \
        struct target_run run;                                                           \
        target_begin(&run, t, real, kind, device, fn, here);                             \
        real_call;                                                                       \
        target_end(&run, t, kind, here);                                                 \
    } while (0)

void GOMP_target(int device, body_fn fn, const void *unused, size_t count, void **host,
                 size_t *sizes, unsigned char *kinds)
{
    TARGET_BODY(TARGET_REGION,
                real->GOMP_target(device, fn, unused, count, host, sizes, kinds));
}

void GOMP_target_ext(int device, body_fn fn, size_t count, void **host, size_t *sizes,
                     unsigned short *kinds, unsigned flags, void **depend, void **args)
{
    TARGET_BODY(with_nowait(TARGET_REGION, flags),
                real->GOMP_target_ext(device, fn, count, host, sizes, kinds, flags, depend,
                                     args));
}

void GOMP_target_update(int device, const void *unused, size_t count, void **host,
                        size_t *sizes, unsigned char *kinds)
{
    TOLD(TARGET_UPDATE,
         real->GOMP_target_update(device, unused, count, host, sizes, kinds));
}

void GOMP_target_update_ext(int device, size_t count, void **host, size_t *sizes,
                            unsigned short *kinds, unsigned flags, void **depend)
{
    TOLD(with_nowait(TARGET_UPDATE, flags),
         real->GOMP_target_update_ext(device, count, host, sizes, kinds, flags, depend));
}

void GOMP_target_enter_exit_data(int device, size_t count, void **host, size_t *sizes,
                                 unsigned short *kinds, unsigned flags, void **depend)
{
    TOLD(with_nowait(flags & GOMP_TARGET_EXIT_DATA ? TARGET_EXIT_DATA : TARGET_ENTER_DATA,
                     flags),
         real->GOMP_target_enter_exit_data(device, count, host, sizes, kinds, flags,
                                          depend));
}

/* A data region is told as its two ends. */
void GOMP_target_data(int device, const void *unused, size_t count, void **host,
                      size_t *sizes, unsigned char *kinds)
{
    TOLD(TARGET_ENTER_DATA,
         real->GOMP_target_data(device, unused, count, host, sizes, kinds));
}

void GOMP_target_data_ext(int device, size_t count, void **host, size_t *sizes,
                          unsigned short *kinds)
{
    TOLD(TARGET_ENTER_DATA, real->GOMP_target_data_ext(device, count, host, sizes, kinds));
}

/* The call does not say for which device. */
void GOMP_target_end_data(void)
{
    int device = -1;
    TOLD(TARGET_EXIT_DATA, real->GOMP_target_end_data());
}

static size_t length_of(const char *message, size_t length)
{
    return length == (size_t)-1 ? strlen(message) : length;
}

void GOMP_warning(const char *message, size_t length)
{
    FORWARD_UNLESS_TOLD(t, EVENT_BIT(error), real->GOMP_warning(message, length));
    event_error(t, false, message, message ? length_of(message, length) : 0,
                HERE.codeptr);
    real->GOMP_warning(message, length);
}

/* The runtime ends the program. */
void GOMP_error(const char *message, size_t length)
{
    FORWARD_UNLESS_TOLD(t, EVENT_BIT(error), real->GOMP_error(message, length));
    event_error(t, true, message, message ? length_of(message, length) : 0, HERE.codeptr);
    real->GOMP_error(message, length);
}
