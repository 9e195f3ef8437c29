/* SPDX-License-Identifier: MIT
 *
 * Gathers a snapshot: threads first, then what they lead to until nothing new turns up.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "snapshot.h"

enum { MAX_OBJECTS = 1 << 20 };

#define ASK(s, question, ...) (s)->dialect->question((s), __VA_ARGS__)

/* A question with one value for an answer. */
#define FACT(s, question, handle, type)                                                            \
    __extension__({                                                                                \
        type got_ = 0;                                                                             \
        enum answer answer_ = ASK(s, question, handle, &got_);                                     \
        (struct fact){answer_, (uint64_t)got_};                                                    \
    })

static void *append(void **list, size_t *count, size_t size)
{
    if (*count >= MAX_OBJECTS)
        return NULL;
    void *grown = realloc(*list, (*count + 1) * size);
    if (!grown)
        return NULL;
    *list = grown;
    void *item = (char *)grown + (*count)++ * size;
    memset(item, 0, size);
    return item;
}

/* Takes over the handle. Returns its index, a known one when it names a known object. */
static int take_region(struct snapshot *snap, struct omp_region *handle)
{
    struct session *s = snap->session;
    for (size_t i = 0; i < snap->region_count; i++) {
        int order = 1;
        if (ASK(s, region_compare, snap->regions[i].handle, handle, &order) == ANSWER_OK &&
            order == 0) {
            ASK(s, region_release, handle);
            return (int)i;
        }
    }
    struct region_facts *region =
        append((void **)&snap->regions, &snap->region_count, sizeof *region);
    if (!region) {
        ASK(s, region_release, handle);
        return NO_INDEX;
    }
    region->handle = handle;
    region->parent = NO_INDEX;
    return (int)snap->region_count - 1;
}

static int take_task(struct snapshot *snap, struct omp_task *handle)
{
    struct session *s = snap->session;
    for (size_t i = 0; i < snap->task_count; i++) {
        int order = 1;
        if (ASK(s, task_compare, snap->tasks[i].handle, handle, &order) == ANSWER_OK &&
            order == 0) {
            ASK(s, task_release, handle);
            return (int)i;
        }
    }
    struct task_facts *task = append((void **)&snap->tasks, &snap->task_count, sizeof *task);
    if (!task) {
        ASK(s, task_release, handle);
        return NO_INDEX;
    }
    task->handle = handle;
    task->parent = task->region = NO_INDEX;
    return (int)snap->task_count - 1;
}

static struct fact lwp_of_thread(struct session *s, struct omp_thread *thread)
{
    uint64_t id = 0;
    enum answer answer = ASK(s, thread_id, thread, ID_LWP, &id);
    return (struct fact){answer, id};
}

static void fill_thread(struct snapshot *snap, struct thread_facts *t)
{
    struct session *s = snap->session;
    uint64_t id = 0;
    t->lwp = lwp_of_thread(s, t->handle);
    t->pthread.answer = ASK(s, thread_id, t->handle, ID_PTHREAD, &id);
    t->pthread.value = id;
    t->state.answer = ASK(s, thread_state, t->handle, &t->state.value, &t->wait_id.value);
    t->wait_id.answer = t->state.answer;
    t->num = FACT(s, thread_num, t->handle, int64_t);
    ASK(s, thread_string, t->handle, &t->text);
    if (s->dialect->thread_state_name)
        ASK(s, thread_state_name, t->handle, &t->state_text);
    struct omp_region *region;
    t->region_answer = ASK(s, thread_region, t->handle, &region);
    if (t->region_answer == ANSWER_OK)
        t->region = take_region(snap, region);
    struct omp_task *task;
    t->task_answer = ASK(s, thread_task, t->handle, &task);
    if (t->task_answer == ANSWER_OK)
        t->task = take_task(snap, task);
}

static bool take_threads(struct snapshot *snap)
{
    struct session *s = snap->session;
    struct omp_thread **list = NULL;
    size_t count = 0;
    snap->threads_answer = ASK(s, threads, &list, &count);
    if (snap->threads_answer != ANSWER_OK)
        count = 0;
    size_t room = count + s->target->lwp_count;
    snap->threads = calloc(room ? room : 1, sizeof *snap->threads);
    for (size_t i = 0; i < count; i++) {
        if (!snap->threads) {
            ASK(s, thread_release, list[i]);
            continue;
        }
        struct thread_facts *t = &snap->threads[snap->thread_count++];
        t->handle = list[i];
        t->region = t->task = NO_INDEX;
        fill_thread(snap, t);
    }
    host_free(list);
    if (!snap->threads)
        return false;
    size_t known = snap->thread_count;
    for (size_t i = 0; i < s->target->lwp_count; i++) {
        const struct lwp *lwp = &s->target->lwps[i];
        bool seen = false;
        for (size_t k = 0; k < known && !seen; k++)
            seen = snap->threads[k].lwp.answer == ANSWER_OK &&
                   snap->threads[k].lwp.value == (uint64_t)lwp->lwp;
        if (seen)
            continue;
        struct thread_facts *t = &snap->threads[snap->thread_count++];
        t->region = t->task = NO_INDEX;
        t->lwp.value = (uint64_t)lwp->lwp;
        t->pthread.value = lwp->pthread;
        t->state.answer = t->wait_id.answer = t->num.answer = t->region_answer = t->task_answer =
            ANSWER_UNAVAILABLE;
    }
    return true;
}

