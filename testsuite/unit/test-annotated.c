/* SPDX-License-Identifier: MIT
 *
 * A process on LLVM's runtime that reports to records: the structures of kmp-fake.h and the
 * records of fake-records.h in one memory. What the reader of both adds to what the runtime
 * holds, what it does not believe, and that each question ends whatever fails and whatever
 * either claims.
 */
#include <stdlib.h>
#include <string.h>

#define TEST_SECONDS 120
#include "both.h"
#include "fake-records.h"
#include "kmp-fake.h"
#include "libompd/handle/settings.h"
#include "libompd/runtime/kmp.h"
#include "libompd/survey/survey.h"

enum { CODEPTR = 0x5550, TASK_CODEPTR = 0x5560, REGION_CODEPTR = 0x5570, SERIAL = 7 };

static struct kf kf;
static struct fake *fake;
static struct records more;
static taddr shared_word; /* record `word` of the running task */

#define PUT(object, field, value) fake_put(fake, object, FIELD_##field, value)
static uint64_t entry_of_runtime(void)
{
    for (unsigned i = 0; i < kf.gf->symbols; i++)
        if (!strcmp(kf.gf->symbol[i].name, "omp_get_thread_num"))
            return kf.gf->symbol[i].address;
    return 0;
}

/* The runtime's word of an object and the record's of it. */
static void join_task(taddr task, uint64_t record)
{
    kf_put(&kf, task, KMP_kmp_taskdata_word, record);
    PUT(record, task_word, task + kf.layout->place[KMP_kmp_taskdata_word].offset);
}

static void join_region(taddr team, uint64_t record)
{
    kf_put(&kf, team, KMP_kmp_base_team_word, record);
    PUT(record, region_word, team + kf.layout->place[KMP_kmp_base_team_word].offset);
}

/* Thread i of the records is thread i of the runtime; the first waits, which is in no memory of
 * the runtime's, the third for a lock. */
static void put_threads(void)
{
    struct program *program = both.hooks;
    for (unsigned i = 0; i < BOTH_THREADS; i++) {
        PUT(program->thread[i], thread_lwp, GF_TID_FIRST + i);
        PUT(program->thread[i], thread_pthread, kf.gf->pthread[i]);
        PUT(program->thread[i], thread_codeptr, CODEPTR + i);
        PUT(program->thread[i], thread_flags, THREAD_REPORTED);
    }
    PUT(program->thread[0], thread_status, OUTER_ID << 8 | 0x64);
    PUT(program->thread[0], thread_wait_id, CRITICAL_NAME);
    PUT(program->thread[2], thread_status, OUTER_ID << 8 | 0x60);
    PUT(program->thread[2], thread_wait_id, kf.lock_word);
}

static void put_objects(void)
{
    struct program *program = both.hooks;
    join_task(kf.running, program->explicit_task);
    PUT(program->explicit_task, task_codeptr, TASK_CODEPTR);
    PUT(program->explicit_task, task_serial, SERIAL);
    join_task(kf.blocked, more.task[1]);
    join_region(kf.team, program->outer);
    PUT(program->outer, region_codeptr, REGION_CODEPTR);
    PUT(more.lock[0], lock_kind, LOCK_SIMPLE);
    PUT(more.lock[0], lock_address, kf.lock_word);
    PUT(more.lock[0], lock_reported, 1);
    shared_word = fake_record(fake, RECORD_word);
    PUT(shared_word, word_record, program->explicit_task);
}

static void make(int layout)
{
    kf = kf_new((unsigned)layout);
    both = (struct both){.gomp = kf.gf, .hooks = program_new(8, false, BOTH_THREADS)};
    fake = both.hooks->fake;
    more = records_add(both.hooks);
    PUT(fake->root, root_index_overflow, 1);
    PUT(fake->root, root_ompt_runtime, entry_of_runtime());
    put_threads();
    put_objects();
    ck_assert_uint_le(fake->end, GF_BASE);
}

static void begin_reporting(int layout)
{
    make(layout);
    both_open();
    ck_assert_str_eq(the_instance()->reader->name, "annotated");
}

