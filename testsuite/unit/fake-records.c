/* SPDX-License-Identifier: MIT
 *
 * Builds what fake-records.h describes.
 */
#include "fake-records.h"

#include <string.h>

static uint64_t put_text(struct fake *fake, const char *text, size_t bytes)
{
    uint64_t at = fake_memory(fake, bytes);
    for (size_t i = 0; i < bytes; i++)
        fake_put_number(fake, at + i, 1, (unsigned char)text[i]);
    return at;
}

static uint64_t put_list(struct fake *fake, const uint32_t *values, unsigned count)
{
    uint64_t at = fake_memory(fake, count * 4);
    for (unsigned i = 0; i < count; i++)
        fake_put_number(fake, at + i * 4, 4, values[i]);
    return at;
}

static void add_icvs(struct program *program, struct records *r)
{
    struct fake *fake = program->fake;
    static const uint32_t nthreads[] = {4, 2};
    static const uint32_t bind[] = {4};
    r->icvs = fake_record(fake, RECORD_icvs);
#define PUT(field, value) fake_put(fake, r->icvs, FIELD_icvs_##field, value)
    PUT(id, 1);
    PUT(nthreads, 8);
    PUT(nthreads_count, 2);
    PUT(nthreads_list, put_list(fake, nthreads, 2));
    PUT(bind, 3);
    PUT(bind_count, 1);
    PUT(bind_list, put_list(fake, bind, 1));
    PUT(dynamic, 1);
    PUT(max_active_levels, 3);
    PUT(schedule, 2);
    PUT(schedule_monotonic, 1);
    PUT(schedule_chunk, 4);
    PUT(thread_limit, 100);
    PUT(default_device, UINT32_MAX);
    PUT(place_first, 2);
    PUT(place_count, 3);
    PUT(default_allocator, 1);
#undef PUT
    fake_put(fake, program->initial_task, FIELD_task_icvs, r->icvs);
    fake_put(fake, program->thread[1], FIELD_thread_awaited, AWAITED + 1);
    fake_put(fake, program->inner_task, FIELD_task_icvs, r->icvs);
    fake_put(fake, program->explicit_task, FIELD_task_icvs, r->icvs);
    for (unsigned i = 0; i < program->n; i++)
        fake_put(fake, program->task[i], FIELD_task_icvs, r->icvs);
}

/* Thread 1's ring of 4, in which event 3 is the oldest: two seconds of a clock of 2 GHz. */
static void add_history(struct program *program, struct records *r)
{
    static const struct {
        uint64_t ticks, waited, object, codeptr;
        uint32_t kind;
    } events[] = {
        {3000000000, 0, 0xa000, 0x4450, HISTORY_MUTEX + 1},
        {4000000000, 0, 7, 0x4460, HISTORY_TASK_CREATE},
        {1000000000, 500000000, 5001, 0x4430, HISTORY_SYNC + 3},
        {2000000000, HISTORY_OVER, 5001, 0x4440, HISTORY_SYNC + 9},
    };
    struct fake *fake = program->fake;
    uint32_t stride = fake->record_size[RECORD_event];
    r->history = fake_record(fake, RECORD_history);
    r->events = fake_memory(fake, 4 * stride);
#define PUT(field, value) fake_put(fake, r->history, FIELD_history_##field, value)
    PUT(count, 6);
    PUT(events, r->events);
    PUT(capacity, 4);
#undef PUT
    r->clock = fake_record(fake, RECORD_clock);
    fake_put(fake, fake->root, FIELD_root_clock, r->clock);
#define PUT(field, value) fake_put(fake, r->clock, FIELD_clock_##field, value)
    PUT(seq, 2);
    PUT(start_ticks, 1000);
    PUT(start_time, 7000000000);
    PUT(last_ticks, 4000001000);
    PUT(last_time, 9000000000);
#undef PUT
    for (unsigned i = 0; i < 4; i++) {
        uint64_t at = r->events + i * stride;
        fake_put(fake, at, FIELD_event_number, i < 2 ? i + 5 : i + 1);
        fake_put(fake, at, FIELD_event_ticks, events[i].ticks + 1000);
        fake_put(fake, at, FIELD_event_waited, events[i].waited);
        fake_put(fake, at, FIELD_event_object, events[i].object);
        fake_put(fake, at, FIELD_event_codeptr, events[i].codeptr);
        fake_put(fake, at, FIELD_event_kind, events[i].kind);
    }
    fake_put(fake, program->thread[1], FIELD_thread_history, r->history);
}

