/* SPDX-License-Identifier: MIT
 *
 * What unit.c and unit5.c have alike. They include it behind
 *
 *   GET_REGION, GET_TASK   the routines that lead from a thread to its region and its task
 *   INITIALIZE             the call that initialises the library
 *   static const struct question ways[]
 *   static void add_more(unit), resolve(unit)
 */
#ifndef UNIT_PARTS_H
#define UNIT_PARTS_H

static struct fake *fake_of(ompd_address_space_context_t *context)
{
    return (struct fake *)context;
}

void (*unit_enter)(void);
void (*unit_leave)(void);

static int entered(void)
{
    if (unit_enter)
        unit_enter();
    return 0;
}

static void left(const int *unused)
{
    (void)unused;
    if (unit_leave)
        unit_leave();
}

/* The first line of each callback of the debugger. */
#define CALLBACK __attribute__((cleanup(left))) int in_callback = entered()

static ompd_rc_t alloc_memory(ompd_size_t bytes, void **ptr)
{
    CALLBACK;
    void *memory = fake_cb_alloc(bytes);
    if (!memory)
        return ompd_rc_error;
    *ptr = memory;
    return ompd_rc_ok;
}

static ompd_rc_t free_memory(void *ptr)
{
    CALLBACK;
    fake_cb_free(ptr);
    return ompd_rc_ok;
}

static ompd_rc_t find_symbol(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
                             const char *name, ompd_address_t *out)
{
    CALLBACK;
    ck_assert_ptr_null(thread);
    if (!fake_cb_symbol(fake_of(context), name, &out->address))
        return ompd_rc_error;
    out->segment = OMPD_SEGMENT_UNSPECIFIED;
    return ompd_rc_ok;
}

struct unit unit_begin(int kind, unsigned threads)
{
    struct unit unit = {
        .program = program_new(TARGET_POINTER(kind), TARGET_BIG(kind), threads),
    };
    questions_begin(ways, sizeof ways / sizeof *ways);
    add_more(&unit);
    unit.fake = unit.program->fake;
    assert_ok(INITIALIZE);
    assert_ok(ompd_process_initialize(context_of(unit.fake), &unit.space));
    fake_counts_reset();
    return unit;
}

void unit_end(struct unit *unit)
{
    assert_ok(release_handle(KIND_SPACE, unit->space));
    assert_ok(ompd_finalize());
    ck_assert_uint_eq(fake_counts.allocs_alive, 0);
    program_free(unit->program);
    fake_forget_freed();
}

ompd_parallel_handle_t *unit_region(const struct unit *unit, unsigned number)
{
    ompd_thread_handle_t *thread = unit_thread(unit, number);
    ompd_parallel_handle_t *region;
    assert_ok(GET_REGION(thread, &region));
    assert_ok(release_handle(KIND_THREAD, thread));
    return region;
}

ompd_task_handle_t *unit_task(const struct unit *unit, unsigned number)
{
    ompd_thread_handle_t *thread = unit_thread(unit, number);
    ompd_task_handle_t *task;
    assert_ok(GET_TASK(thread, &task));
    assert_ok(release_handle(KIND_THREAD, thread));
    return task;
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
    resolve(unit);
    return subject;
}

#endif
