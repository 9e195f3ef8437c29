/* SPDX-License-Identifier: MIT
 *
 * A process that records, read together with the libgomp beneath the hooks: whatever the
 * libgomp alone says is known, too, and what has a record is named by it.
 */
#include "recorded-unit.h"

BETWEEN(a_member_that_has_not_begun, 1, begin_one(), end_one())
{
    both_open();
    ck_assert_str_eq(the_instance()->reader->name, "recorded");
    struct thread_facts lead = facts_of(GF_LEADS), nested = facts_of(GF_NESTED);
    ck_assert_uint_eq(lead.region.ref.id, INNER_ID);
    ck_assert_uint_eq(nested.region.ref.id, INNER_ID);
    ck_assert_uint_eq(nested.region.ref.address, both.hooks->inner);
    assert_known(nested.thread_num, 1);
    assert_known(nested.team_size, 2);
    assert_known(nested.level, 2);
    assert_known(nested.state, STATE_overhead);
    ck_assert_int_eq(nested.task.known, KNOWN);
    ck_assert(ref_is_made(nested.task.ref));

    struct ref inner = lead.region.ref;
    struct list team = {0}, tasks = {0};
    const struct reader *reader = the_instance()->reader;
    ck_assert_int_eq(reader->walk_members(the_instance(), inner, MEMBER_THREADS, take, &team),
                     RC_OK);
    ck_assert_uint_eq(team.count, 2);
    ck_assert_uint_eq(team.ref[0].id, THREAD_ID + 1);
    ck_assert_uint_eq(team.ref[1].id, ID_IS_MADE + GF_TID_FIRST + GF_NESTED);
    ck_assert_int_eq(reader->walk_members(the_instance(), inner, MEMBER_TASKS, take, &tasks),
                     RC_OK);
    ck_assert_uint_eq(tasks.count, 2);
    ck_assert_uint_eq(tasks.ref[0].id, INNER_TASK_ID);
    ck_assert_uint_eq(tasks.ref[1].id, nested.task.ref.id);
    struct task_facts task = task_of(tasks.ref[1]);
    struct region_facts region;
    ck_assert_int_eq(reader->region(the_instance(), inner, &region), RC_OK);
    ck_assert_uint_eq(task.region.ref.id, INNER_ID);
    ck_assert_uint_eq(task.parent.ref.id, IMPLICIT_TASK_ID + 1);
    ck_assert_int_eq(task.function.known, KNOWN);
    ck_assert_uint_eq(task.function.value, region.function.value);
    ck_assert_int_eq(task.enter_frame.known, NONE_HERE);
    struct ref member;
    ck_assert_int_eq(reader->find_member(the_instance(), inner, MEMBER_THREADS, 1, &member), RC_OK);
    ck_assert_uint_eq(member.id, team.ref[1].id);
    ck_assert_int_eq(reader->find_member(the_instance(), inner, MEMBER_THREADS, 2, &member),
                     RC_BAD_INPUT);
}

/* The inner region has no record yet, and in the memory of the member that has not begun a
 * thread stands that the program has made since the one before ended. */
BETWEEN(a_place_from_before, 1, begin_one(), end_one())
{
    struct ref found;
    const enum gomp_field zero[] = {GOMP_gomp_thread_team,  GOMP_gomp_thread_team_id,
                                    GOMP_gomp_thread_level, GOMP_gomp_thread_active_level,
                                    GOMP_gomp_thread_task,  GOMP_gomp_thread_pool};
    for (size_t i = 0; i < sizeof zero / sizeof *zero; i++)
        gf_put(gf, gf->thread[GF_NESTED], zero[i], 0);
    fake_put(fake, both.hooks->idle, FIELD_thread_lwp, GF_TID_FIRST + GF_NESTED);
    fake_put(fake, both.hooks->idle, FIELD_thread_pthread, gf->pthread[GF_NESTED]);
    both_open();
    struct ref inner = facts_of(GF_LEADS).region.ref;
    const struct reader *reader = the_instance()->reader;
    ck_assert_int_eq(reader->find_member(the_instance(), inner, MEMBER_THREADS, 1, &found), RC_OK);
    ck_assert_uint_eq(found.address, both.hooks->idle); /* it may be the new member */
    fake_put(fake, both.hooks->idle, FIELD_thread_status, 0);
    ck_assert_int_eq(reader->find_member(the_instance(), inner, MEMBER_THREADS, 1, &found),
                     RC_UNAVAILABLE);
}

static bool is_less(struct fact recorded, struct fact bare)
{
    return bare.known == KNOWN && (recorded.known != KNOWN || recorded.value != bare.value);
}

