/* SPDX-License-Identifier: MIT
 *
 * The seeds. Each begins with a program as the unit tests have it; the handles that the
 * driver holds then are used after the process has changed.
 */
#include <stdio.h>
#include <string.h>

#include "input.h"
#include "seeds.h"
#include "target.h"

/* Records by their number in target.c's list. */
enum { ROOT, SLAB, OUTER, INNER, INITIAL_TASK, INNER_TASK, EXPLICIT_TASK, IDLE, THREAD_0 };

struct seed {
    unsigned char bytes[SEED_MAX];
    size_t size;
};

static void put(struct seed *seed, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes && seed->size < SEED_MAX; i++)
        seed->bytes[seed->size++] = (unsigned char)(number >> (8 * i));
}

static void begin(struct seed *seed, unsigned flags)
{
    seed->size = 0;
    put(seed, flags, 1);
    put(seed, 0, 1);
}

/* Fields are named by their number in their record. */
static const unsigned char record_of[FIELD_COUNT] = {
#define RECORD(r, comment)
#define FIELD(r, type, f) [FIELD_##r##_##f] = RECORD_##r,
#define END_RECORD(r)
#include "runtime-hooks/records/records.def"
#undef RECORD
#undef FIELD
#undef END_RECORD
};

static unsigned in_record(enum hooks_field field)
{
    unsigned first = field;
    while (first && record_of[first - 1] == record_of[field])
        first--;
    return field - first;
}

static void field_is(struct seed *seed, unsigned record, enum hooks_field field)
{
    put(seed, OP_FIELD, 1);
    put(seed, record, 2);
    put(seed, in_record(field), 1);
}

static void field_number(struct seed *seed, unsigned record, enum hooks_field field,
                         uint64_t number)
{
    field_is(seed, record, field);
    put(seed, VALUE_U64, 1);
    put(seed, number, 8);
}

static void field_address(struct seed *seed, unsigned record, enum hooks_field field, unsigned of)
{
    field_is(seed, record, field);
    put(seed, VALUE_ADDRESS, 1);
    put(seed, of, 2);
}

static void field_id(struct seed *seed, unsigned record, enum hooks_field field, unsigned of)
{
    field_is(seed, record, field);
    put(seed, VALUE_ID, 1);
    put(seed, of, 2);
}

static void put_call(struct seed *seed, unsigned routine, unsigned handle, unsigned second,
                     unsigned id)
{
    put(seed, OP_CALL + routine, 1);
    put(seed, HANDLE_FITTING + handle, 1);
    put(seed, HANDLE_FITTING + second, 1);
    put(seed, id, 1);
    put(seed, 0, 1);
}

/* Every routine but those that release, about the first handle and about the second. */
static void ask(struct seed *seed)
{
    for (unsigned i = 0; i < routine_count; i++) {
        if (routines[i].gives == GIVES_RELEASE)
            continue;
        put_call(seed, i, 0, 1, 8 + 1);
        put_call(seed, i, 1, 0, 2);
    }
}

/* About a thread that is none, so that all are looked at. */
static void ask_cost(struct seed *seed, enum cost cost)
{
    for (unsigned i = 0; i < routine_count; i++) {
        if (routines[i].cost == cost)
            put_call(seed, i, 0, 0, 0xe0);
    }
}

static void release_all(struct seed *seed, enum kind kind)
{
    for (unsigned i = 0; i < routine_count; i++) {
        if (routines[i].gives == GIVES_RELEASE && routines[i].takes == kind)
            put_call(seed, i, 0, 0, 0);
    }
}

static void nothing_wrong(struct seed *seed)
{
    ask(seed);
}

/* In circles: slabs, regions, tasks, and each its own parent. */
static void cycles(struct seed *seed)
{
    field_address(seed, SLAB, FIELD_slab_next, SLAB);
    field_address(seed, OUTER, FIELD_region_parent, INNER);
    field_id(seed, OUTER, FIELD_region_parent_id, INNER);
    field_address(seed, INITIAL_TASK, FIELD_task_parent, INNER_TASK);
    field_id(seed, INITIAL_TASK, FIELD_task_parent_id, INNER_TASK);
    ask(seed);
}