/* Of the same clock: one thread with a region, and a lock of a runtime that reports. */
static void add_sums(struct program *program, struct records *r)
{
    static const struct {
        uint64_t kind, ticks, contended, flags;
    } sums[] = {
        {SUM_MEMBER, 1000000000, 2000000000, 0},
        {SUM_MUTEX + 5, 400000000, 3, SUM_SEVERAL},
        {SUM_MUTEX + 1, 400000000, 3, SUM_REPORTED},
    };
    struct fake *fake = program->fake;
    uint32_t stride = fake->record_size[RECORD_sum];
    r->sums = fake_record(fake, RECORD_sums);
    r->sum = fake_memory(fake, 3 * stride);
    fake_put(fake, fake->root, FIELD_root_sums, r->sums);
    fake_put(fake, r->sums, FIELD_sums_sums, r->sum);
    fake_put(fake, r->sums, FIELD_sums_used, 3);
    fake_put(fake, r->sums, FIELD_sums_threads, 2);
    fake_put(fake, r->sums, FIELD_sums_lwp, 77);
    fake_put(fake, r->sums, FIELD_sums_first_ticks, 1000);
    fake_put(fake, r->sums, FIELD_sums_last_ticks, 2000001000);
    for (unsigned i = 0; i < 3; i++) {
        uint64_t at = r->sum + i * stride;
        fake_put(fake, at, FIELD_sum_kind, sums[i].kind);
        fake_put(fake, at, FIELD_sum_count, 4);
        fake_put(fake, at, FIELD_sum_ticks, sums[i].ticks);
        fake_put(fake, at, FIELD_sum_contended, sums[i].contended);
        fake_put(fake, at, FIELD_sum_flags, sums[i].flags);
        fake_put(fake, at, FIELD_sum_codeptr, 0x4470);
        fake_put(fake, at, FIELD_sum_logs, 4 * 10 * SUM_LOG_ONE + 4 * SUM_LOG_ONE / 2);
    }
}

static void add_globals(struct fake *fake, struct records *r)
{
    static const char format[] = "level %L";
    static const char places[] = "cores";
    static const char settings[] = "OMP_NUM_THREADS=8,4,2\0OMP_THREAD_LIMIT=100\0_OPENMP='201511'";
    r->globals = fake_record(fake, RECORD_globals);
#define PUT(field, value) fake_put(fake, r->globals, FIELD_globals_##field, value)
    PUT(cancel, 1);
    PUT(max_task_priority, 7);
    PUT(target_offload, 1);
    PUT(debug, 1);
    PUT(num_procs, 16);
    PUT(num_devices, NUM_DEVICES_UNKNOWN);
    PUT(wait_policy, 1);
    PUT(def_schedule, 1);
    PUT(nteams, 3);
    PUT(teams_thread_limit, 5);
    PUT(stacksize, UINT64_C(0x100000000));
    PUT(affinity_format, put_text(fake, format, sizeof format));
    PUT(places, put_text(fake, places, sizeof places));
#undef PUT
    fake_put(fake, fake->root, FIELD_root_globals, r->globals);
    fake_put(fake, fake->root, FIELD_root_forks, 2);
    r->settings = put_text(fake, settings, sizeof settings);
    fake_put(fake, fake->root, FIELD_root_settings, r->settings);
    fake_put(fake, fake->root, FIELD_root_settings_bytes, sizeof settings);
}