static bool compare_with_bare(void *arg, struct ref ref, const struct thread_facts *bare)
{
    const struct surveyed_thread *thread =
        find(arg, (unsigned)(ref.id - ID_IS_MADE - GF_TID_FIRST));
    const struct thread_facts *recorded = &thread->facts;
    ck_assert(!is_less(recorded->thread_num, bare->thread_num));
    ck_assert(!is_less(recorded->team_size, bare->team_size));
    ck_assert(!is_less(recorded->level, bare->level));
    ck_assert(!is_less(recorded->lwp, bare->lwp));
    ck_assert(!is_less(recorded->pthread, bare->pthread));
    ck_assert(recorded->state.known == KNOWN || bare->state.known != KNOWN);
    ck_assert_int_eq(recorded->region.known == KNOWN, bare->region.known == KNOWN);
    ck_assert(recorded->task.known == KNOWN || bare->task.known != KNOWN);
    return true;
}

/* Whatever the records say of each thread: its state, its place, being mid-update. */
TEST(never_less_than_without_records)
{
    static const unsigned states[] = {0x00, 0x01, 0x10, 0x20, 0x40, 0x41, 0x50, 0x60, 0x64};
    for (unsigned which = 0; which <= BOTH_THREADS; which++) {
        for (unsigned i = 0; i < sizeof states / sizeof *states * 4; i++) {
            begin_one();
            uint64_t thread = which < BOTH_THREADS ? both.hooks->thread[which] : both.hooks->idle;
            uint64_t region = fake_get(fake, thread, FIELD_thread_status) >> 8;
            fake_put(fake, thread, FIELD_thread_status, (i & 1 ? region : 0) << 8 | states[i / 4]);
            fake_put(fake, thread, FIELD_thread_seq, i >> 1 & 1);
            both_open();
            struct array threads = all_threads(RC_OK);
            struct gf *gomp = both.gomp;
            struct space *own = space, *bare;
            ck_assert_int_eq(space_create(&gf_ops, gomp, &bare), RC_OK);
            ck_assert_str_eq(bare->instances->reader->name, "gomp");
            ck_assert_int_eq(
                bare->instances->reader->each_thread(bare->instances, compare_with_bare, &threads),
                RC_OK);
            space_destroy(bare);
            space = own;
            array_free(&threads);
            end_one();
        }
    }
}

/* The records' numbers are theirs, and nothing else has one of them. */
BETWEEN(names, 1, begin_one(), end_one())
{
    both_open();
    struct array threads = all_threads(RC_OK);
    const struct surveyed_thread *all = threads.elements;
    for (size_t i = 0; i < threads.count; i++) {
        bool has_record = false;
        for (unsigned t = 0; t < BOTH_THREADS; t++)
            has_record = has_record || all[i].ref.address == both.hooks->thread[t];
        has_record = has_record || all[i].ref.address == both.hooks->idle;
        ck_assert_int_eq(ref_is_made(all[i].ref), !has_record);
    }
    ck_assert_uint_eq(threads.count, GF_THREADS - 1);
    array_free(&threads);
    struct ref ref;
    uint64_t lwp = GF_TID_FIRST + GF_RUNS;
    const struct reader *reader = the_instance()->reader;
    ck_assert_int_eq(reader->find_thread(the_instance(), OS_THREAD_LWP, lwp, &ref), RC_OK);
    ck_assert_uint_eq(ref.id, THREAD_ID + 2);
    lwp = GF_TID_FIRST + GF_NESTED;
    ck_assert_int_eq(reader->find_thread(the_instance(), OS_THREAD_LWP, lwp, &ref), RC_OK);
    ck_assert_uint_eq(ref.id, ID_IS_MADE + lwp);
    ck_assert_int_eq(reader->find_thread(the_instance(), OS_THREAD_LWP, 77, &ref), RC_UNAVAILABLE);
}

