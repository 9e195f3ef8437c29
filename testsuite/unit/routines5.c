/* SPDX-License-Identifier: MIT
 *
 * The table of routines5.h.
 */
#include "routines5.h"

#include <string.h>

/* ROUTINE(name, reads_max, call) */
#define TEXT(outs, n) ((const char **)&(outs)->memory[n])
#define NUMBER(outs, n) ((ompd_word_t *)&(outs)->number[n])
#define INT(outs, n) ((int *)&(outs)->number[n])
#define EXT(outs, type) sizeof(type), (type **)&(outs)->memory[0], &(outs)->number[0]
#define ALL_ROUTINES                                                                     \
    ROUTINE(                                                                             \
        process_initialize, 3,                                                           \
        ompd_process_initialize(s->space ? context_of(s->unit->fake) : NULL, &o->space)) \
    ROUTINE(thread_id_kinds, 0,                                                          \
            ompd_get_device_thread_id_kinds(s->space,                                    \
                                            (ompd_thread_id_t **)&o->memory[0],          \
                                            (ompd_size_t **)&o->memory[1], INT(o, 0)))   \
    ROUTINE(get_omp_version, 2, ompd_get_omp_version(s->space, NUMBER(o, 0)))            \
    ROUTINE(get_omp_version_string, 2,                                                   \
            ompd_get_omp_version_string(s->space, TEXT(o, 0)))                           \
    ROUTINE(get_thread_in_parallel, 2,                                                   \
            ompd_get_thread_in_parallel(s->region, 0, &o->thread))                       \
    ROUTINE(get_thread_handle, 1, get_thread_handle(s, o))                               \
    ROUTINE(thread_handle_compare, 0,                                                    \
            ompd_thread_handle_compare(s->thread, s->thread, INT(o, 0)))                 \
    ROUTINE(get_thread_id, 1,                                                            \
            ompd_get_thread_id(s->thread, OMPD_THREAD_ID_LWP, 8, &o->number[0]))         \
    ROUTINE(get_curr_parallel_handle, 1,                                                 \
            ompd_get_curr_parallel_handle(s->thread, &o->region))                        \
    ROUTINE(get_enclosing_parallel_handle, 1,                                            \
            ompd_get_enclosing_parallel_handle(s->region, &o->region))                   \
    ROUTINE(get_task_parallel_handle, 1,                                                 \
            ompd_get_task_parallel_handle(s->task, &o->region))                          \
    ROUTINE(parallel_handle_compare, 0,                                                  \
            ompd_parallel_handle_compare(s->region, s->region, INT(o, 0)))               \
    ROUTINE(get_curr_task_handle, 1, ompd_get_curr_task_handle(s->thread, &o->task))     \
    ROUTINE(get_generating_task_handle, 1,                                               \
            ompd_get_generating_task_handle(s->task, &o->task))                          \
    ROUTINE(get_scheduling_task_handle, 1,                                               \
            ompd_get_scheduling_task_handle(s->task, &o->task))                          \
    ROUTINE(get_task_in_parallel, 2, ompd_get_task_in_parallel(s->region, 0, &o->task))  \
    ROUTINE(task_handle_compare, 0,                                                      \
            ompd_task_handle_compare(s->task, s->task, INT(o, 0)))                       \
    ROUTINE(get_task_function, 1,                                                        \
            ompd_get_task_function(s->task, &o->frame[0].frame_address))                 \
    ROUTINE(get_task_frame, 1, ompd_get_task_frame(s->task, &o->frame[0], &o->frame[1])) \
    ROUTINE(enumerate_states, 0,                                                         \
            ompd_enumerate_states(s->space, 0, NUMBER(o, 0), TEXT(o, 0), NUMBER(o, 1)))  \
    ROUTINE(get_state, 1, ompd_get_state(s->thread, NUMBER(o, 0), &o->number[1]))        \
    ROUTINE(get_display_control_vars, 2,                                                 \
            ompd_get_display_control_vars(s->space, &o->vars))                           \
    ROUTINE(enumerate_icvs, 0,                                                           \
            ompd_enumerate_icvs(s->space, 0, &o->number[0], TEXT(o, 0),                  \
                                (ompd_scope_t *)&o->number[1], INT(o, 2)))               \
    ROUTINE(icv_of_globals, 2,                                                           \
            ompd_get_icv_from_scope(s->space, ompd_scope_address_space, s->icv[0],       \
                                    NUMBER(o, 0)))                                       \
    ROUTINE(                                                                             \
        icv_of_thread, 1,                                                                \
        ompd_get_icv_from_scope(s->thread, ompd_scope_thread, s->icv[1], NUMBER(o, 0)))  \
    ROUTINE(icv_of_region, 1,                                                            \
            ompd_get_icv_from_scope(s->region, ompd_scope_parallel, s->icv[2],           \
                                    NUMBER(o, 0)))                                       \
    ROUTINE(icv_of_task, 2,                                                              \
            ompd_get_icv_from_scope(s->task, ompd_scope_task, s->icv[3], NUMBER(o, 0)))  \
    ROUTINE(                                                                             \
        icv_list, 3,                                                                     \
        ompd_get_icv_string_from_scope(s->task, ompd_scope_task, s->icv[4], TEXT(o, 0))) \
    ROUTINE(icv_text, 4,                                                                 \
            ompd_get_icv_string_from_scope(s->space, ompd_scope_address_space, s->text,  \
                                           TEXT(o, 0)))                                  \
    ROUTINE(ext_get_recording, 1, ompd_ext_get_recording(s->space, NUMBER(o, 0)))        \
    ROUTINE(ext_get_tool, 1, ompd_ext_get_tool(s->space, NUMBER(o, 0)))                  \
    ROUTINE(ext_thread_handle, 0, from_object(s, o, 0))                                  \
    ROUTINE(ext_parallel_handle, 0, from_object(s, o, 1))                                \
    ROUTINE(ext_task_handle, 0, from_object(s, o, 2))                                    \
    ROUTINE(ext_get_thread, 1,                                                           \
            ompd_ext_get_thread(s->thread, sizeof o->ext_thread, &o->ext_thread))        \
    ROUTINE(ext_get_region, 1,                                                           \
            ompd_ext_get_region(s->region, sizeof o->ext_region, &o->ext_region))        \
    ROUTINE(ext_get_task, 1,                                                             \
            ompd_ext_get_task(s->task, sizeof o->ext_task, &o->ext_task))                \
    ROUTINE(ext_get_threads, -1,                                                         \
            ompd_ext_get_threads(s->space, EXT(o, ompd_ext_thread_t)))                   \
    ROUTINE(ext_get_tasks, -1, ompd_ext_get_tasks(s->space, EXT(o, ompd_ext_task_t)))    \
    ROUTINE(ext_get_dependences, -1,                                                     \
            ompd_ext_get_dependences(s->space, EXT(o, ompd_ext_dependence_t)))           \
    ROUTINE(ext_get_locks, -1,                                                           \
            ompd_ext_get_locks(s->space, EXT(o, ompd_ext_lock_t),                        \
                               (ompd_ext_object_t **)&o->memory[1], &o->number[1]))      \
    ROUTINE(ext_get_lock, -1,                                                            \
            ompd_ext_get_lock(s->space, CRITICAL_NAME, ompd_ext_lock_critical,           \
                              sizeof o->ext_lock, &o->ext_lock))                         \
    ROUTINE(ext_get_regions, -1,                                                         \
            ompd_ext_get_regions(s->space, EXT(o, ompd_ext_region_t)))                   \
    ROUTINE(ext_get_team, 3, ompd_ext_get_team(s->region, sizeof o->ext_team, &o->ext_team)) \
    ROUTINE(ext_get_loop, 1, ompd_ext_get_loop(s->thread, sizeof o->ext_loop, &o->ext_loop)) \
    ROUTINE(ext_get_forks, 1, ompd_ext_get_forks(s->space, NUMBER(o, 0)))                \
    ROUTINE(ext_get_barriers, -1,                                                        \
            ompd_ext_get_barriers(s->space, EXT(o, ompd_ext_barrier_t)))

