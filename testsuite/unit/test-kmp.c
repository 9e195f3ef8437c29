/* SPDX-License-Identifier: MIT
 *
 * The reader of LLVM's runtime over a process of its own kind, in every layout: what it says
 * of each thread, region, task and lock.
 */
#include "kmp-unit.h"
#include "libompd/survey/survey.h"

OPENED(layout_is_found)
{
    struct fact first, last;
    ASK(versions, &first, &last);
    assert_known(first, kmp_layouts[_i].first_version);
    ck_assert_ptr_eq(kmp_state(the_instance())->layout, &kmp_layouts[_i]);
    ck_assert_uint_eq(kmp_state(the_instance())->threads, kf.variable);
}

EACH(threads, KMP_LAYOUTS)
{
    static const struct {
        unsigned which, state, number, size, level;
    } in[] = {
        {KF_RUNS, STATE_work_parallel, 0, 4, 1},   {KF_LEADS, STATE_wait_barrier_implicit, 0, 2, 2},
        {KF_LOCK, STATE_wait_lock, 2, 4, 1},       {KF_ARRIVED, STATE_wait_barrier, 3, 4, 1},
        {KF_SERIAL, STATE_work_parallel, 0, 1, 4}, {KF_ROOT, STATE_wait_taskwait, 0, 1, 0},
    };
    begin(_i);
    for (size_t i = 0; i < sizeof in / sizeof *in; i++) {
        struct thread_facts facts = thread(in[i].which);
        assert_known(facts.state, in[i].state);
        assert_known(facts.thread_num, in[i].number);
        assert_known(facts.team_size, in[i].size);
        assert_known(facts.level, in[i].level);
        assert_known(facts.initial, in[i].which == KF_RUNS || in[i].which == KF_ROOT);
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
        ck_assert_int_eq(ASK(find_thread, OS_THREAD_LWP, GF_TID_FIRST + KF_ROOT, &found), RC_OK);
        ck_assert_uint_eq(found.address, kf.gf->thread[KF_ROOT]);
    }
    end();
}

/* It is in a taskyield, or its children have ended. */
OPENED(task_without_children_waits_for_none)
{
    kf_put(&kf, kf.parent, KMP_kmp_taskdata_children, 0);
    assert_known(thread(KF_ROOT).state, STATE_work_serial);
}

OPENED(nesting)
{
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
        ck_assert_int_eq(ASK(find_member, outer, MEMBER_THREADS, i, &member), RC_OK);
        ck_assert_uint_eq(member.address, kf.gf->thread[i]);
    }
    ck_assert_int_eq(ASK(find_member, outer, MEMBER_THREADS, 4, &member), RC_BAD_INPUT);
}

/* Threads of the runtime's own are in no region, and idle but for who executes a hidden task, which
 * is of the region of the task that generated it. */
OPENED(hidden_helpers)
{
    struct gf *gf = kf.gf;
    taddr primary = gf->thread[KF_ROOT], worker = gf->thread[KF_IDLE];
    gf_number(gf, kf.array + 8 * kf_gtid[KF_ROOT], 8, 0);
    gf_number(gf, kf.array + 8 * KMP_HIDDEN_PRIMARY, 8, primary);
    kf_put(&kf, primary, KMP_kmp_base_info_gtid, KMP_HIDDEN_PRIMARY);
    kf_put(&kf, primary, KMP_kmp_base_info_team, kf.idle_team);
    kf_put(&kf, primary, KMP_kmp_base_info_task, kf_implicit(&kf, kf.idle_team, 0));
    the_instance()->image.start = KF_ROUTINE;
    the_instance()->image.end = KF_ROUTINE + 0x10;
    assert_known(thread(KF_ROOT).state, STATE_idle);
    assert_known(thread(KF_IDLE).state, STATE_idle);

    uint64_t bits = UINT64_C(1) << kf.layout->bit[KMP_FLAG_hidden_helper] |
                    UINT64_C(1) << kf.layout->bit[KMP_FLAG_is_explicit] |
                    UINT64_C(1) << kf.layout->bit[KMP_FLAG_started];
    kf_put(&kf, kf.ready, KMP_kmp_taskdata_flags, bits);
    kf_put(&kf, kf.ready, KMP_kmp_taskdata_team, kf.idle_team);
    kf_put(&kf, worker, KMP_kmp_base_info_task, kf.ready);
    struct thread_facts facts = thread(KF_IDLE);
    assert_known(facts.state, STATE_work_serial);
    assert_known(facts.level, 0);
    ck_assert_int_eq(facts.region.known, NONE_HERE);
    ck_assert_uint_eq(facts.task.ref.address, kf.ready);
    struct task_facts hidden = task(facts.task.ref);
    ck_assert_uint_eq(hidden.thread.ref.address, worker);
    ck_assert_uint_eq(hidden.region.ref.id, thread(KF_RUNS).region.ref.id);

    /* The function of the runtime that calls that of GCC's code has arguments. */
    kf_put(&kf, kf.idle_team, KMP_kmp_base_team_argument_count, 2);
    assert_known(thread(KF_ROOT).level, 1);
    assert_known(thread(KF_IDLE).team_size, 2);
}

