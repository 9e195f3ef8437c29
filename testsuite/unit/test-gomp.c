/* SPDX-License-Identifier: MIT
 *
 * The reader of a stock libgomp over a fake process, in every layout and for both
 * machines: recognition, what threads are, teams, tasks, stale handles, and memory that
 * claims nonsense.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "gomp-fake.h"
#include "libompd/handle/handle.h"
#include "libompd/runtime/gomp.h"

/* _i: the layout, and above it the machine. */
enum { KINDS = GOMP_LAYOUTS * PROBE_MACHINES };
#define LAYOUT(i) ((unsigned)(i) % GOMP_LAYOUTS)
#define MACHINE(i) ((enum probe_machine)((i) / GOMP_LAYOUTS))

static struct gf *gf;
static struct space *space;

static void begin(int kind)
{
    gf = gf_new(LAYOUT(kind), MACHINE(kind));
    ck_assert_int_eq(space_create(&gf_ops, gf, &space), RC_OK);
}

static void end(void)
{
    space_destroy(space);
    ck_assert_int_eq(gf->alive, 0);
    gf_free(gf);
}

static struct ref thread_ref(unsigned which)
{
    return (struct ref){gf->thread[which], GF_TID_FIRST + which};
}

static struct thread_facts thread(unsigned which)
{
    struct thread_facts facts;
    ck_assert_int_eq(space->reader->thread(space, thread_ref(which), &facts), RC_OK);
    return facts;
}

static struct task_facts task_of(struct ref ref)
{
    struct task_facts facts;
    ck_assert_int_eq(space->reader->task(space, ref, &facts), RC_OK);
    return facts;
}

#define assert_known(fact, expected)                                                     \
    do {                                                                                 \
        ck_assert_int_eq((fact).known, KNOWN);                                           \
        ck_assert_uint_eq((fact).value, expected);                                       \
    } while (0)

START_TEST(tables_are_complete)
{
    const struct gomp_layout *layout = &gomp_layouts[_i];
    ck_assert_uint_le(layout->first_version, layout->last_version);
    for (unsigned i = 0; i < GOMP_STRUCT_COUNT; i++)
        ck_assert_uint_gt(layout->size[i], 0);
    unsigned lacking = 0, arrays = 0;
    for (unsigned i = 0; i < GOMP_FIELD_COUNT; i++) {
        lacking += layout->place[i].offset == GOMP_LACKING;
        arrays += layout->place[i].offset != GOMP_LACKING && !layout->place[i].size;
    }
    ck_assert_uint_le(lacking, 3);
    ck_assert_uint_eq(arrays, 3);
}
END_TEST

START_TEST(recognised_with_its_layout)
{
    begin(_i);
    ck_assert_str_eq(space->reader->name, "gomp");
    ck_assert_ptr_eq(gomp_state(space)->layout, gf->layout);
    ck_assert_uint_eq(gomp_state(space)->version,
                      gf->layout->last_version == 10 ? 0 : gf->layout->last_version);
    unsigned lookups = gf->lookups;
    thread(GF_MASTER);
    ck_assert_uint_eq(gf->lookups, lookups);
    end();
}
END_TEST

static enum rc open_again(void)
{
    enum rc rc = space_create(&gf_ops, gf, &space);
    if (rc == RC_OK)
        space_destroy(space);
    ck_assert_int_eq(gf->alive, 0);
    return rc;
}

START_TEST(others_are_incompatible)
{
    gf = gf_new(LAYOUT(_i), MACHINE(_i));
    gf_hide(gf, "GOMP_parallel");
    ck_assert_int_eq(open_again(), RC_INCOMPATIBLE);
    gf_free(gf);
    /* One accessor that disagrees with the layout that the others have. */
    gf = gf_new(LAYOUT(_i), MACHINE(_i));
    for (unsigned i = 0; i < gf->symbols; i++) {
        unsigned char *code = gf->bytes + (gf->symbol[i].address - GF_BASE);
        if (strcmp(gf->symbol[i].name, "omp_get_level") != 0)
            continue;
        if (MACHINE(_i) == PROBE_X86_64)
            code[10] = (unsigned char)(code[10] + 8);
        else
            code[16 + 1] ^= 0x08;
    }
    ck_assert_int_eq(open_again(), RC_INCOMPATIBLE);
    gf_free(gf);
    /* Code that nobody understands. */
    gf = gf_new(LAYOUT(_i), MACHINE(_i));
    for (unsigned i = 0; i < gf->symbols; i++) {
        if (strncmp(gf->symbol[i].name, "omp_get", 7) == 0 ||
            strcmp(gf->symbol[i].name, "omp_in_final") == 0)
            memset(gf->bytes + (gf->symbol[i].address - GF_BASE), 0xff, 64);
    }
    ck_assert_int_eq(open_again(), RC_INCOMPATIBLE);
    gf_free(gf);
    /* Threads that contradict the layout: no team lists them. */
    gf = gf_new(LAYOUT(_i), MACHINE(_i));
    for (unsigned i = GF_MASTER; i <= GF_NESTED; i++)
        gf_put(gf, gf->thread[i], GOMP_gomp_thread_team_id, 7);
    gf_put(gf, gf->pool, GOMP_gomp_thread_pool_last_team, 0);
    gf_put(gf, gf->thread[GF_IDLE], GOMP_gomp_thread_team_id, 7);
    ck_assert_int_eq(open_again(), RC_INCOMPATIBLE);
    gf_free(gf);
}
END_TEST

