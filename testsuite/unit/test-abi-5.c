/* SPDX-License-Identifier: MIT
 *
 * The 5.x interface over the fake target. The core is tested through the 2.000 interface;
 * here it is the translation that counts: codes, states, frames, numbers.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "fake-program.h"
#include "libompd/abi-5/ompd-5.h"

enum { TARGET_KINDS = 4 };

#define assert_rc(call, expected)                                                        \
    do {                                                                                 \
        ompd_rc_t assert_rc_got = (call);                                                \
        ck_assert_msg(assert_rc_got == (expected), "%s is %d instead of %s", #call,      \
                      assert_rc_got, #expected);                                         \
    } while (0)
#define assert_ok(call) assert_rc(call, ompd_rc_ok)

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
        return ompd_rc_unavailable;
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
    return fake_cb_symbol(fake_of(context), name, &out->address) ? ompd_rc_ok
                                                                 : ompd_rc_error;
}

static ompd_rc_t read_memory(ompd_address_space_context_t *context,
                             ompd_thread_context_t *thread, const ompd_address_t *addr,
                             ompd_size_t nbytes, void *buffer)
{
    ck_assert_ptr_null(thread);
    return fake_cb_read(fake_of(context), addr->address, nbytes, buffer)
               ? ompd_rc_ok
               : ompd_rc_bad_input;
}

static ompd_rc_t to_host(ompd_address_space_context_t *context, const void *input,
                         ompd_size_t unit, ompd_size_t count, void *output)
{
    return fake_cb_to_host(fake_of(context), input, (unsigned)unit, (unsigned)count,
                           output)
               ? ompd_rc_ok
               : ompd_rc_unavailable;
}

static const ompd_callbacks_t debugger = {
    .alloc_memory = alloc_memory,
    .free_memory = free_memory,
    .sizeof_type = sizes_of,
    .symbol_addr_lookup = symbol_addr,
    .read_memory = read_memory,
    .device_to_host = to_host,
};

struct subject {
    struct program *program;
    ompd_address_space_handle_t *space;
    ompd_thread_handle_t *thread;
    ompd_parallel_handle_t *region;
    ompd_task_handle_t *task;
};

static ompd_rc_t find_lwp(const struct subject *s, uint64_t lwp,
                          ompd_thread_handle_t **out)
{
    unsigned char id[8];
    fake_encode(s->program->fake, lwp, id, 8);
    return ompd_get_thread_handle(s->space, OMPD_THREAD_ID_LWP, 8, id, out);
}

/* A thread of the program, its region and its task. */
static struct subject begin(int kind, unsigned thread)
{
    struct subject s = {.program = program_new(kind & 1 ? 4 : 8, kind & 2, 8)};
    assert_ok(ompd_initialize(201811, &debugger));
    assert_ok(ompd_process_initialize((void *)s.program->fake, &s.space));
    assert_ok(find_lwp(&s, FIRST_LWP + thread, &s.thread));
    assert_ok(ompd_get_curr_parallel_handle(s.thread, &s.region));
    assert_ok(ompd_get_curr_task_handle(s.thread, &s.task));
    fake_counts_reset();
    return s;
}

static void end(struct subject *s)
{
    assert_ok(ompd_rel_task_handle(s->task));
    assert_ok(ompd_rel_parallel_handle(s->region));
    assert_ok(ompd_rel_thread_handle(s->thread));
    assert_ok(ompd_rel_address_space_handle(s->space));
    assert_ok(ompd_finalize());
    ck_assert_uint_eq(fake_counts.allocs_alive, 0);
    program_free(s->program);
    fake_forget_freed();
}

START_TEST(versions)
{
    ompd_word_t version = 0;
    const char *string = NULL;
    assert_ok(ompd_get_api_version(&version));
    ck_assert_int_eq(version, 201811);
    assert_ok(ompd_get_version_string(&string));
    ck_assert_uint_gt(strlen(string), 0);
    assert_rc(ompd_get_api_version(NULL), ompd_rc_bad_input);
    assert_rc(ompd_get_version_string(NULL), ompd_rc_bad_input);
    static const ompd_word_t accepted[] = {201811, 202011, 202111, 202411};
    for (unsigned i = 0; i < 4; i++) {
        assert_ok(ompd_initialize(accepted[i], &debugger));
        assert_rc(ompd_initialize(accepted[i], &debugger), ompd_rc_error);
        assert_ok(ompd_finalize());
    }
    static const ompd_word_t refused[] = {-1, 0, 2, 201511, 202412};
    for (unsigned i = 0; i < 5; i++)
        assert_rc(ompd_initialize(refused[i], &debugger), ompd_rc_unsupported);
    assert_rc(ompd_initialize(201811, NULL), ompd_rc_bad_input);
    ompd_callbacks_t table = debugger;
    table.device_to_host = NULL;
    assert_rc(ompd_initialize(201811, &table), ompd_rc_bad_input);
    assert_rc(ompd_finalize(), ompd_rc_error);
}
END_TEST

