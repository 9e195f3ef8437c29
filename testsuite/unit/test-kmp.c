/* SPDX-License-Identifier: MIT
 *
 * The reader of LLVM's runtime over a process of its own kind, in every layout: what it says
 * of each thread, region, task and lock.
 */
#include "kmp-unit.h"
#include "libompd/survey/survey.h"

START_TEST(layout_is_found)
{
    begin(_i);
    struct fact first, last;
    the_instance()->reader->versions(the_instance(), &first, &last);
    assert_known(first, kmp_layouts[_i].first_version);
    ck_assert_ptr_eq(kmp_state(the_instance())->layout, &kmp_layouts[_i]);
    ck_assert_uint_eq(kmp_state(the_instance())->threads, kf.variable);
    end();
}
END_TEST

START_TEST(threads)
{
    static const struct {
        unsigned which, state, number, size, level;
    } in[] = {
        {KF_RUNS, STATE_work_parallel, 0, 4, 1},
        {KF_LEADS, STATE_wait_barrier_implicit, 0, 2, 2},
        {KF_LOCK, STATE_wait_lock, 2, 4, 1},
        {KF_ARRIVED, STATE_wait_barrier, 3, 4, 1},
        {KF_SERIAL, STATE_work_parallel, 0, 1, 4},
        {KF_ROOT, STATE_wait_taskwait, 0, 1, 0},
    };
    begin(_i);
    for (size_t i = 0; i < sizeof in / sizeof *in; i++) {
        struct thread_facts facts = thread(in[i].which);
        assert_known(facts.state, in[i].state);
        assert_known(facts.thread_num, in[i].number);
        assert_known(facts.team_size, in[i].size);
        assert_known(facts.level, in[i].level);
        assert_known(facts.lwp, GF_TID_FIRST + in[i].which);
        assert_known(facts.pthread, kf.gf->pthread[in[i].which]);
        ck_assert_int_eq(facts.task.known, KNOWN);
        ck_assert_int_eq(facts.region.known, in[i].level ? KNOWN : NONE_HERE);
        assert_known(facts.wait_id, in[i].which == KF_LOCK ? kf.lock : 0);
    }
    for (unsigned which = KF_POOL; which <= KF_IDLE; which++) {
        struct thread_facts facts = thread(which);
        assert_known(facts.state, STATE_idle);
        ck_assert_int_eq(facts.thread_num.known, NONE_HERE);
        ck_assert_int_eq(facts.task.known, NONE_HERE);
    }
    struct ref found;
    ck_assert_int_eq(ASK(find_thread, OS_THREAD_LWP, GF_TID_FIRST + KF_FOREIGN, &found),
                     RC_UNAVAILABLE);
    for (unsigned twice = 0; twice < 2; twice++) {
        ck_assert_int_eq(ASK(find_thread, OS_THREAD_LWP, GF_TID_FIRST + KF_ROOT, &found),
                         RC_OK);
        ck_assert_uint_eq(found.address, kf.gf->thread[KF_ROOT]);
    }
    end();
}
END_TEST

START_TEST(nesting)
{
    begin(_i);
    /* Two serialised regions in one team, in the nested one, in the outermost one. */
    static const unsigned sizes[] = {1, 1, 2, 4}, numbers[] = {0, 1, 1, 0};
    struct ref at = thread(KF_SERIAL).region.ref;
    for (unsigned i = 0; i < 4; i++) {
        struct region_facts facts = region(at);
        assert_known(facts.level, 4 - i);
        assert_known(facts.num_threads, sizes[i]);
        ck_assert_int_eq(facts.enclosing.known, i < 3 ? KNOWN : NONE_HERE);
        if (i < 3)
            assert_known(facts.master_num, numbers[i]);
        ck_assert_int_eq(facts.master.known, KNOWN);
        if (i >= 2)
            assert_known(facts.function, KF_ROUTINE + 4 - i);
        at = facts.enclosing.ref;
    }
    struct ref outer = thread(KF_RUNS).region.ref, member;
    ck_assert_uint_eq(outer.id, region(thread(KF_LEADS).region.ref).enclosing.ref.id);
    for (unsigned i = 0; i < 4; i++) {
        ck_assert_int_eq(ASK(team_thread, outer, i, &member), RC_OK);
        ck_assert_uint_eq(member.address, kf.gf->thread[i]);
    }
    ck_assert_int_eq(ASK(team_thread, outer, 4, &member), RC_BAD_INPUT);
    end();
}
END_TEST

