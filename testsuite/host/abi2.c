/* SPDX-License-Identifier: MIT
 *
 * The dialect of the 2015 report (version 2.000), spoken against libompd-2.so.
 *
 * Top: the callbacks it wants. Middle: one short function per question. Bottom: loading,
 * initialising, and the table.
 */
#include "config.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "abi2.h"

/* Contexts are opaque to the library. One address space, and threads only where the library
 * asks for one: this host hands out the address of the lwp record as the thread context. */
struct _ompd_address_space_context_s {
    struct session *session;
};

static ompd_address_space_context_t the_space;

static const ompd_rc_t answer_codes[] = {
    [ANSWER_OK] = ompd_rc_ok,
    [ANSWER_UNAVAILABLE] = ompd_rc_unavailable,
    [ANSWER_STALE_HANDLE] = ompd_rc_stale_handle,
    [ANSWER_BAD_INPUT] = ompd_rc_bad_input,
    [ANSWER_ERROR] = ompd_rc_error,
    [ANSWER_UNSUPPORTED] = ompd_rc_unsupported,
    [ANSWER_NEEDS_STATE_TRACKING] = ompd_rc_needs_state_tracking,
    [ANSWER_INCOMPATIBLE] = ompd_rc_incompatible,
    [ANSWER_READ_ERROR] = ompd_rc_target_read_error,
    [ANSWER_WRITE_ERROR] = ompd_rc_target_write_error,
    [ANSWER_NOMEM] = ompd_rc_nomem,
    [ANSWER_INCOMPLETE] = ompd_rc_error, /* unknown to the report */
    [ANSWER_OTHER] = ompd_rc_error,
};

enum answer abi2_answer(ompd_rc_t rc)
{
    for (int i = 0; i < ANSWER_OTHER; i++)
        if (answer_codes[i] == rc)
            return (enum answer)i;
    return ANSWER_OTHER;
}

/* Callbacks. */

static ompd_rc_t cb_alloc(ompd_size_t bytes, void **pointer)
{
    return answer_codes[host_alloc(bytes, pointer)];
}

static ompd_rc_t cb_free(void *pointer)
{
    return answer_codes[host_free(pointer)];
}

static ompd_rc_t cb_print(const char *string)
{
    (void)string; /* this host has no use for what a library wants to say */
    return ompd_rc_ok;
}

static ompd_rc_t cb_sizes(ompd_address_space_context_t *space,
                          ompd_target_type_sizes_t *sizes)
{
    const int word = (int)space->session->target->word_size; /* of a long as well */
    *sizes = (ompd_target_type_sizes_t){
        .sizeof_char = sizeof(char),
        .sizeof_short = sizeof(short),
        .sizeof_int = sizeof(int),
        .sizeof_long = word,
        .sizeof_long_long = sizeof(long long),
        .sizeof_pointer = word,
    };
    return ompd_rc_ok;
}

static pid_t lwp_of(ompd_thread_context_t *thread)
{
    return (pid_t)(intptr_t)thread;
}

static ompd_rc_t cb_symbol(ompd_address_space_context_t *space,
                           ompd_thread_context_t *thread, const char *name,
                           ompd_address_t *address)
{
    uint64_t found;
    if (!space || !name)
        return ompd_rc_bad_input;
    enum answer answer = host_symbol(space->session, lwp_of(thread), name, &found);
    if (answer == ANSWER_OK)
        *address = (ompd_address_t){OMPD_SEGMENT_UNSPECIFIED, found};
    return answer_codes[answer];
}

static ompd_rc_t cb_read(ompd_address_space_context_t *space,
                         ompd_thread_context_t *thread, const ompd_address_t *address,
                         ompd_tword_t length, void *buffer)
{
    (void)thread;
    if (!space || length < 0)
        return ompd_rc_bad_input;
    return answer_codes[host_read(space->session, address->address, (uint64_t)length,
                                  buffer)];
}

static ompd_rc_t cb_write(ompd_address_space_context_t *space,
                          ompd_thread_context_t *thread, const ompd_address_t *address,
                          ompd_tword_t length, const void *buffer)
{
    (void)thread;
    if (!space || length < 0)
        return ompd_rc_bad_input;
    return answer_codes[host_write(space->session, address->address, (uint64_t)length,
                                   buffer)];
}

/* Both sides have the byte order of this machine: live.c and core.c refuse others. */
static ompd_rc_t cb_convert(ompd_address_space_context_t *space, const void *input,
                            int unit_size, int count, void *output)
{
    (void)space;
    if (unit_size <= 0 || count < 0)
        return ompd_rc_bad_input;
    memmove(output, input, (size_t)unit_size * (size_t)count);
    return ompd_rc_ok;
}