/* A team that its primary thread is in; what is just being changed is no damage. */
OPENED(overwritten)
{
    taddr at;
    kf_put(&kf, kf.team, KMP_kmp_base_team_active_level, 7);
    ck_assert_int_eq(ASK(damage, &at), RC_UNAVAILABLE);
    assert_known(thread(KF_ARRIVED).state, STATE_overhead);
    kf_put(&kf, kf.team, KMP_kmp_base_team_threads, 0x41);
    ck_assert_int_eq(ASK(damage, &at), RC_OK);
    ck_assert_uint_eq(at, kf.team);
    ck_assert_int_eq(thread(KF_RUNS).state.known, IMPOSSIBLE);
    assert_known(thread(KF_RUNS).lwp, GF_TID_FIRST + KF_RUNS);
    assert_known(thread(KF_ROOT).state, STATE_wait_taskwait);
}

/* A team is made larger: its new threads wait for their first region. */
OPENED(team_grows)
{
    kf_put(&kf, kf.team, KMP_kmp_base_team_nproc, 3);
    assert_known(thread(KF_ARRIVED).state, STATE_idle);
    gf_number(kf.gf, kf_get(&kf, kf.team, KMP_kmp_base_team_threads) + 8 * 3, 8, 0);
    assert_known(thread(KF_ARRIVED).state, STATE_overhead);
}

/* The next region of the team is another one. */
OPENED(regions_end)
{
    struct ref ref = thread(KF_RUNS).region.ref;
    struct region_facts facts;
    taddr bar = kf.team + kf.layout->place[KMP_kmp_base_team_bar].offset +
                kf.layout->size[KMP_STRUCT_kmp_barrier_team_union];
    gf_number(kf.gf, bar, 8, 1 << KMP_BARRIER_SHIFT);
    ck_assert_int_eq(ASK(region, ref, &facts), RC_STALE_HANDLE);
    ck_assert_uint_ne(thread(KF_RUNS).region.ref.id, ref.id);
}

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

OPENED(tasks)
{
    struct found found = {.count = 0};
    ck_assert_int_eq(ASK(each_task, take_task, &found), RC_OK);
    ck_assert_uint_eq(found.count, 6); /* two initial ones, a detached one */
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
    ck_assert_int_eq(running->exit_frame.known, NEEDS_TRACKING);
    ck_assert_int_eq(running->enter_frame.known, NEEDS_TRACKING);
    ck_assert_int_eq(running->dependence_count.known, NEEDS_TRACKING);
    ck_assert_int_eq(blocked->dependence_count.known, NEEDS_TRACKING);
    assert_known(ready->function, KF_ROUTINE + 0x20);
    ck_assert_uint_eq(running->thread.ref.id, (GF_TID_FIRST + KF_RUNS) | ID_IS_MADE);
    ck_assert_int_eq(ready->thread.known, NONE_HERE);
    ck_assert_uint_eq(running->region.ref.id, thread(KF_RUNS).region.ref.id);
    struct ref ref = thread(KF_RUNS).task.ref, after;
    ck_assert_uint_eq(ref.address, kf.running);
    struct task_facts implicit = task(task(ref).parent.ref);
    ck_assert_uint_eq(implicit.kind.value, TASK_KIND_IMPLICIT);
    ck_assert_uint_eq(implicit.scheduling.ref.id, implicit.parent.ref.id);
    ck_assert_int_eq(task(thread(KF_ARRIVED).task.ref).scheduling.known, NONE_HERE);
    ck_assert_int_eq(running->scheduling.known, NEEDS_TRACKING);
    ck_assert_int_eq(ASK(walk_dependers, ref, take_depender, &after), RC_OK);
    ck_assert_uint_eq(after.address, kf.blocked);
    struct icv_facts icvs;
    ck_assert_int_eq(ASK(icvs, task(ref).parent.ref, &icvs), RC_OK);
    assert_known(icvs.nthreads.first, 3);
    gf_number(kf.gf, kf.running + kf.layout->size[KMP_STRUCT_kmp_taskdata] + 8, 8, 1);
    struct task_facts facts;
    ck_assert_int_eq(ASK(task, ref, &facts), RC_STALE_HANDLE);
}