static void unmake(void)
{
    ck_assert_int_eq(both.alive, 0);
    kf_free(&kf);
    program_free(both.hooks);
}

static void end_reporting(void)
{
    space_destroy(space);
    unmake();
}

#define REPORTING(name) BETWEEN(name, KMP_LAYOUTS, begin_reporting(_i), end_reporting())

static struct thread_facts thread_of(unsigned which)
{
    struct thread_facts facts;
    struct ref ref = {kf.gf->thread[which], (GF_TID_FIRST + which) | ID_IS_MADE};
    ck_assert_int_eq(ASK(thread, ref, &facts), RC_OK);
    return facts;
}

static struct task_facts running_task(void)
{
    struct task_facts facts;
    ck_assert_int_eq(ASK(task, thread_of(KF_RUNS).task.ref, &facts), RC_OK);
    return facts;
}

REPORTING(threads_are_completed)
{
    struct thread_facts facts = thread_of(KF_RUNS);
    assert_known(facts.state, 0x64);
    assert_known(facts.wait_id, CRITICAL_NAME);
    assert_known(facts.codeptr, CODEPTR);
    assert_known(facts.team_size, 4);
    facts = thread_of(KF_LOCK);
    assert_known(facts.state, STATE_wait_lock);
    assert_known(facts.wait_id, kf.lock_word);
    assert_known(facts.codeptr, CODEPTR + KF_LOCK);
    /* As where its region has no record, in a league. */
    PUT(both.hooks->thread[2], thread_flags, THREAD_UNTRACKED);
    PUT(both.hooks->thread[2], thread_status, STATE_wait_nest_lock);
    PUT(both.hooks->thread[2], thread_wait_id, kf.lock_word + 16);
    facts = thread_of(KF_LOCK);
    assert_known(facts.state, STATE_wait_nest_lock);
    assert_known(facts.wait_id, kf.lock_word + 16);
    assert_known(facts.team_size, 4);
    assert_known(facts.codeptr, CODEPTR + KF_LOCK);
    assert_known(thread_of(KF_ARRIVED).state, STATE_wait_barrier);
    /* Its memory does not show which of two waits for tasks it is. */
    kf_put(&kf, kf.running, KMP_kmp_taskdata_taskwait_thread, kf_gtid[KF_RUNS] + 1);
    kf_put(&kf, kf.running, KMP_kmp_taskdata_taskgroup, kf.parent);
    ck_assert_int_eq(thread_of(KF_RUNS).state.known, NEEDS_TRACKING);
    PUT(both.hooks->thread[0], thread_status, OUTER_ID << 8 | 0x51);
    assert_known(thread_of(KF_RUNS).state, STATE_wait_taskgroup);
    /* Nor that it is in a taskyield. */
    PUT(both.hooks->thread[0], thread_status, OUTER_ID << 8 | STATE_work_parallel);
    assert_known(thread_of(KF_RUNS).state, STATE_work_parallel);
}

/* What the environment says, and the version; other values are those of memory. */
REPORTING(environment_is_recorded)
{
    struct global_facts facts;
    uint64_t version;
    gf_number(kf.gf, kf.global[KMP_GLOBAL_nteams], 4, 9);
    ck_assert_int_eq(ASK(globals, &facts), RC_OK);
    assert_known(facts.target_offload, 1);
    assert_known(facts.debug, 1);
    assert_known(facts.nteams, 9);
    ck_assert_int_eq(facts.num_devices.known, NOT_HELD);
    ck_assert_int_eq(settings_number(space, "_OPENMP", &version), RC_OK);
    ck_assert_uint_eq(version, 201511);
}

/* A time is that of the wait which the answer has. */
REPORTING(times_are_of_the_wait)
{
    for (unsigned i = 0; i < 2; i++)
        PUT(both.hooks->thread[i], thread_wait_since, 1000 + i);
    struct thread_facts facts = thread_of(KF_RUNS);
    assert_known(facts.wait_since, 1000);
    assert_known(facts.last_wait, 1000);
    PUT(both.hooks->thread[0], thread_status, STATE_idle);
    facts = thread_of(KF_RUNS);
    ck_assert_int_ne(facts.wait_since.known, KNOWN);
    assert_known(facts.last_wait, 1000);
}

