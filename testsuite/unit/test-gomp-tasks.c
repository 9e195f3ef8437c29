/* SPDX-License-Identifier: MIT
 *
 * Tasks of a stock libgomp and handles that went stale, over a fake process in every
 * layout.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "gomp-unit.h"
#include "libompd/runtime/gomp-task.h"

static bool take_task(void *arg, struct ref ref, const struct task_facts *facts)
{
    (void)facts;
    return take(arg, ref);
}

static bool take_explicit(void *arg, struct ref ref, const struct task_facts *facts)
{
    return !facts->is_explicit.value || take(arg, ref);
}

OPENED(explicit_tasks)
{
    struct list list = {0};
    struct ref region = thread(GF_MASTER).region.ref;
    ck_assert_int_eq(ASK(each_task, take_explicit, &list), RC_OK);
    taddr expected[] = {gf->running, gf->waiting, gf->blocked, gf->grouped, gf->undeferred};
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
        assert_known(task.progress, runs                         ? TASK_PROGRESS_RUNNING
                                    : expected[i] == gf->blocked ? TASK_PROGRESS_WAITING
                                                                 : TASK_PROGRESS_READY);
        ck_assert_int_eq(task.thread.known, runs ? KNOWN : NONE_HERE);
        if (runs)
            ck_assert_uint_eq(task.thread.ref.id, ID_IS_MADE + GF_TID_FIRST + GF_RUNS);
        ck_assert_int_eq(task.parent.known, expected[i] == gf->grouped ? NONE_HERE : KNOWN);
    }
    struct task_facts current = task_of(thread(GF_RUNS).task.ref);
    assert_known(current.undeferred, 1);
    assert_known(current.thread_num, 2);
    ck_assert_int_eq(current.event.known, NEEDS_TRACKING);
    gf_put(gf, gf->undeferred, GOMP_gomp_task_completion_sem, gf->undeferred - 8);
    current = task_of(thread(GF_RUNS).task.ref);
    ck_assert_int_eq(current.event.known, gf->layout->first_version > 10 ? KNOWN : NEEDS_TRACKING);
    if (current.event.known == KNOWN)
        assert_known(current.event, gf->undeferred);

    struct list all = {0};
    ck_assert_int_eq(ASK(each_task, take_task, &all), RC_OK);
    ck_assert_uint_eq(all.count, 5 + 2); /* and two initial tasks */
}

OPENED(initial_tasks)
{
    struct task_facts own = task_of(thread(GF_SERIAL).task.ref);
    assert_known(own.kind, TASK_KIND_INITIAL);
    assert_known(own.level, 0);
    ck_assert_int_eq(own.parent.known, NONE_HERE);
    ck_assert_int_eq(own.region.known, NONE_HERE);
    struct region_facts region;
    ck_assert_int_eq(
        the_instance()->reader->region(the_instance(), thread(GF_MASTER).region.ref, &region),
        RC_OK);
    /* Its thread has no struct for it, and it is a task all the same. */
    struct task_facts initial = task_of(region.encountering_task.ref);
    assert_known(initial.kind, TASK_KIND_INITIAL);
    ck_assert_uint_eq(initial.thread.ref.id, ID_IS_MADE + GF_TID_FIRST + GF_MASTER);
}

OPENED(stale_handles)
{
    struct region_facts region;
    struct thread_facts facts;
    struct task_facts task;
    struct ref nested = thread(GF_NESTED).region.ref, outer = thread(GF_MASTER).region.ref;
    struct ref implicit = thread(GF_MASTER).task.ref, runs = thread(GF_RUNS).task.ref;
    struct list list = {0};
    ck_assert_int_eq(ASK(each_task, take_explicit, &list), RC_OK);

    /* Another thread got the memory of this one. */
    gf_number(gf, gf->pthread[GF_NESTED] + GF_TID_OFFSET, 4, 4711);
    ck_assert_int_eq(ASK(thread, thread_ref(GF_NESTED), &facts), RC_STALE_HANDLE);
    /* And with it the nested team is another one. */
    ck_assert_int_eq(ASK(region, nested, &region), RC_STALE_HANDLE);
    /* The thread has gone. */
    gf_number(gf, gf->pthread[GF_NESTED] + GF_TID_OFFSET, 4, 0);
    ck_assert_int_eq(ASK(thread, thread_ref(GF_NESTED), &facts), RC_STALE_HANDLE);

    /* A task that was run and given back: no queue has it. */
    for (unsigned i = 0; i < list.count; i++) {
        if ((list.ref[i].id & 0xffffffffffff) != gf->grouped)
            continue;
        ck_assert_int_eq(ASK(task, list.ref[i], &task), RC_OK);
        for (unsigned k = 0; k < 3; k++)
            gf_put(gf, gf->grouped + gf->layout->place[GOMP_gomp_task_pnode].offset + 16 * k,
                   GOMP_priority_node_prev, 0);
        ck_assert_int_eq(ASK(task, list.ref[i], &task), RC_STALE_HANDLE);
    }
    /* The thread that ran it runs another. */
    gf_put(gf, gf->thread[GF_RUNS], GOMP_gomp_thread_task, gf->running);
    ck_assert_int_eq(ASK(task, runs, &task), RC_STALE_HANDLE);

    /* The team has passed a barrier, perhaps that at the end of its region. */
    ck_assert_int_eq(ASK(region, outer, &region), RC_OK);
    gf_put(gf, gf->team, GOMP_gomp_team_barrier_generation, 16 + 1);
    ck_assert_int_eq(ASK(region, outer, &region), RC_OK);
    gf_put(gf, gf->team, GOMP_gomp_team_barrier_generation, 24);
    ck_assert_int_eq(ASK(region, outer, &region), RC_STALE_HANDLE);
    ck_assert_int_eq(ASK(task, implicit, &task), RC_STALE_HANDLE);
}