START_TEST(before_the_linker_is_done)
{
    gf = gf_new(LAYOUT(_i), MACHINE(_i));
    uint64_t distance = 0;
    memcpy(&distance, gf->bytes + (gf->slot - GF_BASE), 8);
    gf_number(gf, gf->slot, 8, 0);
    ck_assert_int_eq(space_create(&gf_ops, gf, &space), RC_OK);
    struct ref found;
    ck_assert_int_eq(
        space->reader->find_thread(space, OS_THREAD_LWP, GF_TID_FIRST, &found),
        RC_UNAVAILABLE);
    gf_number(gf, gf->slot, 8, distance);
    ck_assert_int_eq(
        space->reader->find_thread(space, OS_THREAD_LWP, GF_TID_FIRST, &found), RC_OK);
    end();
}
END_TEST

START_TEST(what_threads_are)
{
    static const unsigned char state[GF_THREADS] = {
        [GF_MASTER] = STATE_work_parallel,
        [GF_LEADS] = STATE_work_parallel,
        [GF_RUNS] = STATE_work_parallel,
        [GF_WAITS] = STATE_wait_taskgroup,
        [GF_NESTED] = STATE_work_parallel,
        [GF_RELEASED] = STATE_undefined,
        [GF_IDLE] = STATE_idle,
        [GF_SERIAL] = STATE_work_serial,
    };
    static const int number[GF_THREADS] = {
        [GF_MASTER] = 0, [GF_LEADS] = 0,     [GF_RUNS] = 2,  [GF_WAITS] = 3,
        [GF_NESTED] = 1, [GF_RELEASED] = -1, [GF_IDLE] = -1, [GF_SERIAL] = 0,
    };
    begin(_i);
    for (unsigned i = 0; i < GF_THREADS; i++) {
        struct ref found;
        enum rc rc =
            space->reader->find_thread(space, OS_THREAD_LWP, GF_TID_FIRST + i, &found);
        ck_assert_int_eq(rc, i == GF_FOREIGN ? RC_UNAVAILABLE : RC_OK);
        rc = space->reader->find_thread(space, OS_THREAD_PTHREAD, gf->pthread[i], &found);
        ck_assert_int_eq(rc, i == GF_FOREIGN ? RC_UNAVAILABLE : RC_OK);
        if (i == GF_FOREIGN)
            continue;
        struct thread_facts facts = thread(i);
        assert_known(facts.state, state[i]);
        assert_known(facts.lwp, GF_TID_FIRST + i);
        assert_known(facts.pthread, gf->pthread[i]);
        if (number[i] < 0)
            ck_assert_int_eq(facts.thread_num.known, NONE_HERE);
        else
            assert_known(facts.thread_num, (uint64_t)number[i]);
        bool member = i <= GF_NESTED;
        ck_assert_int_eq(facts.region.known, member ? KNOWN : NONE_HERE);
        ck_assert_int_eq(facts.task.known, member || i == GF_SERIAL ? KNOWN : NONE_HERE);
    }
    end();
}
END_TEST