static uint64_t add_slab(struct fake *fake, enum hooks_record record, enum hooks_field root_field,
                         unsigned count, uint64_t *first)
{
    uint32_t stride = fake->record_size[record] + 8;
    uint64_t slab = fake_record(fake, RECORD_slab);
    *first = fake_memory(fake, (size_t)stride * (count + 2));
    fake_put(fake, slab, FIELD_slab_first, *first);
    fake_put(fake, slab, FIELD_slab_stride, stride);
    fake_put(fake, slab, FIELD_slab_capacity, count + 2);
    /* The first is free, and so is the last of those that were ever used. */
    fake_put(fake, slab, FIELD_slab_used, count + 2);
    *first += stride;
    fake_put(fake, fake->root, root_field, slab);
    return slab;
}

static void put_dependences(struct fake *fake, uint64_t task, unsigned count,
                            const uint64_t (*items)[2], unsigned held)
{
    uint32_t size = fake->record_size[RECORD_dependence];
    uint64_t array = fake_memory(fake, (size_t)size * held);
    for (unsigned i = 0; i < held; i++) {
        fake_put(fake, array + i * size, FIELD_dependence_address, items[i][0]);
        fake_put(fake, array + i * size, FIELD_dependence_kind, items[i][1]);
    }
    fake_put(fake, task, FIELD_task_dependences, array);
    fake_put(fake, task, FIELD_task_dependence_count, count);
    fake_put(fake, task, FIELD_task_dependences_held, held);
}

static void add_tasks(struct program *program, struct records *r)
{
    struct fake *fake = program->fake;
    uint64_t at;
    r->task_slab = add_slab(fake, RECORD_task, FIELD_root_task_slab, SLAB_TASKS, &at);
    static const unsigned state[SLAB_TASKS] = {TASK_RUNNING, TASK_CREATED,  TASK_CREATED,
                                               TASK_CREATED, TASK_CREATED,  TASK_DETACHED,
                                               TASK_CREATED, TASK_COMPLETED};
    for (unsigned i = 0; i < SLAB_TASKS; i++, at += fake->record_size[RECORD_task] + 8) {
        r->task[i] = at;
        fake_put(fake, at, FIELD_task_id, TASK_A + i);
        fake_put(fake, at, FIELD_task_kind, TASK_EXPLICIT);
        fake_put(fake, at, FIELD_task_state, state[i]);
        fake_put(fake, at, FIELD_task_parent, program->task[0]);
        fake_put(fake, at, FIELD_task_parent_id, IMPLICIT_TASK_ID);
        fake_put(fake, at, FIELD_task_region, program->outer);
        fake_put(fake, at, FIELD_task_region_id, OUTER_ID);
        fake_put(fake, at, FIELD_task_function, EXPLICIT_FUNCTION + i);
        fake_put(fake, at, FIELD_task_codeptr, 0x5000 + i);
        fake_put(fake, at, FIELD_task_serial, i + 1);
        fake_put(fake, at, FIELD_task_level, 1);
        fake_put(fake, at, FIELD_task_icvs, r->icvs);
    }
    static const uint64_t a[][2] = {{0x9000, DEPENDENCE_OUT}};
    static const uint64_t b[][2] = {{0x9000, DEPENDENCE_IN}};
    static const uint64_t c[][2] = {{0x9100, DEPENDENCE_OUT}, {0x9000, DEPENDENCE_IN}};
    static const uint64_t partly[][2] = {{0x9200, DEPENDENCE_OUT}};
    put_dependences(fake, r->task[0], 1, a, 1);
    put_dependences(fake, r->task[1], 1, b, 1);
    put_dependences(fake, r->task[2], 2, c, 2);
    put_dependences(fake, r->task[3], 1, a, 1);
    put_dependences(fake, r->task[6], 2, partly, 1);
    put_dependences(fake, r->task[7], 1, partly, 1);
    fake_put(fake, r->task[7], FIELD_task_serial, 1);
    fake_put(fake, r->task[0], FIELD_task_thread, program->thread[3]);
    fake_put(fake, r->task[0], FIELD_task_thread_id, THREAD_ID + 3);
    fake_put(fake, r->task[0], FIELD_task_scheduling_task, program->task[3]);
    fake_put(fake, r->task[0], FIELD_task_scheduling_task_id, IMPLICIT_TASK_ID + 3);
    fake_put(fake, r->task[5], FIELD_task_event, EVENT);
    fake_put(fake, r->task[5], FIELD_task_flags, TASK_FLAG_DETACH | TASK_FLAG_UNTIED);
    /* So that a query about the program's own tasks has something to answer. */
    fake_put(fake, program->inner_task, FIELD_task_scheduling_task, program->task[1]);
    fake_put(fake, program->inner_task, FIELD_task_scheduling_task_id, IMPLICIT_TASK_ID + 1);
    fake_put(fake, program->inner_task, FIELD_task_state, TASK_RUNNING);
}

