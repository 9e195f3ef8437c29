/* SPDX-License-Identifier: MIT
 *
 * The reader of LLVM's runtime over a process of its own kind, in every layout: what it says
 * of each thread, region, task and lock; which process it refuses; and that each question
 * about everything ends whatever fails and whatever memory claims.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "kmp-fake.h"
#include "libompd/handle/handle.h"
#include "libompd/runtime/kmp.h"

static struct kf kf;
static struct space *space;

static struct instance *the_instance(void)
{
    return space->instances;
}

static void begin(int layout)
{
    kf = kf_new((unsigned)layout);
    ck_assert_int_eq(space_create(&gf_ops, kf.gf, &space), RC_OK);
    ck_assert_str_eq(the_instance()->reader->name, "kmp");
}

static void end(void)
{
    space_destroy(space);
    ck_assert_int_eq(kf.gf->alive, 0);
    kf_free(&kf);
}

#define ASK(question, ...) the_instance()->reader->question(the_instance(), __VA_ARGS__)

#define assert_known(fact, expected)                                                     \
    do {                                                                                 \
        ck_assert_int_eq((fact).known, KNOWN);                                           \
        ck_assert_uint_eq((fact).value, expected);                                       \
    } while (0)

static struct ref thread_ref(unsigned which)
{
    return (struct ref){kf.gf->thread[which], (GF_TID_FIRST + which) | ID_IS_MADE};
}

static struct thread_facts thread(unsigned which)
{
    struct thread_facts facts;
    ck_assert_int_eq(ASK(thread, thread_ref(which), &facts), RC_OK);
    return facts;
}

static struct region_facts region(struct ref ref)
{
    struct region_facts facts;
    ck_assert_int_eq(ASK(region, ref, &facts), RC_OK);
    return facts;
}

static struct task_facts task(struct ref ref)
{
    struct task_facts facts;
    ck_assert_int_eq(ASK(task, ref, &facts), RC_OK);
    return facts;
}

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

static bool take_depender(void *arg, const struct depender *depender)
{
    *(struct ref *)arg = depender->task;
    return true;
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
    gf_number(kf.gf, kf.lock_word, 4, 0xb03);
    ck_assert_int_eq(ASK(lock, kf.lock_word, LOCK_KIND_SIMPLE, &facts), RC_UNSUPPORTED);
    end();
}
END_TEST

START_TEST(barriers)
{
    begin(_i);
    struct barrier_facts facts[BARRIERS_MAX];
    unsigned count;
    ck_assert_int_eq(ASK(barriers, thread(KF_RUNS).region.ref, facts, &count), RC_OK);
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(facts[0].arrived, 1);
    ck_assert_int_eq(facts[0].state, STATE_wait_barrier);
    ck_assert_int_eq(ASK(barriers, thread(KF_LEADS).region.ref, facts, &count), RC_OK);
    ck_assert_uint_eq(count, 1);
    ck_assert_int_eq(facts[0].state, STATE_wait_barrier_implicit);
    end();
}
END_TEST

static enum rc opening(void)
{
    enum rc rc = space_create(&gf_ops, kf.gf, &space);
    if (rc == RC_OK)
        space_destroy(space);
    ck_assert_int_eq(kf.gf->alive, 0);
    return rc;
}

/* An accessor that does something else than the table says; threads that are not as it says;
 * no kernel ids; and a runtime that has not begun. */
START_TEST(refuses)
{
    kf = kf_new((unsigned)_i);
    taddr level = 0;
    for (unsigned i = 0; i < kf.gf->symbols; i++)
        if (!strcmp(kf.gf->symbol[i].name, "omp_get_level"))
            level = kf.gf->symbol[i].address;
    unsigned char *code = kf.gf->bytes + (level - GF_BASE);
    code[31] ^= 8; /* the second offset */
    ck_assert_int_eq(opening(), RC_INCOMPATIBLE);
    code[31] ^= 8;
    ck_assert_int_eq(opening(), RC_OK);
    for (unsigned i = 0; i < GF_THREADS; i++)
        if (i != KF_FOREIGN)
            kf_put(&kf, kf.gf->thread[i], KMP_kmp_base_info_gtid, 30 + i);
    ck_assert_int_eq(opening(), RC_INCOMPATIBLE);
    gf_number(kf.gf, kf.variable, 8, 0);
    ck_assert_int_eq(opening(), RC_OK);
    gf_hide(kf.gf, "_thread_db_pthread_tid");
    ck_assert_int_eq(opening(), RC_INCOMPATIBLE);
    kf_free(&kf);
}
END_TEST

static bool count_thread(void *arg, struct ref ref, const struct thread_facts *facts)
{
    (void)ref;
    (void)facts;
    ++*(unsigned *)arg;
    return true;
}

/* In a forked child there is one of its parent's threads. */
START_TEST(ghosts)
{
    begin(_i);
    unsigned count = 0;
    kf.gf->tells = true;
    kf.gf->gone = ~(1u << KF_LEADS);
    ck_assert_int_eq(ASK(each_thread, count_thread, &count), RC_OK);
    ck_assert_uint_eq(count, 1);
    end();
}
END_TEST

static bool ignore(void *arg, struct ref ref)
{
    (void)arg;
    (void)ref;
    return true;
}

static bool ignore_lock(void *arg, struct ref ref, const struct lock_facts *facts)
{
    (void)facts;
    return ignore(arg, ref);
}

static bool ask_task(void *arg, struct ref ref, const struct task_facts *facts)
{
    struct ref after;
    (void)arg;
    (void)facts;
    ASK(walk_dependers, ref, take_depender, &after);
    return true;
}

