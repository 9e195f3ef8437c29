/* SPDX-License-Identifier: MIT
 *
 * ICVs: every one of the table as number and as words, what it costs, and what is
 * refused.
 */
#include <string.h>

#include "unit5.h"

/* What the program of fake-records.h has. words NULL: not asked; rc is that of the
 * number. */
static const struct expected {
    const char *name;
    ompd_scope_t scope;
    ompd_rc_t rc;
    ompd_word_t number;
    ompd_rc_t words_rc;
    const char *words;
} expected[] = {
#define IN ompd_scope_address_space
#define OF ompd_scope_task
    {"active-levels-var", ompd_scope_parallel, ompd_rc_ok, 1, ompd_rc_ok, "1"},
    {"affinity-format-var", IN, ompd_rc_incompatible, 0, ompd_rc_ok, "level %L"},
    {"bind-var", OF, ompd_rc_incomplete, 3, ompd_rc_ok, "close,spread"},
    {"cancel-var", IN, ompd_rc_ok, 1, ompd_rc_ok, "true"},
    {"cancel-var", ompd_scope_global, ompd_rc_ok, 1, ompd_rc_ok, "true"},
    {"debug-var", IN, ompd_rc_ok, 1, ompd_rc_ok, "enabled"},
    {"def-allocator-var", OF, ompd_rc_ok, 1, ompd_rc_ok, "omp_default_mem_alloc"},
    {"def-sched-var", IN, ompd_rc_ok, 1, ompd_rc_ok, "static"},
    {"default-device-var", OF, ompd_rc_ok, -1, ompd_rc_ok, "-1"},
    {"default-device-var", ompd_scope_thread, ompd_rc_ok, -1, ompd_rc_ok, "-1"},
    {"display-affinity-var", IN, ompd_rc_ok, 0, ompd_rc_ok, "false"},
    {"dyn-var", OF, ompd_rc_ok, 1, ompd_rc_ok, "true"},
    {"dyn-var", ompd_scope_thread, ompd_rc_ok, 1, ompd_rc_ok, "true"},
    {"explicit-task-var", OF, ompd_rc_ok, 0, ompd_rc_ok, "false"},
    {"final-task-var", OF, ompd_rc_ok, 0, ompd_rc_ok, "false"},
    {"implicit-task-var", OF, ompd_rc_ok, 1, ompd_rc_ok, "true"},
    {"levels-var", ompd_scope_parallel, ompd_rc_ok, 1, ompd_rc_ok, "1"},
    {"levels-var", OF, ompd_rc_ok, 1, ompd_rc_ok, "1"},
    {"max-active-levels-var", OF, ompd_rc_ok, 3, ompd_rc_ok, "3"},
    {"max-task-priority-var", IN, ompd_rc_ok, 7, ompd_rc_ok, "7"},
    {"nteams-var", IN, ompd_rc_ok, 3, ompd_rc_ok, "3"},
    {"nthreads-var", OF, ompd_rc_incomplete, 8, ompd_rc_ok, "8,4,2"},
    {"nthreads-var", ompd_scope_thread, ompd_rc_incomplete, 8, ompd_rc_ok, "8,4,2"},
    {"num-procs-var", IN, ompd_rc_ok, 16, ompd_rc_ok, "16"},
    {"place-partition-var", OF, ompd_rc_incomplete, 2, ompd_rc_ok, "{2}:3"},
    {"place-partition-var", ompd_scope_implicit_task, ompd_rc_incomplete, 2, ompd_rc_ok, "{2}:3"},
    {"run-sched-var", OF, ompd_rc_incompatible, 0, ompd_rc_ok, "monotonic:dynamic,4"},
    {"stacksize-var", IN, ompd_rc_ok, INT64_C(0x100000000), ompd_rc_ok, "4294967296"},
    {"target-offload-var", IN, ompd_rc_ok, 1, ompd_rc_ok, "mandatory"},
    {"team-size-var", ompd_scope_parallel, ompd_rc_ok, 8, ompd_rc_ok, "8"},
    {"teams-thread-limit-var", IN, ompd_rc_ok, 5, ompd_rc_ok, "5"},
    {"thread-limit-var", OF, ompd_rc_ok, 100, ompd_rc_ok, "100"},
    {"thread-num-var", ompd_scope_thread, ompd_rc_ok, 3, ompd_rc_ok, "3"},
    {"tool-var", IN, ompd_rc_ok, 0, ompd_rc_ok, "disabled"},
    {"tool-libraries-var", IN, ompd_rc_incompatible, 0, ompd_rc_ok, ""},
    {"tool-verbose-init-var", IN, ompd_rc_incompatible, 0, ompd_rc_ok, "disabled"},
    {"wait-policy-var", IN, ompd_rc_ok, 1, ompd_rc_ok, "active"},
    {"num-devices-var", IN, ompd_rc_unsupported, 0, ompd_rc_unsupported, NULL},
    {"available-devices-var", IN, ompd_rc_incompatible, 0, ompd_rc_unavailable, NULL},
    {"league-size-var", ompd_scope_parallel, ompd_rc_unavailable, 0, ompd_rc_unavailable, NULL},
    {"device-num-var", IN, ompd_rc_unsupported, 0, ompd_rc_unsupported, NULL},
    {"team-num-var", ompd_scope_parallel, ompd_rc_unsupported, 0, ompd_rc_unsupported, NULL},
    {"team-generator-var", ompd_scope_parallel, ompd_rc_ok, ompd_generator_parallel, ompd_rc_ok,
     "1"},
    {"free-agent-var", OF, ompd_rc_unsupported, 0, ompd_rc_unsupported, NULL},
    {"free-agent-thread-limit-var", OF, ompd_rc_unsupported, 0, ompd_rc_unsupported, NULL},
    {"structured-thread-limit-var", OF, ompd_rc_unsupported, 0, ompd_rc_unsupported, NULL},
    {"place-assignment-var", OF, ompd_rc_unsupported, 0, ompd_rc_unsupported, NULL},
    {"ompd-num-procs-var", IN, ompd_rc_ok, 16, ompd_rc_ok, "16"},
    {"ompd-thread-num-var", ompd_scope_thread, ompd_rc_ok, 3, ompd_rc_ok, "3"},
    {"ompd-thread-num-var", OF, ompd_rc_ok, 3, ompd_rc_ok, "3"},
    {"ompd-final-var", OF, ompd_rc_ok, 0, ompd_rc_ok, "false"},
    {"ompd-implicit-var", OF, ompd_rc_ok, 1, ompd_rc_ok, "true"},
    {"ompd-final-task-var", OF, ompd_rc_ok, 0, ompd_rc_ok, "false"},
    {"ompd-implicit-task-var", OF, ompd_rc_ok, 1, ompd_rc_ok, "true"},
    {"ompd-team-size-var", ompd_scope_parallel, ompd_rc_ok, 8, ompd_rc_ok, "8"},
#undef IN
#undef OF
};
enum { EXPECTED = sizeof expected / sizeof *expected };

