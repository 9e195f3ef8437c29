/* SPDX-License-Identifier: MIT
 *
 * All runtimes of a process are found, each with its own layout, threads and ids, whatever
 * the dynamic linker's list and the debugger leave of them.
 */
#include <stdlib.h>
#include <string.h>

#include "kmp-fake.h"
#include "libompd/survey/survey.h"
#include "world.h"

static unsigned count_readable(void)
{
    unsigned count = 0;
    for (struct instance *i = NULL; (i = instance_next(space, i));)
        count++;
    return count;
}

static unsigned count_runtimes(void)
{
    struct array found = {0};
    ck_assert_int_eq(survey_runtimes(space, &found), RC_OK);
    unsigned count = (unsigned)found.count;
    array_free(&found);
    return count;
}

EACH(each_is_read_with_its_own_layout, KINDS)
{
    begin_space(_i);
    ck_assert_uint_eq(count_readable(), 2);
    const struct instance *all = space->instances;
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_str_eq(all[i].image.file, image_file[i ? SECOND : FIRST]);
        ck_assert_ptr_eq(gomp_state(&all[i])->layout, world.gf[i]->layout);
    }
    ck_assert(all[2].image.is_kmp && !all[2].reader);
    ck_assert_str_eq(all[2].image.file, image_file[LLVM_NODE]);
    ck_assert_uint_eq(all[3].serial, 0);

    struct array found = {0};
    ck_assert_int_eq(survey_runtimes(space, &found), RC_OK);
    ck_assert_uint_eq(found.count, 3);
    const struct surveyed_runtime *runtimes = found.elements;
    for (unsigned i = 0; i < 2; i++) {
        assert_known(runtimes[i].last_version, world.gf[i]->layout->last_version);
        assert_known(runtimes[i].first_version, world.gf[i]->layout->first_version);
        assert_known(runtimes[i].threads, GF_THREADS - 1);
        ck_assert_int_eq(runtimes[i].recorded, RECORDED_NO_HOOKS);
        ck_assert_uint_eq(runtimes[i].place, i);
    }
    ck_assert(runtimes[2].is_kmp && runtimes[2].threads.known != KNOWN);
    ck_assert_int_eq(runtimes[2].recorded, RECORDED_NO_HOOKS);
    array_free(&found);
    end_space();
}

static struct handle *handle_of(uint64_t lwp)
{
    struct handle *thread;
    ck_assert_int_eq(thread_of_os_id(space, OS_THREAD_LWP, sizeof lwp, &lwp, &thread), RC_OK);
    return thread;
}

/* Threads, regions and tasks of all, each id once; and each leads back to its object. */
EACH(surveys_and_ids, KINDS)
{
    begin_space(_i);
    struct survey_parts threads;
    ck_assert_int_eq(survey_each(space, survey_threads, &threads), RC_OK);
    ck_assert_uint_eq(threads.count, 2);
    uint64_t ids[2 * GF_THREADS];
    unsigned count = 0;
    for (unsigned p = 0; p < 2; p++) {
        const struct survey_part *part = &threads.part[p];
        const struct surveyed_thread *all = part->elements.elements;
        ck_assert_uint_eq(part->elements.count, GF_THREADS - 1);
        for (size_t i = 0; i < part->elements.count; i++) {
            struct ref object = all[i].ref;
            for (unsigned k = 0; k < count; k++)
                ck_assert_uint_ne(ids[k], object.id);
            ids[count++] = object.id;
            struct handle *thread, *found = handle_of(all[i].facts.lwp.value);
            ck_assert_int_eq(handle_of_object(space, HANDLE_THREAD, object, &thread), RC_OK);
            int order;
            ck_assert_int_eq(handle_compare(thread, found, HANDLE_THREAD, &order), RC_OK);
            ck_assert_int_eq(order, 0);
            struct thread_facts facts;
            ck_assert_int_eq(facts_of_thread(thread, &facts), RC_OK);
            assert_known(facts.lwp, gf_tid(world.gf[p], (unsigned)(facts.lwp.value % 1000)));
            handle_destroy(thread);
            handle_destroy(found);
            if (all[i].facts.region.known != KNOWN)
                continue;
            struct ref region = all[i].facts.region.ref;
            object = region;
            ck_assert_int_eq(handle_of_object(space, HANDLE_PARALLEL, object, &thread), RC_OK);
            ck_assert_ptr_eq(thread->instance, part->instance);
            ck_assert_uint_eq(thread->ref.id, region.id);
            struct region_facts region_facts;
            ck_assert_int_eq(facts_of_region(thread, &region_facts), RC_OK);
            ck_assert_uint_eq(runtime_of(part->instance, &region_facts).value, p);
            handle_destroy(thread);
        }
    }
    survey_parts_free(&threads);
    end_space();
}