static ompd_rc_t cb_thread_context(ompd_address_space_context_t *space,
                                   ompd_osthread_kind_t kind, ompd_size_t size,
                                   const void *id, ompd_thread_context_t **thread)
{
    uint64_t value = 0;
    if (!space || !id || (size != 4 && size != 8))
        return ompd_rc_bad_input;
    if (size == 8) {
        memcpy(&value, id, sizeof value);
    } else {
        uint32_t half;
        memcpy(&half, id, sizeof half);
        value = half;
    }
    struct target *target = space->session->target;
    for (size_t i = 0; i < target->lwp_count; i++) {
        const struct lwp *lwp = &target->lwps[i];
        if (value && ((kind == ompd_osthread_lwp && (uint64_t)lwp->lwp == value) ||
                      (kind == ompd_osthread_pthread && lwp->pthread == value))) {
            /* The id itself, so that it outlives the list of threads. */
            *thread = (ompd_thread_context_t *)(intptr_t)lwp->lwp;
            return ompd_rc_ok;
        }
    }
    return ompd_rc_unavailable;
}

static ompd_rc_t cb_space_of_thread(ompd_thread_context_t *thread,
                                    ompd_address_space_context_t **space)
{
    if (!thread)
        return ompd_rc_bad_input;
    *space = &the_space;
    return ompd_rc_ok;
}

static const ompd_callbacks_t callbacks = {
    .d_alloc_memory = cb_alloc,
    .d_free_memory = cb_free,
    .print_string = cb_print,
    .t_sizeof_prim_type = cb_sizes,
    .t_symbol_addr_lookup = cb_symbol,
    .t_read_memory = cb_read,
    .t_write_memory = cb_write,
    .target_to_host = cb_convert,
    .host_to_target = cb_convert,
    .get_thread_context_for_osthread = cb_thread_context,
    .get_address_space_context_for_thread = cb_space_of_thread,
};

/* Questions. */

/* int and size_t differ: take the count over only when it makes sense. */
static enum answer list_answer(ompd_rc_t rc, int got, size_t *count)
{
    if (rc != ompd_rc_ok)
        return abi2_answer(rc);
    if (got < 0)
        return ANSWER_OTHER;
    *count = (size_t)got;
    return ANSWER_OK;
}

static enum answer threads(struct session *s, struct omp_thread ***list, size_t *count)
{
    int got = -1;
    struct abi2 *abi = s->state;
    ompd_rc_t rc =
        abi->call.get_threads(abi->space, (ompd_thread_handle_t ***)list, &got);
    return list_answer(rc, got, count);
}

static enum answer thread_by_id(struct session *s, enum thread_id_kind kind, uint64_t id,
                                struct omp_thread **thread)
{
    struct abi2 *abi = s->state;
    uint32_t lwp = (uint32_t)id;
    bool is_lwp = kind == ID_LWP;
    return abi2_answer(abi->call.get_thread_handle(
        abi->space, is_lwp ? ompd_osthread_lwp : ompd_osthread_pthread,
        is_lwp ? sizeof lwp : s->target->word_size, is_lwp ? (void *)&lwp : (void *)&id,
        (ompd_thread_handle_t **)thread));
}

static enum answer thread_id(struct session *s, struct omp_thread *thread,
                             enum thread_id_kind kind, uint64_t *id)
{
    uint32_t lwp = 0;
    uint64_t word = 0; /* little endian, so a short id fills its low end */
    bool is_lwp = kind == ID_LWP;
    ompd_rc_t rc = CALL(s)->get_osthread(
        THREAD(thread), is_lwp ? ompd_osthread_lwp : ompd_osthread_pthread,
        is_lwp ? sizeof lwp : s->target->word_size,
        is_lwp ? (void *)&lwp : (void *)&word);
    if (rc == ompd_rc_ok)
        *id = is_lwp ? lwp : word;
    return abi2_answer(rc);
}

static enum answer thread_state(struct session *s, struct omp_thread *thread,
                                uint64_t *state, uint64_t *wait_id)
{
    ompd_state_t got;
    ompd_rc_t rc = CALL(s)->get_state(THREAD(thread), &got, wait_id);
    if (rc == ompd_rc_ok)
        *state = (uint64_t)got;
    return abi2_answer(rc);
}

static enum answer thread_num(struct session *s, struct omp_thread *thread, int64_t *num)
{
    if (!CALL(s)->get_thread_num)
        return ANSWER_UNSUPPORTED;
    return abi2_answer(CALL(s)->get_thread_num(THREAD(thread), num));
}