START_TEST(in_passing)
{
    begin(_i);
    /* The first thread has left the team, and the next region has not begun. */
    gf_put(gf, gf->thread[GF_MASTER], GOMP_gomp_thread_team, 0);
    gf_put(gf, gf->thread[GF_MASTER], GOMP_gomp_thread_level, 0);
    assert_known(thread(GF_WAITS).state, STATE_overhead);
    assert_known(thread(GF_MASTER).state, STATE_work_serial);
    /* It runs a target region on the host: what it was is put aside. */
    gf_put(gf, gf->thread[GF_MASTER], GOMP_gomp_thread_pool, 0);
    gf_put(gf, gf->thread[GF_MASTER], GOMP_gomp_thread_task, 0);
    assert_known(thread(GF_WAITS).state, STATE_wait_taskgroup);
    end();
    begin(_i);
    /* A thread that has begun and is not listed yet. */
    gf_number(gf, gf_get(gf, gf->nested, GOMP_gomp_team_ordered_release) + 8, 8, 0);
    assert_known(thread(GF_NESTED).state, STATE_overhead);
    ck_assert_int_eq(thread(GF_NESTED).region.known, NONE_HERE);
    end();
    begin(_i);
    /* A nested team whose memory was given back. */
    gf_put(gf, gf->nested, GOMP_gomp_team_nthreads, 0x41414141);
    assert_known(thread(GF_NESTED).state, STATE_overhead);
    end();
}
END_TEST

static bool count_ref(void *arg, struct ref ref)
{
    (void)ref;
    ++*(unsigned *)arg;
    return true;
}

/* A program that was linked statically has glibc's lists and no description of them. */
START_TEST(without_descriptors)
{
    unsigned threads = 0;
    gf = gf_new(LAYOUT(_i), MACHINE(_i));
    gf_hide(gf, "_rtld_global");
    gf_hide(gf, "_thread_db_pthread_list");
    gf_hide(gf, "_thread_db_pthread_tid");
    gf_hide(gf, "_thread_db_sizeof_pthread");
    ck_assert_int_eq(space_create(&gf_ops, gf, &space), RC_OK);
    enum rc rc = space->reader->walk_threads(space, count_ref, &threads);
    if (MACHINE(_i) == PROBE_X86_64) {
        ck_assert_int_eq(rc, RC_OK);
        ck_assert_uint_eq(threads, GF_THREADS - 1);
    } else {
        ck_assert_int_eq(rc, RC_UNSUPPORTED);
    }
    end();
}
END_TEST

struct list {
    unsigned count;
    struct ref ref[64];
};

static bool take(void *arg, struct ref ref)
{
    struct list *list = arg;
    ck_assert_uint_lt(list->count, 64);
    list->ref[list->count++] = ref;
    return true;
}

START_TEST(regions)
{
    begin(_i);
    struct region_facts inner, outer;
    struct ref nested = thread(GF_NESTED).region.ref;
    ck_assert_int_eq(space->reader->region(space, nested, &inner), RC_OK);
    assert_known(inner.num_threads, 2);
    assert_known(inner.level, 2);
    assert_known(inner.active_level, 2);
    ck_assert_int_eq(inner.function.known, NEEDS_TRACKING);
    ck_assert_int_eq(inner.master.known, KNOWN);
    ck_assert_uint_eq(inner.master.ref.id, GF_TID_FIRST + GF_LEADS);
    ck_assert_int_eq(inner.enclosing.known, KNOWN);
    ck_assert_uint_eq(inner.enclosing.ref.id, thread(GF_MASTER).region.ref.id);
    ck_assert_int_eq(inner.encountering_task.known, KNOWN);

    ck_assert_int_eq(space->reader->region(space, inner.enclosing.ref, &outer), RC_OK);
    assert_known(outer.num_threads, 4);
    assert_known(outer.level, 1);
    ck_assert_int_eq(outer.enclosing.known, NONE_HERE);
    ck_assert_uint_eq(outer.master.ref.id, GF_TID_FIRST + GF_MASTER);

    struct list team = {0}, tasks = {0};
    ck_assert_int_eq(space->reader->walk_team(space, inner.enclosing.ref, take, &team),
                     RC_OK);
    ck_assert_uint_eq(team.count, 4);
    for (unsigned i = 0; i < 4; i++)
        ck_assert_uint_eq(team.ref[i].id, GF_TID_FIRST + i);
    ck_assert_int_eq(
        space->reader->walk_implicit_tasks(space, inner.enclosing.ref, take, &tasks),
        RC_OK);
    ck_assert_uint_eq(tasks.count, 4);
    for (unsigned i = 0; i < 4; i++) {
        struct task_facts task = task_of(tasks.ref[i]);
        assert_known(task.thread_num, i);
        assert_known(task.implicit, 1);
        assert_known(task.level, 1);
        ck_assert_uint_eq(task.thread.ref.id, GF_TID_FIRST + i);
        ck_assert_uint_eq(task.region.ref.id, inner.enclosing.ref.id);
    }
    ck_assert_uint_eq(inner.encountering_task.ref.id, tasks.ref[1].id);
    end();
}
END_TEST

