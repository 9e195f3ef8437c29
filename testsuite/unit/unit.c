/* SPDX-License-Identifier: MIT
 *
 * A 2.000 debugger over the fake target.
 */
#include "unit.h"

#define GET_REGION ompd_get_top_parallel_region
#define GET_TASK ompd_get_top_task_region
#define INITIALIZE ompd_initialize(&fake_debugger)
static const struct question ways[] = {
    {.name = "count_threads",
     .of = "get_threads",
     .takes = KIND_SPACE,
     .reads = MANY,
     .args = {.null = 1}},
};

static void add_more(struct unit *unit)
{
    (void)unit; /* records that only 5.x reads */
}

static void resolve(const struct unit *unit)
{
    (void)unit;
}

#include "unit-parts.h"

static ompd_rc_t sizes_of(ompd_address_space_context_t *context, ompd_target_type_sizes_t *sizes)
{
    CALLBACK;
    if (!fake_cb_sizes())
        return ompd_rc_unavailable;
    int word = (int)fake_of(context)->pointer_size;
    *sizes = (ompd_target_type_sizes_t){1, 2, 4, word, 8, word};
    return ompd_rc_ok;
}

static ompd_rc_t read_memory(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
                             const ompd_address_t *addr, ompd_tword_t nbytes, void *buffer)
{
    CALLBACK;
    ck_assert_ptr_null(thread);
    ck_assert_int_gt(nbytes, 0);
    ck_assert_int_eq(addr->segment, OMPD_SEGMENT_UNSPECIFIED);
    /* Some other code than the one that the library is to give. */
    return fake_cb_read(fake_of(context), addr->address, (uint64_t)nbytes, buffer)
               ? ompd_rc_ok
               : ompd_rc_bad_input;
}

static ompd_rc_t to_host(ompd_address_space_context_t *context, const void *input, int unit_size,
                         int count, void *output)
{
    CALLBACK;
    return fake_cb_to_host(fake_of(context), input, (unsigned)unit_size, (unsigned)count, output)
               ? ompd_rc_ok
               : ompd_rc_unavailable;
}

const ompd_callbacks_t fake_debugger = {
    .d_alloc_memory = alloc_memory,
    .d_free_memory = free_memory,
    .t_sizeof_prim_type = sizes_of,
    .t_symbol_addr_lookup = find_symbol,
    .t_read_memory = read_memory,
    .target_to_host = to_host,
};

ompd_rc_t unit_find_lwp(const struct unit *unit, uint64_t lwp, unsigned size,
                        ompd_thread_handle_t **out)
{
    unsigned char id[8];
    fake_encode(unit->fake, lwp, id, size);
    return ompd_get_thread_handle(unit->space, ompd_osthread_lwp, size, id, out);
}

ompd_rc_t unit_find_pthread(const struct unit *unit, uint64_t pthread, ompd_thread_handle_t **out)
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