START_TEST(navigation)
{
    struct subject s = begin(_i, 1);
    ompd_parallel_handle_t *outer, *same;
    ompd_task_handle_t *parent;
    int order = 9;
    assert_ok(ompd_get_enclosing_parallel_handle(s.region, &outer));
    assert_ok(ompd_get_generating_task_handle(s.task, &parent));
    assert_ok(ompd_get_task_parallel_handle(parent, &same));
    ck_assert_uint_eq(fake_counts.reads, 3);
    assert_ok(ompd_parallel_handle_compare(outer, same, &order));
    ck_assert_int_eq(order, 0);
    assert_ok(ompd_parallel_handle_compare(outer, s.region, &order));
    ck_assert_int_ne(order, 0);
    assert_ok(ompd_rel_parallel_handle(same));
    assert_rc(ompd_get_enclosing_parallel_handle(outer, &same), ompd_rc_unavailable);

    for (int i = 0; i < 8; i++) {
        ompd_thread_handle_t *member, *by_id;
        ompd_task_handle_t *task;
        assert_ok(ompd_get_thread_in_parallel(outer, i, &member));
        assert_ok(find_lwp(&s, FIRST_LWP + (unsigned)i, &by_id));
        assert_ok(ompd_thread_handle_compare(member, by_id, &order));
        ck_assert_int_eq(order, 0);
        assert_ok(ompd_get_task_in_parallel(outer, i, &task));
        assert_ok(ompd_task_handle_compare(task, parent, &order));
        ck_assert_int_eq(order == 0, i == 1);
        assert_ok(ompd_rel_thread_handle(member));
        assert_ok(ompd_rel_thread_handle(by_id));
        assert_ok(ompd_rel_task_handle(task));
    }
    ompd_thread_handle_t *none;
    ompd_task_handle_t *no_task;
    static const int outside[] = {-1, 8, 9, 10, 1 << 30};
    for (unsigned i = 0; i < 5; i++) {
        assert_rc(ompd_get_thread_in_parallel(outer, outside[i], &none),
                  ompd_rc_bad_input);
        assert_rc(ompd_get_task_in_parallel(outer, outside[i], &no_task),
                  ompd_rc_bad_input);
    }
    fake_put(s.program->fake, s.program->task[5], FIELD_task_id, 0);
    assert_rc(ompd_get_task_in_parallel(outer, 5, &no_task), ompd_rc_unavailable);
    assert_ok(ompd_rel_parallel_handle(outer));
    assert_ok(ompd_rel_task_handle(parent));
    end(&s);
}
END_TEST

START_TEST(thread_ids)
{
    struct subject s = begin(_i, 3);
    unsigned char id[8], expected[8];
    assert_ok(ompd_get_thread_id(s.thread, OMPD_THREAD_ID_LWP, 8, id));
    fake_encode(s.program->fake, FIRST_LWP + 3, expected, 8);
    ck_assert_mem_eq(id, expected, 8);
    unsigned size = s.program->fake->pointer_size;
    assert_ok(ompd_get_thread_id(s.thread, OMPD_THREAD_ID_PTHREAD, size, id));
    fake_encode(s.program->fake, program_pthread(s.program, 3), expected, size);
    ck_assert_mem_eq(id, expected, size);
    assert_rc(ompd_get_thread_id(s.thread, OMPD_THREAD_ID_LWP, 3, id), ompd_rc_bad_input);
    assert_rc(ompd_get_thread_id(s.thread, 2, 8, id), ompd_rc_unsupported);
    /* Not NULL as in 2.000, and another code. */
    ompd_thread_handle_t *thread = s.thread;
    assert_rc(find_lwp(&s, 77, &thread), ompd_rc_unavailable);
    ck_assert_ptr_eq(thread, s.thread);
    assert_rc(ompd_get_thread_handle(s.space, 2, 8, id, &thread), ompd_rc_unsupported);
    assert_rc(ompd_get_thread_handle(s.space, 1, 8, NULL, &thread), ompd_rc_bad_input);
    end(&s);
}
END_TEST

