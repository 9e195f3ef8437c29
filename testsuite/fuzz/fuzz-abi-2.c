/* SPDX-License-Identifier: MIT
 *
 * libFuzzer's entry for the 2.000 interface: every routine over a target that the input
 * has changed, with handles from before and after the change.
 */
#include <stdlib.h>

#include "changes.h"
#include "libompd/abi-2/ompd.h"

static ompd_rc_t alloc_memory(ompd_size_t bytes, void **ptr)
{
    *ptr = fake_cb_alloc(bytes);
    return *ptr ? ompd_rc_ok : ompd_rc_nomem;
}
static ompd_rc_t free_memory(void *ptr)
{
    fake_cb_free(ptr);
    return ompd_rc_ok;
}
static ompd_rc_t sizes_of(ompd_address_space_context_t *c,
                          ompd_target_type_sizes_t *sizes)
{
    int word = (int)((struct fake *)c)->pointer_size;
    *sizes = (ompd_target_type_sizes_t){1, 2, 4, word, 8, word};
    return ompd_rc_ok;
}
static ompd_rc_t symbol(ompd_address_space_context_t *c, ompd_thread_context_t *t,
                        const char *name, ompd_address_t *out)
{
    (void)t;
    out->segment = 0;
    return fake_cb_symbol((struct fake *)c, name, &out->address) ? ompd_rc_ok
                                                                 : ompd_rc_error;
}
static ompd_rc_t read_memory(ompd_address_space_context_t *c, ompd_thread_context_t *t,
                             const ompd_address_t *addr, ompd_tword_t bytes, void *buffer)
{
    (void)t;
    return fake_cb_read((struct fake *)c, addr->address, (uint64_t)bytes, buffer)
               ? ompd_rc_ok
               : ompd_rc_target_read_error;
}
static ompd_rc_t to_host(ompd_address_space_context_t *c, const void *in, int unit,
                         int count, void *out)
{
    return fake_cb_to_host((struct fake *)c, in, (unsigned)unit, (unsigned)count, out)
               ? ompd_rc_ok
               : ompd_rc_error;
}

static const ompd_callbacks_t table = {
    .d_alloc_memory = alloc_memory,
    .d_free_memory = free_memory,
    .t_sizeof_prim_type = sizes_of,
    .t_symbol_addr_lookup = symbol,
    .t_read_memory = read_memory,
    .target_to_host = to_host,
};

static bool counted(const char *call, unsigned reads_max, ompd_rc_t rc)
{
    fuzzed_count(call, reads_max);
    return rc == ompd_rc_ok;
}
#define CALL(reads, call) counted(#call, READS_##reads, call)

static void ask_task(ompd_task_handle_t *task, int depth)
{
    ompd_tword_t word;
    ompd_address_t address[2];
    ompd_task_id_t id;
    ompd_sched_t schedule;
    ompd_proc_bind_t bind;
    char *string;
    (void)CALL(OBJECT, ompd_get_level(task, &word));
    (void)CALL(OBJECT, ompd_get_active_level(task, &word));
    (void)CALL(OBJECT, ompd_get_task_function(task, address));
    (void)CALL(OBJECT, ompd_get_task_frame(task, &address[0], &address[1]));
    (void)CALL(OBJECT, ompd_get_task_id(task, &id));
    (void)CALL(OBJECT, ompd_in_parallel(task, &word));
    (void)CALL(OBJECT, ompd_in_final(task, &word));
    (void)CALL(OBJECT, ompd_is_implicit(task, &word));
    (void)CALL(ICV, ompd_get_max_threads(task, &word));
    (void)CALL(ICV, ompd_get_dynamic(task, &word));
    (void)CALL(ICV, ompd_get_nested(task, &word));
    (void)CALL(ICV, ompd_get_schedule(task, &schedule, &word));
    (void)CALL(ICV, ompd_get_proc_bind(task, &bind));
    if (CALL(NONE, ompd_get_task_handle_string_id(task, &string)))
        fake_cb_free(string);
    ompd_parallel_handle_t *region;
    if (CALL(OBJECT, ompd_get_task_parallel_handle(task, &region)))
        ompd_release_parallel_handle(region);
    ompd_task_handle_t *next;
    if (depth < 4 && CALL(OBJECT, ompd_get_ancestor_task_region(task, &next))) {
        ask_task(next, depth + 1);
        ompd_release_task_handle(next);
    }
}