/* A thread of the first that is at the same time initial in the second, and the other way
 * round: one in a region goes before one outside. */
EACH(a_thread_of_both, KINDS)
{
    begin_world(_i);
    for (unsigned i = 0; i < 2; i++) {
        struct gf *own = world.gf[i], *other = world.gf[!i];
        taddr data = gf_data_of(other, own->pthread[GF_MASTER]);
        gf_number(own, data + other->layout->place[GOMP_gomp_thread_pool].offset, 8,
                  other->serial_pool);
        gf_number(own, data + other->layout->place[GOMP_gomp_thread_task].offset, 8,
                  other->initial);
    }
    ck_assert_int_eq(space_create(&world_ops, &world, &space), RC_OK);
    for (unsigned i = 0; i < 2; i++) {
        struct handle *thread = handle_of(gf_tid(world.gf[i], GF_MASTER));
        struct thread_facts facts;
        ck_assert_ptr_eq(thread->instance, &space->instances[i]);
        ck_assert_int_eq(facts_of_thread(thread, &facts), RC_OK);
        assert_known(facts.team_size, 4);
        handle_destroy(thread);
    }
    struct survey_parts threads;
    ck_assert_int_eq(survey_each(space, survey_threads, &threads), RC_OK);
    for (unsigned i = 0; i < 2; i++)
        ck_assert_uint_eq(threads.part[i].elements.count, GF_THREADS);
    survey_parts_free(&threads);
    end_space();
}

EACH(late_and_closed, KINDS)
{
    begin_world(_i);
    bool counted = world.counted = _i % 2;
    world.has_llvm = false;
    link_images(WITHOUT_SECOND);
    ck_assert_int_eq(space_create(&world_ops, &world, &space), RC_OK);
    ck_assert_uint_eq(count_readable(), 1);
    struct handle *first = handle_of(gf_tid(world.gf[0], GF_MASTER));
    /* Nothing has changed: two reads where images are counted. */
    world.reads = 0;
    ck_assert(!instances_refresh(space));
    ck_assert_uint_eq(world.reads, counted ? 2 : NODES - 1 + 1);

    link_images(ALL);
    struct handle *second = handle_of(gf_tid(world.gf[1], GF_WAITS)); /* it is found */
    ck_assert_uint_eq(count_readable(), 2);
    ck_assert_ptr_eq(second->instance, &space->instances[1]);
    struct thread_facts facts;
    ck_assert_int_eq(facts_of_thread(second, &facts), RC_OK);

    link_images(WITHOUT_SECOND);
    ck_assert_uint_eq(count_runtimes(), 1);
    ck_assert_int_eq(facts_of_thread(second, &facts), RC_STALE_HANDLE);
    ck_assert_int_eq(facts_of_thread(first, &facts), RC_OK);

    /* Another one in its place is another one. */
    link_images(ALL);
    ck_assert_uint_eq(count_runtimes(), 2);
    ck_assert_int_eq(facts_of_thread(second, &facts), RC_STALE_HANDLE);
    link_images(ALL & ~(1 << FIRST));
    ck_assert_uint_eq(count_runtimes(), 1);
    ck_assert_int_eq(facts_of_thread(first, &facts), RC_STALE_HANDLE);
    link_images(ALL & ~(1 << FIRST) & ~(1 << SECOND));
    ck_assert_uint_eq(count_runtimes(), 0);
    struct survey_parts threads;
    ck_assert_int_eq(survey_each(space, survey_threads, &threads), RC_UNAVAILABLE);
    survey_parts_free(&threads);
    handle_destroy(first);
    handle_destroy(second);
    end_space();
}

/* LLVM's runtime found first hides no libgomp from one that goes by files, and by the list
 * none that is found first. */
EACH(llvm, KINDS)
{
    alike = true;
    begin_world(_i);
    world.llvm_first = true;
    ck_assert_int_eq(space_create(&world_ops, &world, &space), RC_OK);
    ck_assert_uint_eq(count_readable(), 2);
    space_destroy(space);
    world.llvm_first = false;
    world.ignores_files = true;
    ck_assert_int_eq(space_create(&world_ops, &world, &space), RC_OK);
    ck_assert_uint_eq(count_readable(), 1);
    ck_assert_ptr_eq(gomp_state(the_instance())->layout, world.gf[0]->layout);
    ck_assert_uint_eq(count_runtimes(), 1);
    space_destroy(space);
    struct target_ops of_2_000 = world_ops;
    of_2_000.goes_by_file = false;
    ck_assert_int_eq(space_create(&of_2_000, &world, &space), RC_OK);
    ck_assert_uint_eq(count_readable(), 1);
    end_space();
}

