/* SPDX-License-Identifier: MIT
 *
 * Asks all entry points of OpenMP 5.x in a signal handler. Every data word carries a
 * mark, so that a pointer to something else is seen.
 */
#include "testsuite/tools/sampling_5.h"
#include "testsuite/tools/collector.h"

#include <ompd/omp-tools.h>

#include "../common/start-tool.h"

enum { NONE = 0, NOT_NOW = 1, THERE = 2, LEVELS = 1000 };

#define MARK(kind) ((uint64_t)(kind) << 56)
enum { A_THREAD = 0x51, A_REGION = 0x52, A_TASK = 0x53 };

#define ENTRIES(X)                                                                       \
    X(set_callback)                                                                      \
    X(get_thread_data)                                                                   \
    X(get_state)                                                                         \
    X(get_parallel_info)                                                                 \
    X(get_task_info)                                                                     \
    X(get_task_memory) X(get_target_info) X(get_unique_id) X(get_num_procs)              \
        X(get_num_places) X(get_place_proc_ids) X(get_place_num)                         \
            X(get_partition_place_nums) X(get_proc_id) X(get_num_devices)                \
                X(enumerate_states) X(enumerate_mutex_impls) X(get_callback)
static struct {
#define X(name) ompt_##name##_t name;
    ENTRIES(X)
#undef X
} ask;

static int places, procs;

/* The word is the tool's: on 32 bits a plain store is two, and the handler would see the
 * half of it. */
static void mark(ompt_data_t *data, int kind)
{
    __atomic_store_n(&data->value, MARK(kind) | ask.get_unique_id(), __ATOMIC_RELAXED);
}

static uint64_t word(const ompt_data_t *data)
{
    return __atomic_load_n(&data->value, __ATOMIC_RELAXED);
}

/* 0 is what stands there before the tool has been told. */
static bool marked(const ompt_data_t *data, int kind)
{
    uint64_t value = data ? word(data) : 1;
    return !value || value >> 56 == (uint64_t)kind;
}

/* Words of implicit tasks of this thread: of the last that has ended, which may be asked
 * for until the callback is over, and of the last that had ended when another began. */
static __thread uint64_t ended, long_ended;

static bool of_another_task(const ompt_data_t *data, int state)
{
    uint64_t value = word(data);
    return value && (value == long_ended || (state == THR_WORK_STATE && value == ended));
}

static void on_thread_begin(ompt_thread_t type, ompt_data_t *data)
{
    (void)type;
    mark(data, A_THREAD);
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame,
                              ompt_data_t *region, unsigned int requested, int flags,
                              const void *codeptr)
{
    (void)task, (void)frame, (void)requested, (void)flags, (void)codeptr;
    mark(region, A_REGION);
}

static void on_implicit_task(ompt_scope_endpoint_t at, ompt_data_t *region,
                             ompt_data_t *task, unsigned int actual, unsigned int index,
                             int flags)
{
    (void)actual, (void)index;
    if (at != ompt_scope_begin) {
        ended = word(task);
        return;
    }
    long_ended = ended;
    if (flags & ompt_task_initial)
        mark(region, A_REGION);
    mark(task, A_TASK);
}

