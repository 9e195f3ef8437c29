/* SPDX-License-Identifier: MIT
 *
 * The 5.x interface: initialisation, threads, frames, states, settings, devices.
 */
#include <string.h>

#include "unit5.h"

static ompd_rc_t answer; /* of the callbacks below */

static ompd_rc_t bad_sizes(ompd_address_space_context_t *context, ompd_device_type_sizes_t *sizes)
{
    (void)context;
    (void)sizes;
    return answer;
}

static ompd_rc_t bad_read(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
                          const ompd_address_t *address, ompd_size_t bytes, void *buffer)
{
    (void)context;
    (void)thread;
    (void)address;
    (void)bytes;
    (void)buffer;
    return answer;
}

static ompd_rc_t bad_to_host(ompd_address_space_context_t *context, const void *input,
                             ompd_size_t unit_size, ompd_size_t count, void *output)
{
    (void)context;
    (void)input;
    (void)unit_size;
    (void)count;
    (void)output;
    return answer;
}

TEST(codes_of_callbacks)
{
    static const ompd_rc_t codes[] = {
        ompd_rc_unavailable,  ompd_rc_stale_handle,      ompd_rc_bad_input,
        ompd_rc_error,        ompd_rc_unsupported,       ompd_rc_needs_state_tracking,
        ompd_rc_incompatible, ompd_rc_device_read_error, ompd_rc_device_write_error,
        ompd_rc_nomem,        ompd_rc_callback_error};
    struct program *program = program_new(8, false, 8);
    struct fake *fake = program->fake;
    ompd_callbacks_t bad[] = {fake_debugger, fake_debugger, fake_debugger};
    bad[0].sizeof_type = bad_sizes;
    bad[1].read_memory = bad_read;
    bad[2].device_to_host = bad_to_host;
    for (unsigned i = 0; i < 3; i++) {
        assert_ok(ompd_initialize(202411, &bad[i]));
        for (unsigned k = 0; k < sizeof codes / sizeof *codes; k++) {
            ompd_address_space_handle_t *space = NULL;
            answer = codes[k];
            assert_rc(ompd_process_initialize(context_of(fake), &space), codes[k]);
            ck_assert_ptr_null(space);
        }
        /* No code of the interface. */
        ompd_address_space_handle_t *space = NULL;
        answer = (ompd_rc_t)4711;
        assert_rc(ompd_process_initialize(context_of(fake), &space), ompd_rc_callback_error);
        assert_ok(ompd_finalize());
    }
    program_free(program);
}

TEST(versions)
{
    static const ompd_word_t good[] = {201811, 202011, 202111, 202411};
    for (unsigned i = 0; i < 4; i++) {
        assert_ok(ompd_initialize(good[i], &fake_debugger));
        assert_ok(ompd_initialize(good[3 - i], &fake_debugger));
        ompd_callbacks_t other = fake_debugger;
        other.host_to_device = other.device_to_host;
        assert_rc(ompd_initialize(good[i], &other), ompd_rc_error);
        assert_ok(ompd_finalize());
    }
    static const ompd_word_t bad[] = {0, 5, 6, 2, -1, 201810, 202412};
    for (unsigned i = 0; i < 7; i++)
        assert_rc(ompd_initialize(bad[i], &fake_debugger), ompd_rc_unsupported);
    assert_rc(ompd_finalize(), ompd_rc_unsupported);
    ompd_word_t version = 0;
    assert_ok(ompd_get_api_version(&version));
    ck_assert_int_eq(version, 202411);
    const char *string = NULL;
    assert_ok(ompd_get_version_string(&string));
    ck_assert_ptr_nonnull(string);
    assert_rc(ompd_get_api_version(NULL), ompd_rc_bad_input);
    assert_rc(ompd_get_version_string(NULL), ompd_rc_bad_input);
}

TEST(callbacks_that_are_needed)
{
    assert_rc(ompd_initialize(201811, NULL), ompd_rc_bad_input);
#define WITHOUT(member)                                                                            \
    do {                                                                                           \
        ompd_callbacks_t table = fake_debugger;                                                    \
        table.member = NULL;                                                                       \
        assert_rc(ompd_initialize(201811, &table), ompd_rc_bad_input);                             \
    } while (0)
    WITHOUT(alloc_memory);
    WITHOUT(free_memory);
    WITHOUT(sizeof_type);
    WITHOUT(symbol_addr_lookup);
    WITHOUT(read_memory);
    WITHOUT(device_to_host);
#undef WITHOUT
    ompd_address_space_handle_t *space;
    assert_rc(ompd_process_initialize((ompd_address_space_context_t *)&space, &space),
              ompd_rc_error);
}