/* A debugger that has no names of files, or ignores them, is asked for no symbol of a runtime
 * where these have their own tables: each is read as by its file. */
EACH(by_their_tables, KINDS)
{
    struct target_ops ops = world_ops;
    begin_world(_i);
    world.ignores_files = world.has_tables = true;
    world.llvm_first = world.counted;
    link_images(ALL);
    for (unsigned of_2_000 = 0; of_2_000 < 2; of_2_000++) {
        ops.goes_by_file = !of_2_000;
        world.missed = 0;
        ck_assert_int_eq(space_create(&ops, &world, &space), RC_OK);
        ck_assert_uint_eq(world.missed, 0);
        ck_assert_uint_eq(count_readable(), 2);
        for (unsigned i = 0; i < 2; i++) {
            const struct instance *instance = &space->instances[i];
            ck_assert_str_eq(instance->image.file, image_file[i ? SECOND : FIRST]);
            ck_assert_ptr_eq(gomp_state(instance)->layout, world.gf[i]->layout);
        }
        ck_assert(space->instances[2].image.is_kmp);
        ck_assert_uint_eq(count_runtimes(), 3);
        space_destroy(space);
    }
    end_world();
}

/* Whatever a table says, at bounded cost: the other runtime is read all the same. */
TEST(damaged_tables)
{
    static const uint64_t values[] = {
        0, 1, 0x80, UINT32_MAX, (uint64_t)1 << 32, UINT64_MAX, WORLD + BYTES - 8};
    enum { WORDS = TABLE_HASH / 8 + 16, VALUES = sizeof values / sizeof *values };
    for (unsigned word = 0; word < WORDS; word++) {
        for (unsigned value = 0; value < VALUES; value++) {
            begin_world(0);
            world.ignores_files = world.has_tables = true;
            link_images(ALL);
            world_put(table_at(FIRST) + 8 * word, values[value]);
            world.reads = 0;
            ck_assert_int_eq(space_create(&world_ops, &world, &space), RC_OK);
            ck_assert_uint_le(world.reads, 40000);
            ck_assert_uint_ge(count_readable(), 1);
            end_space();
        }
    }
}

/* Version 2.000 has no names of files: without tables it reads the runtime whose symbols are found first, and the
 * other one's are not taken for its own. */
EACH(either_first, GOMP_LAYOUTS)
{
    struct target_ops of_2_000 = world_ops;
    of_2_000.goes_by_file = false;
    for (unsigned layout = 0; layout < KMP_LAYOUTS; layout++) {
        for (unsigned gomp_first = 0; gomp_first < 2; gomp_first++) {
            memset(&world, 0, sizeof world);
            world.gf[0] = kf_new(layout).gf;
            world.gf[1] = gf_new_of(LAYOUT(_i), kmp_layouts[layout].machine, 1);
            gf_symbol(world.gf[0], "GOMP_parallel", world.gf[0]->base + 64);
            gf_symbol(world.gf[0], "omp_in_explicit_task", world.gf[0]->base + 128);
            world.counted = true;
            world.second_first = gomp_first;
            gf_join(world.gf[0], world.gf[1]);
            link_images(ALL & ~(1 << LLVM_NODE));
            ck_assert_int_eq(space_create(&of_2_000, &world, &space), RC_OK);
            ck_assert_str_eq(the_instance()->reader->name, gomp_first ? "gomp" : "kmp");
            ck_assert_uint_eq(count_readable(), 1);
            if (gomp_first) {
                ck_assert_ptr_eq(gomp_state(the_instance())->layout, world.gf[1]->layout);
                ck_assert_uint_eq(gomp_state(the_instance())->version,
                                  world.gf[1]->layout->last_version);
            }
            struct array found;
            ck_assert_int_eq(survey_runtimes(space, &found), RC_OK);
            ck_assert_uint_eq(found.count, 1);
            ck_assert_int_eq(((struct surveyed_runtime *)found.elements)->is_kmp, !gomp_first);
            array_free(&found);
            end_space();
        }
    }
}

enum { UNREADABLE_NODE, CYCLE, SELF, WRAPS, NAME_WRAPS, NO_LIST, MILLION, DAMAGES };