static void *handle_of(const struct subject *subject, ompd_scope_t scope)
{
    switch (scope) {
    case ompd_scope_thread:
        return subject->thread;
    case ompd_scope_parallel:
        return subject->region;
    case ompd_scope_implicit_task:
    case ompd_scope_task:
        return subject->task;
    default:
        return subject->space;
    }
}

UNIT(values, 8)
{
    struct subject subject = subject_of(unit, 3);
    for (unsigned i = 0; i < EXPECTED; i++) {
        const struct expected *e = &expected[i];
        ompd_icv_id_t icv = unit_icv(unit, e->name, NULL);
        void *handle = handle_of(&subject, e->scope);
        ompd_word_t number = 0;
        fake_counts_reset();
        ompd_rc_t rc = ompd_get_icv_from_scope(handle, e->scope, icv, &number);
        ck_assert_msg(rc == e->rc, "%s: %d", e->name, rc);
        ck_assert_msg(number == e->number, "%s: %lld", e->name, (long long)number);
        bool by_thread = e->scope == ompd_scope_thread;
        ck_assert_uint_le(fake_counts.reads, by_thread ? 4 : 2);
        ck_assert_uint_eq(fake_counts.lookups, 0);
        const char *words = NULL;
        fake_counts_reset();
        rc = ompd_get_icv_string_from_scope(handle, e->scope, icv, &words);
        ck_assert_msg(rc == e->words_rc, "%s: %d", e->name, rc);
        ck_assert_uint_le(fake_counts.reads, by_thread ? 6 : 4);
        if (e->words) {
            ck_assert_str_eq(words, e->words);
            fake_cb_free((char *)(uintptr_t)words);
        }
    }
    subject_end(&subject);
}