UNIT(thread_kinds, 8)
{
    ompd_thread_id_t *kinds;
    ompd_size_t *sizes;
    int count;
    assert_ok(ompd_get_device_thread_id_kinds(unit->space, &kinds, &sizes, &count));
    ck_assert_int_eq(count, 2);
    ompd_thread_handle_t *thread = unit_thread(unit, 3);
    for (int i = 0; i < count; i++) {
        unsigned char id[8];
        ompd_thread_handle_t *again;
        assert_ok(ompd_get_thread_id(thread, kinds[i], sizes[i], id));
        assert_ok(ompd_get_thread_handle(unit->space, kinds[i], sizes[i], id, &again));
        int order = 1;
        assert_ok(ompd_thread_handle_compare(thread, again, &order));
        ck_assert_int_eq(order, 0);
        assert_rc(ompd_get_thread_id(thread, kinds[i], 3, id), ompd_rc_bad_input);
    }
    unsigned char id[8] = {77};
    ompd_thread_handle_t *none = (void *)unit;
    assert_rc(ompd_get_thread_handle(unit->space, OMPD_THREAD_ID_LWP, 8, id, &none),
              ompd_rc_unavailable);
    assert_rc(ompd_get_thread_handle(unit->space, OMPD_THREAD_ID_CUDALOGICAL, 8, id, &none),
              ompd_rc_unsupported);
    ck_assert_ptr_eq(none, (void *)unit);
    ompd_address_space_handle_t *device;
    assert_ok(ompd_get_device_from_thread(thread, &device));
    ck_assert_ptr_eq(device, unit->space);
    fake_cb_free(kinds);
    fake_cb_free(sizes);
}

UNIT(devices_are_not_here, 8)
{
    ompd_address_space_handle_t *device = (void *)unit;
    int id = 0;
    assert_rc(ompd_device_initialize(unit->space, context_of(unit->fake), OMPD_DEVICE_KIND_CUDA,
                                     sizeof id, &id, &device),
              ompd_rc_unsupported);
    ck_assert_ptr_eq(device, (void *)unit);
    assert_rc(
        ompd_device_initialize(unit->space, NULL, OMPD_DEVICE_KIND_CUDA, sizeof id, &id, &device),
        ompd_rc_bad_input);
    assert_rc(
        ompd_device_initialize(unit->space, context_of(unit->fake), 77, sizeof id, &id, &device),
        ompd_rc_unsupported);
    assert_rc(ompd_device_initialize(NULL, context_of(unit->fake), OMPD_DEVICE_KIND_HOST, sizeof id,
                                     &id, &device),
              ompd_rc_stale_handle);
    ompd_word_t version;
    assert_ok(ompd_get_omp_version(unit->space, &version));
    ck_assert_int_eq(version, 201511);
    const char *string;
    assert_ok(ompd_get_omp_version_string(unit->space, &string));
    ck_assert_str_eq(string, "OpenMP 4.5");
    fake_cb_free((char *)(uintptr_t)string);
}

UNIT(frames_have_flags, 8)
{
    ompd_task_handle_t *task = unit_task(unit, 3);
    ompd_frame_info_t left, entered;
    assert_ok(ompd_get_task_frame(task, &left, &entered));
    ck_assert_uint_eq(left.frame_address.address, EXIT_FRAME + 0x300);
    ck_assert_int_eq(left.frame_flag, ompt_frame_runtime | ompt_frame_cfa);
    ck_assert_uint_eq(entered.frame_address.address, 0);
    ck_assert_int_eq(entered.frame_flag, 0);
}

