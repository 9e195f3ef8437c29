/* SPDX-License-Identifier: MIT
 *
 * The reader of a stock libgomp when callbacks fail and memory claims nonsense: every
 * question about everything ends, within bounds, and leaves nothing behind.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "gomp-unit.h"

static bool ask_region(void *arg, struct ref ref)
{
    struct region_facts region;
    (void)arg;
    ASK(region, ref, &region);
    return true;
}

static bool ask_thread(void *arg, struct ref ref)
{
    struct thread_facts facts;
    struct task_facts task;
    struct icv_facts icvs;
    (void)arg;
    if (ASK(thread, ref, &facts) != RC_OK)
        return true;
    if (facts.region.known == KNOWN) {
        ask_region(NULL, facts.region.ref);
        ASK(walk_members, facts.region.ref, MEMBER_THREADS, ignore, NULL);
        ASK(walk_members, facts.region.ref, MEMBER_TASKS, ignore, NULL);
    }
    struct ref at = facts.task.ref;
    for (unsigned depth = 0; facts.task.known == KNOWN && depth < 8; depth++) {
        if (ASK(task, at, &task) != RC_OK)
            break;
        ASK(icvs, at, &icvs);
        if (task.parent.known != KNOWN)
            break;
        at = task.parent.ref;
    }
    return true;
}

static bool take_task(void *arg, struct ref ref, const struct task_facts *facts)
{
    (void)facts;
    return take(arg, ref);
}

/* Every question about everything. */
static enum rc ask_all(void)
{
    unsigned threads = 0;
    struct ref found;
    struct global_facts globals;
    enum rc first = ASK(walk_threads, ask_thread, NULL);
    enum rc rc = ASK(each_thread, count_thread, &threads);
    first = first == RC_OK ? rc : first;
    rc = ASK(each_task, ignore_task, NULL);
    first = first == RC_OK ? rc : first;
    for (unsigned i = 0; i < GF_THREADS; i++)
        ASK(find_thread, OS_THREAD_LWP, GF_TID_FIRST + i, &found);
    ASK(globals, &globals);
    return first;
}

EACH(callbacks_fail, KINDS)
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

/* Walks that come back to where they were. */
OPENED(rings_and_loops)
{
    struct region_facts region;
    struct ref outer = thread(GF_MASTER).region.ref;
    taddr node = gf->pthread[3] + GF_LIST_OFFSET;
    gf_number(gf, node, 8, node);
    ck_assert_int_eq(ASK(walk_threads, ignore, NULL), RC_NONSENSE);
    gf_number(gf, node, 8, gf->pthread[1] + GF_LIST_OFFSET);
    ck_assert_int_eq(ASK(walk_threads, ignore, NULL), RC_NONSENSE);
    ck_assert_int_eq(ASK(region, outer, &region), RC_OK);

    gf_number(gf, node, 8, gf->pthread[4] + GF_LIST_OFFSET);
    taddr own = gf->waiting + gf->layout->place[GOMP_gomp_task_pnode].offset + 16;
    taddr other = gf->grouped + gf->layout->place[GOMP_gomp_task_pnode].offset + 16;
    gf_put(gf, own, GOMP_priority_node_next, other);
    gf_put(gf, other, GOMP_priority_node_next, other);
    ck_assert_int_eq(ASK(each_task, ignore_task, NULL), RC_INCOMPLETE);

    gf_put(gf, gf->running, GOMP_gomp_task_parent, gf->undeferred);
    struct task_facts task;
    struct ref runs = thread(GF_RUNS).task.ref;
    ASK(task, runs, &task);
    ck_assert_int_eq(ASK(each_task, ignore_task, NULL), RC_INCOMPLETE);

    gf_put(gf, gf->nested, GOMP_gomp_team_prev_team, gf->nested);
    ask_all();
    ck_assert_uint_lt(gf->reads, 200000);
}

/* Words of the structures replaced by others of them, by odd ones and by chance. */
EACH(damaged_memory, KINDS)
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
                memcpy(&value, gf->bytes + (first - GF_BASE + 8 * ((taddr)random() % words)), 8);
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