/* It is released into a region, and has no record there. */
REPORTING(threads_begin)
{
    PUT(both.hooks->thread[0], thread_status, STATE_idle);
    struct thread_facts facts = thread_of(KF_RUNS);
    assert_known(facts.state, STATE_overhead);
    assert_known(facts.wait_id, 0);
    assert_known(facts.team_size, 4);
    assert_known(thread_of(KF_ARRIVED).state, STATE_wait_barrier);
}

/* Of the primary thread, which memory only shows to be at a barrier when it sleeps. */
REPORTING(records_add_arrivals)
{
    PUT(both.hooks->thread[0], thread_barrier, 5u << BARRIER_SHIFT | BARRIER_INSIDE);
    PUT(both.hooks->thread[2], thread_barrier, 4u << BARRIER_SHIFT);
    struct thread_facts facts = thread_of(KF_RUNS);
    assert_known(facts.barrier, BARRIER_WITHIN);
    assert_known(facts.barriers_entered, 5);
    assert_known(thread_of(KF_LOCK).barrier, BARRIER_NONE);
    assert_known(thread_of(KF_ARRIVED).barrier, BARRIER_WITHIN); /* its record differs */
    struct array all;
    ck_assert_int_eq(survey_barriers(the_instance(), &all), RC_OK);
    const struct surveyed_barrier *found = all.elements;
    unsigned outer = found[0].region.id != facts.region.ref.id;
    ck_assert_uint_eq(found[outer].region.id, facts.region.ref.id);
    ck_assert_uint_eq(found[outer].arrived, 2);
    array_free(&all);
    /* Another member has left that barrier, which has released the thread, then. */
    PUT(both.hooks->thread[2], thread_barrier, 5u << BARRIER_SHIFT);
    assert_known(thread_of(KF_LOCK).barriers_entered, 5);
    ck_assert_int_eq(survey_barriers(the_instance(), &all), RC_OK);
    found = all.elements;
    outer = found[0].region.id != facts.region.ref.id;
    ck_assert_uint_eq(found[outer].region.id, facts.region.ref.id);
    ck_assert_uint_eq(found[outer].arrived, 1);
    array_free(&all);
    PUT(both.hooks->thread[0], thread_level, 2);
    assert_known(thread_of(KF_RUNS).barrier, BARRIER_NONE);
}

/* Each difference alone: the thread is as the runtime's memory has it. */
EACH(threads_differ, KMP_LAYOUTS)
{
    static const struct {
        enum hooks_field field;
        uint64_t value;
    } change[] = {
        {FIELD_thread_level, 2}, {FIELD_thread_team_size, 3},   {FIELD_thread_thread_num, 1},
        {FIELD_thread_seq, 1},   {FIELD_thread_pthread, 0x999}, {FIELD_thread_lwp, 77},
        {FIELD_thread_id, 0},
    };
    begin_reporting(_i);
    uint64_t record = both.hooks->thread[0];
    for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
        uint64_t before = fake_get(fake, record, change[i].field);
        fake_put(fake, record, change[i].field, change[i].value);
        struct thread_facts facts = thread_of(KF_RUNS);
        ck_assert_msg(facts.state.value == STATE_work_parallel, "change %zu", i);
        ck_assert_msg(facts.codeptr.known != KNOWN, "change %zu", i);
        fake_put(fake, record, change[i].field, before);
        assert_known(thread_of(KF_RUNS).codeptr, CODEPTR);
    }
    /* Its record is of a nested region that is not the runtime's. */
    struct thread_facts facts = thread_of(KF_LEADS);
    assert_known(facts.state, STATE_wait_barrier_implicit);
    ck_assert_int_ne(facts.codeptr.known, KNOWN);
    PUT(fake->root, root_ompt_runtime, 0);
    assert_known(thread_of(KF_RUNS).state, STATE_work_parallel);
    end_reporting();
}

struct seen {
    unsigned count;
    unsigned with_code;
};