UNIT(states, 8)
{
    ompd_word_t state = ompt_state_undefined;
    ompd_word_t more = 1;
    unsigned seen = 0;
    bool wait_critical = false;
    while (more) {
        const char *name;
        assert_ok(ompd_enumerate_states(unit->space, state, &state, &name, &more));
        ck_assert_int_eq(strncmp(name, "ompt_state_", 11), 0);
        if (state == ompt_state_wait_critical)
            wait_critical = strcmp(name, "ompt_state_wait_critical") == 0;
        fake_cb_free((char *)(uintptr_t)name);
        ck_assert_uint_lt(++seen, 100);
    }
    ck_assert(wait_critical);
    ck_assert_int_eq(state, ompt_state_undefined);
    ck_assert_uint_eq(seen, 17);
    const char *none;
    assert_rc(ompd_enumerate_states(unit->space, 0x999, &state, &none, &more), ompd_rc_bad_input);

    /* Every value that the hooks may record. */
    ompd_thread_handle_t *thread = unit_thread(unit, 3);
    static const struct {
        unsigned char recorded;
        ompd_word_t answered;
    } table[] = {
#define STATE(name2, value2, name5, value5) {value2, ompt_state_##name5},
#include "libompd/tables/states.def"
#undef STATE
    };
    ompd_wait_id_t wait;
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        fake_put(unit->fake, unit->program->thread[3], FIELD_thread_status,
                 OUTER_ID << 8 | table[i].recorded);
        assert_ok(ompd_get_state(thread, &state, &wait));
        ck_assert_int_eq(state, table[i].answered);
    }
    /* Which implicit barrier it is, to those who may know. */
    static const ompd_word_t kinds[] = {ompt_state_wait_barrier_implicit_workshare,
                                        ompt_state_wait_barrier_implicit_parallel};
    for (unsigned at_end = 0; at_end < 2; at_end++) {
        uint64_t record = unit->program->thread[3];
        fake_put(unit->fake, record, FIELD_thread_status, OUTER_ID << 8 | 0x41);
        fake_put(unit->fake, record, FIELD_thread_barrier,
                 BARRIER_INSIDE | (at_end ? BARRIER_AT_END : 0));
        assert_ok(ompd_get_state(thread, &state, &wait));
        ck_assert_int_eq(state, kinds[at_end]);
        assert_ok(ompd_initialize(201811, &fake_debugger));
        assert_ok(ompd_get_state(thread, &state, &wait));
        ck_assert_int_eq(state, ompt_state_wait_barrier_implicit);
        assert_ok(ompd_initialize(202411, &fake_debugger));
    }
    fake_put(unit->fake, unit->program->thread[3], FIELD_thread_status, OUTER_ID << 8 | 0x99);
    assert_rc(ompd_get_state(thread, &state, &wait), ompd_rc_error);
    thread = unit_thread(unit, 2);
    assert_ok(ompd_get_state(thread, &state, &wait));
    ck_assert_int_eq(state, ompt_state_wait_critical);
    ck_assert_uint_eq(wait, CRITICAL_NAME);
}

UNIT(display_control_variables, 8)
{
    const char *const *vars;
    assert_ok(ompd_get_display_control_vars(unit->space, &vars));
    ck_assert_str_eq(vars[0], "OMP_NUM_THREADS=8,4,2");
    ck_assert_str_eq(vars[1], "OMP_THREAD_LIMIT=100");
    ck_assert_str_eq(vars[2], "_OPENMP='201511'");
    ck_assert_ptr_null(vars[3]);
    assert_ok(ompd_rel_display_control_vars(&vars));
    assert_rc(ompd_rel_display_control_vars(&vars), ompd_rc_bad_input);
    assert_rc(ompd_rel_display_control_vars(NULL), ompd_rc_bad_input);

    const char *const *const before = vars;
    struct fake *fake = unit->fake;
    fake_put(fake, fake->root, FIELD_root_settings_bytes, 10); /* does not end with NUL */
    assert_rc(ompd_get_display_control_vars(unit->space, &vars), ompd_rc_error);
    fake_put(fake, fake->root, FIELD_root_settings_bytes, UINT32_MAX);
    assert_rc(ompd_get_display_control_vars(unit->space, &vars), ompd_rc_error);
    fake_put(fake, fake->root, FIELD_root_settings, 0);
    assert_rc(ompd_get_display_control_vars(unit->space, &vars), ompd_rc_unavailable);
    fake_put(fake, fake->root, FIELD_root_tracking, 0);
    assert_rc(ompd_get_display_control_vars(unit->space, &vars), ompd_rc_needs_state_tracking);
    ck_assert_ptr_eq(vars, before);
}

/* How tools are served, and whether anything is recorded. */
