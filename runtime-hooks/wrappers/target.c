/* SPDX-License-Identifier: MIT
 *
 * Target constructs, and the error directive: their records and events, and for a target region
 * on the host its league and its pool of threads. What a device executes is unknown.
 */
#include "state/mappings.h"
#include "state/targets.h"
#include "wrappers/league.h"
#include "wrappers/task-block.h"

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

/* Of the two numbers of the host one is the compiler's. What asks is about to initialize the
 * devices, but on the host. */
static bool is_on_host(const struct runtime *real, int device)
{
    enum { HOST_FALLBACK = -2 };
    int number = device_number(real, device);
    return device == HOST_FALLBACK || number < 0 || number >= real->omp_get_num_devices();
}

/* A construct, while its call lasts. */
struct construct {
    struct target_state outer;
    enum target_kind kind;
    struct target_device device;
    struct place here;
    struct mapping_span span;
};

static struct construct construct_on(struct thread *t, const struct runtime *real,
                                     enum target_kind kind, struct target_device device,
                                     struct target_ranges ranges, struct place here)
{
    struct construct c = {.kind = kind, .device = device, .here = here};
    c.outer = target_enter(t, kind, device.recorded, here.codeptr);
    event_target(t, kind, EVENT_BEGIN, device.number, here);
    c.span = (struct mapping_span){real, ranges, kind, .device = device.recorded};
    mappings_begin(&c.span);
    return c;
}

static struct construct construct_begin(struct thread *t, const struct runtime *real,
                                        enum target_kind kind, int device,
                                        struct target_ranges ranges, struct place here)
{
    int number = device_number(real, device);
    struct target_device of = {number, is_on_host(real, device) ? TARGET_HOST : (uint32_t)number};
    return construct_on(t, real, kind, of, ranges, here);
}

static void construct_end(struct construct *c, struct thread *t)
{
    mappings_end(&c->span, c->here.codeptr);
    event_target(t, c->kind, EVENT_END, c->device.number, c->here);
    target_leave(t, &c->outer);
}

#define TARGET_DATA(name, kind, parameters, arguments, after)                                      \
    WRAPPER(void, name, parameters, arguments)                                                     \
    {                                                                                              \
        FORWARD_UNLESS_TRACKED(t, real->name arguments);                                           \
        struct target_ranges ranges = {count, host, sizes};                                        \
        struct construct c = construct_begin(t, real, kind, device, ranges, HERE);                 \
        real->name arguments;                                                                      \
        construct_end(&c, t);                                                                      \
        after;                                                                                     \
    }

/* What is done to data on the host is nothing, but others may depend on it. */
struct data_task {
    struct created_task made;
    enum target_kind kind;
    int number;
};

static void target_data_over(void *block)
{
    const struct data_task *data = block;
    struct rec_task *task = data->made.task;
    struct place here = {task->codeptr, (uintptr_t)__builtin_dwarf_cfa()};
    struct thread *t = hooks_self;
    if (!t)
        return;
    task_begin(t, task, here.frame);
    event_target(t, data->kind, EVENT_BEGIN, data->number, here);
    event_target(t, data->kind, EVENT_END, data->number, here);
    task_end(t, task);
}

#define TARGET_DATA_TASK(name, what, parameters, arguments)                                        \
    WRAPPER(void, name, parameters, arguments)                                                     \
    {                                                                                              \
        FORWARD_UNLESS_TRACKED(t, real->name arguments);                                           \
        struct place here = HERE;                                                                  \
        struct data_task data = {{NULL}, with_nowait(what, flags), device_number(real, device)};   \
        if (flags & GOMP_TARGET_NOWAIT && is_on_host(real, device) &&                              \
            task_in_place(t, real, target_data_over, &data.made, sizeof(data), TASK_FLAG_TARGET,   \
                          (body_fn)(uintptr_t)real->name, depend, here))                           \
            return;                                                                                \
        struct target_ranges ranges = {count, host, sizes};                                        \
        struct construct c = construct_begin(t, real, data.kind, device, ranges, here);            \
        real->name arguments;                                                                      \
        construct_end(&c, t);                                                                      \
    }

/* Around a target region, which has a pool of threads of its own. */
struct target_run {
    struct construct construct;
    struct pool pool;
    struct region *region;
    body_fn body;
    uint64_t task;
};