/* In a target region that the host executes libgomp begins anew. */
TEST(in_a_target_region)
{
    begin_flat();
    taddr thread = gf->thread[GF_WAITS];
    fake_put(fake, both.hooks->thread[3], FIELD_thread_targets, 1);
    gf_put(gf, thread, GOMP_gomp_thread_team, 0);
    gf_put(gf, thread, GOMP_gomp_thread_team_id, 0);
    gf_put(gf, thread, GOMP_gomp_thread_level, 0);
    gf_put(gf, thread, GOMP_gomp_thread_task, gf->initial);
    both_open();
    struct thread_facts facts = facts_of(GF_WAITS);
    ck_assert_int_eq(facts.region.known, NONE_HERE);
    assert_known(facts.thread_num, 0);
    assert_known(facts.team_size, 1);
    assert_known(facts.level, 0);
    ck_assert(ref_is_made(facts.task.ref));
    end_one();

    /* A region in it, of the same size as the one around it, is not that one, although
     * the record says nothing of it yet. */
    begin_flat();

    fake_put(fake, both.hooks->thread[0], FIELD_thread_targets, 1);
    put_barrier(0, 0, 0, 0x20);
    fake_put(fake, both.hooks->thread[0], FIELD_thread_team_size, 2);
    gf_put(gf, gf->idle_team, GOMP_gomp_team_barrier_generation, 8);
    gf_put(gf, gf->thread[GF_MASTER], GOMP_gomp_thread_team, gf->idle_team);
    gf_put(gf, gf->thread[GF_MASTER], GOMP_gomp_thread_pool, gf->serial_pool);
    gf_put(gf, gf->thread[GF_MASTER], GOMP_gomp_thread_task, gf_implicit(gf, gf->idle_team, 0));
    both_open();
    facts = facts_of(GF_MASTER);
    assert_known(facts.team_size, 2);
    ck_assert_int_eq(facts.region.known, KNOWN);
    ck_assert(ref_is_made(facts.region.ref));
    end_one();
}

/* Regions of another libgomp in the process are told by their records alone. */
BETWEEN(another_runtime, 1, begin_flat(), end_one())
{
    fake_put(fake, both.hooks->outer, FIELD_region_runtime, 0x1234);
    both_open();
    struct thread_facts facts = facts_of(GF_MASTER);
    ck_assert_uint_eq(facts.region.ref.id, OUTER_ID);
    struct barrier_facts barriers[BARRIERS_MAX];
    unsigned count;
    ck_assert_int_eq(ASK(barriers, facts.region.ref, barriers, &count), RC_UNAVAILABLE);
}

/* What cannot be read leaves what the other one says. */
TEST(one_is_unreadable)
{
    struct array threads;
    begin_one();
    fake_put_number(fake, fake->descriptor, 4, 0xdead);
    both_open();
    ck_assert_str_eq(the_instance()->reader->name, "gomp");
    bool records;
    ck_assert_int_eq(space_records(space, &records), RC_INCOMPATIBLE);
    threads = all_threads(RC_OK);
    ck_assert_uint_eq(threads.count, GF_THREADS - 1);
    array_free(&threads);
    end_one();

    begin_one();
    both.hole_first = fake->descriptor;
    both.hole_end = fake->descriptor + 8;
    both_open();
    ck_assert_str_eq(the_instance()->reader->name, "gomp");
    both.hole_first = both.hole_end = 0;
    ck_assert_int_eq(space_records(space, &records), RC_OK); /* it can be by now */
    ck_assert(records);
    ck_assert_str_eq(the_instance()->reader->name, "recorded");

    both.hole_first = both.hooks->slab;
    both.hole_end = both.hole_first + 8;
    threads = all_threads(RC_INCOMPLETE);
    assert_known(find(&threads, GF_RUNS)->facts.thread_num, 2);
    array_free(&threads);

    both.hole_first = GF_BASE;
    both.hole_end = GF_BASE + GF_BYTES;
    threads = all_threads(RC_INCOMPLETE);
    ck_assert_uint_eq(find(&threads, GF_RUNS)->ref.id, THREAD_ID + 2);
    ck_assert_uint_eq(find(&threads, GF_RUNS)->facts.region.ref.id, OUTER_ID);
    array_free(&threads);
    end_one();

    begin_one();
    gf_hide(both.gomp, "omp_get_thread_num");
    both_open();
    ck_assert_str_eq(the_instance()->reader->name, "hooks");
    end_one();
}

static void ask_everything(void)
{
    struct instance *instance = the_instance();
    const struct reader *reader = instance->reader;
    struct array threads = {0}, barriers = {0}, regions = {0};
    struct ref thread = {both.hooks->thread[1], THREAD_ID + 1}, found;
    struct ref inner = {both.hooks->inner, INNER_ID};
    struct thread_facts facts;
    struct region_facts region;
    struct task_facts task;
    struct lock_facts lock;
    unsigned count = 0;
    (void)survey_threads(instance, &threads);
    (void)survey_barriers(instance, &barriers);
    (void)survey_regions(instance, &regions);
    array_free(&threads);
    array_free(&barriers);
    array_free(&regions);
    (void)reader->thread(instance, thread, &facts);
    (void)reader->walk_members(instance, inner, MEMBER_THREADS, count_ref, &count);
    (void)reader->walk_members(instance, inner, MEMBER_TASKS, count_ref, &count);
    if (reader->find_thread(instance, OS_THREAD_LWP, GF_TID_FIRST + GF_NESTED, &found) == RC_OK &&
        reader->thread(instance, found, &facts) == RC_OK) {
        (void)reader->region(instance, facts.region.ref, &region);
        (void)reader->task(instance, facts.task.ref, &task);
    }
    (void)reader->each_lock(instance, ignore_lock, NULL);
    (void)reader->each_task(instance, ignore_task, NULL);
    (void)reader->lock(instance, 0x9000, LOCK_KIND_SIMPLE, &lock);
}

