/* SPDX-License-Identifier: MIT
 *
 * The process: the program of the unit tests, copied and then changed as the input says;
 * or, raw, memory without an end that is the input over and over; or the former amid the
 * latter.
 */
#include <stdlib.h>
#include <string.h>

#include "libompd/target/target.h"
#include "target.h"

static const struct {
    unsigned char record;
} field_of[FIELD_COUNT] = {
#define RECORD(r, comment)
#define FIELD(r, type, f) {RECORD_##r},
#define END_RECORD(r)
#include "runtime-hooks/records/records.def"
#undef RECORD
#undef FIELD
#undef END_RECORD
};

/* The hash of the index wants a thread for each; the fake memory has room for these. */
static const unsigned program_size[] = {8, 4, 70, 200};

static void add_record(struct origin *origin, enum hooks_record kind, uint64_t address)
{
    if (!address || origin->records == RECORDS_MAX)
        return;
    origin->record[origin->records].kind = kind;
    origin->record[origin->records++].address = address;
}

static void add_array(struct origin *origin, enum hooks_record kind, uint64_t first, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        add_record(origin, kind, first + i * origin->program->fake->record_size[kind]);
}

/* Those that matter most come first: the input has them at small numbers. */
static void list_records(struct origin *origin, const struct records *more)
{
    const struct program *p = origin->program;
    const struct fake *fake = p->fake;
    add_record(origin, RECORD_root, fake->root);
    add_record(origin, RECORD_slab, p->slab);
    add_record(origin, RECORD_region, p->outer);
    add_record(origin, RECORD_region, p->inner);
    add_record(origin, RECORD_task, p->initial_task);
    add_record(origin, RECORD_task, p->inner_task);
    add_record(origin, RECORD_task, p->explicit_task);
    add_record(origin, RECORD_thread, p->idle);
    for (unsigned i = 0; i < p->n; i++)
        add_record(origin, RECORD_thread, p->thread[i]);
    add_record(origin, RECORD_icvs, more->icvs);
    add_record(origin, RECORD_globals, more->globals);
    add_record(origin, RECORD_slab, more->task_slab);
    add_record(origin, RECORD_slab, more->lock_slab);
    add_record(origin, RECORD_lock, more->lock[0]);
    add_record(origin, RECORD_lock, more->lock[1]);
    for (unsigned i = 0; i < SLAB_TASKS; i++) {
        add_record(origin, RECORD_task, more->task[i]);
        add_record(origin, RECORD_dependence,
                   fake_get(fake, more->task[i], FIELD_task_dependences));
    }
    for (unsigned i = 0; i < p->n; i++)
        add_record(origin, RECORD_task, p->task[i]);
    add_array(origin, RECORD_member, fake_get(fake, p->inner, FIELD_region_members), 1);
    add_array(origin, RECORD_member, fake_get(fake, p->outer, FIELD_region_members), p->n);
    for (uint64_t slab = fake_get(fake, p->slab, FIELD_slab_next); slab;
         slab = fake_get(fake, slab, FIELD_slab_next))
        add_record(origin, RECORD_slab, slab);
    add_array(origin, RECORD_index, fake_get(fake, fake->root, FIELD_root_index),
              UINT64_C(1) << fake_get(fake, fake->root, FIELD_root_index_bits));
}

/* Memory ends where the process's does: AddressSanitizer guards the end. */
static struct origin *origin_of(unsigned flags, unsigned threads)
{
    static struct origin origins[4][4];
    struct origin *origin = &origins[flags & 3][threads % 4];
    if (origin->program)
        return origin;
    origin->program = program_new(flags & INPUT_32BIT ? 4 : 8, (flags & INPUT_BIG_ENDIAN) != 0,
                                  program_size[threads % 4]);
    struct records more = records_add(origin->program);
    const struct fake *fake = origin->program->fake;
    for (unsigned i = 0; i < 2; i++)
        origin->bytes[i] = malloc(fake->end - fake->descriptor);
    list_records(origin, &more);
    return origin;
}

void target_begin(struct target *target, unsigned flags, unsigned threads,
                  const unsigned char *data, size_t size)
{
    memset(target, 0, sizeof *target);
    struct origin *origin = target->origin = origin_of(flags, threads);
    target->program = origin->program;
    target->base = target->program->fake->descriptor;
    target->fake = *target->program->fake;
    unsigned which = origin->is_used[0];
    origin->is_used[which] = true;
    target->fake.bytes = origin->bytes[which];
    target->raw = flags & INPUT_RAW;
    target->raw_descriptor = target->raw && flags & INPUT_RAW_DESCRIPTOR;
    target->everywhere = flags & INPUT_EVERYWHERE;
    target->raw_bytes = data;
    target->raw_size = size;
    target_restore(target);
}

void target_end(struct target *target)
{
    struct origin *origin = target->origin;
    origin->is_used[target->fake.bytes == origin->bytes[1]] = false;
}

void target_restore(struct target *target)
{
    const struct fake *fake = target->program->fake;
    memcpy(target->fake.bytes, fake->bytes, fake->end - target->base);
    target->fake.descriptor = fake->descriptor;
    target->fake.root = fake->root;
    target->sizeof_long = target->sizeof_pointer = (int)fake->pointer_size;
    target->says_big_endian = fake->big_endian;
}

static unsigned pick(const struct target *target, struct input *in)
{
    return (unsigned)input_number(in, 2) % target->origin->records;
}

