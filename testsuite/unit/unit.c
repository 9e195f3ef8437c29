/* SPDX-License-Identifier: MIT
 *
 * A 2.000 debugger over the fake target.
 */
#include "unit.h"

static struct fake *fake_of(ompd_address_space_context_t *context)
{
    return (struct fake *)context;
}

static ompd_rc_t alloc_memory(ompd_size_t bytes, void **ptr)
{
    void *memory = fake_cb_alloc(bytes);
    if (!memory)
        return ompd_rc_error;
    *ptr = memory;
    return ompd_rc_ok;
}

static ompd_rc_t free_memory(void *ptr)
{
    fake_cb_free(ptr);
    return ompd_rc_ok;
}

static ompd_rc_t sizes_of(ompd_address_space_context_t *context,
                          ompd_target_type_sizes_t *sizes)
{
    if (!fake_cb_sizes())
        return ompd_rc_unavailable;
    int word = (int)fake_of(context)->pointer_size;
    *sizes = (ompd_target_type_sizes_t){1, 2, 4, word, 8, word};
    return ompd_rc_ok;
}

static ompd_rc_t symbol_addr(ompd_address_space_context_t *context,
                             ompd_thread_context_t *thread, const char *name,
                             ompd_address_t *out)
{
    ck_assert_ptr_null(thread);
    if (!fake_cb_symbol(fake_of(context), name, &out->address))
        return ompd_rc_error;
    out->segment = OMPD_SEGMENT_UNSPECIFIED;
    return ompd_rc_ok;
}

static ompd_rc_t read_memory(ompd_address_space_context_t *context,
                             ompd_thread_context_t *thread, const ompd_address_t *addr,
                             ompd_tword_t nbytes, void *buffer)
{
    ck_assert_ptr_null(thread);
    ck_assert_int_gt(nbytes, 0);
    ck_assert_int_eq(addr->segment, OMPD_SEGMENT_UNSPECIFIED);
    /* Some other code than the one that the library is to give. */
    return fake_cb_read(fake_of(context), addr->address, (uint64_t)nbytes, buffer)
               ? ompd_rc_ok
               : ompd_rc_bad_input;
}

static ompd_rc_t to_host(ompd_address_space_context_t *context, const void *input,
                         int unit_size, int count, void *output)
{
    return fake_cb_to_host(fake_of(context), input, (unsigned)unit_size, (unsigned)count,
                           output)
               ? ompd_rc_ok
               : ompd_rc_unavailable;
}

const ompd_callbacks_t fake_debugger = {
    .d_alloc_memory = alloc_memory,
    .d_free_memory = free_memory,
    .t_sizeof_prim_type = sizes_of,
    .t_symbol_addr_lookup = symbol_addr,
    .t_read_memory = read_memory,
    .target_to_host = to_host,
};

static const struct question ways[] = {
    {.name = "count_threads",
     .of = "get_threads",
     .takes = KIND_SPACE,
     .reads = MANY,
     .args = {.null = 1}},
};

struct unit unit_begin(int kind, unsigned threads)
{
    questions_begin(ways, sizeof ways / sizeof *ways);
    struct unit unit = {0};
    unit.program = program_new(TARGET_POINTER(kind), TARGET_BIG(kind), threads);
    unit.fake = unit.program->fake;
    assert_ok(ompd_initialize(&fake_debugger));
    assert_ok(ompd_process_initialize(context_of(unit.fake), &unit.space));
    fake_counts_reset();
    return unit;
}

void unit_end(struct unit *unit)
{
    assert_ok(ompd_release_address_space_handle(unit->space));
    assert_ok(ompd_finalize());
    ck_assert_uint_eq(fake_counts.allocs_alive, 0);
    program_free(unit->program);
    fake_forget_freed();
}

ompd_rc_t unit_find_lwp(const struct unit *unit, uint64_t lwp, unsigned size,
                        ompd_thread_handle_t **out)
{
    unsigned char id[8];
    fake_encode(unit->fake, lwp, id, size);
    return ompd_get_thread_handle(unit->space, ompd_osthread_lwp, size, id, out);
}

ompd_rc_t unit_find_pthread(const struct unit *unit, uint64_t pthread,
                            ompd_thread_handle_t **out)
{
    unsigned char id[8];
    unsigned size = unit->fake->pointer_size;
    fake_encode(unit->fake, pthread, id, size);
    return ompd_get_thread_handle(unit->space, ompd_osthread_pthread, size, id, out);
}

ompd_thread_handle_t *unit_thread(const struct unit *unit, unsigned number)
{
    ompd_thread_handle_t *thread;
    assert_ok(unit_find_lwp(unit, FIRST_LWP + number, 8, &thread));
    return thread;
}

ompd_thread_handle_t *unit_idle_thread(const struct unit *unit)
{
    ompd_thread_handle_t *thread;
    assert_ok(unit_find_lwp(unit, IDLE_LWP, 8, &thread));
    return thread;
}

ompd_parallel_handle_t *unit_region(const struct unit *unit, unsigned thread)
{
    ompd_thread_handle_t *handle = unit_thread(unit, thread);
    ompd_parallel_handle_t *region;
    assert_ok(ompd_get_top_parallel_region(handle, &region));
    assert_ok(ompd_release_thread_handle(handle));
    return region;
}

ompd_task_handle_t *unit_task(const struct unit *unit, unsigned thread)
{
    ompd_thread_handle_t *handle = unit_thread(unit, thread);
    ompd_task_handle_t *task;
    assert_ok(ompd_get_top_task_region(handle, &task));
    assert_ok(ompd_release_thread_handle(handle));
    return task;
}

void unit_free_threads(ompd_thread_handle_t **vector, int count)
{
    for (int i = 0; i < count; i++)
        assert_ok(ompd_release_thread_handle(vector[i]));
    if (vector)
        fake_cb_free(vector);
}

void unit_free_tasks(ompd_task_handle_t **vector, int count)
{
    for (int i = 0; i < count; i++)
        assert_ok(ompd_release_task_handle(vector[i]));
    if (vector)
        fake_cb_free(vector);
}

struct subject subject_of(const struct unit *unit, unsigned thread)
{
    struct subject subject = {
        .context = unit->fake,
        .space = unit->space,
        .thread = unit_thread(unit, thread),
        .region = unit_region(unit, thread),
        .task = unit_task(unit, thread),
    };
    fake_encode(unit->fake, FIRST_LWP + thread, subject.lwp, sizeof subject.lwp);
    return subject;
}