/* Every name is expected above, no two ICVs share one, and scopes are those that existing
 * debuggers know. */
UNIT(enumeration, 8)
{
    ompd_icv_id_t id = 0;
    int more = 1;
    unsigned count = 0;
    bool seen[EXPECTED] = {false};
    while (more) {
        const char *name;
        ompd_scope_t scope;
        assert_ok(ompd_enumerate_icvs(unit->space, id, &id, &name, &scope, &more));
        bool found = false;
        for (unsigned i = 0; i < EXPECTED; i++) {
            if (strcmp(expected[i].name, name) != 0)
                continue;
            if (!found) {
                ck_assert_msg(!seen[i], "%s stands twice", name);
                ck_assert_msg(expected[i].scope == scope, "%s: scope %d", name, scope);
            }
            found = seen[i] = true;
        }
        ck_assert_msg(found, "%s", name);
        ck_assert(scope >= ompd_scope_address_space && scope <= ompd_scope_task &&
                  scope != ompd_scope_implicit_task);
        fake_cb_free((char *)(uintptr_t)name);
        count++;
    }
    for (unsigned i = 0; i < EXPECTED; i++)
        ck_assert_msg(seen[i], "%s", expected[i].name);
    ck_assert_uint_eq(id, count);
    const char *none = NULL;
    ompd_scope_t scope;
    assert_rc(ompd_enumerate_icvs(unit->space, id, &id, &none, &scope, &more), ompd_rc_bad_input);
    assert_rc(ompd_enumerate_icvs(unit->space, UINT64_MAX, &id, &none, &scope, &more),
              ompd_rc_bad_input);
}

/* Which ICVs a version has, in which order, and under which scope. */
EACH(by_version, TARGET_KINDS)
{
    static const struct {
        ompd_word_t version;
        const char *last;
        ompd_scope_t scope; /* of dyn-var, nthreads-var, default-device-var */
    } versions[] = {
        {201811, "wait-policy-var", ompd_scope_thread},
        {202011, "place-partition-var", ompd_scope_task},
        {202411, "place-assignment-var", ompd_scope_task},
    };
    /* The order of libomp 19. */
    static const char *const llvm[] = {"dyn-var",
                                       "run-sched-var",
                                       "stacksize-var",
                                       "cancel-var",
                                       "max-task-priority-var",
                                       "debug-var",
                                       "nthreads-var",
                                       "display-affinity-var",
                                       "affinity-format-var",
                                       "default-device-var",
                                       "tool-var",
                                       "tool-libraries-var",
                                       "tool-verbose-init-var",
                                       "levels-var",
                                       "active-levels-var",
                                       "thread-limit-var",
                                       "max-active-levels-var",
                                       "bind-var",
                                       "num-procs-var",
                                       "ompd-num-procs-var",
                                       "thread-num-var",
                                       "ompd-thread-num-var",
                                       "final-task-var",
                                       "ompd-final-var",
                                       "ompd-final-task-var",
                                       "implicit-task-var",
                                       "ompd-implicit-var",
                                       "ompd-implicit-task-var",
                                       "team-size-var",
                                       "ompd-team-size-var"};
    struct unit unit = unit_begin(_i, 8);
    for (unsigned i = 0; i < sizeof versions / sizeof *versions; i++) {
        assert_ok(ompd_finalize());
        assert_ok(ompd_initialize(versions[i].version, &fake_debugger));
        ompd_icv_id_t id = 0;
        int more = 1;
        while (more) {
            const char *name;
            ompd_scope_t scope;
            assert_ok(ompd_enumerate_icvs(unit.space, id, &id, &name, &scope, &more));
            if (id <= sizeof llvm / sizeof *llvm)
                ck_assert_str_eq(name, llvm[id - 1]);
            if (strcmp(name, "dyn-var") == 0 || strcmp(name, "nthreads-var") == 0 ||
                strcmp(name, "default-device-var") == 0)
                ck_assert_int_eq(scope, versions[i].scope);
            if (!more)
                ck_assert_str_eq(name, versions[i].last);
            fake_cb_free((char *)(uintptr_t)name);
        }
    }
    unit_end(&unit);
}