/* The next region of the team is another one. */
START_TEST(regions_end)
{
    begin(_i);
    struct ref ref = thread(KF_RUNS).region.ref;
    struct region_facts facts;
    taddr bar = kf.team + kf.layout->place[KMP_kmp_base_team_bar].offset +
                kf.layout->size[KMP_STRUCT_kmp_barrier_team_union];
    gf_number(kf.gf, bar, 8, 1 << KMP_BARRIER_SHIFT);
    ck_assert_int_eq(ASK(region, ref, &facts), RC_STALE_HANDLE);
    ck_assert_uint_ne(thread(KF_RUNS).region.ref.id, ref.id);
    end();
}
END_TEST

struct found {
    unsigned count;
    struct ref ref[16];
    struct task_facts facts[16];
};

static bool take_task(void *arg, struct ref ref, const struct task_facts *facts)
{
    struct found *found = arg;
    ck_assert_uint_lt(found->count, 16);
    found->ref[found->count] = ref;
    found->facts[found->count++] = *facts;
    return true;
}

static const struct task_facts *found_at(const struct found *found, taddr address)
{
    for (unsigned i = 0; i < found->count; i++)
        if (found->ref[i].address == address)
            return &found->facts[i];
    return NULL;
}

START_TEST(tasks)
{
    begin(_i);
    struct found found = {.count = 0};
    ck_assert_int_eq(ASK(each_task, take_task, &found), RC_OK);
    ck_assert_uint_eq(found.count, 5); /* two initial ones */
    const struct task_facts *running = found_at(&found, kf.running);
    const struct task_facts *ready = found_at(&found, kf.ready);
    const struct task_facts *blocked = found_at(&found, kf.blocked);
    ck_assert(running && ready && blocked && found_at(&found, kf.parent));
    assert_known(running->progress, TASK_PROGRESS_RUNNING);
    assert_known(ready->progress, TASK_PROGRESS_READY);
    assert_known(blocked->progress, TASK_PROGRESS_WAITING);
    assert_known(blocked->final, 1);
    assert_known(ready->final, 0);
    assert_known(ready->dependence_count, 0);
    ck_assert_int_eq(running->dependence_count.known, NEEDS_TRACKING);
    ck_assert_int_eq(blocked->dependence_count.known, NEEDS_TRACKING);
    assert_known(ready->function, KF_ROUTINE + 0x20);
    ck_assert_uint_eq(running->thread.ref.id, (GF_TID_FIRST + KF_RUNS) | ID_IS_MADE);
    ck_assert_int_eq(ready->thread.known, NONE_HERE);
    ck_assert_uint_eq(running->region.ref.id, thread(KF_RUNS).region.ref.id);
    struct ref ref = thread(KF_RUNS).task.ref, after;
    ck_assert_uint_eq(ref.address, kf.running);
    ck_assert_uint_eq(task(task(ref).parent.ref).kind.value, TASK_KIND_IMPLICIT);
    ck_assert_int_eq(ASK(walk_dependers, ref, take_depender, &after), RC_OK);
    ck_assert_uint_eq(after.address, kf.blocked);
    struct icv_facts icvs;
    ck_assert_int_eq(ASK(icvs, task(ref).parent.ref, &icvs), RC_OK);
    assert_known(icvs.nthreads.first, 3);
    gf_number(kf.gf, kf.running + kf.layout->size[KMP_STRUCT_kmp_taskdata] + 8, 8, 1);
    struct task_facts facts;
    ck_assert_int_eq(ASK(task, ref, &facts), RC_STALE_HANDLE);
    end();
}
END_TEST