static void target_begin(struct target_run *run, struct thread *t, const struct runtime *real,
                         enum target_kind kind, int device, body_fn fn, struct place here)
{
    run->pool = t->pool;
    run->region = t->region;
    run->body = t->target_body;
    run->task = t->target_task;
    run->construct = construct_begin(t, real, kind, device, (struct target_ranges){0}, here);
    t->rec->targets++;
    t->pool = (struct pool){++t->last_pool, 0};
    t->target_body = fn;
    t->target_task = t->rec->task_id;
    event_ompd_bp_target_begin();
}

static void target_end(struct target_run *run, struct thread *t)
{
    league_end(t, run->region, run->construct.here);
    event_ompd_bp_target_end();
    t->rec->targets--;
    t->target_body = run->body;
    t->target_task = run->task;
    t->pool = run->pool;
    construct_end(&run->construct, t);
}

WRAPPER_OF_BODY(void, GOMP_target,
                (int device, body_fn fn, const void *unused, size_t count, void **host,
                 size_t *sizes, unsigned char *kinds),
                (device, fn, unused, count, host, sizes, kinds))
{
    ROUTE_BODY(fn);
    TRACKED_OR_FORWARD(t, real->GOMP_target(device, fn, unused, count, host, sizes, kinds));
    struct place here = HERE;
    struct target_run run;
    target_begin(&run, t, real, TARGET_REGION, device, fn, here);
    real->GOMP_target(device, fn, unused, count, host, sizes, kinds);
    target_end(&run, t);
}

/* A target task that the host executes gets further arguments in front of its own, where its
 * record is. The runtime copies all of them. */
enum {
    ARGUMENT_TASK,
    ARGUMENT_RUNTIME,
    ARGUMENT_DEVICE,
    OWN_ARGUMENTS,
    GOMP_MAP_FIRSTPRIVATE_INT = 13,
};

static void NOINLINE ompd_hooks_target(void *block)
{
    void **arguments = block;
    struct rec_task *task = arguments[ARGUMENT_TASK];
    enum target_kind kind = with_nowait(TARGET_REGION, GOMP_TARGET_NOWAIT);
    body_fn fn = (body_fn)task->function;
    struct thread *t = hooks_self;
    struct target_run run;
    if (unlikely(!t))
        return fn(arguments + OWN_ARGUMENTS);
    struct place here = {task->codeptr, (uintptr_t)__builtin_dwarf_cfa()};
    task_begin(t, task, here.frame);
    target_begin(&run, t, arguments[ARGUMENT_RUNTIME], kind,
                 (int)(intptr_t)arguments[ARGUMENT_DEVICE], fn, here);
    fn(arguments + OWN_ARGUMENTS);
    target_end(&run, t);
    task_end(t, task);
}

struct maps {
    size_t count;
    void **host;
    size_t *sizes;
    unsigned short *kinds;
};

/* NULL: without memory. To be freed. */
static void **extend(struct maps *maps)
{
    size_t count = maps->count + OWN_ARGUMENTS;
    void **host = malloc(count * (sizeof(*host) + sizeof(size_t) + sizeof(unsigned short)));
    if (!host)
        return NULL;
    size_t *sizes = (size_t *)(host + count);
    unsigned short *kinds = (unsigned short *)(sizes + count);
    for (size_t i = 0; i < OWN_ARGUMENTS; i++) {
        sizes[i] = 0;
        kinds[i] = GOMP_MAP_FIRSTPRIVATE_INT;
    }
    memcpy(host + OWN_ARGUMENTS, maps->host, maps->count * sizeof(*host));
    memcpy(sizes + OWN_ARGUMENTS, maps->sizes, maps->count * sizeof(*sizes));
    memcpy(kinds + OWN_ARGUMENTS, maps->kinds, maps->count * sizeof(*kinds));
    *maps = (struct maps){count, host, sizes, kinds};
    return host;
}

/* False: the call is to be made as it is. The runtime defers such a task outside of all regions,
 * too. */
static NOINLINE bool target_task(struct thread *t, const struct runtime *real, int device,
                                 body_fn fn, struct maps maps, unsigned flags, void **depend,
                                 void **args, struct place here)
{
    struct generation g;
    void **own = extend(&maps);
    bool is_created = own && generation_begin(&g, t, fn, TASK_FLAG_TARGET, false, depend, here);
    if (is_created) {
        own[ARGUMENT_TASK] = g.task;
        own[ARGUMENT_RUNTIME] = (void *)(uintptr_t)real;
        own[ARGUMENT_DEVICE] = (void *)(intptr_t)device;
        real->GOMP_target_ext(device, ompd_hooks_target, maps.count, maps.host, maps.sizes,
                              maps.kinds, flags, depend, args);
        generation_end(&g, t);
    }
    block_free(own);
    return is_created;
}