/* By index: the lists move while they grow. */
static bool fill_region(struct snapshot *snap, size_t index)
{
    struct session *s = snap->session;
    struct omp_region *handle = snap->regions[index].handle;
    struct region_facts r = snap->regions[index];
    r.id = FACT(s, region_id, handle, uint64_t);
    r.size = FACT(s, region_size, handle, int64_t);
    r.function = FACT(s, region_function, handle, uint64_t);
    ASK(s, region_string, handle, &r.text);

    struct omp_thread *master;
    r.master.answer = ASK(s, region_master, handle, &master);
    if (r.master.answer == ANSWER_OK) {
        r.master = lwp_of_thread(s, master);
        ASK(s, thread_release, master);
    }
    struct omp_region *parent;
    r.parent_answer = ASK(s, region_parent, handle, &parent);
    if (r.parent_answer == ANSWER_OK)
        r.parent = take_region(snap, parent);

    struct omp_thread **members = NULL;
    size_t count = 0;
    r.members_answer = ASK(s, region_threads, handle, &members, &count);
    if (r.members_answer == ANSWER_OK) {
        r.members = calloc(count ? count : 1, sizeof *r.members);
        for (size_t i = 0; i < count; i++) {
            struct fact lwp = lwp_of_thread(s, members[i]);
            if (r.members)
                r.members[r.member_count++] = lwp.answer == ANSWER_OK ? lwp.value : 0;
            ASK(s, thread_release, members[i]);
        }
        host_free(members);
    }
    struct omp_task **tasks = NULL;
    count = 0;
    r.tasks_answer = ASK(s, region_tasks, handle, &tasks, &count);
    if (r.tasks_answer == ANSWER_OK) {
        r.tasks = calloc(count ? count : 1, sizeof *r.tasks);
        for (size_t i = 0; i < count; i++) {
            int task = take_task(snap, tasks[i]);
            if (r.tasks)
                r.tasks[r.task_count++] = task;
        }
        host_free(tasks);
    }
    bool ok = (r.members || r.members_answer) && (r.tasks || r.tasks_answer);
    snap->regions[index] = r;
    return ok;
}

static void fill_task(struct snapshot *snap, size_t index)
{
    struct session *s = snap->session;
    struct omp_task *handle = snap->tasks[index].handle;
    struct task_facts t = snap->tasks[index];
    t.id = FACT(s, task_id, handle, uint64_t);
    t.function = FACT(s, task_function, handle, uint64_t);
    t.level = FACT(s, task_level, handle, int64_t);
    t.active_level = FACT(s, task_active_level, handle, int64_t);
    t.implicit = FACT(s, task_implicit, handle, int64_t);
    struct task_frame frame = {0};
    t.exit_frame.answer = t.enter_frame.answer = ASK(s, task_frame, handle, &frame);
    t.exit_frame.value = frame.exit;
    t.enter_frame.value = frame.enter;
    ASK(s, task_string, handle, &t.text);
    struct omp_task *parent;
    t.parent_answer = ASK(s, task_parent, handle, &parent);
    if (t.parent_answer == ANSWER_OK)
        t.parent = take_task(snap, parent);
    struct omp_region *region;
    t.region_answer = ASK(s, task_region, handle, &region);
    if (t.region_answer == ANSWER_OK)
        t.region = take_region(snap, region);
    snap->tasks[index] = t;
}

struct snapshot *snapshot_take(struct session *session)
{
    struct snapshot *snap = calloc(1, sizeof *snap);
    if (!snap)
        return NULL;
    snap->session = session;
    bool ok = take_threads(snap);
    size_t region = 0, task = 0;
    while (ok && (region < snap->region_count || task < snap->task_count)) {
        if (region < snap->region_count)
            ok = fill_region(snap, region++);
        else
            fill_task(snap, task++);
    }
    if (!ok) {
        snapshot_free(snap);
        return NULL;
    }
    return snap;
}

void snapshot_free(struct snapshot *snap)
{
    if (!snap)
        return;
    struct session *s = snap->session;
    for (size_t i = 0; i < snap->thread_count; i++) {
        host_free(snap->threads[i].text);
        host_free(snap->threads[i].state_text);
        if (snap->threads[i].handle)
            ASK(s, thread_release, snap->threads[i].handle);
    }
    for (size_t i = 0; i < snap->region_count; i++) {
        host_free(snap->regions[i].text);
        free(snap->regions[i].members);
        free(snap->regions[i].tasks);
        ASK(s, region_release, snap->regions[i].handle);
    }
    for (size_t i = 0; i < snap->task_count; i++) {
        host_free(snap->tasks[i].text);
        ASK(s, task_release, snap->tasks[i].handle);
    }
    free(snap->threads);
    free(snap->regions);
    free(snap->tasks);
    free(snap);
}

const struct thread_facts *snapshot_thread(const struct snapshot *snapshot, uint64_t lwp)
{
    for (size_t i = 0; i < snapshot->thread_count; i++)
        if (snapshot->threads[i].handle && snapshot->threads[i].lwp.value == lwp)
            return &snapshot->threads[i];
    return NULL;
}
