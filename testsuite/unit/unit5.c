/* SPDX-License-Identifier: MIT
 *
 * A 5.x debugger over the fake target. The callbacks that the library may do without are
 * NULL.
 */
#include "unit5.h"

#include <string.h>

#define GET_REGION ompd_get_curr_parallel_handle
#define GET_TASK ompd_get_curr_task_handle
#define INITIALIZE ompd_initialize(202411, &fake_debugger)
#define ICV(asked, kind, which, named, icv_reads)                                                  \
    {                                                                                              \
        .name = asked, .of = "get_icv_" which "from_scope", .takes = KIND_##kind,                  \
        .reads = icv_reads, .icv = named, .args = {                                                \
            .scope = SCOPE_##kind                                                                  \
        }                                                                                          \
    }
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

static void add_more(struct unit *unit)
{
    unit->records = records_add(unit->program);
}

static void resolve(const struct unit *unit)
{
    for (unsigned i = 0; i < question_count; i++)
        if (questions[i].icv)
            questions[i].args.icv = unit_icv(unit, questions[i].icv, NULL);
}

#include "unit-parts.h"

static ompd_rc_t sizes_of(ompd_address_space_context_t *context, ompd_device_type_sizes_t *sizes)
{
    CALLBACK;
    if (!fake_cb_sizes())
        return ompd_rc_callback_error;
    uint8_t word = (uint8_t)fake_of(context)->pointer_size;
    *sizes = (ompd_device_type_sizes_t){1, 2, 4, word, 8, word};
    return ompd_rc_ok;
}

static ompd_rc_t symbol_addr(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
                             const char *name, ompd_address_t *out, const char *file)
{
    CALLBACK;
    ck_assert_ptr_null(file);
    return find_symbol(context, thread, name, out);
}

ompd_rc_t unit5_read_code = ompd_rc_device_read_error;

static ompd_rc_t read_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
                             const ompd_address_t *addr, ompd_size_t nbytes, void *buffer)
{
    CALLBACK;
    ck_assert_ptr_null(thread);
    ck_assert_uint_gt(nbytes, 0);
    ck_assert_uint_eq(addr->segment, ompd_segment_none);
    return fake_cb_read(fake_of(context), addr->address, nbytes, buffer) ? ompd_rc_ok
                                                                         : unit5_read_code;
}

static ompd_rc_t to_host(ompd_address_space_context_t *context, const void *input,
                         ompd_size_t unit_size, ompd_size_t count, void *output)
{
    CALLBACK;
    return fake_cb_to_host(fake_of(context), input, (unsigned)unit_size, (unsigned)count, output)
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

ompd_thread_handle_t *unit_thread(const struct unit *unit, unsigned number)
{
    unsigned char id[8];
    fake_encode(unit->fake, FIRST_LWP + number, id, 8);
    ompd_thread_handle_t *thread;
    assert_ok(ompd_get_thread_handle(unit->space, OMPD_THREAD_ID_LWP, 8, id, &thread));
    return thread;
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