static void add_locks(struct program *program, struct records *r)
{
    struct fake *fake = program->fake;
    uint64_t at;
    r->lock_slab = add_slab(fake, RECORD_lock, FIELD_root_lock_slab, 2, &at);
    for (unsigned i = 0; i < 2; i++) {
        r->lock[i] = at + (uint64_t)i * (fake->record_size[RECORD_lock] + 8);
        fake_put(fake, r->lock[i], FIELD_lock_id, LOCK_HELD_ID + i);
        fake_put(fake, r->lock[i], FIELD_lock_address, i ? LOCK_FREE_ADDRESS : CRITICAL_NAME);
        fake_put(fake, r->lock[i], FIELD_lock_kind, i ? LOCK_SIMPLE : LOCK_CRITICAL);
        fake_put(fake, r->lock[i], FIELD_lock_owner_id, i ? 0 : THREAD_ID);
        fake_put(fake, r->lock[i], FIELD_lock_owner, program->thread[0]);
        fake_put(fake, r->lock[i], FIELD_lock_owner_task, program->task[0]);
        fake_put(fake, r->lock[i], FIELD_lock_owner_task_id, IMPLICIT_TASK_ID);
        fake_put(fake, r->lock[i], FIELD_lock_count, 1);
        fake_put(fake, r->lock[i], FIELD_lock_codeptr, LOCK_CODEPTR);
        fake_put(fake, r->lock[i], FIELD_lock_frame, LOCK_FRAME);
        fake_put(fake, r->lock[i], FIELD_lock_life, i ? LOCK_MADE : LOCK_UNSEEN);
    }
}

/* A lock inside of another one, which two threads have met after three barriers of a region. */
static void add_orders(struct fake *fake, struct records *r)
{
    uint64_t at;
    r->order_slab = add_slab(fake, RECORD_order, FIELD_root_order_slab, 2, &at);
    r->meetings = fake_memory(fake, ORDER_MEETINGS * fake->record_size[RECORD_meeting]);
    for (unsigned i = 1; i <= 2; i++, at += fake->record_size[RECORD_order] + 8) {
        fake_put(fake, at, FIELD_order_id, i);
        fake_put(fake, at, FIELD_order_parent, i - 1);
        fake_put(fake, at, FIELD_order_lock, LOCK_HELD_ID + i);
        fake_put(fake, at, FIELD_order_address, 0xb000 + i);
        fake_put(fake, at, FIELD_order_kind, LOCK_SIMPLE);
        fake_put(fake, at, FIELD_order_codeptr, 0x4470 + i);
        fake_put(fake, at, FIELD_order_meetings,
                 i == 2 ? r->meetings
                        : fake_memory(fake, ORDER_MEETINGS * fake->record_size[RECORD_meeting]));
        uint64_t meeting = r->meetings + i * 2 * fake->record_size[RECORD_meeting];
        fake_put(fake, meeting, FIELD_meeting_thread, THREAD_ID + i);
        fake_put(fake, meeting, FIELD_meeting_phase, OUTER_ID << ORDER_PHASE_BITS | 3);
    }
}