START_TEST(frames_and_functions)
{
    struct subject s = begin(_i, 0);
    ompd_frame_info_t left, entered;
    assert_ok(ompd_get_task_frame(s.task, &left, &entered));
    ck_assert_uint_eq(left.frame_address.address, EXIT_FRAME);
    ck_assert_int_eq(left.frame_flag, 0x10);
    ck_assert_uint_eq(entered.frame_address.address, 0);
    ck_assert_int_eq(entered.frame_flag, 0x10);
    ompd_address_t function;
    assert_ok(ompd_get_task_function(s.task, &function));
    ck_assert_uint_eq(function.address, OUTER_FUNCTION);
    ck_assert_uint_eq(function.segment, OMPD_SEGMENT_UNSPECIFIED);
    end(&s);
}
END_TEST

/* Every state that the hooks record is one that is enumerated. */
START_TEST(states)
{
    struct subject s = begin(_i, 3);
    ompd_word_t known[32];
    unsigned count = 0;
    ompd_word_t state = 0x102, more = 1;
    while (more) {
        const char *name = NULL;
        assert_ok(ompd_enumerate_states(s.space, state, &state, &name, &more));
        ck_assert_int_eq(strncmp(name, "ompt_state_", 11), 0);
        fake_cb_free((void *)name);
        for (unsigned i = 0; i < count; i++)
            ck_assert_int_ne(known[i], state);
        ck_assert_uint_lt(count, 32);
        known[count++] = state;
    }
    ck_assert_uint_eq(count, 15);
    const char *name;
    assert_rc(ompd_enumerate_states(s.space, 12345, &state, &name, &more),
              ompd_rc_bad_input);
    assert_rc(ompd_enumerate_states(NULL, 0x102, &state, &name, &more),
              ompd_rc_stale_handle);

    unsigned valid = 0;
    for (unsigned code = 0; code < 256; code++) {
        fake_put(s.program->fake, s.program->thread[3], FIELD_thread_status,
                 (uint64_t)OUTER_ID << 8 | code);
        ompd_wait_id_t wait;
        ompd_rc_t rc = ompd_get_state(s.thread, &state, &wait);
        if (rc == ompd_rc_error)
            continue;
        assert_ok(rc);
        valid++;
        unsigned i = 0;
        while (i < count && known[i] != state)
            i++;
        ck_assert_uint_lt(i, count);
    }
    ck_assert_uint_eq(valid, 16);
    static const struct {
        unsigned recorded;
        ompd_word_t state;
    } some[] = {{0x00, 0x000}, {0x01, 0x001}, {0x10, 0x100}, {0x20, 0x101}, {0x42, 0x014},
                {0x50, 0x020}, {0x61, 0x041}, {0x62, 0x042}, {0x70, 0x102}};
    for (unsigned i = 0; i < sizeof some / sizeof *some; i++) {
        fake_put(s.program->fake, s.program->thread[3], FIELD_thread_status,
                 (uint64_t)OUTER_ID << 8 | some[i].recorded);
        assert_ok(ompd_get_state(s.thread, &state, NULL));
        ck_assert_int_eq(state, some[i].state);
    }
    ompd_wait_id_t wait = 1;
    fake_put(s.program->fake, s.program->thread[3], FIELD_thread_status,
             (uint64_t)OUTER_ID << 8 | 0x42);
    assert_ok(ompd_get_state(s.thread, &state, &wait));
    ck_assert_uint_eq(wait, OUTER_ID);
    end(&s);
}
END_TEST

