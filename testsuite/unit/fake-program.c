/* SPDX-License-Identifier: MIT
 *
 * Builds the program of fake-program.h, record by record.
 */
#include "fake-program.h"

#include <stdlib.h>

enum { SLAB = 64, WINDOW = 16 };

uint64_t program_pthread(const struct program *program, unsigned thread)
{
    uint64_t base = program->fake->pointer_size == 4 ? 0xf0000000 : UINT64_C(0x7f1234000000);
    return base + (uint64_t)thread * 0x1000 + 0x6c0;
}

static uint64_t index_entry(const struct program *program, uint64_t key, unsigned i)
{
    const struct fake *fake = program->fake;
    unsigned bits = (unsigned)fake_get(fake, fake->root, FIELD_root_index_bits);
    return fake_get(fake, fake->root, FIELD_root_index) +
           (records_hash(key, bits) + i) * fake->record_size[RECORD_index];
}

static void add_to_index(struct program *program, uint64_t key, uint64_t thread)
{
    struct fake *fake = program->fake;
    for (unsigned i = 0; i < WINDOW; i++) {
        uint64_t entry = index_entry(program, key, i);
        if (fake_get(fake, entry, FIELD_index_key))
            continue;
        fake_put(fake, entry, FIELD_index_key, key);
        fake_put(fake, entry, FIELD_index_thread, thread);
        fake_put(fake, entry, FIELD_index_thread_id, fake_get(fake, thread, FIELD_thread_id));
        return;
    }
    abort();
}

void program_unindex(struct program *program, uint64_t key)
{
    struct fake *fake = program->fake;
    for (unsigned i = 0; i < WINDOW; i++) {
        uint64_t entry = index_entry(program, key, i);
        if (fake_get(fake, entry, FIELD_index_key) != key)
            continue;
        fake_put(fake, entry, FIELD_index_key, 0);
        fake_put(fake, entry, FIELD_index_thread, 0);
        fake_put(fake, entry, FIELD_index_thread_id, 0);
    }
}

static void make_index(struct program *program, unsigned bits)
{
    struct fake *fake = program->fake;
    size_t entries = ((size_t)1 << bits) + WINDOW;
    fake_put(fake, fake->root, FIELD_root_index,
             fake_memory(fake, entries * fake->record_size[RECORD_index]));
    fake_put(fake, fake->root, FIELD_root_index_bits, bits);
    fake_put(fake, fake->root, FIELD_root_index_window, WINDOW);
}

void program_replace_index(struct program *program)
{
    struct fake *fake = program->fake;
    unsigned bits = (unsigned)fake_get(fake, fake->root, FIELD_root_index_bits);
    uint64_t old = fake_get(fake, fake->root, FIELD_root_index);
    size_t entries = ((size_t)1 << bits) + WINDOW;
    make_index(program, bits + 2);
    for (size_t i = 0; i < entries; i++, old += fake->record_size[RECORD_index]) {
        uint64_t key = fake_get(fake, old, FIELD_index_key);
        if (!key)
            continue;
        add_to_index(program, key, fake_get(fake, old, FIELD_index_thread));
        fake_put(fake, old, FIELD_index_key, 0);
        fake_put(fake, old, FIELD_index_thread, 0);
        fake_put(fake, old, FIELD_index_thread_id, 0);
    }
}

/* Address of the next free thread record; opens a slab when there is none. */
static uint64_t new_thread(struct program *program)
{
    struct fake *fake = program->fake;
    uint64_t last = 0;
    for (uint64_t slab = program->slab; slab; slab = fake_get(fake, slab, FIELD_slab_next))
        last = slab;
    uint64_t used = last ? fake_get(fake, last, FIELD_slab_used) : SLAB;
    uint32_t stride = fake->record_size[RECORD_thread] + 16;
    if (used == SLAB) {
        uint64_t slab = fake_record(fake, RECORD_slab);
        fake_put(fake, slab, FIELD_slab_first, fake_memory(fake, SLAB * stride));
        fake_put(fake, slab, FIELD_slab_stride, stride);
        fake_put(fake, slab, FIELD_slab_capacity, SLAB);
        if (last) {
            fake_put(fake, last, FIELD_slab_next, slab);
        } else {
            program->slab = slab;
            fake_put(fake, fake->root, FIELD_root_slab, slab);
        }
        last = slab;
        used = 0;
    }
    fake_put(fake, last, FIELD_slab_used, used + 1);
    return fake_get(fake, last, FIELD_slab_first) + used * stride;
}

