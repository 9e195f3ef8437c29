/* SPDX-License-Identifier: MIT
 *
 * The table of routines.h.
 */
#include "routines.h"

#include <string.h>

#define ROUTINE(name)                                                                    \
    static ompd_rc_t call_##name(const struct subject *s, struct outs *o)

ROUTINE(process_initialize)
{
    return ompd_process_initialize(s->space ? context_of(s->unit->fake) : NULL, &o->space);
}
ROUTINE(get_threads)
{
    return ompd_get_threads(s->space, &o->threads, &o->number);
}
ROUTINE(count_threads)
{
    return ompd_get_threads(s->space, NULL, &o->number);
}
ROUTINE(get_thread_in_parallel)
{
    return ompd_get_thread_in_parallel(s->region, &o->threads, &o->number);
}
ROUTINE(get_master_thread_in_parallel)
{
    return ompd_get_master_thread_in_parallel(s->region, &o->thread);
}
ROUTINE(thread_handle_compare)
{
    return ompd_thread_handle_compare(s->thread, s->thread, &o->number);
}
ROUTINE(get_thread_handle_string_id)
{
    return ompd_get_thread_handle_string_id(s->thread, &o->string);
}
ROUTINE(get_top_parallel_region)
{
    return ompd_get_top_parallel_region(s->thread, &o->region);
}
ROUTINE(get_enclosing_parallel_handle)
{
    return ompd_get_enclosing_parallel_handle(s->region, &o->region);
}
ROUTINE(get_task_parallel_handle)
{
    return ompd_get_task_parallel_handle(s->task, &o->region);
}
ROUTINE(parallel_handle_compare)
{
    return ompd_parallel_handle_compare(s->region, s->region, &o->number);
}
ROUTINE(get_parallel_handle_string_id)
{
    return ompd_get_parallel_handle_string_id(s->region, &o->string);
}
ROUTINE(get_top_task_region)
{
    return ompd_get_top_task_region(s->thread, &o->task);
}
ROUTINE(get_ancestor_task_region)
{
    return ompd_get_ancestor_task_region(s->task, &o->task);
}
ROUTINE(get_implicit_task_in_parallel)
{
    return ompd_get_implicit_task_in_parallel(s->region, &o->tasks, &o->number);
}
ROUTINE(task_handle_compare)
{
    return ompd_task_handle_compare(s->task, s->task, &o->number);
}
ROUTINE(get_task_handle_string_id)
{
    return ompd_get_task_handle_string_id(s->task, &o->string);
}
ROUTINE(get_num_threads)
{
    return ompd_get_num_threads(s->region, &o->word);
}
ROUTINE(get_level)
{
    return ompd_get_level(s->task, &o->word);
}
ROUTINE(get_active_level)
{
    return ompd_get_active_level(s->task, &o->word);
}
ROUTINE(get_parallel_id)
{
    return ompd_get_parallel_id(s->region, &o->id);
}
ROUTINE(get_parallel_function)
{
    return ompd_get_parallel_function(s->region, &o->address[0]);
}
ROUTINE(get_thread_handle)
{
    unsigned char id[8];
    fake_encode(s->unit->fake, FIRST_LWP + 1, id, 8);
    return ompd_get_thread_handle(s->space, ompd_osthread_lwp, 8, id, &o->thread);
}
ROUTINE(get_osthread)
{
    return ompd_get_osthread(s->thread, ompd_osthread_lwp, sizeof o->os_id, o->os_id);
}
ROUTINE(get_state)
{
    return ompd_get_state(s->thread, &o->state, &o->id);
}
ROUTINE(get_task_function)
{
    return ompd_get_task_function(s->task, &o->address[0]);
}
ROUTINE(get_thread_num)
{
    return ompd_get_thread_num(s->thread, &o->word);
}
ROUTINE(in_parallel)
{
    return ompd_in_parallel(s->task, &o->word);
}
ROUTINE(in_final)
{
    return ompd_in_final(s->task, &o->word);
}
ROUTINE(is_implicit)
{
    return ompd_is_implicit(s->task, &o->word);
}
ROUTINE(get_task_frame)
{
    return ompd_get_task_frame(s->task, &o->address[0], &o->address[1]);
}
ROUTINE(get_task_id)
{
    return ompd_get_task_id(s->task, &o->id);
}