/* Every routine with one out-parameter of each kind, for failing callbacks. */
static ompd_rc_t call(unsigned routine, const struct subject *s, void **pointer,
                      ompd_word_t *word)
{
    ompd_frame_info_t frame[2];
    ompd_address_t address;
    switch (routine) {
    case 0:
        return ompd_process_initialize((void *)s->program->fake, (void *)pointer);
    case 1:
        return ompd_get_thread_in_parallel(s->region, 0, (void *)pointer);
    case 2:
        return find_lwp(s, FIRST_LWP, (void *)pointer);
    case 3:
        return ompd_get_curr_parallel_handle(s->thread, (void *)pointer);
    case 4:
        return ompd_get_enclosing_parallel_handle(s->region, (void *)pointer);
    case 5:
        return ompd_get_task_parallel_handle(s->task, (void *)pointer);
    case 6:
        return ompd_get_curr_task_handle(s->thread, (void *)pointer);
    case 7:
        return ompd_get_generating_task_handle(s->task, (void *)pointer);
    case 8:
        return ompd_get_task_in_parallel(s->region, 0, (void *)pointer);
    case 9:
        return ompd_get_state(s->thread, word, NULL);
    case 10:
        return ompd_get_thread_id(s->thread, OMPD_THREAD_ID_LWP, 8, word);
    case 11:
        return ompd_get_task_function(s->task, &address);
    case 12:
        return ompd_get_task_frame(s->task, &frame[0], &frame[1]);
    default: {
        ompd_word_t more;
        return ompd_enumerate_states(s->space, 0x102, word, (const char **)pointer, &more);
    }
    }
}

enum { ROUTINES = 14 };

static void release(unsigned routine, void *pointer)
{
    if (!pointer)
        return;
    switch (routine) {
    case 0:
        assert_ok(ompd_rel_address_space_handle(pointer));
        break;
    case 1:
    case 2:
        assert_ok(ompd_rel_thread_handle(pointer));
        break;
    case 3:
    case 4:
    case 5:
        assert_ok(ompd_rel_parallel_handle(pointer));
        break;
    case 6:
    case 7:
    case 8:
        assert_ok(ompd_rel_task_handle(pointer));
        break;
    default:
        fake_cb_free(pointer);
    }
}

static ompd_rc_t expected_code(enum fake_callback failed)
{
    switch (failed) {
    case FAKE_ALLOC:
        return ompd_rc_nomem;
    case FAKE_READ:
        return ompd_rc_device_read_error;
    case FAKE_SYMBOL:
        return ompd_rc_incompatible;
    case FAKE_SIZES:
    case FAKE_TO_HOST:
        return ompd_rc_callback_error;
    case FAKE_NONE:
        break;
    }
    return ompd_rc_ok;
}

START_TEST(every_callback_fails)
{
    struct subject s = begin(_i, 1);
    for (unsigned r = 0; r < ROUTINES; r++) {
        unsigned alive = fake_counts.allocs_alive;
        enum fake_callback failed;
        unsigned n = 0;
        do {
            void *pointer = NULL;
            ompd_word_t word = -7;
            fake_fail_at(++n);
            ompd_rc_t rc = call(r, &s, &pointer, &word);
            failed = fake_failed();
            fake_fail_at(0);
            ck_assert_msg(rc == expected_code(failed), "routine %u, callback %u: %d", r, n,
                          rc);
            if (failed != FAKE_NONE) {
                ck_assert_ptr_null(pointer);
                ck_assert_int_eq(word, -7);
            }
            release(r, pointer);
            ck_assert_uint_eq(fake_counts.allocs_alive, alive);
        } while (failed != FAKE_NONE);
        ck_assert_uint_gt(n, 1);
    }
    end(&s);
}
END_TEST

START_TEST(null_and_ended)
{
    struct subject s = begin(_i, 1);
    struct subject null = {.program = s.program};
    for (unsigned r = 1; r < ROUTINES; r++) {
        void *pointer = NULL;
        ompd_word_t word = -7;
        assert_rc(call(r, &null, &pointer, &word), ompd_rc_stale_handle);
        ck_assert_ptr_null(pointer);
        ck_assert_int_eq(word, -7);
    }
    fake_put(s.program->fake, s.program->thread[1], FIELD_thread_id, 0);
    fake_put(s.program->fake, s.program->inner, FIELD_region_id, 0);
    fake_put(s.program->fake, s.program->inner_task, FIELD_task_id, 0);
    for (unsigned r = 1; r < ROUTINES - 1; r++) {
        void *pointer = NULL;
        ompd_word_t word = -7;
        if (r != 2)
            assert_rc(call(r, &s, &pointer, &word), ompd_rc_stale_handle);
    }
    end(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("abi-5");
    TCase *tcase = tcase_create("abi-5");
    tcase_add_test(tcase, versions);
    tcase_add_loop_test(tcase, navigation, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, thread_ids, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, frames_and_functions, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, states, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, every_callback_fails, 0, TARGET_KINDS);
    tcase_add_loop_test(tcase, null_and_ended, 0, TARGET_KINDS);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
