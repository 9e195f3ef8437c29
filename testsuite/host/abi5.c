/* SPDX-License-Identifier: MIT
 *
 * The dialect of OpenMP 5.x, spoken against libompd.so; laid out as abi2.c.
 *
 * This interface lists no threads: the debugger asks for each thread it knows. Sizes,
 * levels and thread numbers are ICVs there (abi5-icvs.c). Ids and string ids are not in it;
 * ids come from the extension where the library has that.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "abi5.h"
#include "abi-questions.h"

enum { MAX_TEAM = 1 << 16 };

static enum answer threads(struct session *s, struct omp_thread ***list, size_t *count)
{
    const struct target *target = s->target;
    size_t found = 0;
    void *memory;
    enum answer answer = host_alloc(target->lwp_count * sizeof **list, &memory);
    if (answer != ANSWER_OK)
        return answer;
    struct omp_thread **vector = memory;
    for (size_t i = 0; i < target->lwp_count; i++) {
        answer = thread_by_id(s, ID_LWP, (uint64_t)target->lwps[i].lwp, &vector[found]);
        uint64_t lwp;
        if (answer == ANSWER_OK &&
            thread_id(s, vector[found], ID_LWP, &lwp) == ANSWER_STALE_HANDLE) {
            /* A thread that is about to end is found and no OpenMP thread any more. */
            CALL(s)->rel_thread_handle(THREAD(vector[found]));
        } else if (answer == ANSWER_OK) {
            found++;
        } else if (answer != ANSWER_UNAVAILABLE) {
            while (found > 0)
                CALL(s)->rel_thread_handle(THREAD(vector[--found]));
            host_free(vector);
            return answer;
        }
    }
    *list = vector;
    *count = found;
    return ANSWER_OK;
}

/* The states of OpenMP 5.x (ompt_state_t) in the numbers of the report. */
static uint64_t report_state(ompd_word_t state)
{
    static const struct {
        uint16_t theirs, ours;
    } table[] = {
        {0x000, 0x00}, {0x001, 0x01}, {0x002, 0x02}, {0x010, 0x40}, {0x011, 0x41},
        {0x012, 0x41}, {0x013, 0x41}, {0x014, 0x42}, {0x015, 0x40}, {0x016, 0x41},
        {0x020, 0x50}, {0x021, 0x51}, {0x040, 0x60}, {0x041, 0x60}, {0x042, 0x62},
        {0x043, 0x63}, {0x044, 0x64}, {0x100, 0x10}, {0x101, 0x20},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].theirs == state)
            return table[i].ours;
    return 0x70;
}

static enum answer thread_state(struct session *s, struct omp_thread *thread, uint64_t *state,
                                uint64_t *wait_id)
{
    ompd_word_t got;
    ompd_rc_t rc = CALL(s)->get_state(THREAD(thread), &got, wait_id);
    if (rc == ompd_rc_ok)
        *state = report_state(got);
    return abi5_answer(rc);
}

/* In 5.x the implicit parallel region around an initial thread is a region like others; in
 * the report it is none, and so it is in the host. It is told by having no object. */
static enum answer explicit_region(struct session *s, ompd_rc_t rc, ompd_parallel_handle_t *found,
                                   struct omp_region **region)
{
    ompd_ext_object_t object;
    if (rc != ompd_rc_ok)
        return abi5_answer(rc);
    if (CALL(s)->ext_get_object &&
        CALL(s)->ext_get_object(found, ompd_scope_parallel, &object) == ompd_rc_unavailable) {
        CALL(s)->rel_parallel_handle(found);
        return ANSWER_UNAVAILABLE;
    }
    *region = (struct omp_region *)found;
    return ANSWER_OK;
}

static enum answer thread_region(struct session *s, struct omp_thread *thread,
                                 struct omp_region **region)
{
    ompd_parallel_handle_t *found = NULL;
    ompd_rc_t rc = CALL(s)->get_curr_parallel_handle(THREAD(thread), &found);
    return explicit_region(s, rc, found, region);
}

static enum answer region_parent(struct session *s, struct omp_region *region,
                                 struct omp_region **parent)
{
    ompd_parallel_handle_t *found = NULL;
    ompd_rc_t rc = CALL(s)->get_enclosing_parallel_handle(REGION(region), &found);
    return explicit_region(s, rc, found, parent);
}

typedef ompd_rc_t (*nth_fn)(struct session *s, struct omp_region *region, int n, void **got);
typedef ompd_rc_t (*release_fn)(struct session *s, void *handle);

static ompd_rc_t nth_thread(struct session *s, struct omp_region *region, int n, void **got)
{
    return CALL(s)->get_thread_in_parallel(REGION(region), n, (ompd_thread_handle_t **)got);
}

static ompd_rc_t nth_task(struct session *s, struct omp_region *region, int n, void **got)
{
    return CALL(s)->get_task_in_parallel(REGION(region), n, (ompd_task_handle_t **)got);
}

static ompd_rc_t release_thread(struct session *s, void *handle)
{
    return CALL(s)->rel_thread_handle(handle);
}

static ompd_rc_t release_task(struct session *s, void *handle)
{
    return CALL(s)->rel_task_handle(handle);
}