static void on_task_create(ompt_data_t *parent, const ompt_frame_t *frame,
                           ompt_data_t *task, int flags, int dependences,
                           const void *codeptr)
{
    (void)parent, (void)frame, (void)flags, (void)dependences, (void)codeptr;
    mark(task, A_TASK);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    (void)device, (void)data;
#define X(name) ask.name = (ompt_##name##_t)lookup("ompt_" #name);
    ENTRIES(X)
#undef X
    ask.set_callback(ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin);
    ask.set_callback(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
    ask.set_callback(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task);
    ask.set_callback(ompt_callback_task_create, (ompt_callback_t)on_task_create);
    places = ask.get_num_places();
    procs = ask.get_num_procs();
    return 1;
}

START_TOOL(initialize, finalize_nothing)

bool sampling_5_started(void)
{
    return ask.set_callback != NULL;
}

/* Whether the Collector may call it so. */
static bool same_state(int state, int collector)
{
    switch (state) {
    case ompt_state_work_serial:
    case ompt_state_undefined:
        return collector == THR_SERIAL_STATE || collector == THR_OVHD_STATE;
    case ompt_state_work_parallel:
        return collector == THR_WORK_STATE;
    case ompt_state_wait_barrier_implicit_parallel:
    case ompt_state_wait_barrier_implicit_workshare:
        return collector == THR_IBAR_STATE;
    case ompt_state_wait_barrier:
        return collector == THR_EBAR_STATE;
    /* to the Collector a thread that takes a free mutex does not wait */
    case ompt_state_wait_lock:
        return collector == THR_LKWT_STATE || collector == THR_OVHD_STATE;
    case ompt_state_wait_critical:
        return collector == THR_CTWT_STATE || collector == THR_OVHD_STATE;
    case ompt_state_wait_atomic:
        return collector == THR_ATWT_STATE || collector == THR_OVHD_STATE;
    case ompt_state_wait_ordered:
        return collector == THR_ODWT_STATE;
    case ompt_state_idle:
        /* the master may have ended the barrier between two questions */
        return collector == THR_IDLE_STATE || collector == THR_IBAR_STATE;
    case ompt_state_overhead:
    case ompt_state_wait_taskwait:
    case ompt_state_wait_taskgroup:
        return collector == THR_OVHD_STATE || collector == THR_SERIAL_STATE;
    default:
        return false;
    }
}

static unsigned ask_regions(void)
{
    for (int level = 0; level < LEVELS; level++) {
        ompt_data_t *data = NULL;
        int size = 0;
        int answer = ask.get_parallel_info(level, &data, &size);
        if (answer == NONE || answer == NOT_NOW)
            return 0;
        if (answer != THERE || size < 0 || !marked(data, A_REGION))
            break;
    }
    return 1u << BIT_five_regions;
}

/* A worker in the last barrier may be there longer than its region, and is then idle: it
 * has its own task until it hears that the barrier is over, and nothing above it. */
static unsigned ask_tasks(int state)
{
    int flags = 0, level = 0, num = -1;
    for (; level < LEVELS; level++) {
        ompt_data_t *data = NULL, *region = NULL;
        ompt_frame_t *frame = NULL;
        int seen = 0;
        int answer = ask.get_task_info(level, &seen, &data, &frame, &region, &num);
        if (answer == NOT_NOW)
            return 0;
        if (answer == NONE)
            break;
        flags = seen;
        int kind = flags & 0xf;
        if (answer != THERE || !kind || (kind & (kind - 1)) || !frame || num < 0 ||
            !marked(data, A_TASK) || (region && !marked(region, A_REGION)) ||
            (!level && of_another_task(data, state)))
            return 1u << BIT_five_tasks;
    }
    if (level == LEVELS)
        return 1u << BIT_five_tasks;
    return level && !(flags & ompt_task_initial) && state != THR_IBAR_STATE &&
                   state != THR_IDLE_STATE
               ? 1u << BIT_five_root
               : 0;
}

static unsigned ask_lists(void)
{
    int state = ompt_state_undefined, impl = ompt_mutex_impl_none, count = 0;
    const char *name = NULL;
    while (count < LEVELS && ask.enumerate_states(state, &state, &name) && name)
        count++;
    if (count < 5 || count == LEVELS)
        return 1u << BIT_five_lists;
    while (count < LEVELS && ask.enumerate_mutex_impls(impl, &impl, &name) && name)
        count++;
    ompt_callback_t callback = NULL;
    return count == LEVELS || !ask.get_callback(ompt_callback_thread_begin, &callback) ||
                   callback != (ompt_callback_t)on_thread_begin
               ? 1u << BIT_five_lists
               : 0;
}

static unsigned ask_places(void)
{
    int ids[256];
    int place = ask.get_place_num();
    bool good = ask.get_num_places() == places && ask.get_num_procs() == procs &&
                ask.get_proc_id() >= 0 && ask.get_num_devices() >= 0 && place >= -1 &&
                place < (places ? places : 1) &&
                ask.get_partition_place_nums(256, ids) <= places;
    if (place >= 0)
        good &= ask.get_place_proc_ids(place, 256, ids) > 0;
    return good ? 0 : 1u << BIT_five_places;
}

unsigned sampling_5_ask(int state, uintptr_t wait_id)
{
    static __thread const ompt_data_t *my_word;
    static __thread uint64_t last;
    unsigned bad = 0;
    ompt_wait_id_t awaited = 0;
    const ompt_data_t *data = ask.get_thread_data();
    if (!data)
        return 0; /* not introduced, or its end has been told */
    if ((my_word && data != my_word) || !marked(data, A_THREAD))
        bad |= 1u << BIT_five_thread;
    my_word = data;
    int mine = ask.get_state(&awaited);
    if (!same_state(mine, state))
        bad |= 1u << BIT_five_state;
    if (state >= THR_LKWT_STATE && state < THR_LAST_STATE &&
        (uintptr_t)awaited != wait_id)
        bad |= 1u << BIT_five_wait;
    uint64_t device, id = ask.get_unique_id();
    ompt_id_t target, operation;
    if (!id || id <= last)
        bad |= 1u << BIT_five_unique;
    last = id;
    void *memory;
    size_t size;
    if (ask.get_target_info(&device, &target, &operation) ||
        ask.get_task_memory(&memory, &size, 0))
        bad |= 1u << BIT_five_target;
    return bad | ask_regions() | ask_tasks(state) | ask_lists() | ask_places();
}