static bool see_thread(void *arg, struct ref ref, const struct thread_facts *facts)
{
    struct seen *seen = arg;
    struct thread_facts alone;
    ck_assert_int_eq(ASK(thread, ref, &alone), RC_OK);
    ck_assert_uint_eq(alone.state.value, facts->state.value);
    ck_assert_uint_eq(alone.wait_id.value, facts->wait_id.value);
    ck_assert_int_eq(alone.codeptr.known, facts->codeptr.known);
    seen->count++;
    seen->with_code += facts->codeptr.known == KNOWN;
    return true;
}

REPORTING(each_thread_is_the_same)
{
    struct seen seen = {0, 0};
    ck_assert_int_eq(ASK(each_thread, see_thread, &seen), RC_OK);
    ck_assert_uint_eq(seen.count, GF_THREADS - 1);
    ck_assert_uint_eq(seen.with_code, 3);
}

REPORTING(tasks_and_regions)
{
    struct task_facts task = running_task();
    struct region_facts region;
    assert_known(task.codeptr, TASK_CODEPTR);
    assert_known(task.serial, SERIAL);
    assert_known(task.number, EXPLICIT_TASK_ID);
    assert_known(task.function, KF_ROUTINE + 0x10);
    struct ref outer = thread_of(KF_RUNS).region.ref;
    ck_assert_int_eq(ASK(region, outer, &region), RC_OK);
    assert_known(region.codeptr, REGION_CODEPTR);
    assert_known(region.number, OUTER_ID);
    assert_known(region.requested, fake_get(fake, both.hooks->outer, FIELD_region_requested));

    /* A record that another object has, or of another kind, or nobody's. */
    uint64_t record = both.hooks->explicit_task;
    uint64_t word = fake_get(fake, record, FIELD_task_word);
    const uint64_t words[] = {0, kf.running, word - 4096, word + 4096, UINT64_MAX};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        PUT(record, task_word, words[i]);
        ck_assert_int_ne(running_task().codeptr.known, KNOWN);
        ck_assert_int_ne(running_task().number.known, KNOWN);
    }
    PUT(record, task_word, word);
    PUT(record, task_kind, TASK_IMPLICIT);
    ck_assert_int_ne(running_task().codeptr.known, KNOWN);
    PUT(record, task_kind, TASK_EXPLICIT);
    PUT(record, task_id, 0);
    ck_assert_int_ne(running_task().codeptr.known, KNOWN);
    PUT(record, task_id, EXPLICIT_TASK_ID);
    assert_known(running_task().codeptr, TASK_CODEPTR);
    PUT(both.hooks->outer, region_word, 0);
    ck_assert_int_eq(ASK(region, outer, &region), RC_OK);
    ck_assert_int_ne(region.codeptr.known, KNOWN);
    ck_assert_int_ne(region.number.known, KNOWN);
}

/* Of a worker's implicit task the region's record has the record, whatever its word is. */
REPORTING(tasks_of_workers)
{
    struct program *program = both.hooks;
    struct thread_facts thread = thread_of(KF_ARRIVED);
    struct task_facts task;
    struct ref ref;
    uint32_t number = (uint32_t)thread.thread_num.value;
    taddr object = kf_implicit(&kf, kf.team, number);
    taddr word = object + kf.layout->place[KMP_kmp_taskdata_word].offset;
    ck_assert_uint_gt(number, 0);
    ck_assert_int_eq(ASK(find_member, thread.region.ref, MEMBER_TASKS, number, &ref), RC_OK);
    ck_assert_uint_eq(ref.address, object);
    const uint64_t words[] = {0, 0x10, program->task[0], program->explicit_task, UINT64_MAX};
    PUT(program->task[number], task_word, word);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        kf_put(&kf, object, KMP_kmp_taskdata_word, words[i]);
        ck_assert_int_eq(ASK(task, ref, &task), RC_OK);
        assert_known(task.number, IMPLICIT_TASK_ID + number);
    }
    /* That of another task, a region that has fewer, and one that is nobody's. */
    PUT(program->task[number], task_word, kf_implicit(&kf, kf.team, 0));
    ck_assert_int_eq(ASK(task, ref, &task), RC_OK);
    ck_assert_int_ne(task.number.known, KNOWN);
    PUT(program->task[number], task_word, word);
    PUT(program->outer, region_capacity, number);
    ck_assert_int_eq(ASK(task, ref, &task), RC_OK);
    ck_assert_int_ne(task.number.known, KNOWN);
    PUT(program->outer, region_capacity, program->n);
    kf_put(&kf, kf.team, KMP_kmp_base_team_word, 0);
    ck_assert_int_eq(ASK(task, ref, &task), RC_OK);
    ck_assert_int_ne(task.number.known, KNOWN);
}

