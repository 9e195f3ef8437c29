/* SPDX-License-Identifier: MIT
 *
 * libFuzzer's entry for the 5.x interface and the extension: every routine over a target
 * that the input has changed, with handles from before and after the change.
 */
#include <stdlib.h>

#include "changes.h"
#include "libompd/ext/ompd-ext.h"
#include "ompd-types.h"

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
                          ompd_device_type_sizes_t *sizes)
{
    uint8_t word = (uint8_t)((struct fake *)c)->pointer_size;
    *sizes = (ompd_device_type_sizes_t){1, 2, 4, word, 8, word};
    return ompd_rc_ok;
}
static ompd_rc_t symbol(ompd_address_space_context_t *c, ompd_thread_context_t *t,
                        const char *name, ompd_address_t *out, const char *file)
{
    (void)t;
    (void)file;
    out->segment = 0;
    return fake_cb_symbol((struct fake *)c, name, &out->address) ? ompd_rc_ok
                                                                 : ompd_rc_error;
}
static ompd_rc_t read_memory(ompd_address_space_context_t *c, ompd_thread_context_t *t,
                             const ompd_address_t *addr, ompd_size_t bytes, void *buffer)
{
    (void)t;
    return fake_cb_read((struct fake *)c, addr->address, bytes, buffer)
               ? ompd_rc_ok
               : ompd_rc_device_read_error;
}
static ompd_rc_t to_host(ompd_address_space_context_t *c, const void *in,
                         ompd_size_t unit, ompd_size_t count, void *out)
{
    return fake_cb_to_host((struct fake *)c, in, (unsigned)unit, (unsigned)count, out)
               ? ompd_rc_ok
               : ompd_rc_error;
}

static const ompd_callbacks_t table = {
    .alloc_memory = alloc_memory,
    .free_memory = free_memory,
    .sizeof_type = sizes_of,
    .symbol_addr_lookup = symbol,
    .read_memory = read_memory,
    .device_to_host = to_host,
};

static bool counted(const char *call, unsigned reads_max, ompd_rc_t rc)
{
    fuzzed_count(call, reads_max);
    return rc == ompd_rc_ok;
}
#define CALL(reads, call) counted(#call, READS_##reads, call)
#define DROP(pointer)                                                                    \
    do {                                                                                 \
        if (pointer)                                                                     \
            fake_cb_free((void *)(uintptr_t)(pointer));                                  \
    } while (0)

static void ask_icvs(void *handle, ompd_scope_t scope)
{
    for (ompd_icv_id_t icv = 0; icv < 48; icv++) {
        ompd_word_t number;
        const char *words = NULL;
        (void)CALL(ICV, ompd_get_icv_from_scope(handle, scope, icv, &number));
        if (CALL(ICV_WORDS, ompd_get_icv_string_from_scope(handle, scope, icv, &words)))
            DROP(words);
    }
    ompd_word_t value;
    ompd_address_t data;
    (void)CALL(NONE, ompd_get_tool_data(handle, scope, &value, &data));
}

static void ask_task(ompd_task_handle_t *task, int depth)
{
    ompd_address_t function;
    ompd_frame_info_t left, entered;
    ompd_ext_task_t facts;
    (void)CALL(OBJECT, ompd_get_task_function(task, &function));
    (void)CALL(OBJECT, ompd_get_task_frame(task, &left, &entered));
    (void)CALL(OBJECT, ompd_ext_get_task(task, sizeof facts, &facts));
    if (depth == 0)
        ask_icvs(task, ompd_scope_task);
    ompd_parallel_handle_t *region;
    if (CALL(OBJECT, ompd_get_task_parallel_handle(task, &region)))
        ompd_rel_parallel_handle(region);
    ompd_task_handle_t *next;
    if (CALL(OBJECT, ompd_get_scheduling_task_handle(task, &next)))
        ompd_rel_task_handle(next);
    if (depth < 4 && CALL(OBJECT, ompd_get_generating_task_handle(task, &next))) {
        ask_task(next, depth + 1);
        ompd_rel_task_handle(next);
    }
}

static void ask_region(ompd_parallel_handle_t *region, int depth)
{
    ompd_ext_region_t facts;
    (void)CALL(OBJECT, ompd_ext_get_region(region, sizeof facts, &facts));
    if (depth == 0)
        ask_icvs(region, ompd_scope_parallel);
    for (int i = 0; i < FUZZ_THREADS; i += 3) {
        ompd_thread_handle_t *thread;
        ompd_task_handle_t *task;
        if (CALL(MEMBER, ompd_get_thread_in_parallel(region, i, &thread)))
            ompd_rel_thread_handle(thread);
        if (CALL(INITIAL_TASK, ompd_get_task_in_parallel(region, i, &task)))
            ompd_rel_task_handle(task);
    }
    ompd_parallel_handle_t *next;
    if (depth < 4 && CALL(OBJECT, ompd_get_enclosing_parallel_handle(region, &next))) {
        ask_region(next, depth + 1);
        ompd_rel_parallel_handle(next);
    }
}

