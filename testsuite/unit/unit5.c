/* SPDX-License-Identifier: MIT
 *
 * A 5.x debugger over the fake target. The callbacks that the library may do without are
 * NULL.
 */
#include "unit5.h"

#include <string.h>

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
                          ompd_device_type_sizes_t *sizes)
{
    if (!fake_cb_sizes())
        return ompd_rc_callback_error;
    uint8_t word = (uint8_t)fake_of(context)->pointer_size;
    *sizes = (ompd_device_type_sizes_t){1, 2, 4, word, 8, word};
    return ompd_rc_ok;
}

static ompd_rc_t symbol_addr(ompd_address_space_context_t *context,
                             ompd_thread_context_t *thread, const char *name,
                             ompd_address_t *out, const char *file)
{
    ck_assert_ptr_null(thread);
    ck_assert_ptr_null(file);
    if (!fake_cb_symbol(fake_of(context), name, &out->address))
        return ompd_rc_error;
    out->segment = ompd_segment_none;
    return ompd_rc_ok;
}

ompd_rc_t unit5_read_code = ompd_rc_device_read_error;

static ompd_rc_t read_memory(ompd_address_space_context_t *context,
                             ompd_thread_context_t *thread, const ompd_address_t *addr,
                             ompd_size_t nbytes, void *buffer)
{
    ck_assert_ptr_null(thread);
    ck_assert_uint_gt(nbytes, 0);
    ck_assert_uint_eq(addr->segment, ompd_segment_none);
    return fake_cb_read(fake_of(context), addr->address, nbytes, buffer)
               ? ompd_rc_ok
               : unit5_read_code;
}

static ompd_rc_t to_host(ompd_address_space_context_t *context, const void *input,
                         ompd_size_t unit_size, ompd_size_t count, void *output)
{
    return fake_cb_to_host(fake_of(context), input, (unsigned)unit_size, (unsigned)count,
                           output)
               ? ompd_rc_ok
               : ompd_rc_callback_error;
}

const ompd_callbacks_t fake_debugger = {
    .alloc_memory = alloc_memory,
    .free_memory = free_memory,
    .sizeof_type = sizes_of,
    .symbol_addr_lookup = symbol_addr,
    .read_memory = read_memory,
    .device_to_host = to_host,
};

#define ICV(asked, kind, which, named, icv_reads)                                         \
    {.name = asked,                                                                      \
     .of = "get_icv_" which "from_scope",                                                \
     .takes = KIND_##kind,                                                               \
     .reads = icv_reads,                                                                 \
     .icv = named,                                                                       \
     .args = {.scope = SCOPE_##kind}}
enum {
    SCOPE_SPACE = ompd_scope_address_space,
    SCOPE_THREAD = ompd_scope_thread,
    SCOPE_REGION = ompd_scope_parallel,
    SCOPE_TASK = ompd_scope_task,
};
static const struct question ways[] = {
    ICV("icv_of_globals", SPACE, "", "num-procs-var", 2),
    ICV("icv_of_thread", THREAD, "", "thread-num-var", 1),
    ICV("icv_of_region", REGION, "", "team-size-var", 1),
    ICV("icv_of_task", TASK, "", "thread-limit-var", 2),
    ICV("icv_list", TASK, "string_", "nthreads-var", 3),
    ICV("icv_text", SPACE, "string_", "affinity-format-var", 4),
    {.name = "critical_section",
     .of = "ext_get_lock",
     .takes = KIND_SPACE,
     .reads = MANY,
     .args = {.kind = ompd_ext_lock_critical}},
};

struct unit unit_begin(int kind, unsigned threads)
{
    questions_begin(ways, sizeof ways / sizeof *ways);
    struct unit unit = {
        .program = program_new(TARGET_POINTER(kind), TARGET_BIG(kind), threads),
    };
    unit.records = records_add(unit.program);
    unit.fake = unit.program->fake;
    assert_ok(ompd_initialize(202411, &fake_debugger));
    assert_ok(ompd_process_initialize(context_of(unit.fake), &unit.space));
    return unit;
}

void unit_end(struct unit *unit)
{
    assert_ok(ompd_rel_address_space_handle(unit->space));
    assert_ok(ompd_finalize());
    ck_assert_uint_eq(fake_counts.allocs_alive, 0);
    program_free(unit->program);
    fake_forget_freed();
}

ompd_thread_handle_t *unit_thread(const struct unit *unit, unsigned number)
{
    unsigned char id[8];
    fake_encode(unit->fake, FIRST_LWP + number, id, 8);
    ompd_thread_handle_t *thread;
    assert_ok(ompd_get_thread_handle(unit->space, OMPD_THREAD_ID_LWP, 8, id, &thread));
    return thread;
}

ompd_parallel_handle_t *unit_region(const struct unit *unit, unsigned number)
{
    ompd_thread_handle_t *thread = unit_thread(unit, number);
    ompd_parallel_handle_t *region;
    assert_ok(ompd_get_curr_parallel_handle(thread, &region));
    assert_ok(ompd_rel_thread_handle(thread));
    return region;
}

ompd_task_handle_t *unit_task(const struct unit *unit, unsigned number)
{
    ompd_thread_handle_t *thread = unit_thread(unit, number);
    ompd_task_handle_t *task;
    assert_ok(ompd_get_curr_task_handle(thread, &task));
    assert_ok(ompd_rel_thread_handle(thread));
    return task;
}

ompd_icv_id_t unit_icv(const struct unit *unit, const char *name, ompd_scope_t *scope)
{
    ompd_icv_id_t id = 0;
    int more = 1;
    while (more) {
        const char *found;
        ompd_scope_t where;
        assert_ok(ompd_enumerate_icvs(unit->space, id, &id, &found, &where, &more));
        bool is_it = strcmp(found, name) == 0;
        fake_cb_free((char *)(uintptr_t)found);
        if (is_it) {
            if (scope)
                *scope = where;
            return id;
        }
    }
    ck_abort_msg("no ICV is named %s", name);
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
    for (unsigned i = 0; i < question_count; i++)
        if (questions[i].icv)
            questions[i].args.icv = unit_icv(unit, questions[i].icv, NULL);
    return subject;
}