static void own_parents(struct seed *seed)
{
    field_address(seed, OUTER, FIELD_region_parent, OUTER);
    field_id(seed, OUTER, FIELD_region_parent_id, OUTER);
    field_address(seed, INNER, FIELD_region_parent, INNER);
    field_id(seed, INNER, FIELD_region_parent_id, INNER);
    field_address(seed, INNER_TASK, FIELD_task_parent, INNER_TASK);
    field_id(seed, INNER_TASK, FIELD_task_parent_id, INNER_TASK);
    ask(seed);
}

static void huge_counts(struct seed *seed)
{
    field_number(seed, OUTER, FIELD_region_actual, UINT64_C(1) << 31);
    field_number(seed, INNER, FIELD_region_capacity, UINT64_C(1) << 31);
    field_number(seed, SLAB, FIELD_slab_used, UINT64_C(1) << 31);
    field_number(seed, SLAB, FIELD_slab_capacity, UINT32_MAX);
    field_number(seed, ROOT, FIELD_root_index_window, UINT64_C(1) << 31);
    ask(seed);
}

/* As many as are allowed, of the largest records, most of them in memory that is not that
 * of the program. */
static void most_that_is_allowed(struct seed *seed)
{
    field_number(seed, SLAB, FIELD_slab_stride, 1 << 12);
    field_number(seed, OUTER, FIELD_region_actual, 1 << 16);
    field_number(seed, OUTER, FIELD_region_capacity, 1 << 16);
    field_number(seed, SLAB, FIELD_slab_used, 1 << 17);
    field_number(seed, SLAB, FIELD_slab_capacity, 1 << 17);
    field_number(seed, ROOT, FIELD_root_index_bits, 28);
    field_number(seed, ROOT, FIELD_root_index_overflow, 1);
    ask(seed);
    ask_cost(seed, COST_FIND);
}

static void one_more_than_allowed(struct seed *seed)
{
    field_number(seed, OUTER, FIELD_region_actual, (1 << 16) + 1);
    field_number(seed, INNER, FIELD_region_capacity, (1 << 16) + 1);
    field_number(seed, SLAB, FIELD_slab_stride, 1 << 12);
    field_number(seed, SLAB, FIELD_slab_used, 1 << 19);
    field_number(seed, SLAB, FIELD_slab_capacity, 1 << 19);
    ask(seed);
}

/* Records that overlap, and records too far apart for one read to have four of them. */
static void close_records(struct seed *seed)
{
    field_number(seed, ROOT, FIELD_root_index, 0);
    field_number(seed, ROOT, FIELD_root_index_overflow, 1);
    for (unsigned stride = 0; stride < 200; stride += 33) {
        field_number(seed, SLAB, FIELD_slab_stride, stride);
        field_number(seed, SLAB, FIELD_slab_used, 40000);
        field_number(seed, SLAB, FIELD_slab_capacity, 40000);
        ask_cost(seed, COST_THREADS);
        ask_cost(seed, COST_FIND);
    }
}

static void distant_records(struct seed *seed)
{
    field_number(seed, ROOT, FIELD_root_index, 0);
    field_number(seed, ROOT, FIELD_root_index_overflow, 1);
    field_number(seed, SLAB, FIELD_slab_stride, 1 << 14);
    field_number(seed, SLAB, FIELD_slab_used, 1 << 17);
    field_number(seed, SLAB, FIELD_slab_capacity, 1 << 17);
    ask_cost(seed, COST_THREADS);
    ask_cost(seed, COST_FIND);
}

static void torn(struct seed *seed)
{
    for (unsigned i = 0; i < 3; i++) {
        put(seed, OP_TORN, 1);
        put(seed, i, 2);
    }
    ask(seed);
    field_number(seed, INNER, FIELD_region_id, 0);
    field_address(seed, THREAD_0, FIELD_thread_task, ROOT);
    ask(seed);
}

static void reused_addresses(struct seed *seed)
{
    static const unsigned records[] = {OUTER, INNER, INITIAL_TASK, INNER_TASK, THREAD_0};
    for (unsigned i = 0; i < sizeof records / sizeof *records; i++) {
        put(seed, OP_REUSE, 1);
        put(seed, records[i], 2);
        put(seed, VALUE_U32, 1);
        put(seed, 77777 + i, 4);
    }
    ask(seed);
    put(seed, OP_COPY, 1);
    put(seed, OUTER, 2);
    put(seed, INNER, 2);
    ask(seed);
}