static void ask_thread(ompd_thread_handle_t *thread)
{
    ompd_word_t state;
    ompd_wait_id_t wait;
    unsigned char id[8];
    ompd_ext_thread_t facts;
    ompd_parallel_handle_t *region;
    ompd_task_handle_t *task;
    (void)CALL(OBJECT, ompd_get_state(thread, &state, &wait));
    (void)CALL(OBJECT, ompd_get_thread_id(thread, OMPD_THREAD_ID_LWP, 8, id));
    (void)CALL(REFERENCE + 1, ompd_ext_get_thread(thread, sizeof facts, &facts));
    ask_icvs(thread, ompd_scope_thread);
    if (CALL(REFERENCE, ompd_get_curr_parallel_handle(thread, &region))) {
        ask_region(region, 0);
        ompd_rel_parallel_handle(region);
    }
    if (CALL(REFERENCE, ompd_get_curr_task_handle(thread, &task))) {
        ask_task(task, 0);
        ompd_rel_task_handle(task);
    }
}

static void ask_space(ompd_address_space_handle_t *space)
{
    ompd_word_t version;
    const char *string;
    const char *const *vars;
    ask_icvs(space, ompd_scope_address_space);
    (void)CALL(SETTINGS, ompd_get_omp_version(space, &version));
    if (CALL(SETTINGS, ompd_get_omp_version_string(space, &string)))
        DROP(string);
    if (CALL(SETTINGS, ompd_get_display_control_vars(space, &vars)))
        ompd_rel_display_control_vars(&vars);
    ompd_size_t count, waiting;
    ompd_ext_object_t *waiters;
#define ALL(reads, routine, type)                                                               \
    do {                                                                                 \
        type *vector;                                                                    \
        ompd_rc_t rc = routine(space, sizeof *vector, &vector, &count);                  \
        fuzzed_count(#routine, READS_##reads);                                                          \
        if (rc == ompd_rc_ok || rc == ompd_rc_incomplete)                                \
            DROP(vector);                                                                \
    } while (0)
    ALL(THREADS, ompd_ext_get_threads, ompd_ext_thread_t);
    ALL(TASKS, ompd_ext_get_tasks, ompd_ext_task_t);
    ALL(DEPENDENCES, ompd_ext_get_dependences, ompd_ext_dependence_t);
    ALL(THREADS, ompd_ext_get_barriers, ompd_ext_barrier_t);
    ompd_ext_lock_t *locks;
    ompd_rc_t rc =
        ompd_ext_get_locks(space, sizeof *locks, &locks, &count, &waiters, &waiting);
    fuzzed_count("ompd_ext_get_locks", READS_LOCKS);
    if (rc == ompd_rc_ok || rc == ompd_rc_incomplete) {
        DROP(locks);
        DROP(waiters);
    }
}

static ompd_rc_t find(ompd_address_space_handle_t *space, struct fuzzed *f, unsigned i,
                      ompd_thread_handle_t **out)
{
    unsigned char id[8];
    fake_encode(f->fake, FIRST_LWP + i, id, 8);
    return ompd_get_thread_handle(space, OMPD_THREAD_ID_LWP, 8, id, out);
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
    ompd_thread_handle_t *thread[2], *found;
    ompd_parallel_handle_t *region;
    ompd_task_handle_t *task;
    if (ompd_initialize(202411, &table) || ompd_process_initialize(context, &space) ||
        find(space, &f, 0, &thread[0]) || find(space, &f, 1, &thread[1]) ||
        ompd_get_curr_parallel_handle(thread[1], &region) ||
        ompd_get_curr_task_handle(thread[1], &task))
        abort();

    fuzzed_change(&f, data, size);
    fake_counts_reset();
    ask_space(space);
    for (unsigned i = 0; i < 2; i++)
        ask_thread(thread[i]);
    ask_region(region, 0);
    ask_task(task, 0);
    for (unsigned i = 0; i < FUZZ_THREADS; i++) {
        if (CALL(FIND, find(space, &f, i, &found))) {
            ask_thread(found);
            ompd_rel_thread_handle(found);
        }
    }
    if (CALL(OPEN, ompd_process_initialize(context, &later)))
        ompd_rel_address_space_handle(later);

    ompd_rel_thread_handle(thread[0]);
    ompd_rel_thread_handle(thread[1]);
    ompd_rel_parallel_handle(region);
    ompd_rel_task_handle(task);
    ompd_rel_address_space_handle(space);
    ompd_finalize();
    if (fake_counts.allocs_alive)
        abort();
    fuzzed_free(&f);
    return 0;
}