static bool take_lock(void *arg, struct ref ref, const struct lock_facts *facts)
{
    unsigned *kinds = arg;
    (void)ref;
    kinds[facts->kind.value]++;
    return true;
}

static bool is_found(taddr task)
{
    struct found found = {.count = 0};
    ck_assert_int_eq(ASK(each_task, take_task, &found), RC_OK);
    return found_at(&found, task) != NULL;
}

/* Whoever could begin them is in a team within. */
OPENED(tasks_of_an_outer_team)
{
    uint32_t at = kf.layout->place[KMP_kmp_base_team_task_team].offset;
    gf_number(kf.gf, kf.team + at + 8, 8, 0);
    ck_assert(!is_found(kf.ready));
    gf_number(kf.gf, kf.outermost + at, 8, kf.task_team);
    ck_assert(is_found(kf.ready));
}

/* Of more than a survey takes those that it has taken are known, and that some are missing. */
OPENED(too_many_tasks)
{
    enum { ROOM = 2 * KMP_TASKS_MAX, APART = 16 };
    taddr own = kf_get(&kf, kf.task_team, KMP_kmp_base_task_team_threads_data) +
                kf.layout->size[KMP_STRUCT_kmp_thread_data];
    taddr deque = gf_memory(kf.gf, 8 * ROOM), blank = gf_memory(kf.gf, APART * ROOM);
    kf_put(&kf, own, KMP_kmp_thread_data_deque, deque);
    kf_put(&kf, own, KMP_kmp_thread_data_deque_size, ROOM);
    kf_put(&kf, own, KMP_kmp_thread_data_deque_head, 0);
    kf_put(&kf, own, KMP_kmp_thread_data_deque_count, KMP_TASKS_MAX);
    for (unsigned i = 0; i < KMP_TASKS_MAX; i++)
        gf_number(kf.gf, deque + 8 * i, 8, blank + APART * i);
    struct found found = {.count = 0};
    kf.gf->reads = 0;
    ck_assert_int_eq(ASK(each_task, take_task, &found), RC_INCOMPLETE);
    ck_assert_ptr_nonnull(found_at(&found, kf.running));
    ck_assert_uint_lt(kf.gf->reads, (8 + APART) * KMP_TASKS_MAX / 4096); /* pages */
}

/* It is in no list, and in a free place of a deque that it once was in. */
OPENED(detached_tasks)
{
    kf_put(&kf, kf.parent, KMP_kmp_taskdata_children, 0);
    taddr creator = kf_implicit(&kf, kf.team, 0);
    kf_put(&kf, creator, KMP_kmp_taskdata_children, 3);
    kf.gf->reads = 0;
    ck_assert(!is_found(kf.detached)); /* three are known without it */
    unsigned reads = kf.gf->reads;
    kf_put(&kf, creator, KMP_kmp_taskdata_children, 4);
    kf.gf->reads = 0;
    ck_assert(is_found(kf.detached));
    ck_assert_uint_le(kf.gf->reads, reads + 2);
    struct found found = {.count = 0};
    ck_assert_int_eq(ASK(each_task, take_task, &found), RC_OK);
    const struct task_facts *facts = found_at(&found, kf.detached);
    ck_assert_ptr_nonnull(facts);
    assert_known(facts->progress, TASK_PROGRESS_DETACHED);
    assert_known(facts->function, KF_ROUTINE + 0x40);
    assert_known(facts->event, kf.detached + kf.layout->place[KMP_kmp_taskdata_event].offset);
    assert_known(found_at(&found, kf.ready)->event, 0);
    ck_assert_int_eq(facts->thread.known, NONE_HERE);

    static const struct {
        enum kmp_field field;
        uint64_t value;
    } change[] = {
        {KMP_kmp_taskdata_event_type, 0},
        {KMP_kmp_taskdata_event_task, 0x5550},
        {KMP_kmp_taskdata_flags, 0},
        {KMP_kmp_taskdata_flags, UINT32_MAX},
    };
    for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
        uint64_t kept = kf_get(&kf, kf.detached, change[i].field);
        kf_put(&kf, kf.detached, change[i].field, change[i].value);
        ck_assert(!is_found(kf.detached));
        kf_put(&kf, kf.detached, change[i].field, kept);
    }
    gf_number(kf.gf, kf.deque + 8 * 18, 8, UINT64_MAX - 7);
    ck_assert(is_found(kf.detached));
}