static bool take_task(void *arg, struct ref ref, const struct task_facts *facts)
{
    (void)facts;
    return take(arg, ref);
}

START_TEST(explicit_tasks)
{
    begin(_i);
    struct list list = {0};
    struct ref region = thread(GF_MASTER).region.ref;
    ck_assert_int_eq(gomp_walk_explicit_tasks(space, region, take, &list), RC_OK);
    taddr expected[] = {gf->running, gf->waiting, gf->blocked, gf->grouped,
                        gf->undeferred};
    ck_assert_uint_eq(list.count, 5);
    for (unsigned i = 0; i < 5; i++) {
        struct task_facts task;
        unsigned found = 0;
        for (unsigned k = 0; k < 5; k++) {
            if ((list.ref[k].id & 0xffffffffffff) != expected[i])
                continue;
            found++;
            task = task_of(list.ref[k]);
        }
        ck_assert_uint_eq(found, 1);
        assert_known(task.is_explicit, 1);
        ck_assert_uint_eq(task.region.ref.id, region.id);
        if (expected[i] == gf->undeferred) {
            ck_assert_int_eq(task.function.known, NEEDS_TRACKING);
        } else {
            assert_known(task.function, 0x5001 + i);
        }
        bool runs = expected[i] == gf->running || expected[i] == gf->undeferred;
        ck_assert_int_eq(task.thread.known, runs ? KNOWN : NONE_HERE);
        if (runs)
            ck_assert_uint_eq(task.thread.ref.id, GF_TID_FIRST + GF_RUNS);
        ck_assert_int_eq(task.parent.known,
                         expected[i] == gf->grouped ? NONE_HERE : KNOWN);
    }
    struct task_facts current = task_of(thread(GF_RUNS).task.ref);
    assert_known(current.undeferred, 1);
    assert_known(current.thread_num, 2);

    struct list all = {0};
    ck_assert_int_eq(space->reader->each_task(space, take_task, &all), RC_OK);
    ck_assert_uint_eq(all.count, 5 + 2); /* and two initial tasks */
    end();
}
END_TEST

START_TEST(initial_tasks)
{
    begin(_i);
    struct task_facts own = task_of(thread(GF_SERIAL).task.ref);
    assert_known(own.kind, TASK_KIND_INITIAL);
    assert_known(own.level, 0);
    ck_assert_int_eq(own.parent.known, NONE_HERE);
    ck_assert_int_eq(own.region.known, NONE_HERE);
    struct region_facts region;
    ck_assert_int_eq(space->reader->region(space, thread(GF_MASTER).region.ref, &region),
                     RC_OK);
    /* Its thread has no struct for it, and it is a task all the same. */
    struct task_facts initial = task_of(region.encountering_task.ref);
    assert_known(initial.kind, TASK_KIND_INITIAL);
    ck_assert_uint_eq(initial.thread.ref.id, GF_TID_FIRST + GF_MASTER);
    end();
}
END_TEST