static uint64_t new_os_thread(struct program *program, uint64_t id, uint64_t lwp, uint64_t pthread)
{
    struct fake *fake = program->fake;
    uint64_t thread = new_thread(program);
    fake_put(fake, thread, FIELD_thread_id, id);
    fake_put(fake, thread, FIELD_thread_lwp, lwp);
    fake_put(fake, thread, FIELD_thread_pthread, pthread);
    add_to_index(program, lwp, thread);
    add_to_index(program, pthread, thread);
    return thread;
}

static void put_pair(struct fake *fake, uint64_t record, enum hooks_field address,
                     enum hooks_field id, uint64_t object, uint64_t object_id)
{
    fake_put(fake, record, address, object);
    fake_put(fake, record, id, object_id);
}

static void put_place(struct fake *fake, uint64_t thread, unsigned state, uint64_t region,
                      uint64_t region_id, uint64_t task, uint64_t task_id)
{
    fake_put(fake, thread, FIELD_thread_status, region_id << 8 | state);
    fake_put(fake, thread, FIELD_thread_region, region);
    put_pair(fake, thread, FIELD_thread_task, FIELD_thread_task_id, task, task_id);
}

static uint64_t new_region(struct program *program, uint64_t id, unsigned actual, unsigned capacity)
{
    struct fake *fake = program->fake;
    uint64_t region = fake_record(fake, RECORD_region);
    fake_put(fake, region, FIELD_region_id, id);
    fake_put(fake, region, FIELD_region_kind, REGION_PARALLEL);
    fake_put(fake, region, FIELD_region_actual, actual);
    fake_put(fake, region, FIELD_region_capacity, capacity);
    fake_put(fake, region, FIELD_region_members,
             fake_memory(fake, (size_t)capacity * fake->record_size[RECORD_member]));
    fake_put(fake, region, FIELD_region_implicit_tasks,
             fake_memory(fake, (size_t)capacity * fake->record_size[RECORD_task]));
    return region;
}

static void put_member(struct program *program, uint64_t region, unsigned i, uint64_t thread)
{
    struct fake *fake = program->fake;
    uint64_t member = fake_get(fake, region, FIELD_region_members) +
                      (uint64_t)i * fake->record_size[RECORD_member];
    put_pair(fake, member, FIELD_member_thread, FIELD_member_thread_id, thread,
             fake_get(fake, thread, FIELD_thread_id));
}

static uint64_t put_task(struct program *program, uint64_t task, uint64_t id, unsigned kind,
                         uint64_t region, uint64_t parent)
{
    struct fake *fake = program->fake;
    fake_put(fake, task, FIELD_task_id, id);
    fake_put(fake, task, FIELD_task_kind, kind);
    if (region)
        put_pair(fake, task, FIELD_task_region, FIELD_task_region_id, region,
                 fake_get(fake, region, FIELD_region_id));
    if (parent)
        put_pair(fake, task, FIELD_task_parent, FIELD_task_parent_id, parent,
                 fake_get(fake, parent, FIELD_task_id));
    return task;
}

static void make_outer(struct program *program)
{
    struct fake *fake = program->fake;
    program->initial_task =
        put_task(program, fake_record(fake, RECORD_task), INITIAL_TASK_ID, TASK_INITIAL, 0, 0);
    fake_put(fake, program->initial_task, FIELD_task_enter_frame, ENTER_FRAME);
    put_pair(fake, program->initial_task, FIELD_task_thread, FIELD_task_thread_id,
             program->thread[0], THREAD_ID);
    fake_put(fake, program->thread[0], FIELD_thread_flags, THREAD_INITIAL);

    program->outer = new_region(program, OUTER_ID, program->n, program->n + 2);
    put_pair(fake, program->outer, FIELD_region_master, FIELD_region_master_id, program->thread[0],
             THREAD_ID);
    put_pair(fake, program->outer, FIELD_region_encountering_task,
             FIELD_region_encountering_task_id, program->initial_task, INITIAL_TASK_ID);
    fake_put(fake, program->outer, FIELD_region_function, OUTER_FUNCTION);
    fake_put(fake, program->outer, FIELD_region_level, 1);
    fake_put(fake, program->outer, FIELD_region_active_level, 1);

    uint64_t tasks = fake_get(fake, program->outer, FIELD_region_implicit_tasks);
    for (unsigned i = 0; i < program->n; i++) {
        uint64_t thread = program->thread[i];
        uint64_t task = tasks + (uint64_t)i * fake->record_size[RECORD_task];
        put_member(program, program->outer, i, thread);
        program->task[i] = put_task(program, task, IMPLICIT_TASK_ID + i, TASK_IMPLICIT,
                                    program->outer, program->initial_task);
        fake_put(fake, task, FIELD_task_function, OUTER_FUNCTION);
        fake_put(fake, task, FIELD_task_exit_frame, EXIT_FRAME + 0x100 * (uint64_t)i);
        fake_put(fake, task, FIELD_task_thread_num, i);
        fake_put(fake, task, FIELD_task_level, 1);
        fake_put(fake, task, FIELD_task_active_level, 1);
        put_place(fake, thread, i ? 0x42 : 0x01, program->outer, OUTER_ID, task,
                  IMPLICIT_TASK_ID + i);
        fake_put(fake, thread, FIELD_thread_wait_id, i ? OUTER_ID : 0);
        fake_put(fake, thread, FIELD_thread_thread_num, i);
        fake_put(fake, thread, FIELD_thread_team_size, program->n);
        fake_put(fake, thread, FIELD_thread_level, 1);
    }
}