/* Many tasks have one parent: whose thread that is is searched for once in a query. */
OPENED(a_runner_is_searched_once)
{
    struct gomp_state *state = gomp_state(the_instance());
    struct gomp_located task;
    for (unsigned found = 0; found < 2; found++) {
        gomp_begin(the_instance());
        memset(&task, 0, sizeof task);
        ck_assert_int_eq(gomp_read_team(the_instance(), gf->team, &task.team), RC_OK);
        task.task.address = found ? gf->running : gf->waiting;
        ck_assert_int_eq(gomp_find_runner(the_instance(), &task), RC_OK);
        ck_assert_int_eq(task.has_thread, found);
        uint32_t steps = state->memory.query.steps;
        struct gomp_located again = {.team = task.team, .task = task.task};
        ck_assert_int_eq(gomp_find_runner(the_instance(), &again), RC_OK);
        ck_assert_uint_eq(state->memory.query.steps, steps);
        ck_assert_int_eq(again.has_thread, found);
        if (found) {
            ck_assert_uint_eq(again.number, 2);
            ck_assert_uint_eq(again.thread.address, gf->thread[GF_RUNS]);
        }
        memory_end(the_instance());
        /* The process may have gone on since. */
        gf_put(gf, gf->thread[GF_RUNS], GOMP_gomp_thread_task, gf_implicit(gf, gf->team, 2));
        gomp_begin(the_instance());
        task.has_thread = false;
        ck_assert_int_eq(gomp_find_runner(the_instance(), &task), RC_OK);
        ck_assert(!task.has_thread);
        memory_end(the_instance());
        gf_put(gf, gf->thread[GF_RUNS], GOMP_gomp_thread_task, gf->running);
    }
}

static struct task_facts facts_of_running(void)
{
    struct gomp_team team;
    struct ref ref;
    ck_assert_int_eq(gomp_read_team(the_instance(), gf->team, &team), RC_OK);
    ck_assert_int_eq(gomp_team_task_ref(the_instance(), &team, gf->running, &ref), RC_OK);
    return task_of(ref);
}

/* Two threads run children of a task that one of them has begun. */
OPENED(who_has_begun_a_task)
{
    gf_put(gf, gf->waiting, GOMP_gomp_task_parent, gf->running);
    gf_put(gf, gf->waiting, GOMP_gomp_task_kind, GOMP_KIND_TIED);
    gf_put(gf, gf->thread[GF_WAITS], GOMP_gomp_thread_task, gf->waiting);
    struct task_facts task = facts_of_running();
    ck_assert_int_eq(task.thread.known, NEEDS_TRACKING);
    ck_assert_int_eq(task.thread_num.known, NEEDS_TRACKING);
    static const unsigned inside[] = {GF_RUNS, GF_WAITS};
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned k = 0; k < 2; k++)
            gf_put(gf, gf->thread[inside[k]], GOMP_gomp_thread_task,
                   k == i ? gf->running : gf->waiting);
        task = facts_of_running();
        ck_assert_int_eq(task.thread.known, KNOWN);
        ck_assert_uint_eq(task.thread.ref.id, ID_IS_MADE + GF_TID_FIRST + inside[i]);
        assert_known(task.thread_num, inside[i]);
    }
}

/* What is named twice is named alike. */
static void see(struct list *seen, const struct ref_fact *fact)
{
    if (fact->known != KNOWN)
        return;
    for (unsigned i = 0; i < seen->count; i++) {
        if (seen->ref[i].id == fact->ref.id) {
            ck_assert_uint_eq(seen->ref[i].address, fact->ref.address);
            return;
        }
    }
    take(seen, fact->ref);
}