START_TEST(stale_handles)
{
    begin(_i);
    struct region_facts region;
    struct thread_facts facts;
    struct task_facts task;
    struct ref nested = thread(GF_NESTED).region.ref,
               outer = thread(GF_MASTER).region.ref;
    struct ref implicit = thread(GF_MASTER).task.ref, runs = thread(GF_RUNS).task.ref;
    struct list list = {0};
    ck_assert_int_eq(gomp_walk_explicit_tasks(space, outer, take, &list), RC_OK);

    /* Another thread got the memory of this one. */
    gf_number(gf, gf->pthread[GF_NESTED] + GF_TID_OFFSET, 4, 4711);
    ck_assert_int_eq(space->reader->thread(space, thread_ref(GF_NESTED), &facts),
                     RC_STALE_HANDLE);
    /* And with it the nested team is another one. */
    ck_assert_int_eq(space->reader->region(space, nested, &region), RC_STALE_HANDLE);
    /* The thread has gone. */
    gf_number(gf, gf->pthread[GF_NESTED] + GF_TID_OFFSET, 4, 0);
    ck_assert_int_eq(space->reader->thread(space, thread_ref(GF_NESTED), &facts),
                     RC_STALE_HANDLE);

    /* A task that was run and given back: no queue has it. */
    for (unsigned i = 0; i < list.count; i++) {
        if ((list.ref[i].id & 0xffffffffffff) != gf->grouped)
            continue;
        ck_assert_int_eq(space->reader->task(space, list.ref[i], &task), RC_OK);
        for (unsigned k = 0; k < 3; k++)
            gf_put(gf,
                   gf->grouped + gf->layout->place[GOMP_gomp_task_pnode].offset + 16 * k,
                   GOMP_priority_node_prev, 0);
        ck_assert_int_eq(space->reader->task(space, list.ref[i], &task), RC_STALE_HANDLE);
    }
    /* The thread that ran it runs another. */
    gf_put(gf, gf->thread[GF_RUNS], GOMP_gomp_thread_task, gf->running);
    ck_assert_int_eq(space->reader->task(space, runs, &task), RC_STALE_HANDLE);

    /* The team has passed a barrier, perhaps that at the end of its region. */
    ck_assert_int_eq(space->reader->region(space, outer, &region), RC_OK);
    gf_put(gf, gf->team, GOMP_gomp_team_barrier_generation, 16 + 1);
    ck_assert_int_eq(space->reader->region(space, outer, &region), RC_OK);
    gf_put(gf, gf->team, GOMP_gomp_team_barrier_generation, 24);
    ck_assert_int_eq(space->reader->region(space, outer, &region), RC_STALE_HANDLE);
    ck_assert_int_eq(space->reader->task(space, implicit, &task), RC_STALE_HANDLE);
    end();
}
END_TEST

static bool count_thread(void *arg, struct ref ref, const struct thread_facts *facts)
{
    (void)ref;
    (void)facts;
    ++*(unsigned *)arg;
    return true;
}

static bool ask_region(void *arg, struct ref ref)
{
    struct region_facts region;
    (void)arg;
    space->reader->region(space, ref, &region);
    return true;
}

static bool ignore(void *arg, struct ref ref)
{
    (void)arg;
    (void)ref;
    return true;
}

static bool ask_thread(void *arg, struct ref ref)
{
    struct thread_facts facts;
    struct task_facts task;
    struct icv_facts icvs;
    (void)arg;
    if (space->reader->thread(space, ref, &facts) != RC_OK)
        return true;
    if (facts.region.known == KNOWN) {
        ask_region(NULL, facts.region.ref);
        space->reader->walk_team(space, facts.region.ref, ignore, NULL);
        space->reader->walk_implicit_tasks(space, facts.region.ref, ignore, NULL);
        gomp_walk_explicit_tasks(space, facts.region.ref, ignore, NULL);
    }
    struct ref at = facts.task.ref;
    for (unsigned depth = 0; facts.task.known == KNOWN && depth < 8; depth++) {
        if (space->reader->task(space, at, &task) != RC_OK)
            break;
        space->reader->icvs(space, at, &icvs);
        if (task.parent.known != KNOWN)
            break;
        at = task.parent.ref;
    }
    return true;
}

static bool ignore_task(void *arg, struct ref ref, const struct task_facts *facts)
{
    (void)facts;
    return ignore(arg, ref);
}

/* Every question about everything. */
static enum rc ask_all(void)
{
    unsigned threads = 0;
    struct ref found;
    struct global_facts globals;
    enum rc first = space->reader->walk_threads(space, ask_thread, NULL);
    enum rc rc = space->reader->each_thread(space, count_thread, &threads);
    first = first == RC_OK ? rc : first;
    rc = space->reader->each_task(space, ignore_task, NULL);
    first = first == RC_OK ? rc : first;
    for (unsigned i = 0; i < GF_THREADS; i++)
        space->reader->find_thread(space, OS_THREAD_LWP, GF_TID_FIRST + i, &found);
    space->reader->globals(space, &globals);
    return first;
}

START_TEST(callbacks_fail)
{
    /* Each callback of the opening in turn, then each of the questions. */
    for (unsigned n = 1;; n++) {
        gf = gf_new(LAYOUT(_i), MACHINE(_i));
        gf->fail_at = n;
        enum rc rc = space_create(&gf_ops, gf, &space);
        bool reached = gf->callbacks >= n;
        gf->fail_at = 0;
        if (rc == RC_OK)
            space_destroy(space);
        ck_assert_int_eq(gf->alive, 0);
        gf_free(gf);
        if (!reached)
            break;
    }
    begin(_i);
    ck_assert_int_eq(ask_all(), RC_OK);
    for (unsigned n = 1;; n++) {
        int alive = gf->alive;
        gf->fail_at = n;
        gf->callbacks = 0;
        ask_all();
        bool reached = gf->callbacks >= n;
        gf->fail_at = 0;
        ck_assert_int_le(gf->alive, alive + 1); /* the hints may have grown */
        if (!reached)
            break;
    }
    ck_assert_int_eq(ask_all(), RC_OK);
    end();
}
END_TEST