/* Those of the runtime's memory, of a task that has been reported. An entry is one as long as the
 * region is that it leads to, which the record knows. */
EACH(frames, KMP_LAYOUTS)
{
    enum { EXIT = 0x7ff0, ENTER = 0x7f00 };
    begin_reporting(_i);
    uint64_t record = both.hooks->explicit_task, word = fake_get(fake, record, FIELD_task_word);
    kf_put(&kf, kf.running, KMP_kmp_taskdata_exit_frame, EXIT);
    kf_put(&kf, kf.running, KMP_kmp_taskdata_exit_flags, KMP_FRAME_POINTER);
    if (kf.layout->machine != PROBE_X86_64) { /* the frame's size is not known */
        ck_assert_int_eq(running_task().exit_frame.known, NEEDS_TRACKING);
        end_reporting();
        return;
    }
    assert_known(running_task().exit_frame, EXIT + KMP_FRAME_SAVED);
    kf_put(&kf, kf.running, KMP_kmp_taskdata_exit_flags, KMP_FRAME_CFA);
    assert_known(running_task().exit_frame, EXIT + KMP_FRAME_SAVED);
    assert_known(running_task().enter_frame, 0);
    kf_put(&kf, kf.running, KMP_kmp_taskdata_enter_frame, ENTER);
    ck_assert_int_eq(running_task().enter_frame.known, NEEDS_TRACKING);
    PUT(record, task_enter_frame, ENTER + KMP_FRAME_SAVED);
    assert_known(running_task().enter_frame, ENTER + KMP_FRAME_SAVED);
    PUT(record, task_word, word + 4096);
    ck_assert_int_eq(running_task().exit_frame.known, NEEDS_TRACKING);
    PUT(record, task_word, word);
    /* A frame of the program; the end of a taskgroup; a serialised region. */
    kf_put(&kf, kf.running, KMP_kmp_taskdata_exit_flags, KMP_FRAME_POINTER | 1);
    ck_assert_int_eq(running_task().exit_frame.known, NEEDS_TRACKING);
    kf_put(&kf, kf.running, KMP_kmp_taskdata_enter_frame, 0);
    assert_known(running_task().enter_frame, 0);
    kf_put(&kf, kf.running, KMP_kmp_taskdata_taskwait_thread, kf_gtid[KF_RUNS] + 1);
    ck_assert_int_eq(running_task().enter_frame.known, NEEDS_TRACKING);
    kf_put(&kf, kf.running, KMP_kmp_taskdata_taskwait_thread, 0);
    kf_put(&kf, kf.team, KMP_kmp_base_team_serialized, 1);
    ck_assert_int_eq(running_task().enter_frame.known, NEEDS_TRACKING);
    end_reporting();
}

static struct fact number_of(struct ref region)
{
    struct region_facts facts;
    ck_assert_int_eq(ASK(region, region, &facts), RC_OK);
    return facts.number;
}

/* The runtime has the record of a serialised region within. */
REPORTING(enclosing_records)
{
    struct program *program = both.hooks;
    struct ref outer = thread_of(KF_RUNS).region.ref;
    PUT(program->inner, region_level, 2);
    join_region(kf.team, program->inner);
    assert_known(number_of(outer), OUTER_ID);
    PUT(program->inner, region_runtime, 0x77);
    ck_assert_int_ne(number_of(outer).known, KNOWN);
    PUT(program->outer, region_runtime, 0x77);
    assert_known(number_of(outer), OUTER_ID);
    PUT(program->outer, region_level, 2);
    ck_assert_int_ne(number_of(outer).known, KNOWN);
    PUT(program->outer, region_parent, program->inner); /* a cycle */
    PUT(program->outer, region_parent_id, INNER_ID);
    both.reads = 0;
    ck_assert_int_ne(number_of(outer).known, KNOWN);
    ck_assert_uint_le(both.reads, 300);
    PUT(program->inner, region_level, 0);
    ck_assert_int_ne(number_of(outer).known, KNOWN);
}