const struct routine routines[] = {
#define ENTRY(name, flags) {#name, call_##name, flags}
    ENTRY(process_initialize, 0),
    ENTRY(get_threads, 0),
    ENTRY(count_threads, 0),
    ENTRY(get_thread_in_parallel, READS_TARGET),
    ENTRY(get_master_thread_in_parallel, READS_TARGET | ONE_OBJECT),
    ENTRY(thread_handle_compare, 0),
    ENTRY(get_thread_handle_string_id, 0),
    ENTRY(get_top_parallel_region, READS_TARGET | ONE_OBJECT),
    ENTRY(get_enclosing_parallel_handle, READS_TARGET | ONE_OBJECT),
    ENTRY(get_task_parallel_handle, READS_TARGET | ONE_OBJECT),
    ENTRY(parallel_handle_compare, 0),
    ENTRY(get_parallel_handle_string_id, 0),
    ENTRY(get_top_task_region, READS_TARGET | ONE_OBJECT),
    ENTRY(get_ancestor_task_region, READS_TARGET | ONE_OBJECT),
    ENTRY(get_implicit_task_in_parallel, READS_TARGET),
    ENTRY(task_handle_compare, 0),
    ENTRY(get_task_handle_string_id, 0),
    ENTRY(get_num_threads, READS_TARGET | ONE_OBJECT),
    ENTRY(get_level, READS_TARGET | ONE_OBJECT),
    ENTRY(get_active_level, READS_TARGET | ONE_OBJECT),
    ENTRY(get_parallel_id, READS_TARGET | ONE_OBJECT),
    ENTRY(get_parallel_function, READS_TARGET | ONE_OBJECT),
    ENTRY(get_thread_handle, ONE_OBJECT),
    ENTRY(get_osthread, READS_TARGET | ONE_OBJECT),
    ENTRY(get_state, READS_TARGET | ONE_OBJECT),
    ENTRY(get_task_function, READS_TARGET | ONE_OBJECT),
    ENTRY(get_thread_num, READS_TARGET | ONE_OBJECT),
    ENTRY(in_parallel, READS_TARGET | ONE_OBJECT),
    ENTRY(in_final, READS_TARGET | ONE_OBJECT),
    ENTRY(is_implicit, READS_TARGET | ONE_OBJECT),
    ENTRY(get_task_frame, READS_TARGET | ONE_OBJECT),
    ENTRY(get_task_id, READS_TARGET | ONE_OBJECT),
};

const unsigned routine_count = sizeof routines / sizeof *routines;

static const struct outs *pattern(void)
{
    static struct outs outs;
    memset(&outs, 0x5A, sizeof outs);
    return &outs;
}

void outs_clear(struct outs *outs)
{
    memcpy(outs, pattern(), sizeof *outs);
}

bool outs_untouched(const struct outs *outs)
{
    return memcmp(outs, pattern(), sizeof *outs) == 0;
}

void outs_release(struct outs *outs)
{
    const struct outs *untouched = pattern();
    if (outs->space != untouched->space)
        assert_ok(ompd_release_address_space_handle(outs->space));
    if (outs->threads != untouched->threads)
        unit_free_threads(outs->threads, outs->number);
    if (outs->tasks != untouched->tasks)
        unit_free_tasks(outs->tasks, outs->number);
    if (outs->thread != untouched->thread)
        assert_ok(ompd_release_thread_handle(outs->thread));
    if (outs->region != untouched->region)
        assert_ok(ompd_release_parallel_handle(outs->region));
    if (outs->task != untouched->task)
        assert_ok(ompd_release_task_handle(outs->task));
    if (outs->string != untouched->string)
        fake_cb_free(outs->string);
}

struct subject subject_begin(const struct unit *unit)
{
    return (struct subject){
        .unit = unit,
        .space = unit->space,
        .thread = unit_thread(unit, 1),
        .region = unit_region(unit, 1),
        .task = unit_task(unit, 1),
    };
}

void subject_end(struct subject *subject)
{
    assert_ok(ompd_release_thread_handle(subject->thread));
    assert_ok(ompd_release_parallel_handle(subject->region));
    assert_ok(ompd_release_task_handle(subject->task));
}