static enum answer thread_region(struct session *s, struct omp_thread *thread,
                                 struct omp_region **region)
{
    return abi2_answer(CALL(s)->get_top_parallel_region(THREAD(thread),
                                                      (ompd_parallel_handle_t **)region));
}

static enum answer thread_task(struct session *s, struct omp_thread *thread,
                               struct omp_task **task)
{
    return abi2_answer(
        CALL(s)->get_top_task_region(THREAD(thread), (ompd_task_handle_t **)task));
}

static enum answer thread_string(struct session *s, struct omp_thread *thread, char **text)
{
    return abi2_answer(CALL(s)->get_thread_handle_string_id(THREAD(thread), text));
}

static enum answer thread_compare(struct session *s, struct omp_thread *a,
                                  struct omp_thread *b, int *order)
{
    return abi2_answer(CALL(s)->thread_handle_compare(THREAD(a), THREAD(b), order));
}

static enum answer thread_release(struct session *s, struct omp_thread *thread)
{
    return abi2_answer(CALL(s)->release_thread_handle(THREAD(thread)));
}

static enum answer region_id(struct session *s, struct omp_region *region, uint64_t *id)
{
    return abi2_answer(CALL(s)->get_parallel_id(REGION(region), id));
}

static enum answer region_size(struct session *s, struct omp_region *region, int64_t *size)
{
    return abi2_answer(CALL(s)->get_num_threads(REGION(region), size));
}

static enum answer region_function(struct session *s, struct omp_region *region,
                                   uint64_t *address)
{
    ompd_address_t got;
    ompd_rc_t rc = CALL(s)->get_parallel_function(REGION(region), &got);
    if (rc == ompd_rc_ok)
        *address = got.address;
    return abi2_answer(rc);
}

static enum answer region_parent(struct session *s, struct omp_region *region,
                                 struct omp_region **parent)
{
    return abi2_answer(CALL(s)->get_enclosing_parallel_handle(
        REGION(region), (ompd_parallel_handle_t **)parent));
}

static enum answer region_master(struct session *s, struct omp_region *region,
                                 struct omp_thread **thread)
{
    return abi2_answer(CALL(s)->get_master_thread_in_parallel(
        REGION(region), (ompd_thread_handle_t **)thread));
}

static enum answer region_threads(struct session *s, struct omp_region *region,
                                  struct omp_thread ***list, size_t *count)
{
    int got = -1;
    ompd_rc_t rc = CALL(s)->get_thread_in_parallel(
        REGION(region), (ompd_thread_handle_t ***)list, &got);
    return list_answer(rc, got, count);
}

static enum answer region_tasks(struct session *s, struct omp_region *region,
                                struct omp_task ***list, size_t *count)
{
    int got = -1;
    ompd_rc_t rc = CALL(s)->get_implicit_task_in_parallel(
        REGION(region), (ompd_task_handle_t ***)list, &got);
    return list_answer(rc, got, count);
}

static enum answer region_string(struct session *s, struct omp_region *region, char **text)
{
    return abi2_answer(CALL(s)->get_parallel_handle_string_id(REGION(region), text));
}

static enum answer region_compare(struct session *s, struct omp_region *a,
                                  struct omp_region *b, int *order)
{
    return abi2_answer(CALL(s)->parallel_handle_compare(REGION(a), REGION(b), order));
}

static enum answer region_release(struct session *s, struct omp_region *region)
{
    return abi2_answer(CALL(s)->release_parallel_handle(REGION(region)));
}

static enum answer task_id(struct session *s, struct omp_task *task, uint64_t *id)
{
    return abi2_answer(CALL(s)->get_task_id(TASK(task), id));
}

static enum answer task_function(struct session *s, struct omp_task *task,
                                 uint64_t *address)
{
    ompd_address_t got;
    ompd_rc_t rc = CALL(s)->get_task_function(TASK(task), &got);
    if (rc == ompd_rc_ok)
        *address = got.address;
    return abi2_answer(rc);
}

static enum answer task_frame(struct session *s, struct omp_task *task,
                              struct task_frame *frame)
{
    ompd_address_t exit, enter;
    ompd_rc_t rc = CALL(s)->get_task_frame(TASK(task), &exit, &enter);
    if (rc == ompd_rc_ok)
        *frame = (struct task_frame){exit.address, enter.address};
    return abi2_answer(rc);
}

static enum answer task_parent(struct session *s, struct omp_task *task,
                               struct omp_task **parent)
{
    return abi2_answer(
        CALL(s)->get_ancestor_task_region(TASK(task), (ompd_task_handle_t **)parent));
}

static enum answer task_region(struct session *s, struct omp_task *task,
                               struct omp_region **region)
{
    return abi2_answer(CALL(s)->get_task_parallel_handle(
        TASK(task), (ompd_parallel_handle_t **)region));
}