static void damage(unsigned how)
{
    static const unsigned last = LOADER;
    switch (how) {
    case UNREADABLE_NODE:
        world_put(node_at(FIRST) + 24, WORLD + BYTES);
        break;
    case CYCLE:
        world_put(node_at(last) + 24, node_at(KERNEL));
        break;
    case SELF:
        world_put(node_at(FIRST) + 24, node_at(FIRST));
        break;
    case WRAPS:
        world_put(node_at(FIRST) + 24, UINT64_MAX - 15);
        break;
    case NAME_WRAPS:
        world_put(node_at(SECOND) + 8, UINT64_MAX - 15);
        break;
    case NO_LIST:
        world_put(WORLD + 8, 0);
        gf_number(world.gf[0], world.gf[0]->loader, 8, 0);
        break;
    case MILLION:
        world.endless = 1000000;
        gf_number(world.gf[0], world.gf[0]->loader + 8, 8, 1000000);
        break;
    }
}

/* One runtime then, as of a process without a list, at bounded cost; and what is open stays
 * when the list is damaged later. */
EACH(damaged_lists, KINDS)
{
    for (unsigned how = 0; how < DAMAGES; how++) {
        alike = true;
        begin_world(_i);
        world.has_llvm = false;
        damage(how);
        world.reads = 0;
        ck_assert_int_eq(space_create(&world_ops, &world, &space), RC_OK);
        ck_assert_msg(world.reads <= 2 * (IMAGES_MAX + 1) + 200, "%u: %u", how, world.reads);
        ck_assert_uint_eq(count_readable(), 1);
        ck_assert_ptr_eq(gomp_state(the_instance())->layout, world.gf[0]->layout);
        ck_assert_ptr_ne(the_instance(), NULL);
        struct survey_parts threads;
        ck_assert_int_eq(survey_each(space, survey_threads, &threads), RC_OK);
        ck_assert_uint_eq(threads.part[0].elements.count, GF_THREADS - 1);
        survey_parts_free(&threads);
        end_space();
    }
}

static void ask_all(void)
{
    struct survey_parts parts;
    static survey_function *const surveys[] = {survey_threads, survey_tasks, survey_regions,
                                               survey_barriers};
    for (unsigned i = 0; i < sizeof surveys / sizeof *surveys; i++) {
        survey_each(space, surveys[i], &parts);
        survey_parts_free(&parts);
    }
    struct array found = {0};
    survey_runtimes(space, &found);
    array_free(&found);
    uint64_t lwp = gf_tid(world.gf[1], GF_RUNS);
    struct handle *thread;
    if (thread_of_os_id(space, OS_THREAD_LWP, sizeof lwp, &lwp, &thread) == RC_OK)
        handle_destroy(thread);
}

/* Each callback fails in turn while the process is opened and a runtime comes and goes: an
 * answer or a code, nothing left behind, and all again afterwards. */
TEST(failing_callbacks)
{
    bool done = false;
    for (unsigned n = 1; !done; n++) {
        begin_world(0);
        link_images(WITHOUT_SECOND);
        world.fail_at = n;
        if (space_create(&world_ops, &world, &space) == RC_OK) {
            link_images(ALL);
            ask_all();
            link_images(WITHOUT_SECOND);
            ask_all();
            done = world.callbacks < n;
            world.fail_at = 0;
            link_images(ALL);
            count_runtimes();
            ck_assert_uint_ge(count_readable(), 1);
            ask_all();
            space_destroy(space);
        }
        end_world();
    }
}

/* A debugger that ends a query refuses the rest of it: afterwards all runtimes are there as they
 * were. Symbols are then said not to be there. */
EACH(ended_queries, KINDS)
{
    bool done = false;
    begin_space(_i);
    struct handle *second = handle_of(gf_tid(world.gf[1], GF_WAITS));
    world.fails_on = true;
    for (unsigned n = 1; !done; n++) {
        world.callbacks = 0;
        world.fail_at = n;
        ask_all();
        done = world.callbacks < n;
        world.fail_at = 0;
        ck_assert_uint_eq(count_readable(), 2);
        struct thread_facts facts;
        ck_assert_int_eq(facts_of_thread(second, &facts), RC_OK);
    }
    handle_destroy(second);
    end_space();
}

/* A further runtime costs no more than the first. */
EACH(counted, KINDS)
{
    unsigned reads[2], lookups[2];
    alike = true;
    for (unsigned two = 0; two < 2; two++) {
        begin_world(_i);
        world.has_llvm = false;
        link_images(two ? ALL : WITHOUT_SECOND);
        ck_assert_int_eq(space_create(&world_ops, &world, &space), RC_OK);
        lookups[two] = world.lookups;
        world.reads = 0;
        struct survey_parts threads;
        ck_assert_int_eq(survey_each(space, survey_threads, &threads), RC_OK);
        survey_parts_free(&threads);
        reads[two] = world.reads;
        end_space();
    }
    ck_assert_uint_le(reads[1], 2 * reads[0]);
    ck_assert_uint_le(lookups[1], 2 * lookups[0]);
}
