/* SPDX-License-Identifier: MIT
 *
 * changes.h, and the seeds.
 */
#include "changes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BASE = 0x10000, CHANGE_BYTES = 11 };

enum operation {
    PUT_VALUE,   /* value into the field of the object */
    PUT_ADDRESS, /* the address of object number `value` */
    PUT_ID,      /* its first eight bytes, which is its id */
    PUT_RAW,     /* four bytes at an address near the object */
};

static void collect(struct fuzzed *f)
{
    const uint64_t objects[] = {
        f->fake->root,        f->program->slab,         f->program->outer,
        f->program->inner,    f->program->inner_task,   f->program->initial_task,
        f->program->idle,     f->records.icvs,          f->records.globals,
        f->records.task_slab, f->records.lock_slab,     f->records.lock[0],
        f->records.lock[1],   f->program->explicit_task};
    f->objects = sizeof objects / sizeof *objects;
    memcpy(f->object, objects, sizeof objects);
    for (unsigned i = 0; i < FUZZ_THREADS; i++) {
        f->object[f->objects++] = f->program->thread[i];
        f->object[f->objects++] = f->program->task[i];
        f->object[f->objects++] = f->records.task[i];
    }
    for (unsigned i = 0; i < 4; i++)
        f->object[f->objects++] =
            fake_get(f->fake, f->records.task[i], FIELD_task_dependences);
}

struct fuzzed fuzzed_new(const uint8_t *data, size_t size)
{
    unsigned kind = size ? data[0] : 0;
    struct fuzzed f;
    memset(&f, 0, sizeof f);
    f.program = program_new(kind & 1 ? 4 : 8, kind & 2, FUZZ_THREADS);
    f.fake = f.program->fake;
    f.records = records_add(f.program);
    if (kind & 4)
        records_downgrade(f.fake);
    collect(&f);
    if (kind & 8) {
        f.fake->endless = FUZZ_ENDLESS;
        f.fake->repeated = f.object[kind >> 4];
        f.fake->endless_period = f.fake->record_size[RECORD_task] + 8;
    }
    return f;
}

static uint64_t bounded(const struct fuzzed *f, uint64_t address, unsigned size)
{
    return BASE + (address - BASE) % (f->fake->end - BASE - size);
}

void fuzzed_change(struct fuzzed *f, const uint8_t *data, size_t size)
{
    for (size_t at = 1; at + CHANGE_BYTES <= size; at += CHANGE_BYTES) {
        uint64_t value;
        memcpy(&value, data + at + 3, sizeof value);
        uint64_t object = f->object[data[at + 1] % f->objects];
        uint64_t other = f->object[value % f->objects];
        struct hooks_field_place place = f->fake->field[data[at + 2] % FIELD_COUNT];
        unsigned width = place.size;
        uint64_t address = object + place.offset;
        switch (data[at] % 4) {
        case PUT_VALUE:
            break;
        case PUT_ADDRESS:
            value = other;
            break;
        case PUT_ID:
            value = fake_get(f->fake, other, FIELD_thread_id);
            break;
        case PUT_RAW:
            address = object + data[at + 2] * 4;
            width = 4;
            break;
        }
        fake_put_number(f->fake, bounded(f, address, width), width, value);
    }
}

void fuzzed_free(struct fuzzed *f)
{
    program_free(f->program);
    fake_forget_freed();
}

void fuzzed_count(const char *call, unsigned reads_max)
{
    if (fake_counts.reads > reads_max || fake_counts.bytes_peak > FUZZ_BYTES_MAX ||
        fake_counts.largest_read > TARGET_BULK_BYTES) {
        fprintf(stderr, "%s: %u reads of %u, largest %zu, %zu bytes of memory\n", call,
                fake_counts.reads, reads_max, fake_counts.largest_read,
                fake_counts.bytes_peak);
        abort();
    }
    fake_counts_reset();
    fake_forget_freed();
}

/* Objects by their place in collect(). */
enum {
    ROOT,
    SLAB,
    OUTER,
    INNER,
    INNER_TASK,
    TASK_SLAB = 9,
    LOCK_SLAB,
    LOCK_1,
    LAST = 13, /* the explicit task */
    THREAD_1 = 17,
    TASK_1,
    EXPLICIT_1
};