static bool take_planned(void *arg, struct ref ref, const struct task_facts *facts)
{
    return facts->taskloop.known != KNOWN || !facts->taskloop.value || take(arg, ref);
}

/* A task of a taskloop has its record when it begins. Before, libgomp has its block, and the block
 * where it was generated. */
TEST(a_task_of_a_taskloop)
{
    enum { FUNCTION = 0x5002, BODY = 0x7700, CODEPTR = 0x7701, ORIGIN_AT = 64, SERIAL = 3 };
    struct list found = {0}, none = {0};
    begin_one();
    uint64_t origin = fake_record(fake, RECORD_origin);
    fake_put(fake, fake->root, FIELD_root_loop_task, FUNCTION);
    fake_put(fake, fake->root, FIELD_root_loop_origin, ORIGIN_AT);
    fake_put(fake, origin, FIELD_origin_function, BODY);
    fake_put(fake, origin, FIELD_origin_codeptr, CODEPTR);
    fake_put(fake, origin, FIELD_origin_serial, SERIAL);
    fake_put(fake, origin, FIELD_origin_flags, TASK_FLAG_TASKLOOP | TASK_FLAG_UNTIED);
    fake_put(fake, origin, FIELD_origin_region, both.hooks->outer);
    fake_put(fake, origin, FIELD_origin_region_id, OUTER_ID);
    gf_put(gf, gf->waiting, GOMP_gomp_task_fn_data, origin - ORIGIN_AT);
    both_open();
    ck_assert_int_eq(ASK(each_task, take_planned, &found), RC_OK);
    ck_assert_uint_eq(found.count, 1);
    ck_assert(ref_is_made(found.ref[0]));
    struct task_facts task = task_of(found.ref[0]);
    assert_known(task.progress, TASK_PROGRESS_READY);
    assert_known(task.function, BODY);
    assert_known(task.codeptr, CODEPTR);
    assert_known(task.serial, SERIAL);
    assert_known(task.untied, 1);
    ck_assert_uint_eq(task.region.ref.id, OUTER_ID);
    ck_assert_int_eq(task.parent.known, NONE_HERE);

    fake_put(fake, origin, FIELD_origin_task, both.hooks->task[1]); /* it has one already */
    ck_assert_int_eq(ASK(each_task, take_planned, &none), RC_OK);
    ck_assert_uint_eq(none.count, 0);
    end_one();
}

/* Each callback fails in turn: nothing is left behind, and the next question is answered. */
TEST(failing_callbacks)
{
    bool done = false;
    for (unsigned n = 1; !done; n++) {
        ck_assert_uint_lt(n, 20000);
        begin_one();
        both_open();
        both.callbacks = 0;
        both.fail_at = n;
        ask_everything();
        done = both.callbacks < n;
        both.fail_at = 0;
        assert_known(facts_of(GF_NESTED).thread_num, 1);
        end_one();
    }
}

/* At most what both of them read alone, and two for each region. */
TEST(reads)
{
    enum { REGIONS = 2 };
    begin_one();
    both_open();
    struct array threads = all_threads(RC_OK);
    array_free(&threads);
    both.reads = 0;
    threads = all_threads(RC_OK);
    array_free(&threads);
    unsigned composed = both.reads;

    struct space *own = space, *bare;
    ck_assert_int_eq(space_create(&gf_ops, both.gomp, &bare), RC_OK);
    space = bare;
    threads = all_threads(RC_OK);
    array_free(&threads);
    both.gomp->reads = 0;
    threads = all_threads(RC_OK);
    array_free(&threads);
    unsigned alone = both.gomp->reads;
    space_destroy(bare);
    space = own;
    unsigned records = 1 + 1 + 1; /* root, slab, its threads */
    ck_assert_msg(composed <= alone + records + 2 * REGIONS, "%u reads, %u alone", composed, alone);
    end_one();
}