OPENED(locks)
{
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
    /* The same of a critical section. */
    gf_number(kf.gf, kf.critical_word, 8, (kf_gtid[KF_LEADS] + 1) << 9 | 5);
    ck_assert_int_eq(ASK(lock, kf.critical_word, LOCK_KIND_CRITICAL, &facts), RC_OK);
    assert_known(facts.count, 1);
    ck_assert_uint_eq(facts.owner.ref.id, (GF_TID_FIRST + KF_LEADS) | ID_IS_MADE);
}

/* Of another kind than the default one, each of which has its owner elsewhere. */
OPENED(nest_locks)
{
    uint32_t mine = kf_gtid[KF_LEADS] + 1;
    const struct {
        uint64_t kind;
        unsigned owner;       /* where, and the depth behind */
        uint32_t held, freed; /* its value */
        int self;             /* where its own address is, -1: nowhere */
    } cases[] = {
        {KMP_LOCK_NESTED_TAS, 0, mine << 8 | 3, 3, -1},
        {KMP_LOCK_NESTED_FUTEX, 0, mine << 9 | 5, 5, -1},
        {KMP_LOCK_NESTED_TICKET, KMP_LOCK_TICKET_OWNER, mine, 0, KMP_LOCK_TICKET_SELF},
        {KMP_LOCK_NESTED_DRDPA, KMP_LOCK_DRDPA_OWNER, mine, 0, 0},
    };
    bool is_aarch64 = kf.layout->machine == PROBE_AARCH64;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lock_facts facts;
        taddr lock = gf_memory(kf.gf, 256);
        kf_put(&kf, kf.nest_entry, KMP_kmp_indirect_lock_t_lock, lock);
        kf_put(&kf, kf.nest_entry, KMP_kmp_indirect_lock_t_kind,
               cases[i].kind - (is_aarch64 ? KMP_LOCKS_OF_X86 : 0));
        if (cases[i].self >= 0)
            gf_number(kf.gf, lock + (unsigned)cases[i].self, 8, lock);
        gf_number(kf.gf, lock + cases[i].owner, 4, cases[i].held);
        gf_number(kf.gf, lock + cases[i].owner + 4, 4, 2);
        ck_assert_int_eq(ASK(lock, kf.nest_word, LOCK_KIND_NEST, &facts), RC_OK);
        assert_known(facts.count, 2);
        ck_assert_uint_eq(facts.owner.ref.id, (GF_TID_FIRST + KF_LEADS) | ID_IS_MADE);
        gf_number(kf.gf, lock + cases[i].owner, 4, cases[i].freed);
        ck_assert_int_eq(ASK(lock, kf.nest_word, LOCK_KIND_NEST, &facts), RC_OK);
        assert_known(facts.count, 0);
        /* Destroyed, it leads to the next free one. */
        gf_number(kf.gf, lock + (cases[i].self > 0 ? (unsigned)cases[i].self : 0), 8, 0x7000);
        ck_assert_int_eq(ASK(lock, kf.nest_word, LOCK_KIND_NEST, &facts), RC_BAD_INPUT);
    }
}

OPENED(barriers)
{
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
}

static struct global_facts ask_globals(void)
{
    struct global_facts facts;
    ck_assert_int_eq(ASK(globals, &facts), RC_OK);
    return facts;
}

static void put_global(enum kmp_global_icv which, unsigned size, uint64_t value)
{
    gf_number(kf.gf, kf.global[which], size, value);
}