/* Asked about the region of a teams construct it is known. */
UNIT(size_of_a_league, 8)
{
    fake_put(unit->fake, unit->program->outer, FIELD_region_kind, REGION_TEAMS);
    ompd_parallel_handle_t *league = unit_region(unit, 0);
    ompd_icv_id_t icv = unit_icv(unit, "league-size-var", NULL);
    static const ompd_scope_t scopes[] = {ompd_scope_parallel, ompd_scope_teams};
    for (unsigned i = 0; i < 2; i++) {
        ompd_word_t number = -1;
        assert_ok(ompd_get_icv_from_scope(league, scopes[i], icv, &number));
        ck_assert_int_eq(number, 8);
    }
    ompd_word_t number = -1;
    assert_ok(ompd_get_icv_from_scope(league, ompd_scope_parallel,
                                      unit_icv(unit, "team-generator-var", NULL), &number));
    ck_assert_int_eq(number, ompd_generator_teams);
    fake_put(unit->fake, unit->program->outer, FIELD_region_kind, REGION_PARALLEL);
    assert_rc(ompd_get_icv_from_scope(league, ompd_scope_teams, icv, &number),
              ompd_rc_incompatible_handle);
}

UNIT(refusals, 8)
{
    struct subject subject = subject_of(unit, 3);
    ompd_icv_id_t nthreads = unit_icv(unit, "nthreads-var", NULL);
    ompd_word_t number = 77;
    const char *words = NULL;
    for (int scope = -1; scope < 12; scope++) {
        if (scope == ompd_scope_task || scope == ompd_scope_thread)
            continue;
        void *handle = handle_of(&subject, (ompd_scope_t)scope);
        assert_rc(ompd_get_icv_from_scope(handle, (ompd_scope_t)scope, nthreads, &number),
                  ompd_rc_bad_input);
    }
    assert_rc(ompd_get_icv_from_scope(subject.task, ompd_scope_task, 0, &number),
              ompd_rc_bad_input);
    assert_rc(ompd_get_icv_from_scope(subject.task, ompd_scope_task, 9999, &number),
              ompd_rc_bad_input);
    assert_rc(ompd_get_icv_from_scope(NULL, ompd_scope_task, nthreads, &number),
              ompd_rc_stale_handle);
    assert_rc(ompd_get_icv_from_scope(subject.thread, ompd_scope_task, nthreads, &number),
              ompd_rc_incompatible_handle);
    /* An older debugger does not know that code. */
    ompd_icv_id_t places = unit_icv(unit, "place-partition-var", NULL);
    assert_ok(ompd_finalize());
    assert_ok(ompd_initialize(201811, &fake_debugger));
    assert_rc(ompd_get_icv_from_scope(subject.thread, ompd_scope_task, nthreads, &number),
              ompd_rc_bad_input);

    /* No places are an empty list. */
    fake_put(unit->fake, unit->records.icvs, FIELD_icvs_place_count, 0);
    assert_rc(ompd_get_icv_from_scope(subject.task, ompd_scope_task, places, &number),
              ompd_rc_incompatible);
    assert_ok(ompd_get_icv_string_from_scope(subject.task, ompd_scope_task, places, &words));
    ck_assert_str_eq(words, "");
    fake_cb_free((char *)(uintptr_t)words);
    words = NULL;
    ck_assert_int_eq(number, 77);

    /* A single value is no list. */
    struct fake *fake = unit->fake;
    uint64_t icvs = unit->records.icvs;
    fake_put(fake, icvs, FIELD_icvs_nthreads_count, 0);
    assert_ok(ompd_get_icv_from_scope(subject.task, ompd_scope_task, nthreads, &number));
    /* Of a thread, of which only debuggers of LLVM ask, it is one. */
    assert_rc(ompd_get_icv_from_scope(subject.thread, ompd_scope_thread, nthreads, &number),
              ompd_rc_incomplete);
    ck_assert_int_eq(number, 8);

    static const struct {
        int field;
        uint64_t value;
    } impossible[] = {
        {FIELD_icvs_nthreads_count, 1u << 31},
        {FIELD_icvs_nthreads_count, 257},
        {FIELD_icvs_id, 0},
    };
    for (unsigned i = 0; i < 3; i++) {
        uint64_t kept = fake_get(fake, icvs, (enum hooks_field)impossible[i].field);
        fake_put(fake, icvs, (enum hooks_field)impossible[i].field, impossible[i].value);
        assert_rc(ompd_get_icv_from_scope(subject.task, ompd_scope_task, nthreads, &number),
                  ompd_rc_error);
        assert_rc(ompd_get_icv_string_from_scope(subject.task, ompd_scope_task, nthreads, &words),
                  ompd_rc_error);
        fake_put(fake, icvs, (enum hooks_field)impossible[i].field, kept);
    }
    /* A string without end. */
    uint64_t endless = fake_memory(fake, 8192);
    for (unsigned i = 0; i < 8192; i++)
        fake_put_number(fake, endless + i, 1, 'x');
    fake_put(fake, unit->records.globals, FIELD_globals_affinity_format, endless);
    assert_rc(ompd_get_icv_string_from_scope(unit->space, ompd_scope_address_space,
                                             unit_icv(unit, "affinity-format-var", NULL), &words),
              ompd_rc_error);
    ck_assert_ptr_null(words);
    subject_end(&subject);
}