/* Numbers from 0 until the library says that there is no such number. */
static enum answer by_number(struct session *s, struct omp_region *region, nth_fn nth,
                             release_fn give_back, void ***list, size_t *count)
{
    void **vector = NULL;
    size_t found = 0, room = 0;
    enum answer answer = ANSWER_OK;
    for (int n = 0; n < MAX_TEAM; n++) {
        if (found == room) {
            void *grown;
            room = room ? 2 * room : 16;
            answer = host_alloc(room * sizeof *vector, &grown);
            if (answer != ANSWER_OK)
                break;
            if (vector)
                memcpy(grown, vector, found * sizeof *vector);
            host_free(vector);
            vector = grown;
        }
        answer = abi5_answer(nth(s, region, n, &vector[found]));
        if (answer == ANSWER_OK)
            found++;
        else if (answer != ANSWER_UNAVAILABLE)
            break;
    }
    if (answer == ANSWER_BAD_INPUT) {
        *list = vector;
        *count = found;
        return ANSWER_OK;
    }
    while (found > 0)
        give_back(s, vector[--found]);
    host_free(vector);
    return answer == ANSWER_OK ? ANSWER_OTHER : answer;
}

static enum answer region_threads(struct session *s, struct omp_region *region,
                                  struct omp_thread ***list, size_t *count)
{
    return by_number(s, region, nth_thread, release_thread, (void ***)list, count);
}

static enum answer region_tasks(struct session *s, struct omp_region *region,
                                struct omp_task ***list, size_t *count)
{
    return by_number(s, region, nth_task, release_task, (void ***)list, count);
}

/* A region's construct is known to the extension alone. The standard leads to the function
 * and to the master through the implicit task and the thread with number 0, once those have
 * begun. */
static bool construct_of(struct session *s, struct omp_region *region, ompd_ext_region_t *facts,
                         enum answer *answer)
{
    if (!CALL(s)->ext_get_region || !CALL(s)->ext_get_thread_handle)
        return false;
    *answer = abi5_answer(CALL(s)->ext_get_region(REGION(region), sizeof *facts, facts));
    return true;
}

static enum answer region_function(struct session *s, struct omp_region *region, uint64_t *address)
{
    ompd_ext_region_t facts;
    enum answer answer;
    if (construct_of(s, region, &facts, &answer)) {
        if (answer == ANSWER_OK && !(facts.known >> OMPD_EXT_REGION_FUNCTION & 1))
            return ANSWER_UNAVAILABLE;
        if (answer == ANSWER_OK)
            *address = facts.function;
        return answer;
    }
    void *task;
    answer = abi5_answer(nth_task(s, region, 0, &task));
    if (answer == ANSWER_OK) {
        answer = task_function(s, task, address);
        release_task(s, task);
    }
    return answer;
}

static enum answer region_master(struct session *s, struct omp_region *region,
                                 struct omp_thread **thread)
{
    struct abi *abi = s->state;
    ompd_ext_region_t facts;
    enum answer answer;
    if (construct_of(s, region, &facts, &answer)) {
        if (answer != ANSWER_OK)
            return answer;
        if (!(facts.known >> OMPD_EXT_REGION_MASTER & 1))
            return ANSWER_UNAVAILABLE;
        return abi5_answer(abi->call.ext_get_thread_handle(abi->space, &facts.master,
                                                           (ompd_thread_handle_t **)thread));
    }
    return abi5_answer(nth_thread(s, region, 0, (void **)thread));
}

static enum answer task_region(struct session *s, struct omp_task *task, struct omp_region **region)
{
    ompd_parallel_handle_t *found = NULL;
    ompd_rc_t rc = CALL(s)->get_task_parallel_handle(TASK(task), &found);
    return explicit_region(s, rc, found, region);
}

/* An ICV in this interface. */
#define IS_ICV(question, kind, name, scope)                                                        \
    static enum answer question(struct session *s, struct omp_##kind *handle, int64_t *got)        \
    {                                                                                              \
        return abi5_number(s, name, handle, ompd_scope_##scope, got);                              \
    }
IS_ICV(thread_num, thread, "thread-num-var", thread)
IS_ICV(region_size, region, "team-size-var", parallel)
IS_ICV(task_level, task, "levels-var", task)
IS_ICV(task_active_level, task, "active-levels-var", task)
IS_ICV(task_implicit, task, "implicit-task-var", task)
IS_ICV(task_final, task, "final-task-var", task)

static enum answer object_id(struct session *s, void *handle, ompd_scope_t scope, uint64_t *id)
{
    ompd_ext_object_t object;
    if (!CALL(s)->ext_get_object)
        return ANSWER_UNSUPPORTED;
    ompd_rc_t rc = CALL(s)->ext_get_object(handle, scope, &object);
    if (rc == ompd_rc_ok)
        *id = object.id;
    return abi5_answer(rc);
}

static enum answer region_id(struct session *s, struct omp_region *region, uint64_t *id)
{
    return object_id(s, region, ompd_scope_parallel, id);
}

static enum answer task_id(struct session *s, struct omp_task *task, uint64_t *id)
{
    return object_id(s, task, ompd_scope_task, id);
}

/* What this interface has no routine for. */
#define NO_STRING(name, handle)                                                                    \
    static enum answer name(struct session *s, struct handle *object, char **text)                 \
    {                                                                                              \
        (void)s, (void)object, (void)text;                                                         \
        return ANSWER_UNSUPPORTED;                                                                 \
    }
NO_STRING(thread_string, omp_thread)
NO_STRING(region_string, omp_region)
NO_STRING(task_string, omp_task)

const struct dialect dialect_abi5 = {
    .abi = 5,
    .library = "libompd.so",
    DIALECT,
    .thread_state_name = abi5_state_name,
};
