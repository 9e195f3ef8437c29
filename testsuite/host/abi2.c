/* SPDX-License-Identifier: MIT
 *
 * The dialect of the 2015 report (version 2.000), spoken against libompd-2.so: one short
 * function per question, and the table of them.
 */
#include "config.h"

#include "abi2.h"

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

const struct dialect dialect_abi2 = {
    .abi = 2,
    .library = "libompd-2.so",
    .open = abi2_open,
    .close = abi2_close,
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