static uint64_t id_of(const struct target *target, unsigned record)
{
    uint64_t address = target->origin->record[record].address;
    switch (target->origin->record[record].kind) {
    case RECORD_thread:
        return fake_get(&target->fake, address, FIELD_thread_id);
    case RECORD_region:
        return fake_get(&target->fake, address, FIELD_region_id);
    case RECORD_task:
        return fake_get(&target->fake, address, FIELD_task_id);
    default:
        return fake_get(&target->fake, address, 0);
    }
}

void target_object(const struct target *target, unsigned record, uint64_t out[2])
{
    record %= target->origin->records;
    out[0] = target->origin->record[record].address;
    out[1] = id_of(target, record);
}

static const uint64_t extremes[] = {
    0,
    1,
    INT32_MAX,
    UINT64_C(1) << 31,
    UINT32_MAX,
    INT64_MAX,
    UINT64_C(1) << 63,
    UINT64_MAX,
    UINT64_MAX - 63,
    UINT32_MAX - 63,
    1 << 12,
    (1 << 12) + 1,
    1 << 14,
    1 << 16,
    (1 << 16) + 1,
    1 << 17,
    (1 << 17) + 1,
    1 << 20,
    1 << 22,
    (1 << 22) + 1,
    28,
    29,
    63,
    64,
    0x100,
    UINT64_C(1) << 32,
    255,
    256,
    257,
    4095,
    65535,
    3,
};

static uint64_t value(const struct target *target, struct input *in)
{
    unsigned record;
    switch ((enum value)(input_u8(in) % VALUE_COUNT)) {
    case VALUE_U32:
        return input_number(in, 4);
    case VALUE_U64:
        return input_number(in, 8);
    case VALUE_ADDRESS:
        return target->origin->record[pick(target, in)].address;
    case VALUE_NEAR:
        record = pick(target, in);
        return target->origin->record[record].address + (uint64_t)(int8_t)input_u8(in);
    case VALUE_ID:
        return id_of(target, pick(target, in));
    case VALUE_EXTREME:
        return extremes[input_u8(in) % (sizeof extremes / sizeof *extremes)];
    case VALUE_STATUS:
        record = pick(target, in);
        return id_of(target, record) << 8 | input_u8(in);
    default:
        return input_u8(in);
    }
}

/* As fake_put_number, where there is memory. */
static void put(struct target *target, uint64_t address, unsigned size, uint64_t number)
{
    if (address >= target->base && size <= target->fake.end - target->base &&
        address <= target->fake.end - size)
        fake_encode(&target->fake, number, target->fake.bytes + (address - target->base), size);
}

static void put_field(struct target *target, unsigned record, enum hooks_field field,
                      uint64_t number)
{
    struct hooks_field_place place = target->fake.field[field];
    put(target, target->origin->record[record].address + place.offset, place.size, number);
}

static enum hooks_field pick_field(enum hooks_record record, unsigned number)
{
    unsigned first = 0;
    while (field_of[first].record != record)
        first++;
    unsigned count = 0;
    while (first + count < FIELD_COUNT && field_of[first + count].record == record)
        count++;
    return (enum hooks_field)(first + number % count);
}

static void copy_record(struct target *target, unsigned from, unsigned to)
{
    unsigned char *bytes = target->fake.bytes;
    memmove(bytes + (target->origin->record[to].address - target->base),
            bytes + (target->origin->record[from].address - target->base),
            target->fake.record_size[target->origin->record[from].kind] <
                    target->fake.record_size[target->origin->record[to].kind]
                ? target->fake.record_size[target->origin->record[from].kind]
                : target->fake.record_size[target->origin->record[to].kind]);
}

bool target_change(struct target *target, enum op op, struct input *in)
{
    unsigned record;
    uint64_t where;
    switch (op) {
    case OP_FIELD:
        record = pick(target, in);
        enum hooks_field field = pick_field(target->origin->record[record].kind, input_u8(in));
        put_field(target, record, field, value(target, in));
        return true;
    case OP_BYTES:
        where = target->base + input_number(in, 2);
        unsigned size = 1u << input_u8(in) % 4;
        put(target, where, size, value(target, in));
        return true;
    case OP_COPY:
        record = pick(target, in);
        copy_record(target, record, pick(target, in));
        return true;
    case OP_REUSE:
        record = pick(target, in);
        put_field(target, record, pick_field(target->origin->record[record].kind, 0),
                  value(target, in));
        return true;
    case OP_TORN:
        record = (unsigned)input_number(in, 2) % target->program->n;
        fake_put(&target->fake, target->program->thread[record], FIELD_thread_seq, 1);
        return true;
    case OP_DESCRIPTOR:
        where = input_number(in, 2) % (8 + RECORD_COUNT + 2 * FIELD_COUNT);
        put(target, target->base + where * 4, 4, value(target, in));
        return true;
    case OP_RESTORE:
        target_restore(target);
        return true;
    case OP_OLDER:
        target->fake.descriptor = target->base;
        where = input_u8(in) % (RECORD_COUNT - RECORD_task);
        if (where == RECORD_COUNT - RECORD_task - 1)
            records_downgrade_to_1_3(&target->fake);
        else
            records_cut(&target->fake, RECORD_task + 1 + (unsigned)where);
        return true;
    case OP_SYMBOL:
        if (input_u8(in) & 1)
            target->fake.root = value(target, in);
        else
            target->fake.descriptor = value(target, in);
        return true;
    case OP_SIZES:
        target->sizes_changed = true;
        target->sizeof_pointer = (int8_t)input_u8(in);
        target->sizeof_long = (int8_t)input_u8(in);
        target->says_big_endian = input_u8(in) & 1;
        return true;
    default:
        return false;
    }
}
