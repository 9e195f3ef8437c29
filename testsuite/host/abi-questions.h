/* SPDX-License-Identifier: MIT
 *
 * The questions that both dialects ask alike: abi2.c and abi5.c include this behind abi2.h or
 * abi5.h, which say what differs: ABI(), THREAD_ID(), the type of a frame.
 */
#ifndef HOST_ABI_QUESTIONS_H
#define HOST_ABI_QUESTIONS_H

/* A question about one handle with one answer; a library may lack the routine. */
#define ASKS(question, kind, KIND, type, routine)                                                  \
    static enum answer question(struct session *s, struct omp_##kind *handle, type *got)           \
    {                                                                                              \
        if (!CALL(s)->routine)                                                                     \
            return ANSWER_UNSUPPORTED;                                                             \
        return ABI(answer)(CALL(s)->routine(KIND(handle), (void *)got));                           \
    }

/* What is done to handles of a kind. */
#define HANDLES(kind, KIND, compares, releases)                                                    \
    static enum answer kind##_compare(struct session *s, struct omp_##kind *a,                     \
                                      struct omp_##kind *b, int *order)                            \
    {                                                                                              \
        return ABI(answer)(CALL(s)->compares(KIND(a), KIND(b), order));                            \
    }                                                                                              \
    static enum answer kind##_release(struct session *s, struct omp_##kind *handle)                \
    {                                                                                              \
        return ABI(answer)(CALL(s)->releases(KIND(handle)));                                       \
    }

HANDLES(thread, THREAD, thread_handle_compare, rel_thread_handle)
HANDLES(region, REGION, parallel_handle_compare, rel_parallel_handle)
HANDLES(task, TASK, task_handle_compare, rel_task_handle)
ASKS(thread_task, thread, THREAD, struct omp_task *, get_curr_task_handle)
ASKS(task_parent, task, TASK, struct omp_task *, get_generating_task_handle)

static enum answer thread_by_id(struct session *s, enum thread_id_kind kind, uint64_t id,
                                struct omp_thread **thread)
{
    struct abi *abi = s->state;
    uint32_t lwp = (uint32_t)id;
    bool is_lwp = kind == ID_LWP;
    return ABI(answer)(abi->call.get_thread_handle(
        abi->space, is_lwp ? THREAD_ID(LWP, lwp) : THREAD_ID(PTHREAD, pthread),
        is_lwp ? sizeof lwp : s->target->word_size, is_lwp ? (void *)&lwp : (void *)&id,
        (ompd_thread_handle_t **)thread));
}

static enum answer thread_id(struct session *s, struct omp_thread *thread, enum thread_id_kind kind,
                             uint64_t *id)
{
    uint32_t lwp = 0;
    uint64_t word = 0; /* little endian, so a short id fills its low end */
    bool is_lwp = kind == ID_LWP;
    ompd_rc_t rc = CALL(s)->get_thread_id(
        THREAD(thread), is_lwp ? THREAD_ID(LWP, lwp) : THREAD_ID(PTHREAD, pthread),
        is_lwp ? sizeof lwp : s->target->word_size, is_lwp ? (void *)&lwp : (void *)&word);
    if (rc == ompd_rc_ok)
        *id = is_lwp ? lwp : word;
    return ABI(answer)(rc);
}

static enum answer task_function(struct session *s, struct omp_task *task, uint64_t *address)
{
    ompd_address_t got;
    ompd_rc_t rc = CALL(s)->get_task_function(TASK(task), &got);
    if (rc == ompd_rc_ok)
        *address = got.address;
    return ABI(answer)(rc);
}

static enum answer task_frame(struct session *s, struct omp_task *task, struct task_frame *frame)
{
    frame_of_abi exit, enter;
    ompd_rc_t rc = CALL(s)->get_task_frame(TASK(task), &exit, &enter);
    if (rc == ompd_rc_ok)
        *frame = (struct task_frame){CFA(exit), CFA(enter)};
    return ABI(answer)(rc);
}

/* The members of a struct dialect that each file has a function for, by their names. */
#define DIALECT                                                                                    \
    .open = ABI(open), .close = ABI(close), .threads = threads, .thread_by_id = thread_by_id,      \
    .thread_id = thread_id, .thread_state = thread_state, .thread_num = thread_num,                \
    .thread_region = thread_region, .thread_task = thread_task, .thread_string = thread_string,    \
    .thread_compare = thread_compare, .thread_release = thread_release, .region_id = region_id,    \
    .region_size = region_size, .region_function = region_function,                                \
    .region_parent = region_parent, .region_master = region_master,                                \
    .region_threads = region_threads, .region_tasks = region_tasks,                                \
    .region_string = region_string, .region_compare = region_compare,                              \
    .region_release = region_release, .task_id = task_id, .task_function = task_function,          \
    .task_frame = task_frame, .task_parent = task_parent, .task_region = task_region,              \
    .task_level = task_level, .task_active_level = task_active_level,                              \
    .task_implicit = task_implicit, .task_final = task_final, .task_string = task_string,          \
    .task_compare = task_compare, .task_release = task_release, .icvs = ABI(icvs),                 \
    .icv_number = ABI(icv_number), .icv_text = ABI(icv_text), .settings = ABI(settings)

#endif