static enum answer task_level(struct session *s, struct omp_task *task, int64_t *level)
{
    return abi2_answer(CALL(s)->get_level(TASK(task), level));
}

static enum answer task_active_level(struct session *s, struct omp_task *task,
                                     int64_t *level)
{
    return abi2_answer(CALL(s)->get_active_level(TASK(task), level));
}

static enum answer task_implicit(struct session *s, struct omp_task *task,
                                 int64_t *implicit)
{
    if (!CALL(s)->is_implicit)
        return ANSWER_UNSUPPORTED;
    return abi2_answer(CALL(s)->is_implicit(TASK(task), implicit));
}

static enum answer task_final(struct session *s, struct omp_task *task, int64_t *final)
{
    if (!CALL(s)->in_final)
        return ANSWER_UNSUPPORTED;
    return abi2_answer(CALL(s)->in_final(TASK(task), final));
}

static enum answer task_string(struct session *s, struct omp_task *task, char **text)
{
    return abi2_answer(CALL(s)->get_task_handle_string_id(TASK(task), text));
}

static enum answer task_compare(struct session *s, struct omp_task *a, struct omp_task *b,
                                int *order)
{
    return abi2_answer(CALL(s)->task_handle_compare(TASK(a), TASK(b), order));
}

static enum answer task_release(struct session *s, struct omp_task *task)
{
    return abi2_answer(CALL(s)->release_task_handle(TASK(task)));
}

/* Loading. */

static bool load_routines(void *dl, struct routines *call, struct why *why)
{
#define X(name) \
    *(void **)&call->name = dlsym(dl, "ompd_" #name); \
    if (!call->name) \
        return why_set(why, "The library lacks ompd_%s.", #name);
    REQUIRED(X)
#undef X
#define X(name) *(void **)&call->name = dlsym(dl, "ompd_" #name);
    OPTIONAL(X)
#undef X
    return true;
}

static enum answer open_library(struct session *s, struct why *why)
{
    struct abi2 *abi = calloc(1, sizeof *abi);
    if (!abi) {
        why_set(why, "Out of memory.");
        return ANSWER_NOMEM;
    }
    enum answer answer = ANSWER_ERROR;
    int version = 0;
    ompd_rc_t rc;
    if (!load_routines(s->dl, &abi->call, why)) {
        ;
    } else if (abi->call.get_version(&version) != ompd_rc_ok || version != 2) {
        why_set(why, "%s speaks version %d of the interface, not 2.", s->library, version);
    } else if ((rc = abi->call.initialize(&callbacks)) != ompd_rc_ok) {
        answer = abi2_answer(rc);
        why_set(why, "%s cannot be initialised: %s.", s->library, answer_name(answer));
    } else {
        the_space.session = s;
        rc = abi->call.process_initialize(&the_space, &abi->space);
        answer = abi2_answer(rc);
        if (rc == ompd_rc_ok) {
            s->state = abi;
            return answer;
        }
        why_set(why, "%s cannot work on this %s: %s.", s->library, s->target->ops->kind,
                answer_name(answer));
        abi->call.finalize();
    }
    free(abi);
    return answer;
}

static void close_library(struct session *s)
{
    struct abi2 *abi = s->state;
    abi->call.release_address_space_handle(abi->space);
    abi->call.finalize();
    free(abi);
}

const struct dialect dialect_abi2 = {
    .abi = 2,
    .library = "libompd-2.so",
    .open = open_library,
    .close = close_library,
    .threads = threads,
    .thread_by_id = thread_by_id,
    .thread_id = thread_id,
    .thread_state = thread_state,
    .thread_num = thread_num,
    .thread_region = thread_region,
    .thread_task = thread_task,
    .thread_string = thread_string,
    .thread_compare = thread_compare,
    .thread_release = thread_release,
    .region_id = region_id,
    .region_size = region_size,
    .region_function = region_function,
    .region_parent = region_parent,
    .region_master = region_master,
    .region_threads = region_threads,
    .region_tasks = region_tasks,
    .region_string = region_string,
    .region_compare = region_compare,
    .region_release = region_release,
    .task_id = task_id,
    .task_function = task_function,
    .task_frame = task_frame,
    .task_parent = task_parent,
    .task_region = task_region,
    .task_level = task_level,
    .task_active_level = task_active_level,
    .task_implicit = task_implicit,
    .task_final = task_final,
    .task_string = task_string,
    .task_compare = task_compare,
    .task_release = task_release,
    .icvs = abi2_icvs,
    .icv_number = abi2_icv_number,
    .icv_text = abi2_icv_text,
    .settings = abi2_settings,
};