OPENED(globals)
{
    put_global(KMP_GLOBAL_cancel, 4, 1);
    put_global(KMP_GLOBAL_stacksize, 8, UINT64_C(1) << 33);
    put_global(KMP_GLOBAL_nteams, 4, 7);
    put_global(KMP_GLOBAL_library, 4, KMP_LIBRARY_TURNAROUND);
    kf.gf->reads = 0;
    struct global_facts facts = ask_globals();
    ck_assert_uint_le(kf.gf->reads, 2); /* pages */
    assert_known(facts.cancel, 1);
    assert_known(facts.stacksize, UINT64_C(1) << 33);
    assert_known(facts.nteams, 7);
    assert_known(facts.max_task_priority, 0);
    assert_known(facts.wait_policy, 1);
    assert_known(facts.def_schedule, 1); /* omp_sched_static */
    ck_assert_int_eq(facts.display_affinity.known, NOT_HELD);
    put_global(KMP_GLOBAL_library, 4, KMP_LIBRARY_THROUGHPUT);
    assert_known(ask_globals().wait_policy, 0);
    put_global(KMP_GLOBAL_library, 4, 1); /* OMP_NUM_THREADS does not matter to it */
    ck_assert_int_eq(ask_globals().wait_policy.known, NOT_HELD);
    put_global(KMP_GLOBAL_cancel, 4, 2);
    ck_assert_int_eq(ask_globals().cancel.known, IMPOSSIBLE);
    gf_number(kf.gf, kf.initialised, 4, 0);
    ck_assert_int_eq(ask_globals().nteams.known, NONE_HERE);
}

/* One that has arrived sleeps on a word of its own, also when that has just released it. */
OPENED(released_from_barriers)
{
    taddr own = kf.gf->thread[KF_LEADS] + kf.layout->place[KMP_kmp_base_info_bar].offset;
    taddr sleep = kf_get(&kf, kf.gf->thread[KF_LEADS], KMP_kmp_base_info_sleep_loc);
    gf_number(kf.gf, sleep + KMP_FLAG_WORD, 8, own);
    gf_number(kf.gf, own, 8, 1);
    assert_known(thread(KF_LEADS).state, STATE_wait_barrier);
    assert_known(thread(KF_LEADS).barrier, BARRIER_WITHIN);
    gf_number(kf.gf, own, 8, 1 | 1 << KMP_BARRIER_SHIFT);
    struct thread_facts facts = thread(KF_LEADS);
    assert_known(facts.state, STATE_work_parallel);
    assert_known(facts.barrier, BARRIER_NONE);
    ck_assert(facts.is_released);
}

/* Behind the end of a region it sleeps until the next one. */
OPENED(released_from_regions)
{
    taddr thread_of = kf.gf->thread[KF_ARRIVED], flag = gf_memory(kf.gf, 64);
    gf_number(kf.gf, flag + KMP_FLAG_WORD, 8,
              thread_of + kf.layout->place[KMP_kmp_base_info_bar].offset +
                  kmp_size(the_instance(), KMP_STRUCT_kmp_barrier_union));
    gf_number(kf.gf,
              thread_of + kf.layout->place[KMP_kmp_base_info_bar].offset +
                  kf.layout->place[KMP_kmp_barrier_union_arrived].offset,
              8, 5 << KMP_BARRIER_SHIFT);
    kf_put(&kf, thread_of, KMP_kmp_base_info_sleep_loc, flag);
    assert_known(thread(KF_ARRIVED).state, STATE_work_parallel);
    ck_assert(thread(KF_ARRIVED).is_released);
}

/* An accessor that loads no variable last, or does what is not understood. */
EACH(globals_are_proven, KMP_LAYOUTS)
{
    static const unsigned char x86_64[] = {0x0f, 0x83, 0xc3};
    static const uint32_t aarch64[] = {0xd503201f, 0x14000000, 0xd65f03c0}; /* nop, b, ret */
    for (size_t i = 0; i < sizeof x86_64; i++) {
        kf = kf_new((unsigned)_i);
        bool is_x86_64 = kf.layout->machine == PROBE_X86_64;
        gf_number(kf.gf, kf.variable_load, is_x86_64 ? 1 : 4, is_x86_64 ? x86_64[i] : aarch64[i]);
        ck_assert_int_eq(space_create(&gf_ops, kf.gf, &space), RC_OK);
        ck_assert_int_eq(ask_globals().cancel.known, NOT_HELD);
        assert_known(ask_globals().nteams, 0);
        end();
    }
}

