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

/* An accessor that does something else than the table says; threads that are not as that of the
 * newest version says, as which one to come may look; no kernel ids; and a runtime that has not
 * begun. */
EACH(refuses, KMP_LAYOUTS)
{
    kf = kf_new((unsigned)_i);
    unsigned char *code = kf.gf->bytes + (kf.inner_load - GF_BASE);
    code[2] ^= 8; /* the second offset */
    ck_assert_int_eq(opening(), RC_INCOMPATIBLE);
    code[2] ^= 8;
    ck_assert_int_eq(opening(), RC_OK);
    for (unsigned i = 0; i < GF_THREADS; i++)
        if (i != KF_FOREIGN)
            kf_put(&kf, kf.gf->thread[i], KMP_kmp_base_info_gtid, 30 + i);
    bool is_newest = _i % (KMP_LAYOUTS / 2) == KMP_LAYOUTS / 2 - 1;
    ck_assert_int_eq(opening(), is_newest ? RC_INCOMPATIBLE : RC_OK);
    gf_number(kf.gf, kf.variable, 8, 0);
    ck_assert_int_eq(opening(), RC_OK);
    gf_hide(kf.gf, "_thread_db_pthread_tid");
    ck_assert_int_eq(opening(), RC_INCOMPATIBLE);
    kf_free(&kf);
}

static taddr kf_number(const struct kf *from, taddr at)
{
    taddr value;
    memcpy(&value, from->gf->bytes + (at - GF_BASE), sizeof value);
    return value;
}

static const taddr FAR = UINT64_C(1) << 40;

/* Before the dynamic linker has relocated the image, and when a pointer cannot be read: it may be
 * asked for again. */
EACH(is_relocated, KMP_LAYOUTS)
{
    kf = kf_new((unsigned)_i);
    bool has_pointers = kf_number(&kf, kf.pointers) != 0;
    if (has_pointers) {
        taddr first = kf.pointers;
        while (kf_number(&kf, first - 8))
            first -= 8;
        for (taddr at = first; at <= kf.pointers; at += 8)
            gf_number(kf.gf, at, 8, kf_number(&kf, at) + FAR);
        ck_assert_int_eq(opening(), RC_READ_ERROR);
        for (taddr at = first; at <= kf.pointers; at += 8)
            gf_number(kf.gf, at, 8, kf_number(&kf, at) - FAR);
        kf.gf->hole = first;
        ck_assert_int_eq(opening(), RC_READ_ERROR);
        kf.gf->hole = 0;
    }
    ck_assert_int_eq(opening(), RC_OK);
    kf_free(&kf);
}

