/* SPDX-License-Identifier: MIT
 *
 * Which libgomp is it, and is it one that can be read? Over a fake process in every
 * layout.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "gomp-unit.h"

EACH(tables_are_complete, GOMP_LAYOUTS)
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
    ck_assert_uint_eq(arrays, 4);
}

OPENED(recognised_with_its_layout)
{
    ck_assert_str_eq(the_instance()->reader->name, "gomp");
    ck_assert_ptr_eq(gomp_state(the_instance())->layout, gf->layout);
    ck_assert_uint_eq(gomp_state(the_instance())->version, gf->layout->last_version);
    unsigned lookups = gf->lookups;
    thread(GF_MASTER);
    ck_assert_uint_eq(gf->lookups, lookups);
}

static enum rc open_again(void)
{
    enum rc rc = space_create(&gf_ops, gf, &space);
    if (rc == RC_OK)
        space_destroy(space);
    ck_assert_int_eq(gf->alive, 0);
    return rc;
}

/* Not the newest one, which one to come may look like. */
static bool is_certain(int kind)
{
    return LAYOUT(kind) != GOMP_LAYOUTS - 1;
}

EACH(others_are_incompatible, KINDS)
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
    /* Threads that contradict the layout: no team lists them. That is no news of a version that
     * only its code can be. */
    gf = gf_new(LAYOUT(_i), MACHINE(_i));
    for (unsigned i = GF_MASTER; i <= GF_NESTED; i++)
        gf_put(gf, gf->thread[i], GOMP_gomp_thread_team_id, 7);
    gf_put(gf, gf->pool, GOMP_gomp_thread_pool_last_team, 0);
    gf_put(gf, gf->thread[GF_IDLE], GOMP_gomp_thread_team_id, 7);
    ck_assert_int_eq(open_again(), is_certain(_i) ? RC_OK : RC_INCOMPATIBLE);
    gf_free(gf);
}

/* GCC 9 has the accessors of GCC 10, and those of GCC 8 may look alike. */
EACH(older_versions, KINDS)
{
    unsigned kind = (unsigned)_i / GOMP_LAYOUTS * GOMP_LAYOUTS;
    gf = gf_new(LAYOUT(kind), MACHINE(kind));
    gf_hide(gf, "acc_get_property");
    ck_assert_int_eq(open_again(), RC_OK);
    /* Members that the layout does not describe. */
    gf_put(gf, gf->team, GOMP_gomp_team_ordered_release, 0x1111);
    gf_put(gf, gf->nested, GOMP_gomp_team_ordered_release, 0x1111);
    ck_assert_int_eq(open_again(), RC_INCOMPATIBLE);
    gf_free(gf);
    gf = gf_new(LAYOUT(kind), MACHINE(kind));
    gf_hide(gf, "acc_get_property");
    gf_hide(gf, "GOMP_parallel_reductions");
    ck_assert_int_eq(open_again(), RC_INCOMPATIBLE);
    gf_free(gf);
}

/* A version that nobody knows: it has all symbols and more. Where its code and its teams
 * are as the newest table says it is read; where they are not it is incompatible. */
EACH(newer_versions, KINDS)
{
    static const enum gomp_field moved[] = {
        GOMP_gomp_team_ordered_release, GOMP_gomp_team_barrier_total, GOMP_gomp_team_prev_level};
    unsigned kind = GOMP_LAYOUTS - 1 + (unsigned)_i / GOMP_LAYOUTS * GOMP_LAYOUTS;
    gf = gf_new(LAYOUT(kind), MACHINE(kind));
    gf->symbol[gf->symbols].name = "omp_of_a_version_to_come";
    gf->symbol[gf->symbols++].address = GF_BASE + 64;
    ck_assert_int_eq(open_again(), RC_OK);
    gf_free(gf);
    for (unsigned i = 0; i < sizeof moved / sizeof *moved; i++) {
        gf = gf_new(LAYOUT(kind), MACHINE(kind));
        const taddr team[] = {gf->team, gf->nested, gf->idle_team};
        uint32_t from = gf->layout->place[moved[i]].offset;
        uint32_t bytes = gf->layout->size[GOMP_STRUCT_gomp_team] - from + 8;
        for (unsigned t = 0; t < 3; t++) {
            unsigned char *at = gf->bytes + (team[t] - GF_BASE) + from;
            memmove(at + 8, at, bytes);
            memset(at, 0x11, 8);
        }
        ck_assert_msg(open_again() == RC_INCOMPATIBLE, "field %u", i);
        gf_free(gf);
    }
}

/* The newest version that is known and one to come look alike until a thread is in a team:
 * what was opened before is not believed without that. */