static bool ask_thread(void *arg, struct ref ref)
{
    struct thread_facts facts;
    struct task_facts found;
    struct region_facts region;
    struct icv_facts icvs;
    struct barrier_facts waiting[BARRIERS_MAX];
    unsigned count;
    (void)arg;
    if (ASK(thread, ref, &facts) != RC_OK)
        return true;
    struct ref at = facts.region.ref;
    for (unsigned i = 0; facts.region.known == KNOWN && i < 8; i++) {
        if (ASK(region, at, &region) != RC_OK)
            break;
        ASK(walk_team, at, ignore, NULL);
        ASK(walk_implicit_tasks, at, ignore, NULL);
        ASK(barriers, at, waiting, &count);
        facts.region.known = region.enclosing.known;
        at = region.enclosing.ref;
    }
    at = facts.task.ref;
    for (unsigned i = 0; facts.task.known == KNOWN && i < 8; i++) {
        if (ASK(task, at, &found) != RC_OK)
            break;
        ASK(icvs, at, &icvs);
        facts.task.known = found.parent.known;
        at = found.parent.ref;
    }
    return true;
}

static enum rc join_rc(enum rc first, enum rc then)
{
    return first == RC_OK ? then : first;
}

/* Every question about everything. */
static enum rc ask_all(void)
{
    unsigned count = 0;
    struct ref found;
    struct lock_facts lock;
    enum rc rc = ASK(walk_threads, ask_thread, NULL);
    rc = join_rc(rc, ASK(each_thread, count_thread, &count));
    rc = join_rc(rc, ASK(each_task, ask_task, NULL));
    rc = join_rc(rc, ASK(each_lock, ignore_lock, NULL));
    for (unsigned i = 0; i < GF_THREADS; i++)
        ASK(find_thread, OS_THREAD_LWP, GF_TID_FIRST + i, &found);
    ASK(lock, kf.nest_word, LOCK_KIND_NEST, &lock);
    ASK(lock, kf.critical_word, LOCK_KIND_CRITICAL, &lock);
    return rc;
}

START_TEST(callbacks_fail)
{
    for (unsigned n = 1;; n++) {
        kf = kf_new((unsigned)_i);
        kf.gf->fail_at = n;
        enum rc rc = space_create(&gf_ops, kf.gf, &space);
        bool reached = kf.gf->callbacks >= n;
        kf.gf->fail_at = 0;
        if (rc == RC_OK)
            space_destroy(space);
        ck_assert_int_eq(kf.gf->alive, 0);
        kf_free(&kf);
        if (!reached)
            break;
    }
    begin(_i);
    ck_assert_int_eq(ask_all(), RC_OK);
    for (unsigned n = 1;; n++) {
        kf.gf->fail_at = n;
        kf.gf->callbacks = 0;
        ask_all();
        bool reached = kf.gf->callbacks >= n;
        kf.gf->fail_at = 0;
        if (!reached)
            break;
    }
    ck_assert_int_eq(ask_all(), RC_OK);
    end();
}
END_TEST

/* Words of the runtime's objects that point to other objects, or say large numbers. */
START_TEST(memory_is_spoilt)
{
    begin(_i);
    static const uint64_t odd[] = {0, 1, 7, UINT32_MAX, INT32_MAX, UINT64_MAX, 1u << 20};
    unsigned char *whole = malloc(GF_BYTES);
    memcpy(whole, kf.gf->bytes, GF_BYTES);
    srand(1 + (unsigned)_i);
    for (unsigned round = 0; round < 1500; round++) {
        for (int changes = 1 + rand() % 4; changes; changes--) {
            taddr at = kf.gf->object[(unsigned)rand() % kf.gf->objects];
            at += 8 * (taddr)(rand() % (rand() % 2 ? 16 : 160));
            uint64_t value = rand() % 2
                                 ? kf.gf->object[(unsigned)rand() % kf.gf->objects]
                                 : odd[(unsigned)rand() % (sizeof odd / sizeof *odd)];
            gf_number(kf.gf, at, rand() % 2 ? 8 : 4, value);
        }
        kf.gf->reads = 0;
        ask_all();
        ck_assert_uint_lt(kf.gf->reads, 200000);
        memcpy(kf.gf->bytes, whole, GF_BYTES);
    }
    ck_assert_int_eq(ask_all(), RC_OK);
    ck_assert_uint_le(kf.gf->largest, TARGET_BULK_BYTES);
    free(whole);
    end();
}
END_TEST

/* Lists that come back to where they were. */
START_TEST(cycles)
{
    begin(_i);
    kf_put(&kf, kf.team, KMP_kmp_base_team_parent, kf.nested);
    kf_put(&kf, kf.lock, KMP_kmp_base_queuing_lock_tail, 77);
    kf_put(&kf, kf.gf->thread[KF_LOCK], KMP_kmp_base_info_next_waiting,
           kf_gtid[KF_LOCK] + 1);
    kf_put(&kf, kf_implicit(&kf, kf.team, 0), KMP_kmp_taskdata_parent, kf.running);
    ask_all();
    end();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kmp");
    TCase *tests = tcase_create("kmp");
    tcase_set_timeout(tests, 120);
#define EACH(test) tcase_add_loop_test(tests, test, 0, KMP_LAYOUTS)
    EACH(layout_is_found);
    EACH(threads);
    EACH(nesting);
    EACH(regions_end);
    EACH(tasks);
    EACH(locks);
    EACH(barriers);
    EACH(refuses);
    EACH(ghosts);
    EACH(callbacks_fail);
    EACH(memory_is_spoilt);
    EACH(cycles);
    suite_add_tcase(suite, tests);
    return unit_main(suite);
}