/* A query that has taken all its steps ends, whatever it was about to do. */
OPENED(steps_run_out)
{
    struct gomp_state *state = gomp_state(the_instance());
    struct ref outer = thread(GF_MASTER).region.ref, found;
    struct region_facts region;
    unsigned count = 0;
    uint32_t needed;
    gomp_begin(the_instance());
    ck_assert_int_eq(ask_all(), RC_OK);
    needed = QUERY_STEPS_MAX - state->memory.query.steps;
    memory_end(the_instance());
    ck_assert_uint_gt(needed, QUERY_READ_STEPS);
    ck_assert_uint_lt(needed, 1 << 20);
    for (uint32_t steps = 0; steps < needed; steps += 1 + steps / 64) {
        gomp_begin(the_instance());
        state->memory.query.steps = steps;
        int alive = gf->alive;
        enum rc rc = ask_all();
        ck_assert_int_le(gf->alive, alive + 1); /* the hints may have grown */
        ck_assert_uint_le(state->memory.query.steps, steps);
        memory_end(the_instance());
        ck_assert(rc == RC_OK || rc == RC_INCOMPLETE || rc == RC_NONSENSE);
    }
    gomp_begin(the_instance());
    state->memory.query.steps = 0;
    ck_assert_int_eq(ASK(each_thread, count_thread, &count), RC_INCOMPLETE);
    ck_assert_int_eq(ASK(each_task, ignore_task, NULL), RC_INCOMPLETE);
    ck_assert_int_eq(ASK(region, outer, &region), RC_NONSENSE);
    ck_assert_int_eq(ASK(find_thread, OS_THREAD_LWP, GF_TID_FIRST, &found), RC_NONSENSE);
    ck_assert_uint_eq(count, 0);
    memory_end(the_instance());
    ck_assert_int_eq(ask_all(), RC_OK);
}

/* The number that makes an odd one 1 when they are multiplied. */
static uint64_t inverse(uint64_t number)
{
    uint64_t found = number;
    for (unsigned i = 0; i < 6; i++)
        found *= 2 - number * found;
    return found;
}

/* Tasks that wait for one, at addresses that fall into one place of the table in which
 * they are gathered. */
EACH(addresses_that_collide, KINDS)
{
    enum { MANY = 60000, STEPS = 1 << 20 };
    begin(_i);
    uint64_t back = inverse(UINT64_C(0x9e3779b97f4a7c15));
    taddr vector = gf->end;
    gf->end = GF_BASE + GF_BYTES;
    gf_put(gf, gf->waiting, GOMP_gomp_task_dependers, vector);
    gf_put(gf, vector, GOMP_gomp_dependers_vec_n_elem, MANY);
    vector += gf->layout->place[GOMP_gomp_dependers_vec_elem].offset;
    for (uint64_t i = 1; i <= MANY; i++)
        gf_number(gf, vector + 8 * (i - 1), 8, 8 * i * back);
    gomp_begin(the_instance());
    gomp_state(the_instance())->memory.query.steps = STEPS;
    ck_assert_int_eq(ASK(each_task, ignore_task, NULL), RC_INCOMPLETE);
    memory_end(the_instance());
    end();
}

static bool take_marks(void *arg, struct ref ref, const struct thread_facts *facts)
{
    struct list *list = arg;
    assert_known(facts->lwp, ref.id - ID_IS_MADE);
    if (facts->state.known == UNREADABLE) {
        ck_assert_int_eq(facts->region.known, UNREADABLE);
        ck_assert_int_eq(facts->task.known, UNREADABLE);
        ck_assert_int_eq(facts->thread_num.known, UNREADABLE);
        return take(list, ref);
    }
    assert_known(facts->state, thread((unsigned)(ref.id - ID_IS_MADE - GF_TID_FIRST)).state.value);
    return true;
}