EACH(opened_before_the_first_region, KINDS)
{
    unsigned kind = GOMP_LAYOUTS - 1 + (unsigned)_i / GOMP_LAYOUTS * GOMP_LAYOUTS;
    static unsigned char early[GF_BYTES], later[GF_BYTES];
    unsigned threads = 0;
    struct ref found;
    struct thread_facts facts;
    gf = gf_new(LAYOUT(kind), MACHINE(kind));
    memcpy(later, gf->bytes, sizeof later);
    for (unsigned i = 0; i < GF_THREADS; i++)
        memset(gf->bytes + (gf->thread[i] - GF_BASE), 0, gf->layout->size[GOMP_STRUCT_gomp_thread]);
    memcpy(early, gf->bytes, sizeof early);
    ck_assert_int_eq(space_create(&gf_ops, gf, &space), RC_OK);
    ck_assert_int_eq(ASK(walk_threads, count_ref, &threads), RC_OK);
    ck_assert_uint_eq(threads, 0);

    /* Teams that the layout does not describe. */
    memcpy(gf->bytes, later, sizeof later);
    gf_put(gf, gf->team, GOMP_gomp_team_ordered_release, 0x1111);
    gf_put(gf, gf->nested, GOMP_gomp_team_ordered_release, 0x1111);
    ck_assert_int_eq(ASK(walk_threads, count_ref, &threads), RC_INCOMPATIBLE);
    ck_assert_uint_eq(threads, 0);
    ck_assert_int_eq(ASK(find_thread, OS_THREAD_LWP, GF_TID_FIRST, &found), RC_INCOMPATIBLE);
    ck_assert_int_eq(ASK(thread, thread_ref(GF_MASTER), &facts), RC_INCOMPATIBLE);

    /* Those that it does; then it stays believed. */
    memcpy(gf->bytes, later, sizeof later);
    ck_assert_int_eq(ASK(walk_threads, count_ref, &threads), RC_OK);
    ck_assert_uint_eq(threads, GF_THREADS - 1);
    memcpy(gf->bytes, early, sizeof early);
    unsigned reads = gf->reads;
    ck_assert_int_eq(ASK(thread, thread_ref(GF_SERIAL), &facts), RC_OK);
    ck_assert_uint_le(gf->reads - reads, 5);
    end();
}

/* Between a region's end and its team's return to the pool: nobody is a member, and all
 * is in order. */
EACH(opened_at_the_end_of_a_region, KINDS)
{
    gf = gf_new(LAYOUT(_i), MACHINE(_i));
    gf_put(gf, gf->thread[GF_MASTER], GOMP_gomp_thread_team, 0);
    gf_put(gf, gf->thread[GF_MASTER], GOMP_gomp_thread_level, 0);
    for (unsigned i = GF_LEADS; i <= GF_NESTED; i++) {
        unsigned id = i < GF_NESTED ? i : 1;
        taddr team = i < GF_NESTED ? gf->team : gf->nested;
        gf_put(gf, gf->thread[i], GOMP_gomp_thread_team, team);
        gf_put(gf, gf->thread[i], GOMP_gomp_thread_level, i < GF_NESTED ? 1 : 2);
        gf_put(gf, gf->thread[i], GOMP_gomp_thread_team_id, id);
        gf_put(gf, gf->thread[i], GOMP_gomp_thread_task, gf_implicit(gf, team, id));
    }
    ck_assert_int_eq(open_again(), RC_OK);
    gf_free(gf);
}

EACH(before_the_linker_is_done, KINDS)
{
    gf = gf_new(LAYOUT(_i), MACHINE(_i));
    uint64_t distance = 0;
    memcpy(&distance, gf->bytes + (gf->slot - GF_BASE), 8);
    gf_number(gf, gf->slot, 8, 0);
    ck_assert_int_eq(space_create(&gf_ops, gf, &space), RC_OK);
    struct ref found;
    ck_assert_int_eq(ASK(find_thread, OS_THREAD_LWP, GF_TID_FIRST, &found), RC_UNAVAILABLE);
    gf_number(gf, gf->slot, 8, distance);
    ck_assert_int_eq(ASK(find_thread, OS_THREAD_LWP, GF_TID_FIRST, &found), RC_OK);
    end();
}

/* A program that was linked statically has glibc's lists and no description of them. */
EACH(without_descriptors, KINDS)
{
    unsigned threads = 0;
    gf = gf_new(LAYOUT(_i), MACHINE(_i));
    gf_hide(gf, "_rtld_global");
    gf_hide(gf, "_thread_db_pthread_list");
    gf_hide(gf, "_thread_db_pthread_tid");
    gf_hide(gf, "_thread_db_sizeof_pthread");
    ck_assert_int_eq(space_create(&gf_ops, gf, &space), RC_OK);
    enum rc rc = ASK(walk_threads, count_ref, &threads);
    if (MACHINE(_i) == PROBE_X86_64) {
        ck_assert_int_eq(rc, RC_OK);
        ck_assert_uint_eq(threads, GF_THREADS - 1);
    } else {
        ck_assert_int_eq(rc, RC_UNSUPPORTED);
    }
    end();
}