/* Walks that come back to where they were. */
START_TEST(rings_and_loops)
{
    begin(_i);
    struct region_facts region;
    struct ref outer = thread(GF_MASTER).region.ref;
    taddr node = gf->pthread[3] + GF_LIST_OFFSET;
    gf_number(gf, node, 8, node);
    ck_assert_int_eq(space->reader->walk_threads(space, ignore, NULL), RC_NONSENSE);
    gf_number(gf, node, 8, gf->pthread[1] + GF_LIST_OFFSET);
    ck_assert_int_eq(space->reader->walk_threads(space, ignore, NULL), RC_NONSENSE);
    ck_assert_int_eq(space->reader->region(space, outer, &region), RC_OK);

    taddr own = gf->waiting + gf->layout->place[GOMP_gomp_task_pnode].offset + 16;
    taddr other = gf->grouped + gf->layout->place[GOMP_gomp_task_pnode].offset + 16;
    gf_put(gf, own, GOMP_priority_node_next, other);
    gf_put(gf, other, GOMP_priority_node_next, other);
    ck_assert_int_eq(gomp_walk_explicit_tasks(space, outer, ignore, NULL), RC_NONSENSE);

    gf_put(gf, gf->running, GOMP_gomp_task_parent, gf->undeferred);
    struct task_facts task;
    struct ref runs = thread(GF_RUNS).task.ref;
    space->reader->task(space, runs, &task);
    ck_assert_int_eq(gomp_walk_explicit_tasks(space, outer, ignore, NULL), RC_NONSENSE);

    gf_put(gf, gf->nested, GOMP_gomp_team_prev_team, gf->nested);
    ask_all();
    ck_assert_uint_lt(gf->reads, 200000);
    end();
}
END_TEST

/* Words of the structures replaced by others of them, by odd ones and by chance. */
START_TEST(damaged_memory)
{
    for (unsigned seed = 0; seed < 60; seed++) {
        begin(_i);
        srandom(seed * 131 + (unsigned)_i);
        taddr first = gf->pthread[0] - 256, words = (gf->end - first) / 8;
        for (unsigned i = 0; i < 40; i++) {
            taddr at = first + 8 * ((taddr)random() % words);
            uint64_t value = 0;
            switch (random() % 4) {
            case 0:
                memcpy(&value,
                       gf->bytes + (first - GF_BASE + 8 * ((taddr)random() % words)), 8);
                break;
            case 1:
                value = first + 8 * ((taddr)random() % words);
                break;
            case 2:
                value = UINT64_MAX << random() % 64;
                break;
            default:
                value = (uint64_t)random();
            }
            gf_number(gf, at, 8, value);
        }
        gf->reads = 0;
        ask_all();
        ck_assert_uint_lt(gf->reads, 400000);
        ck_assert_uint_le(gf->largest, TARGET_BULK_BYTES);
        end();
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gomp");
    TCase *tests = tcase_create("gomp");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, tables_are_complete, 0, GOMP_LAYOUTS);
    tcase_add_loop_test(tests, recognised_with_its_layout, 0, KINDS);
    tcase_add_loop_test(tests, others_are_incompatible, 0, KINDS);
    tcase_add_loop_test(tests, before_the_linker_is_done, 0, KINDS);
    tcase_add_loop_test(tests, without_descriptors, 0, KINDS);
    tcase_add_loop_test(tests, what_threads_are, 0, KINDS);
    tcase_add_loop_test(tests, in_passing, 0, KINDS);
    tcase_add_loop_test(tests, regions, 0, KINDS);
    tcase_add_loop_test(tests, explicit_tasks, 0, KINDS);
    tcase_add_loop_test(tests, initial_tasks, 0, KINDS);
    tcase_add_loop_test(tests, stale_handles, 0, KINDS);
    tcase_add_loop_test(tests, callbacks_fail, 0, KINDS);
    tcase_add_loop_test(tests, rings_and_loops, 0, KINDS);
    tcase_add_loop_test(tests, damaged_memory, 0, KINDS);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