static void given_up(struct seed *seed)
{
    for (unsigned record = OUTER; record < THREAD_0 + 4; record++) {
        put(seed, OP_REUSE, 1);
        put(seed, record, 2);
        put(seed, VALUE_SMALL, 1);
        put(seed, 0, 1);
    }
    ask(seed);
}

static void end_of_memory(struct seed *seed)
{
    field_number(seed, SLAB, FIELD_slab_first, UINT64_MAX - 63);
    field_number(seed, OUTER, FIELD_region_members, UINT64_MAX - 7);
    field_number(seed, OUTER, FIELD_region_implicit_tasks, UINT32_MAX - 7);
    field_number(seed, ROOT, FIELD_root_index, UINT64_MAX);
    ask(seed);
}

static void tracking_off(struct seed *seed)
{
    field_number(seed, ROOT, FIELD_root_tracking, 0);
    ask(seed);
}

static void index_is_lost(struct seed *seed)
{
    field_number(seed, ROOT, FIELD_root_index, 0);
    field_number(seed, ROOT, FIELD_root_index_overflow, 1);
    ask(seed);
}

static void word_is(struct seed *seed, unsigned word, uint64_t number)
{
    put(seed, OP_DESCRIPTOR, 1);
    put(seed, word, 2);
    put(seed, VALUE_U32, 1);
    put(seed, number, 4);
}

/* Words of the descriptor: the cookie's two, then the numbers of its header. */
enum { WORD_RECORD_COUNT = 5, WORD_FIELD_COUNT, WORD_SIZES = 8 };

static void other_descriptor(struct seed *seed)
{
    for (unsigned word = 2; word < 40; word++) {
        put(seed, OP_DESCRIPTOR, 1);
        put(seed, word, 2);
        put(seed, VALUE_EXTREME, 1);
        put(seed, word, 1);
        ask_cost(seed, COST_OPEN);
        put(seed, OP_RESTORE, 1);
    }
}

/* Tables a little larger than they may be. */
static void long_tables(struct seed *seed)
{
    for (unsigned more = 0; more < 1000; more += 199) {
        word_is(seed, WORD_RECORD_COUNT, 65 + more);
        ask_cost(seed, COST_OPEN);
        put(seed, OP_RESTORE, 1);
        word_is(seed, WORD_FIELD_COUNT, 1025 + more);
        ask_cost(seed, COST_OPEN);
        put(seed, OP_RESTORE, 1);
    }
}

/* Records larger than they may be, whose last field stands at their end. */
static void long_records(struct seed *seed)
{
    for (unsigned record = 0; record < RECORD_COUNT; record++) {
        unsigned last = 0;
        for (unsigned i = 0; i < FIELD_COUNT; i++) {
            if (record_of[i] == record)
                last = i;
        }
        word_is(seed, WORD_SIZES + record, 16000);
        word_is(seed, WORD_SIZES + RECORD_COUNT + 2 * last, 15992);
        ask_cost(seed, COST_OPEN);
        for (unsigned i = 0; i < routine_count; i++) {
            if (routines[i].takes == KIND_SPACE && routines[i].gives != GIVES_RELEASE)
                put_call(seed, i, 1, 0, 8 + 2);
        }
        put(seed, OP_RESTORE, 1);
    }
}

/* Each older minor version, whose root names lists of what its descriptor does not have. */
static void older_minor(struct seed *seed)
{
    for (unsigned more = 0; more < RECORD_COUNT - RECORD_task; more++) {
        put(seed, OP_OLDER, 1);
        put(seed, more, 1);
        field_number(seed, SLAB, FIELD_slab_stride, 0);
        field_address(seed, ROOT, FIELD_root_lock_slab, SLAB);
        ask_cost(seed, COST_OPEN);
        for (unsigned i = 0; i < routine_count; i++) {
            if (routines[i].takes == KIND_SPACE && routines[i].gives != GIVES_RELEASE)
                put_call(seed, i, more + 1, 0, 8 + 2);
        }
        put(seed, OP_RESTORE, 1);
    }
}