/* One thread whose pool is freed, or whose own data cannot be read. */
OPENED(a_thread_that_cannot_be_read)
{
    struct list marked = {0}, tasks = {0}, all = {0};
    ck_assert_int_eq(ASK(each_task, take_task, &all), RC_OK);
    gf_put(gf, gf->thread[GF_SERIAL], GOMP_gomp_thread_pool, 0x10);
    gf_put(gf, gf->thread[GF_SERIAL], GOMP_gomp_thread_level, 1);
    gf_put(gf, gf->thread[GF_SERIAL], GOMP_gomp_thread_team, gf->team);
    ck_assert_int_eq(ASK(each_thread, take_marks, &marked), RC_OK);
    ck_assert_uint_eq(marked.count, 1);
    ck_assert_uint_eq(marked.ref[0].id, ID_IS_MADE + GF_TID_FIRST + GF_SERIAL);
    ck_assert_int_eq(ASK(each_task, take_task, &tasks), RC_INCOMPLETE);
    ck_assert_uint_eq(tasks.count, all.count - 1);
    struct lock_facts lock;
    taddr at = gf->slot + 16, icv = gf->layout->place[GOMP_gomp_task_icv].offset;
    gf_number(gf, at, 4, 1);
    gf_number(gf, at + 4, 4, 1);
    gf_number(gf, at + 8, 8, gf->undeferred + icv);
    ck_assert_int_eq(ASK(lock, at, LOCK_KIND_NEST, &lock), RC_OK);
    ck_assert_int_eq(lock.owner.known, KNOWN);
    gf_number(gf, at + 8, 8, gf->initial + icv);
    ck_assert_int_eq(ASK(lock, at, LOCK_KIND_NEST, &lock), RC_OK);
    ck_assert_int_eq(lock.owner.known, UNREADABLE);

    unsigned threads = 0;
    gf->hole = gf->thread[GF_SERIAL];
    marked.count = tasks.count = 0;
    ck_assert_int_eq(ASK(each_thread, take_marks, &marked), RC_INCOMPLETE);
    ck_assert_uint_eq(marked.count, 0);
    ck_assert_int_eq(ASK(walk_threads, count_ref, &threads), RC_OK);
    ck_assert_uint_eq(threads, GF_THREADS - 2);
    ck_assert_int_eq(ASK(each_task, take_task, &tasks), RC_INCOMPLETE);
    ck_assert_uint_eq(tasks.count, all.count - 1);
}

/* The code of a read is that of every fact that it would have given. */
EACH(codes_of_reads, KINDS)
{
    static const enum rc codes[] = {RC_READ_ERROR, RC_CALLBACK_ERROR, RC_CALLBACK_UNAVAILABLE,
                                    RC_CALLBACK_UNSUPPORTED, RC_CALLBACK_WRITE_ERROR};
    begin(_i);
    struct handle *thread, *region;
    uint64_t lwp = GF_TID_FIRST + GF_MASTER, state;
    ck_assert_int_eq(thread_of_os_id(space, OS_THREAD_LWP, sizeof lwp, &lwp, &thread), RC_OK);
    gf->hole = gf->team + gf->layout->place[GOMP_gomp_team_nthreads].offset;
    for (unsigned i = 0; i < sizeof codes / sizeof *codes; i++) {
        struct thread_facts facts;
        gf->why = codes[i];
        ck_assert_int_eq(facts_of_thread(thread, &facts), RC_OK);
        assert_known(facts.lwp, lwp);
        ck_assert_int_eq(fact_value(facts.state, &state), codes[i]);
        ck_assert_int_eq(region_of_thread(thread, &region), codes[i]);
    }
    handle_release(thread, HANDLE_THREAD);
    end();
}

/* Structures that would reach around the end of memory. */
EACH(ends_of_memory, KINDS)
{
    struct gomp_thread thread;
    begin(_i);
    for (taddr below = 8; below <= GF_TID_OFFSET; below += 8)
        ck_assert_int_eq(gomp_read_thread(the_instance(), 0 - below, &thread), RC_NONSENSE);
    for (taddr below = 8; below <= 64; below += 8)
        ck_assert_int_ne(gomp_read_thread_at(the_instance(), 0 - below, &thread), RC_OK);
    end();
    if (MACHINE(_i) != PROBE_X86_64)
        return;
    /* The word that says how far the thread's data stand below struct pthread. */
    for (taddr below = 8; below <= 64; below += 8) {
        gf = gf_new(LAYOUT(_i), MACHINE(_i));
        gf_number(gf, gf->slot, 8, 0 - (gf->pthread[GF_MASTER] + below));
        if (space_create(&gf_ops, gf, &space) == RC_OK) {
            ck_assert_int_eq(gomp_read_thread(the_instance(), gf->pthread[GF_MASTER], &thread),
                             RC_NONSENSE);
            ck_assert_int_eq(ASK(walk_threads, ignore, NULL), RC_NONSENSE);
            space_destroy(space);
        }
        gf_free(gf);
    }
}

/* A descriptor that puts the kernel's id where nothing of the head has been read. */
EACH(small_head, KINDS)
{
    struct gomp_thread thread;
    begin(_i);
    struct gomp_state *state = gomp_state(the_instance());
    state->memory.pthreads.tid_offset = 4;
    gf_number(gf, gf->pthread[GF_FOREIGN] + 4, 4, GF_TID_FIRST);
    ck_assert_int_eq(gomp_read_thread(the_instance(), gf->pthread[GF_FOREIGN], &thread), RC_OK);
    ck_assert_uint_eq(thread.tid, GF_TID_FIRST);
    end();
}