/* A tool has the runtime's words, too. */
REPORTING(words_are_shared)
{
    PUT(fake->root, root_ompt_shared, 1);
    ck_assert_int_ne(running_task().codeptr.known, KNOWN);
    kf_put(&kf, kf.running, KMP_kmp_taskdata_word, shared_word);
    assert_known(running_task().codeptr, TASK_CODEPTR);
    PUT(shared_word, word_record, 0);
    ck_assert_int_ne(running_task().codeptr.known, KNOWN);
    kf_put(&kf, kf.running, KMP_kmp_taskdata_word, 0x10);
    ck_assert_int_ne(running_task().codeptr.known, KNOWN);
    PUT(shared_word, word_record, both.hooks->explicit_task);
    kf_put(&kf, kf.running, KMP_kmp_taskdata_word, shared_word);
    PUT(fake->root, root_ompt_shared, 0);
    ck_assert_int_ne(running_task().codeptr.known, KNOWN);
}

static bool find_lock(void *arg, struct ref ref, const struct lock_facts *facts)
{
    struct lock_facts *found = arg;
    (void)ref;
    if (facts->address.value == found->address.value)
        *found = *facts;
    return true;
}

static struct lock_facts lock_at(taddr address)
{
    struct lock_facts found = {.address = {KNOWN, address}};
    ck_assert_int_eq(ASK(each_lock, find_lock, &found), RC_OK);
    return found;
}

REPORTING(locks_have_owners)
{
    struct lock_facts among = lock_at(kf.lock_word), alone;
    ck_assert_int_eq(ASK(lock, kf.lock_word, LOCK_KIND_SIMPLE, &alone), RC_OK);
    for (unsigned i = 0; i < 2; i++) {
        const struct lock_facts *facts = i ? &alone : &among;
        ck_assert_int_eq(facts->owner.known, KNOWN);
        ck_assert_uint_eq(facts->owner.ref.address, kf.gf->thread[KF_RUNS]);
        assert_known(facts->codeptr, LOCK_CODEPTR);
    }
    /* The runtime's memory shows that nobody has it. */
    kf_put(&kf, kf.lock, KMP_kmp_base_queuing_lock_head, 0);
    kf_put(&kf, kf.lock, KMP_kmp_base_queuing_lock_tail, 0);
    among = lock_at(kf.lock_word);
    ck_assert_int_ne(among.owner.known, KNOWN);
    ck_assert_int_ne(among.codeptr.known, KNOWN);
}

/* Of a kind that memory is not read of, its record is all there is, and its owner may not be. */
REPORTING(locks_of_other_kinds)
{
    gf_number(kf.gf, kf.lock_word, 4, 0xb07);
    PUT(more.lock[0], lock_life, LOCK_MADE);
    struct lock_facts facts = lock_at(kf.lock_word);
    assert_known(facts.kind, LOCK_KIND_SIMPLE);
    assert_known(facts.life, LOCK_LIFE_MADE);
    ck_assert_int_eq(facts.owner.known, NOT_HELD);
    ck_assert_int_eq(facts.count.known, NOT_HELD);
}

/* Somebody who is recorded to wait and is in no queue may have acquired it since. */
REPORTING(owners_may_be_the_last_ones)
{
    struct lock_facts alone;
    PUT(both.hooks->thread[0], thread_status, OUTER_ID << 8 | STATE_wait_lock);
    PUT(both.hooks->thread[0], thread_wait_id, kf.lock_word);
    ck_assert_int_ne(lock_at(kf.lock_word).owner.known, KNOWN);
    ck_assert_int_eq(ASK(lock, kf.lock_word, LOCK_KIND_SIMPLE, &alone), RC_OK);
    ck_assert_int_ne(alone.owner.known, KNOWN);
    PUT(both.hooks->thread[0], thread_wait_id, kf.lock_word + 8);
    ck_assert_int_eq(lock_at(kf.lock_word).owner.known, KNOWN);
}