static void put_text(taddr at, const char *text)
{
    memcpy(kf.gf->bytes + (at - GF_BASE), text, strlen(text) + 1);
}

/* Of the environment, by libc's list. */
EACH(settings, KMP_LAYOUTS)
{
    static const char *const words[] = {
        "PATH=/bin", "OMP_NUM_THREADS=3", "X=",         "",
        "OMP",       "GOMP_SPINCOUNT=0",  "OMP_BROKEN", "KMP_BLOCKTIME=1"};
    static const char expected[] = "OMP_NUM_THREADS=3\0GOMP_SPINCOUNT=0\0KMP_BLOCKTIME=1\0";
    enum { WORDS = sizeof words / sizeof *words };
    begin(_i);
    char *text;
    size_t bytes;
    ck_assert_int_eq(ASK(settings, &text, &bytes), RC_UNSUPPORTED);
    taddr variable = gf_memory(kf.gf, 64), list = gf_memory(kf.gf, 8 * (WORDS + 1));
    gf_symbol(kf.gf, "environ", variable);
    ck_assert_int_eq(ASK(settings, &text, &bytes), RC_UNSUPPORTED);
    gf_number(kf.gf, variable, 8, list);
    for (unsigned i = 0; i < WORDS; i++) {
        taddr at = gf_memory(kf.gf, 64);
        put_text(at, words[i]);
        gf_number(kf.gf, list + 8 * i, 8, at);
    }
    ck_assert_int_eq(ASK(settings, &text, &bytes), RC_OK);
    ck_assert_uint_eq(bytes, sizeof expected);
    ck_assert_mem_eq(text, expected, sizeof expected);
    space->ops->release(text);
    gf_number(kf.gf, list + 8 * (WORDS - 1), 8, 16);
    ck_assert_int_eq(ASK(settings, &text, &bytes), RC_READ_ERROR);
    gf_number(kf.gf, variable, 8, list + 4);
    ck_assert_int_eq(ASK(settings, &text, &bytes), RC_NONSENSE);
    end();
}

/* By what libc keeps of its threads, as with libgomp. */
OPENED(stacks)
{
    struct stack_facts stack;
    struct ref ref = thread_ref(KF_RUNS);
    taddr pthread = kf.gf->pthread[KF_RUNS], page = pthread & ~(taddr)4095;
    ck_assert_int_eq(ASK(stack, ref, &stack), RC_UNAVAILABLE);
    gf_number(kf.gf, pthread + 1680, 8, page - 0x8000);
    gf_number(kf.gf, pthread + 1688, 8, 0x9000);
    gf_number(kf.gf, pthread + 1696, 8, 0x1000);
    ck_assert_int_eq(ASK(stack, ref, &stack), RC_OK);
    ck_assert_uint_eq(stack.low, page - 0x8000);
    ck_assert_uint_eq(stack.high, page + 0x1000);
    ck_assert_uint_eq(stack.guard, 0x1000);
    taddr behind = pthread + GF_PTHREAD_BYTES;
    const struct {
        taddr high;
        enum rc rc;
    } cases[] = {{behind + 32, RC_OK}, {behind + 64, RC_UNAVAILABLE}, {behind - 8, RC_UNAVAILABLE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gf_number(kf.gf, pthread + 1688, 8, cases[i].high - (page - 0x8000));
        ck_assert_int_eq(ASK(stack, ref, &stack), cases[i].rc);
    }
    ref.id++;
    ck_assert_int_eq(ASK(stack, ref, &stack), RC_STALE_HANDLE);
}

OPENED(cancelled_regions)
{
    struct ref outer = thread(KF_RUNS).region.ref;
    assert_known(region(outer).cancelled, 0);
    kf_put(&kf, kf.team, KMP_kmp_base_team_cancel_request, KMP_CANCEL_PARALLEL);
    assert_known(region(outer).cancelled, 1);
    kf_put(&kf, kf.team, KMP_kmp_base_team_cancel_request, KMP_CANCEL_PARALLEL + 1);
    assert_known(region(outer).cancelled, 0);
    kf_put(&kf, kf.team, KMP_kmp_base_team_cancel_request, KMP_CANCEL_LAST + 1);
    ck_assert_int_eq(region(outer).cancelled.known, IMPOSSIBLE);
    ck_assert_int_eq(region(thread(KF_SERIAL).region.ref).cancelled.known, NOT_HELD);
}