/* What is behind a team's arguments is elsewhere on each machine, whatever fields are added. */
EACH(teams_by_machine, KMP_LAYOUTS / 2)
{
    enum { ARGUMENTS_END = 832, NEARER = 128, PADDING = 1024 };
    const struct kmp_layout *x86_64 = &kmp_layouts[_i],
                            *aarch64 = &kmp_layouts[_i + KMP_LAYOUTS / 2];
    ck_assert_int_eq(aarch64->machine, PROBE_AARCH64);
    ck_assert_uint_eq(aarch64->first_version, x86_64->first_version);
    ck_assert_uint_eq(aarch64->last_version, x86_64->last_version);
#define KMP_FIELD(s, f, path)                                                                      \
    {                                                                                              \
        struct kmp_place a = x86_64->place[KMP_##s##_##f], b = aarch64->place[KMP_##s##_##f];      \
        bool moved = KMP_STRUCT_##s == KMP_STRUCT_kmp_base_team && a.offset >= ARGUMENTS_END;      \
        bool padded = moved && a.offset >= ARGUMENTS_END + PADDING;                                \
        ck_assert_msg(a.offset - b.offset == (moved ? NEARER : 0) + (padded ? PADDING : 0),        \
                      #s "." #f);                                                                  \
        ck_assert_uint_eq(a.size, b.size);                                                         \
        ck_assert_uint_le(b.offset + b.size, aarch64->size[KMP_STRUCT_##s]);                       \
    }
#include "libompd/runtime/kmp-fields.def"
}

struct code {
    const char *name;
    unsigned count; /* of steps */
    bool has_slot;
    uint32_t word[8];
};

/* Each is a way to lose the pointer to the array of threads, but for the first two. */
TEST(aarch64_code)
{
    enum { ADRP_X8 = 0x90000008, SLOT_X8 = 0xf9400108, ELEMENT_X8 = 0xf860d908 };
    static const struct code all[] = {
        {"plain", 2, true, {ADRP_X8, SLOT_X8, ELEMENT_X8, 0xb9404100, 0xd65f03c0}},
        {"tbnz", 2, true, {ADRP_X8, SLOT_X8, 0x37280088, 0xf8607908, 0xb9404100}},
        {"bl", 1, false, {ADRP_X8, SLOT_X8, 0x94000001, ELEMENT_X8, 0xb9404100}},
        {"blr x1", 1, false, {ADRP_X8, SLOT_X8, 0xd63f0020, ELEMENT_X8, 0xb9404100}},
        {"ldp x9,x8,[x1]", 1, false, {ADRP_X8, SLOT_X8, 0xa9402029, ELEMENT_X8, 0xb9404100}},
        {"ldr x9,[x8],#8", 1, false, {ADRP_X8, SLOT_X8, 0xf8408509, ELEMENT_X8, 0xb9404100}},
        {"str x9,[x8,#-8]!", 1, false, {ADRP_X8, SLOT_X8, 0xf81f8d09, ELEMENT_X8, 0xb9404100}},
        {"stp x9,x9,[x8],#16", 1, false, {ADRP_X8, SLOT_X8, 0xa8812509, ELEMENT_X8, 0xb9404100}},
        {"not scaled", 1, false, {ADRP_X8, SLOT_X8, 0xf860c908, 0xb9404100}},
        {"of 4 bytes", 1, false, {ADRP_X8, SLOT_X8, 0xb860d908, 0xb9404100}},
        {"ret", 1, false, {ADRP_X8, SLOT_X8, 0xd65f03c0, ELEMENT_X8, 0xb9404100}},
    };
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        struct probe_trace trace;
        unsigned char code[sizeof all[i].word];
        for (unsigned k = 0; k < sizeof code; k++)
            code[k] = (unsigned char)(all[i].word[k / 4] >> k % 4 * 8);
        probe_aarch64(code, sizeof code, 0x400000, &trace);
        ck_assert_msg(trace.count == all[i].count, "%s: %u steps", all[i].name, trace.count);
        ck_assert_int_eq(trace.has_slot, all[i].has_slot);
    }
    /* b goes backwards, too. */
    struct probe_trace trace;
    probe_aarch64((const unsigned char *)"\xff\xff\xff\x17", 4, 0x400000, &trace);
    ck_assert(trace.returns);
    ck_assert_uint_eq(trace.tail, 0x3ffffc);
}

/* In a forked child there is one of its parent's threads. */
OPENED(ghosts)
{
    unsigned count = 0;
    kf.gf->tells = true;
    kf.gf->gone = ~(1u << KF_LEADS);
    ck_assert_int_eq(ASK(each_thread, count_thread, &count), RC_OK);
    ck_assert_uint_eq(count, 1);
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
        ASK(walk_members, at, MEMBER_THREADS, ignore, NULL);
        ASK(walk_members, at, MEMBER_TASKS, ignore, NULL);
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

EACH(callbacks_fail, KMP_LAYOUTS)
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

/* Words of the runtime's objects that point to other objects, or say large numbers. */
OPENED(memory_is_spoilt)
{
    static const uint64_t odd[] = {0, 1, 7, UINT32_MAX, INT32_MAX, UINT64_MAX, 1u << 20};
    unsigned char *whole = malloc(GF_BYTES);
    memcpy(whole, kf.gf->bytes, GF_BYTES);
    srand(1 + (unsigned)_i);
    for (unsigned round = 0; round < 1500; round++) {
        for (int changes = 1 + rand() % 4; changes; changes--) {
            taddr at = kf.gf->object[(unsigned)rand() % kf.gf->objects];
            at += 8 * (taddr)(rand() % (rand() % 2 ? 16 : 160));
            uint64_t value = rand() % 2 ? kf.gf->object[(unsigned)rand() % kf.gf->objects]
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
}

/* Lists that come back to where they were. */
OPENED(cycles)
{
    kf_put(&kf, kf.team, KMP_kmp_base_team_parent, kf.nested);
    kf_put(&kf, kf.lock, KMP_kmp_base_queuing_lock_tail, 77);
    kf_put(&kf, kf.gf->thread[KF_LOCK], KMP_kmp_base_info_next_waiting, kf_gtid[KF_LOCK] + 1);
    kf_put(&kf, kf_implicit(&kf, kf.team, 0), KMP_kmp_taskdata_parent, kf.running);
    ask_all();
}