/* The owner has a record of a thread that the runtime does not know. */
REPORTING(owners_are_checked)
{
    PUT(both.hooks->thread[0], thread_pthread, 0x999);
    ck_assert_int_ne(lock_at(kf.lock_word).owner.known, KNOWN);
    PUT(both.hooks->thread[0], thread_pthread, kf.gf->pthread[1]);
    ck_assert_int_ne(lock_at(kf.lock_word).owner.known, KNOWN);
}

static bool ask_dependers(void *arg, const struct depender *depender)
{
    *(struct depender *)arg = *depender;
    return true;
}

/* The runtime has the edge, the records what both tasks named. */
REPORTING(dependences_are_named)
{
    PUT(both.hooks->explicit_task, task_dependences,
        fake_get(fake, more.task[0], FIELD_task_dependences));
    PUT(both.hooks->explicit_task, task_dependence_count, 1);
    PUT(both.hooks->explicit_task, task_dependences_held, 1);
    struct depender found = {.address = 0};
    struct ref ref = thread_of(KF_RUNS).task.ref;
    ck_assert_int_eq(ASK(walk_dependers, ref, ask_dependers, &found), RC_OK);
    ck_assert_uint_eq(found.task.address, kf.blocked);
    ck_assert_uint_eq(found.address, 0x9000);
    ck_assert_int_eq(found.kind, DEPEND_IN);
    ck_assert_int_eq(found.predecessor_kind, DEPEND_OUT);
    /* Both read one object, and what only one of them names is no reason. */
    PUT(both.hooks->explicit_task, task_dependences,
        fake_get(fake, more.task[2], FIELD_task_dependences));
    PUT(both.hooks->explicit_task, task_dependence_count, 2);
    PUT(both.hooks->explicit_task, task_dependences_held, 2);
    ck_assert_int_eq(ASK(walk_dependers, ref, ask_dependers, &found), RC_OK);
    ck_assert_uint_eq(found.address, 0);
}

struct detached {
    taddr task;
    unsigned count;
};

static bool find_detached(void *arg, struct ref ref, const struct task_facts *facts)
{
    struct detached *found = arg;
    (void)facts;
    found->count += ref.address == found->task;
    return true;
}

static unsigned times_found(taddr task)
{
    struct detached found = {task, 0};
    ck_assert_int_eq(ASK(each_task, find_detached, &found), RC_OK);
    return found.count;
}

/* A task that is in no list of the runtime's is found by its record. */
REPORTING(detached_tasks_are_found)
{
    uint64_t record = more.task[5];
    kf_put(&kf, kf.gf->thread[KF_RUNS], KMP_kmp_base_info_task, kf_implicit(&kf, kf.team, 0));
    ck_assert_uint_eq(times_found(kf.running), 0);
    PUT(both.hooks->explicit_task, task_word, 0);
    join_task(kf.running, record);
    ck_assert_uint_eq(times_found(kf.running), 1);
    kf_put(&kf, kf.running, KMP_kmp_taskdata_word, more.task[1]);
    ck_assert_uint_eq(times_found(kf.running), 0);
    join_task(kf.running, record);
    PUT(record, task_state, TASK_RUNNING);
    ck_assert_uint_eq(times_found(kf.running), 0);
    PUT(record, task_state, TASK_DETACHED);
    PUT(record, task_word, 0x7);
    ck_assert_uint_eq(times_found(kf.running), 0);
    join_task(kf.running, record);
    kf_put(&kf, kf.gf->thread[KF_RUNS], KMP_kmp_base_info_task, kf.running);
    ck_assert_uint_eq(times_found(kf.running), 1);
}