static bool take_lock(void *arg, struct ref ref, const struct lock_facts *facts)
{
    unsigned *kinds = arg;
    (void)ref;
    kinds[facts->kind.value]++;
    return true;
}

START_TEST(locks)
{
    begin(_i);
    unsigned kinds[8] = {0};
    struct lock_facts facts;
    ck_assert_int_eq(ASK(each_lock, take_lock, kinds), RC_OK);
    ck_assert_uint_eq(kinds[LOCK_KIND_SIMPLE], 1);
    ck_assert_uint_eq(kinds[LOCK_KIND_NEST], 1);
    ck_assert_uint_eq(kinds[LOCK_KIND_CRITICAL], 1);
    ck_assert_int_eq(ASK(lock, kf.nest_word, LOCK_KIND_NEST, &facts), RC_OK);
    assert_known(facts.count, 2);
    ck_assert_uint_eq(facts.owner.ref.id, (GF_TID_FIRST + KF_LEADS) | ID_IS_MADE);
    ck_assert_int_eq(ASK(lock, kf.lock_word, LOCK_KIND_SIMPLE, &facts), RC_OK);
    assert_known(facts.count, 1);
    ck_assert_int_eq(facts.owner.known, NEEDS_TRACKING);
    ck_assert_int_eq(ASK(lock, kf.critical_word, LOCK_KIND_CRITICAL, &facts), RC_OK);
    ck_assert_int_eq(ASK(lock, kf.lock_word, LOCK_KIND_NEST, &facts), RC_BAD_INPUT);
    gf_number(kf.gf, kf.lock_word, 4, 0x1000);
    ck_assert_int_eq(ASK(lock, kf.lock_word, LOCK_KIND_SIMPLE, &facts), RC_BAD_INPUT);
    /* One that is in its word, by KMP_LOCK_KIND; and of a kind that is not known. */
    gf_number(kf.gf, kf.lock_word, 4, 0xb03);
    ck_assert_int_eq(ASK(lock, kf.lock_word, LOCK_KIND_SIMPLE, &facts), RC_OK);
    assert_known(facts.count, 1);
    gf_number(kf.gf, kf.lock_word, 4, 0x3);
    ck_assert_int_eq(ASK(lock, kf.lock_word, LOCK_KIND_SIMPLE, &facts), RC_OK);
    assert_known(facts.count, 0);
    ck_assert_int_eq(facts.owner.known, NONE_HERE);
    gf_number(kf.gf, kf.lock_word, 4, 0xb07);
    ck_assert_int_eq(ASK(lock, kf.lock_word, LOCK_KIND_SIMPLE, &facts), RC_UNSUPPORTED);
    end();
}
END_TEST

START_TEST(barriers)
{
    begin(_i);
    assert_known(thread(KF_RUNS).barrier, BARRIER_NONE);
    assert_known(thread(KF_ARRIVED).barrier, BARRIER_WITHIN);
    assert_known(thread(KF_LEADS).barrier, BARRIER_END);
    for (unsigned with_task = 0; with_task < 2; with_task++) {
        struct array all;
        ck_assert_int_eq(survey_barriers(the_instance(), &all), RC_OK);
        const struct surveyed_barrier *found = all.elements;
        ck_assert_uint_eq(all.count, 2);
        unsigned outer = found[0].region.id != thread(KF_RUNS).region.ref.id;
        ck_assert_uint_eq(found[outer].region.id, thread(KF_RUNS).region.ref.id);
        ck_assert_uint_eq(found[outer].arrived, 1);
        assert_known(found[outer].kind, BARRIER_WITHIN);
        assert_known(found[!outer].kind, BARRIER_END);
        array_free(&all);
        /* One that runs a task has arrived none the less. */
        kf_put(&kf, kf.gf->thread[KF_ARRIVED], KMP_kmp_base_info_task, kf.running);
        assert_known(thread(KF_ARRIVED).state, STATE_work_parallel);
    }
    end();
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("kmp");
    EACH(layout_is_found);
    EACH(threads);
    EACH(nesting);
    EACH(regions_end);
    EACH(tasks);
    EACH(locks);
    EACH(barriers);
    return kmp_unit_main(tests);
}