static void failing_callbacks(struct seed *seed)
{
    for (unsigned i = 0; i < routine_count; i++) {
        if (routines[i].gives == GIVES_RELEASE)
            continue;
        for (unsigned n = 1; n < 6; n++) {
            put(seed, OP_FAIL, 1);
            put(seed, n, 1);
            put(seed, n + i, 1);
            put_call(seed, i, n & 1, 0, 8 + 2);
        }
    }
}

/* Used, compared and released again after their end, or after that of their process. */
static void late_handles(struct seed *seed)
{
    for (unsigned i = 0; i < 40; i++) {
        put(seed, OP_RELEASE, 1);
        put(seed, 2 * i, 1);
        put(seed, OP_COMPARE, 1);
        put(seed, i, 1);
        put(seed, 2 * i, 1);
        put(seed, 3 * i, 1);
        put(seed, OP_CALL + i % routine_count, 1);
        put(seed, i, 4);
    }
    for (enum kind kind = KIND_SPACE; kind < KIND_COUNT; kind++)
        release_all(seed, kind);
    ask(seed);
}

static void two_processes(struct seed *seed)
{
    put(seed, OP_PROCESS, 1);
    for (unsigned i = 0; i < routine_count; i++) {
        if (routines[i].gives == GIVES_SPACE)
            put_call(seed, i, 0, 0, 0);
    }
    for (unsigned i = 0; i < routine_count; i++) {
        if (routines[i].takes == KIND_SPACE && routines[i].gives != GIVES_RELEASE)
            put_call(seed, i, 1, 0, 8 + 1);
    }
    for (unsigned i = 0; i < 60; i++) {
        put(seed, OP_COMPARE, 1);
        put(seed, i, 1);
        put(seed, i + 7, 1);
        put(seed, i + 19, 1);
    }
    put(seed, OP_RESTART, 1);
    ask(seed);
}

static const struct {
    const char *name;
    unsigned flags; /* beside those of the kind of process */
    void (*write)(struct seed *seed);
} seeds[] = {
    {"nothing-wrong", 0, nothing_wrong},
    {"cycles", 0, cycles},
    {"own-parents", 0, own_parents},
    {"huge-counts", 0, huge_counts},
    {"most-that-is-allowed", 0, most_that_is_allowed},
    {"most-that-is-allowed-everywhere", INPUT_EVERYWHERE, most_that_is_allowed},
    {"one-more-than-allowed", INPUT_EVERYWHERE, one_more_than_allowed},
    {"close-records", INPUT_EVERYWHERE, close_records},
    {"distant-records", INPUT_EVERYWHERE, distant_records},
    {"torn", 0, torn},
    {"reused-addresses", 0, reused_addresses},
    {"given-up", 0, given_up},
    {"end-of-memory", 0, end_of_memory},
    {"tracking-off", 0, tracking_off},
    {"index-is-lost", 0, index_is_lost},
    {"other-descriptor", 0, other_descriptor},
    {"long-tables", INPUT_EVERYWHERE, long_tables},
    {"long-records", INPUT_EVERYWHERE, long_records},
    {"older-minor", 0, older_minor},
    {"failing-callbacks", 0, failing_callbacks},
    {"late-handles", 0, late_handles},
    {"two-processes", INPUT_OTHER_KIND, two_processes},
    {"raw", INPUT_RAW, nothing_wrong},
    {"raw-without-a-descriptor", INPUT_RAW | INPUT_RAW_DESCRIPTOR, nothing_wrong},
    {"no-handles", INPUT_NO_HANDLES, late_handles},
};

enum { KINDS = 4 };

unsigned seed_count(void)
{
    return sizeof seeds / sizeof *seeds * KINDS;
}

static void make(unsigned number, struct seed *seed)
{
    begin(seed, seeds[number / KINDS].flags | number % KINDS);
    seeds[number / KINDS].write(seed);
}

size_t seed_copy(unsigned number, unsigned char *out)
{
    static struct seed seed;
    make(number, &seed);
    memcpy(out, seed.bytes, seed.size);
    return seed.size;
}

void seed_name(unsigned number, char *out, size_t room)
{
    static const char *const kind[KINDS] = {"64-little", "32-little", "64-big", "32-big"};
    snprintf(out, room, "%s-%s", seeds[number / KINDS].name, kind[number % KINDS]);
}
