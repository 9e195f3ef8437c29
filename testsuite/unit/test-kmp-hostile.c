/* SPDX-License-Identifier: MIT
 *
 * Which process the reader of LLVM's runtime refuses, and that each question about everything
 * ends whatever fails and whatever memory claims.
 */
#include <stdlib.h>
#include <string.h>

#include "kmp-unit.h"

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
    (void)arg;
    if (ASK(thread, ref, &facts) != RC_OK)
        return true;
    struct ref at = facts.region.ref;
    for (unsigned i = 0; facts.region.known == KNOWN && i < 8; i++) {
        if (ASK(region, at, &region) != RC_OK)
            break;
        ASK(walk_team, at, ignore, NULL);
        ASK(walk_implicit_tasks, at, ignore, NULL);
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
    TCase *tests = tcase_create("kmp-hostile");
    EACH(refuses);
    EACH(ghosts);
    EACH(callbacks_fail);
    EACH(memory_is_spoilt);
    EACH(cycles);
    return kmp_unit_main(tests);
}