static const struct seed {
    const char *name;
    unsigned endless; /* kind of target beyond the four: 8 and the object that repeats */
    struct {
        unsigned char operation, object;
        unsigned field;
        uint64_t value;
    } change[3];
} seeds[] = {
    {"slab-of-itself", 0, {{PUT_ADDRESS, SLAB, FIELD_slab_next, SLAB}}},
    {"slabs-in-a-ring", 0,
     {{PUT_ADDRESS, TASK_SLAB, FIELD_slab_next, LOCK_SLAB},
      {PUT_ADDRESS, LOCK_SLAB, FIELD_slab_next, TASK_SLAB}}},
    {"region-inside-itself", 0,
     {{PUT_ADDRESS, INNER, FIELD_region_parent, INNER},
      {PUT_VALUE, INNER, FIELD_region_parent_id, INNER_ID}}},
    {"regions-inside-each-other", 0,
     {{PUT_ADDRESS, OUTER, FIELD_region_parent, INNER},
      {PUT_VALUE, OUTER, FIELD_region_parent_id, INNER_ID}}},
    {"task-of-itself", 0,
     {{PUT_ADDRESS, INNER_TASK, FIELD_task_parent, INNER_TASK},
      {PUT_VALUE, INNER_TASK, FIELD_task_parent_id, INNER_TASK_ID}}},
    {"2^31-threads", 0,
     {{PUT_VALUE, SLAB, FIELD_slab_used, 1u << 31},
      {PUT_VALUE, SLAB, FIELD_slab_capacity, 1u << 31}}},
    {"2^31-tasks", 0,
     {{PUT_VALUE, TASK_SLAB, FIELD_slab_used, 1u << 31},
      {PUT_VALUE, TASK_SLAB, FIELD_slab_capacity, 1u << 31}}},
    {"2^31-members", 0,
     {{PUT_VALUE, OUTER, FIELD_region_capacity, 1u << 31},
      {PUT_VALUE, OUTER, FIELD_region_actual, 1u << 31}}},
    {"2^31-dependences", 0,
     {{PUT_VALUE, EXPLICIT_1, FIELD_task_dependences_held, 1u << 31},
      {PUT_VALUE, EXPLICIT_1, FIELD_task_dependence_count, 1u << 31}}},
    {"2^31-settings", 0, {{PUT_VALUE, ROOT, FIELD_root_settings_bytes, 1u << 31}}},
    {"endless-tasks", 8 | INNER_TASK << 4,
     {{PUT_VALUE, TASK_SLAB, FIELD_slab_first, FUZZ_ENDLESS},
      {PUT_VALUE, TASK_SLAB, FIELD_slab_used, 1u << 20},
      {PUT_VALUE, TASK_SLAB, FIELD_slab_capacity, 1u << 20}}},
    {"endless-waiting-tasks", 8 | LAST << 4,
     {{PUT_VALUE, TASK_SLAB, FIELD_slab_first, FUZZ_ENDLESS},
      {PUT_VALUE, TASK_SLAB, FIELD_slab_used, 30000},
      {PUT_VALUE, TASK_SLAB, FIELD_slab_capacity, 30000}}},
    {"endless-locks", 8 | LOCK_1 << 4,
     {{PUT_VALUE, LOCK_SLAB, FIELD_slab_first, FUZZ_ENDLESS},
      {PUT_VALUE, LOCK_SLAB, FIELD_slab_used, 1u << 20},
      {PUT_VALUE, LOCK_SLAB, FIELD_slab_capacity, 1u << 20}}},
    {"endless-members", 8 | INNER << 4,
     {{PUT_VALUE, OUTER, FIELD_region_members, FUZZ_ENDLESS},
      {PUT_VALUE, OUTER, FIELD_region_capacity, 1u << 16},
      {PUT_VALUE, OUTER, FIELD_region_actual, 1u << 16}}},
    {"tasks-of-each-other", 0,
     {{PUT_ADDRESS, TASK_1, FIELD_task_parent, TASK_1},
      {PUT_VALUE, TASK_1, FIELD_task_parent_id, IMPLICIT_TASK_ID + 5},
      {PUT_VALUE, TASK_1, FIELD_task_id, IMPLICIT_TASK_ID + 5}}},
    {"torn-thread", 0,
     {{PUT_VALUE, THREAD_1, FIELD_thread_seq, 1},
      {PUT_ADDRESS, THREAD_1, FIELD_thread_region, OUTER}}},
    {"thread-reused", 0, {{PUT_VALUE, THREAD_1, FIELD_thread_id, 4711}}},
    {"region-reused", 0, {{PUT_VALUE, INNER, FIELD_region_id, 4711}}},
    {"task-reused", 0, {{PUT_VALUE, TASK_1, FIELD_task_id, 4711}}},
};

void seeds_write(void)
{
    const char *folder = getenv("FUZZ_SEEDS");
    if (!folder)
        return;
    for (unsigned i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        for (unsigned kind = 0; kind < 4; kind++) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s-%u", folder, seeds[i].name, kind);
            FILE *file = fopen(path, "wb");
            if (!file)
                exit(EXIT_FAILURE);
            fputc((int)(kind | seeds[i].endless), file);
            for (unsigned c = 0; c < 3; c++) {
                uint8_t bytes[CHANGE_BYTES] = {seeds[i].change[c].operation,
                                               seeds[i].change[c].object,
                                               (uint8_t)seeds[i].change[c].field};
                memcpy(bytes + 3, &seeds[i].change[c].value, sizeof(uint64_t));
                if (c == 0 || seeds[i].change[c].field)
                    fwrite(bytes, 1, sizeof bytes, file);
            }
            fclose(file);
        }
    }
    exit(EXIT_SUCCESS);
}