/* A target of records 1.0 has levels and team sizes, and none of the rest. */
EACH(records_1_0, TARGET_KINDS)
{
    struct program *program = program_new(TARGET_POINTER(_i), TARGET_BIG(_i), 8);
    records_downgrade(program->fake);
    struct unit unit = {.program = program, .fake = program->fake};
    assert_ok(ompd_initialize(201811, &fake_debugger));
    assert_ok(ompd_process_initialize(context_of(unit.fake), &unit.space));
    struct subject subject = subject_of(&unit, 3);
    ompd_word_t number = 0;
    assert_ok(ompd_get_icv_from_scope(subject.region, ompd_scope_parallel,
                                      unit_icv(&unit, "team-size-var", NULL), &number));
    ck_assert_int_eq(number, 8);
    assert_rc(ompd_get_icv_from_scope(subject.task, ompd_scope_task,
                                      unit_icv(&unit, "nthreads-var", NULL), &number),
              ompd_rc_unsupported);
    assert_rc(ompd_get_icv_from_scope(unit.space, ompd_scope_address_space,
                                      unit_icv(&unit, "num-procs-var", NULL), &number),
              ompd_rc_unsupported);
    const char *const *vars;
    assert_rc(ompd_get_display_control_vars(unit.space, &vars), ompd_rc_unsupported);
    assert_rc(ompd_get_omp_version(unit.space, &number), ompd_rc_unsupported);
    ompd_task_handle_t *scheduling;
    assert_rc(ompd_get_scheduling_task_handle(subject.task, &scheduling), ompd_rc_unsupported);
    ompd_ext_task_t *tasks;
    ompd_ext_lock_t *locks;
    ompd_ext_object_t *waiters;
    ompd_size_t count, waiting;
    assert_rc(ompd_ext_get_tasks(unit.space, sizeof *tasks, &tasks, &count), ompd_rc_unsupported);
    assert_rc(ompd_ext_get_locks(unit.space, sizeof *locks, &locks, &count, &waiters, &waiting),
              ompd_rc_unsupported);
    ompd_ext_thread_t *threads;
    assert_ok(ompd_ext_get_threads(unit.space, sizeof *threads, &threads, &count));
    ck_assert_uint_eq(count, 9);
    fake_cb_free(threads);
    subject_end(&subject);
    unit_end(&unit);
}