static void ask_region(ompd_parallel_handle_t *region, int depth)
{
    ompd_tword_t word;
    ompd_address_t address;
    ompd_parallel_id_t id;
    ompd_thread_handle_t **threads, *thread;
    ompd_task_handle_t **tasks;
    int count;
    char *string;
    (void)CALL(OBJECT, ompd_get_num_threads(region, &word));
    (void)CALL(OBJECT, ompd_get_parallel_id(region, &id));
    (void)CALL(OBJECT, ompd_get_parallel_function(region, &address));
    if (CALL(NONE, ompd_get_parallel_handle_string_id(region, &string)))
        fake_cb_free(string);
    if (CALL(OBJECT, ompd_get_master_thread_in_parallel(region, &thread)))
        ompd_release_thread_handle(thread);
    if (CALL(TEAM, ompd_get_thread_in_parallel(region, &threads, &count)) && threads) {
        for (int i = 0; i < count; i++)
            ompd_release_thread_handle(threads[i]);
        fake_cb_free(threads);
    }
    if (CALL(TEAM, ompd_get_implicit_task_in_parallel(region, &tasks, &count)) && tasks) {
        for (int i = 0; i < count; i++)
            ompd_release_task_handle(tasks[i]);
        fake_cb_free(tasks);
    }
    ompd_parallel_handle_t *next;
    if (depth < 4 && CALL(OBJECT, ompd_get_enclosing_parallel_handle(region, &next))) {
        ask_region(next, depth + 1);
        ompd_release_parallel_handle(next);
    }
}

static void ask_thread(ompd_thread_handle_t *thread)
{
    ompd_state_t state;
    ompd_wait_id_t wait;
    ompd_tword_t word;
    unsigned char id[8];
    char *string;
    ompd_parallel_handle_t *region;
    ompd_task_handle_t *task;
    (void)CALL(OBJECT, ompd_get_state(thread, &state, &wait));
    (void)CALL(OBJECT, ompd_get_thread_num(thread, &word));
    (void)CALL(REFERENCE + READS_ICV, ompd_get_max_active_levels(thread, &word));
    (void)CALL(OBJECT, ompd_get_osthread(thread, ompd_osthread_lwp, 8, id));
    if (CALL(NONE, ompd_get_thread_handle_string_id(thread, &string)))
        fake_cb_free(string);
    if (CALL(REFERENCE, ompd_get_top_parallel_region(thread, &region))) {
        ask_region(region, 0);
        ompd_release_parallel_handle(region);
    }
    if (CALL(REFERENCE, ompd_get_top_task_region(thread, &task))) {
        ask_task(task, 0);
        ompd_release_task_handle(task);
    }
}

static void ask_space(ompd_address_space_handle_t *space)
{
    ompd_tword_t word;
    const char *const *vars;
    ompd_thread_handle_t **threads;
    int count;
    (void)CALL(ICV, ompd_get_num_procs(space, &word));
    (void)CALL(SETTINGS, ompd_get_thread_limit(space, &word));
    if (CALL(SETTINGS, ompd_get_display_control_vars(space, &vars)))
        ompd_release_display_control_vars(vars);
    if (CALL(WALK, ompd_get_threads(space, &threads, &count)) && threads) {
        for (int i = 0; i < count; i++) {
            if (i < 16)
                ask_thread(threads[i]);
            ompd_release_thread_handle(threads[i]);
        }
        fake_cb_free(threads);
    }
}

static ompd_rc_t find(ompd_address_space_handle_t *space, struct fuzzed *f, unsigned i,
                      ompd_thread_handle_t **out)
{
    unsigned char id[8];
    fake_encode(f->fake, FIRST_LWP + i, id, 8);
    return ompd_get_thread_handle(space, ompd_osthread_lwp, 8, id, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    seeds_write();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzzed f = fuzzed_new(data, size);
    ompd_address_space_context_t *context = (ompd_address_space_context_t *)f.fake;
    ompd_address_space_handle_t *space, *later;
    ompd_thread_handle_t *thread, *found;
    if (ompd_initialize(&table) || ompd_process_initialize(context, &space) ||
        find(space, &f, 1, &thread))
        abort();
    fuzzed_change(&f, data, size);
    fake_counts_reset();
    ask_thread(thread);
    ask_space(space);
    for (unsigned i = 0; i < FUZZ_THREADS; i++) {
        if (CALL(FIND, find(space, &f, i, &found))) {
            ask_thread(found);
            ompd_release_thread_handle(found);
        }
    }
    if (CALL(OPEN, ompd_process_initialize(context, &later)))
        ompd_release_address_space_handle(later);
    ompd_release_thread_handle(thread);
    ompd_release_address_space_handle(space);
    ompd_finalize();
    if (fake_counts.allocs_alive)
        abort();
    fuzzed_free(&f);
    return 0;
}