static ompd_rc_t get_thread_handle(const struct subject *s, struct outs *o)
{
    unsigned char id[8];
    fake_encode(s->unit->fake, FIRST_LWP + 1, id, 8);
    return ompd_get_thread_handle(s->space, OMPD_THREAD_ID_LWP, 8, id, &o->thread);
}

static ompd_rc_t from_object(const struct subject *s, struct outs *o, int kind)
{
    const ompd_ext_object_t object = {0x10000, 1};
    if (kind == 0)
        return ompd_ext_get_thread_handle(s->space, &object, &o->thread);
    if (kind == 1)
        return ompd_ext_get_parallel_handle(s->space, &object, &o->region);
    return ompd_ext_get_task_handle(s->space, &object, &o->task);
}

#define ROUTINE(name, reads, expression)                                                 \
    static ompd_rc_t call_##name(const struct subject *s, struct outs *o)                \
    {                                                                                    \
        (void)s;                                                                         \
        return expression;                                                               \
    }
ALL_ROUTINES
#undef ROUTINE

const struct routine routines[] = {
#define ROUTINE(name, reads, expression) {#name, call_##name, reads},
    ALL_ROUTINES
#undef ROUTINE
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
        assert_ok(ompd_rel_address_space_handle(outs->space));
    if (outs->thread != untouched->thread)
        assert_ok(ompd_rel_thread_handle(outs->thread));
    if (outs->region != untouched->region)
        assert_ok(ompd_rel_parallel_handle(outs->region));
    if (outs->task != untouched->task)
        assert_ok(ompd_rel_task_handle(outs->task));
    if (outs->vars != untouched->vars)
        assert_ok(ompd_rel_display_control_vars(&outs->vars));
    for (unsigned i = 0; i < 2; i++) {
        if (outs->memory[i] && outs->memory[i] != untouched->memory[i])
            fake_cb_free(outs->memory[i]);
    }
}

struct subject subject_begin(const struct unit *unit)
{
    return (struct subject){
        .unit = unit,
        .space = unit->space,
        .thread = unit_thread(unit, 1),
        .region = unit_region(unit, 1),
        .task = unit_task(unit, 1),
        .icv = {unit_icv(unit, "num-procs-var", NULL),
                unit_icv(unit, "thread-num-var", NULL),
                unit_icv(unit, "team-size-var", NULL),
                unit_icv(unit, "thread-limit-var", NULL),
                unit_icv(unit, "nthreads-var", NULL)},
        .text = unit_icv(unit, "affinity-format-var", NULL),
    };
}

void subject_end(struct subject *subject)
{
    assert_ok(ompd_rel_thread_handle(subject->thread));
    assert_ok(ompd_rel_parallel_handle(subject->region));
    assert_ok(ompd_rel_task_handle(subject->task));
}