static bool ask_thread(void *arg, struct ref ref, const struct thread_facts *facts)
{
    struct region_facts region;
    struct task_facts task;
    (void)ref;
    if (facts->region.known == KNOWN)
        ASK(region, facts->region.ref, &region);
    if (facts->task.known == KNOWN)
        ASK(task, facts->task.ref, &task);
    ++*(unsigned *)arg;
    return true;
}

static bool ask_task(void *arg, struct ref ref, const struct task_facts *facts)
{
    struct depender found;
    (void)arg, (void)facts;
    ASK(walk_dependers, ref, ask_dependers, &found);
    return true;
}

/* The worst answer to every question about everything. */
static enum rc ask_all(void)
{
    unsigned count = 0;
    struct thread_facts thread;
    struct lock_facts lock;
    uint32_t forks;
    enum rc all[] = {
        ASK(each_thread, ask_thread, &count),
        ASK(each_task, ask_task, NULL),
        ASK(each_lock, ignore_lock, NULL),
        ASK(lock, kf.lock_word, LOCK_KIND_SIMPLE, &lock),
        ASK(forks, &forks),
    };
    for (unsigned i = 0; i < GF_THREADS; i++) {
        struct ref ref = {kf.gf->thread[i], (GF_TID_FIRST + i) | ID_IS_MADE};
        ASK(thread, ref, &thread);
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] != RC_OK)
            return all[i];
    return RC_OK;
}

EACH_FROM(callbacks_fail, KMP_LAYOUTS - 1, KMP_LAYOUTS)
{
    for (unsigned n = 1;; n++) {
        make(_i);
        both.fail_at = n;
        enum rc rc = space_create(&both_ops, both.gomp, &space);
        bool reached = both.callbacks >= n;
        both.fail_at = 0;
        if (rc == RC_OK)
            space_destroy(space);
        unmake();
        if (!reached)
            break;
    }
    begin_reporting(_i);
    ck_assert_int_eq(ask_all(), RC_OK);
    int kept = both.alive;
    for (unsigned n = 1;; n++) {
        both.fail_at = n;
        both.callbacks = 0;
        ask_all();
        bool reached = both.callbacks >= n;
        both.fail_at = 0;
        ck_assert_int_eq(both.alive, kept);
        if (!reached)
            break;
    }
    ck_assert_int_eq(ask_all(), RC_OK);
    assert_known(thread_of(KF_RUNS).codeptr, CODEPTR);
    end_reporting();
}

/* Objects of the runtime's and records that are spoilt in each other's way. */
EACH_FROM(memory_is_spoilt, KMP_LAYOUTS - 1, KMP_LAYOUTS)
{
    begin_reporting(_i);
    static const uint64_t odd[] = {0, 1, 7, UINT32_MAX, INT32_MAX, UINT64_MAX, 1u << 20};
    size_t bytes = fake->end;
    unsigned char *whole = malloc(GF_BYTES), *records = malloc(bytes);
    memcpy(whole, kf.gf->bytes, GF_BYTES);
    memcpy(records, fake->bytes, bytes);
    srand(11 + (unsigned)_i);
    for (unsigned round = 0; round < 1000; round++) {
        for (int changes = 1 + rand() % 5; changes; changes--) {
            uint64_t value = rand() % 2   ? kf.gf->object[(unsigned)rand() % kf.gf->objects]
                             : rand() % 2 ? fake->root + 8 * ((uint64_t)rand() % 2000)
                                          : odd[(unsigned)rand() % (sizeof odd / sizeof *odd)];
            taddr at = kf.gf->object[(unsigned)rand() % kf.gf->objects];
            if (rand() % 2)
                gf_number(kf.gf, at + 8 * (taddr)(rand() % 160), 8, value);
            else
                fake_put_number(fake, fake->root + 8 * ((uint64_t)rand() % 2000),
                                rand() % 2 ? 8 : 4, value);
        }
        both.reads = 0;
        ask_all();
        ck_assert_uint_lt(both.reads, 400000);
        memcpy(kf.gf->bytes, whole, GF_BYTES);
        memcpy(fake->bytes, records, bytes);
    }
    ck_assert_int_eq(ask_all(), RC_OK);
    free(whole);
    free(records);
    end_reporting();
}