static void make_inner(struct program *program)
{
    struct fake *fake = program->fake;
    uint64_t thread = program->thread[1];
    program->inner = new_region(program, INNER_ID, 1, 1);
    put_pair(fake, program->inner, FIELD_region_parent, FIELD_region_parent_id, program->outer,
             OUTER_ID);
    put_pair(fake, program->inner, FIELD_region_master, FIELD_region_master_id, thread,
             THREAD_ID + 1);
    put_pair(fake, program->inner, FIELD_region_encountering_task,
             FIELD_region_encountering_task_id, program->task[1], IMPLICIT_TASK_ID + 1);
    fake_put(fake, program->inner, FIELD_region_function, INNER_FUNCTION);
    put_member(program, program->inner, 0, thread);
    program->inner_task =
        put_task(program, fake_get(fake, program->inner, FIELD_region_implicit_tasks),
                 INNER_TASK_ID, TASK_IMPLICIT, program->inner, program->task[1]);
    fake_put(fake, program->inner_task, FIELD_task_function, INNER_FUNCTION);
    fake_put(fake, program->inner_task, FIELD_task_level, 2);
    fake_put(fake, program->inner_task, FIELD_task_active_level, 1);
    put_place(fake, thread, 0x01, program->inner, INNER_ID, program->inner_task, INNER_TASK_ID);
    fake_put(fake, thread, FIELD_thread_thread_num, 0);
    fake_put(fake, thread, FIELD_thread_team_size, 1);
    fake_put(fake, thread, FIELD_thread_level, 2);
}

static void make_explicit_task(struct program *program)
{
    struct fake *fake = program->fake;
    uint64_t thread = program->thread[2];
    program->explicit_task = put_task(program, fake_record(fake, RECORD_task), EXPLICIT_TASK_ID,
                                      TASK_EXPLICIT, program->outer, program->task[0]);
    fake_put(fake, program->explicit_task, FIELD_task_flags, TASK_FLAG_FINAL);
    fake_put(fake, program->explicit_task, FIELD_task_function, EXPLICIT_FUNCTION);
    fake_put(fake, program->explicit_task, FIELD_task_level, 1);
    fake_put(fake, program->explicit_task, FIELD_task_active_level, 1);
    put_place(fake, thread, 0x62, program->outer, OUTER_ID, program->explicit_task,
              EXPLICIT_TASK_ID);
    fake_put(fake, thread, FIELD_thread_wait_id, CRITICAL_NAME);
}

struct program *program_new(unsigned pointer_size, bool big_endian, unsigned n)
{
    struct program *program = calloc(1, sizeof *program);
    program->fake = fake_new(pointer_size, big_endian);
    program->n = n;
    struct fake *fake = program->fake;
    fake_put(fake, fake->root, FIELD_root_tracking, 1);
    unsigned bits = 4;
    while (1u << bits < n * 8)
        bits++;
    make_index(program, bits);
    program->idle =
        new_os_thread(program, IDLE_THREAD_ID, IDLE_LWP, program_pthread(program, 0) - 0x1000);
    for (unsigned i = 0; i < n; i++)
        program->thread[i] =
            new_os_thread(program, THREAD_ID + i, FIRST_LWP + i, program_pthread(program, i));
    (void)new_thread(program);
    make_outer(program);
    make_inner(program);
    make_explicit_task(program);
    put_place(fake, program->idle, 0x10, program->outer, 0, program->task[0], IMPLICIT_TASK_ID);
    fake_put(fake, program->idle, FIELD_thread_wait_id, OUTER_ID);
    return program;
}

void program_free(struct program *program)
{
    fake_free(program->fake);
    free(program);
}