struct records records_add(struct program *program)
{
    struct records r;
    memset(&r, 0, sizeof r);
    add_icvs(program, &r);
    add_history(program, &r);
    add_sums(program, &r);
    add_globals(program->fake, &r);
    add_tasks(program, &r);
    add_locks(program, &r);
    add_orders(program->fake, &r);
    return r;
}

static bool is_of_1_11(unsigned field)
{
    return (field >= FIELD_region_met_even && field <= FIELD_region_parted_other) ||
           (field >= FIELD_thread_target && field <= FIELD_thread_target_since); /* of 1.13 */
}

/* Fields of 1.0: all of the first records but what was appended to them. */
static bool is_of_1_0(unsigned field)
{
    if (field == FIELD_thread_tool_data || field == FIELD_thread_outside_data ||
        field == FIELD_thread_barrier || field == FIELD_thread_targets ||
        field == FIELD_region_tool_data || field == FIELD_region_runtime ||
        field == FIELD_thread_awaited || field == FIELD_thread_wait_since ||
        field == FIELD_thread_history || field == FIELD_thread_tested ||
        field == FIELD_thread_tests || field == FIELD_thread_tested_since ||
        field == FIELD_region_cancelled || field == FIELD_region_word || is_of_1_11(field))
        return false;
    return field <= FIELD_root_atomic ||
           (field >= FIELD_slab_next && field <= FIELD_task_thread_id);
}

/* The new descriptor stands where the old one did, which is larger. */
static void describe(struct fake *fake, uint32_t minor, unsigned records, unsigned fields,
                     bool has(unsigned field))
{
    uint64_t at = fake->descriptor + sizeof HOOKS_COOKIE;
    uint32_t described = 0;
    for (unsigned i = 0; i < fields; i++)
        described += has(i);
    const uint32_t header[] = {HOOKS_BYTE_ORDER, HOOKS_VERSION_MAJOR, minor,
                               records,          described,           fake->pointer_size};
    for (unsigned i = 0; i < sizeof header / sizeof *header; i++, at += 4)
        fake_put_number(fake, at, 4, header[i]);
    for (unsigned i = 0; i < records; i++, at += 4)
        fake_put_number(fake, at, 4, fake->record_size[i]);
    for (unsigned i = 0; i < fields; i++) {
        if (!has(i))
            continue;
        fake_put_number(fake, at, 4, fake->field[i].offset);
        fake_put_number(fake, at + 4, 4, fake->field[i].size);
        at += 8;
    }
}

void records_downgrade(struct fake *fake)
{
    describe(fake, 0, RECORD_task + 1, FIELD_COUNT, is_of_1_0);
}

static bool is_of_1_3(unsigned field)
{
    return field != FIELD_thread_barrier && field != FIELD_thread_targets &&
           field != FIELD_thread_wait_since && field != FIELD_thread_history &&
           field != FIELD_thread_tested && field != FIELD_thread_tests &&
           field != FIELD_thread_tested_since && !is_of_1_11(field);
}

void records_downgrade_to_1_3(struct fake *fake)
{
    describe(fake, 3, RECORD_COUNT, FIELD_COUNT, is_of_1_3);
}

static bool is_any(unsigned field)
{
    (void)field;
    return true;
}

void records_cut(struct fake *fake, unsigned records)
{
    unsigned fields = 0, record = 0;
    while (fields < FIELD_COUNT &&
           (fields == 0 || fake->field[fields].offset != 0 || ++record < records))
        fields++;
    describe(fake, HOOKS_VERSION_MINOR - 1, records, fields, is_any);
}