static bool see_task(void *arg, struct ref ref, const struct task_facts *facts)
{
    see(arg, &(struct ref_fact){.known = KNOWN, .ref = ref});
    see(arg, &facts->parent);
    return true;
}

static bool see_thread(void *arg, struct ref ref, const struct thread_facts *facts)
{
    (void)ref;
    see(arg, &facts->task);
    if (facts->region.known != KNOWN)
        return true;
    struct region_facts region;
    ck_assert_int_eq(ASK(region, facts->region.ref, &region), RC_OK);
    see(arg, &region.encountering_task);
    return true;
}

static bool see_depender(void *arg, const struct depender *depender)
{
    see(arg, &(struct ref_fact){.known = KNOWN, .ref = depender->task});
    return true;
}

OPENED(a_task_is_one_object)
{
    /* Nobody, one, or both of two threads have `running` as ancestor. */
    for (unsigned runners = 0; runners < 4; runners++) {
        gf_put(gf, gf->waiting, GOMP_gomp_task_parent,
               runners & 1 ? gf->running : gf_implicit(gf, gf->team, 0));
        gf_put(gf, gf->waiting, GOMP_gomp_task_kind,
               runners & 1 ? GOMP_KIND_TIED : GOMP_KIND_WAITING);
        gf_put(gf, gf->thread[GF_WAITS], GOMP_gomp_thread_task,
               runners & 1 ? gf->waiting : gf_implicit(gf, gf->team, 3));
        gf_put(gf, gf->thread[GF_RUNS], GOMP_gomp_thread_task,
               runners & 2 ? gf->undeferred : gf->running);
        struct list seen = {0};
        struct list tasks = {0};
        ck_assert_int_eq(ASK(each_task, see_task, &seen), RC_OK);
        ck_assert_int_eq(ASK(each_thread, see_thread, &seen), RC_OK);
        ck_assert_int_eq(ASK(each_task, take_task, &tasks), RC_OK);
        for (unsigned i = 0; i < tasks.count; i++) {
            for (unsigned k = 0; k < i; k++)
                ck_assert_uint_ne(tasks.ref[i].id, tasks.ref[k].id);
            ck_assert_int_eq(the_instance()->reader->walk_dependers(the_instance(), tasks.ref[i],
                                                                    see_depender, &seen),
                             RC_OK);
        }
    }
}

enum { PAGE = 4096, PAGES = 16 };

static void add_pages(taddr *pages, unsigned *count, taddr first, taddr end)
{
    for (taddr page = first / PAGE; page <= (end - 1) / PAGE; page++) {
        unsigned i = 0;
        while (i < *count && pages[i] != page)
            i++;
        if (i == *count)
            pages[(*count)++] = page;
    }
}

/* ICVs are in the task: it is read, and where its reference says that it is, a team or a
 * thread. Nothing else is. */
OPENED(reads_of_icvs)
{
    const uint16_t *size = gf->layout->size;
    const struct {
        unsigned thread;
        bool by_thread, by_team;
        taddr task;
    } asked[] = {
        {GF_MASTER, false, true, gf_implicit(gf, gf->team, 0)},
        {GF_WAITS, false, true, gf_implicit(gf, gf->team, 3)},
        {GF_SERIAL, true, false, gf->initial},
        {GF_RUNS, true, true, gf->undeferred},
    };
    for (unsigned i = 0; i < sizeof asked / sizeof *asked; i++) {
        taddr pages[PAGES];
        unsigned count = 0;
        struct icv_facts icvs;
        taddr pthread = gf->pthread[asked[i].thread], own = gf->thread[asked[i].thread];
        struct ref ref = thread(asked[i].thread).task.ref;
        add_pages(pages, &count, asked[i].task, asked[i].task + size[GOMP_STRUCT_gomp_task]);
        if (asked[i].by_thread)
            add_pages(pages, &count, own < pthread ? own : pthread,
                      own < pthread ? pthread + GF_TID_OFFSET + 4
                                    : own + size[GOMP_STRUCT_gomp_thread]);
        if (asked[i].by_team)
            add_pages(pages, &count, gf->team, gf_implicit(gf, gf->team, 1));
        if (asked[i].thread == GF_WAITS) { /* is its taskgroup one? */
            taddr group = gf_get(gf, asked[i].task, GOMP_gomp_task_taskgroup);
            add_pages(pages, &count, group, group + size[GOMP_STRUCT_gomp_taskgroup]);
        }
        unsigned reads = gf->reads;
        ck_assert_int_eq(ASK(icvs, ref, &icvs), RC_OK);
        ck_assert_uint_le(gf->reads - reads, count);
    }
}