WRAPPER_OF_BODY(void, GOMP_target_ext,
                (int device, body_fn fn, size_t count, void **host, size_t *sizes,
                 unsigned short *kinds, unsigned flags, void **depend, void **args),
                (device, fn, count, host, sizes, kinds, flags, depend, args))
{
    ROUTE_BODY(fn);
    TRACKED_OR_FORWARD(
        t, real->GOMP_target_ext(device, fn, count, host, sizes, kinds, flags, depend, args));
    struct place here = HERE;
    struct target_run run;
    enum target_kind kind = with_nowait(TARGET_REGION, flags);
    if (flags & GOMP_TARGET_NOWAIT && is_on_host(real, device) &&
        target_task(t, real, device, fn, (struct maps){count, host, sizes, kinds}, flags, depend,
                    args, here))
        return;
    target_begin(&run, t, real, kind, device, fn, here);
    real->GOMP_target_ext(device, fn, count, host, sizes, kinds, flags, depend, args);
    target_end(&run, t);
}

TARGET_DATA(GOMP_target_update, TARGET_UPDATE,
            (int device, const void *unused, size_t count, void **host, size_t *sizes,
             unsigned char *kinds),
            (device, unused, count, host, sizes, kinds), )
TARGET_DATA_TASK(GOMP_target_update_ext, TARGET_UPDATE,
                 (int device, size_t count, void **host, size_t *sizes, unsigned short *kinds,
                  unsigned flags, void **depend),
                 (device, count, host, sizes, kinds, flags, depend))
TARGET_DATA_TASK(GOMP_target_enter_exit_data,
                 flags &GOMP_TARGET_EXIT_DATA ? TARGET_EXIT_DATA : TARGET_ENTER_DATA,
                 (int device, size_t count, void **host, size_t *sizes, unsigned short *kinds,
                  unsigned flags, void **depend),
                 (device, count, host, sizes, kinds, flags, depend))

/* A data region has events at both ends. The call at its end has no device: that of the begin is
 * kept, and what it has mapped. */
static void data_enter(struct thread *t, const struct construct *c)
{
    struct target_data *data = &t->target_data;
    if (data->depth < TARGET_LEVELS) {
        data->device[data->depth] = c->device;
        data->made[data->depth] = c->span.made;
    } else
        mappings_undo(c->span.made);
    data->depth++;
}

TARGET_DATA(GOMP_target_data, TARGET_ENTER_DATA,
            (int device, const void *unused, size_t count, void **host, size_t *sizes,
             unsigned char *kinds),
            (device, unused, count, host, sizes, kinds), data_enter(t, &c))
TARGET_DATA(GOMP_target_data_ext, TARGET_ENTER_DATA,
            (int device, size_t count, void **host, size_t *sizes, unsigned short *kinds),
            (device, count, host, sizes, kinds), data_enter(t, &c))

WRAPPER(void, GOMP_target_end_data, (void), ())
{
    FORWARD_UNLESS_TRACKED(t, real->GOMP_target_end_data());
    struct target_data *data = &t->target_data;
    struct target_device device = {device_number(real, -1), TARGET_DEVICE_UNKNOWN};
    if (data->depth && --data->depth < TARGET_LEVELS) {
        device = data->device[data->depth];
        mappings_undo(data->made[data->depth]);
    }
    struct construct c =
        construct_on(t, real, TARGET_EXIT_DATA, device, (struct target_ranges){0}, HERE);
    real->GOMP_target_end_data();
    construct_end(&c, t);
}

static size_t length_of(const char *message, size_t length)
{
    return length == (size_t)-1 ? strlen(message) : length;
}

WRAPPER(void, GOMP_warning, (const char *message, size_t length), (message, length))
{
    FORWARD_UNLESS_WANTED(t, EVENT_BIT(error), real->GOMP_warning(message, length));
    event_error(t, false, message, message ? length_of(message, length) : 0, HERE.codeptr);
    real->GOMP_warning(message, length);
}

/* The runtime ends the program. */
WRAPPER(void, GOMP_error, (const char *message, size_t length), (message, length))
{
    FORWARD_UNLESS_WANTED(t, EVENT_BIT(error), real->GOMP_error(message, length));
    event_error(t, true, message, message ? length_of(message, length) : 0, HERE.codeptr);
    real->GOMP_error(message, length);
}
