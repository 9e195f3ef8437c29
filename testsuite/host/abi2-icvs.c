/* SPDX-License-Identifier: MIT
 *
 * ICVs and settings by the report: one routine each. It knows numbers only; the words are
 * those of the environment variables.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "abi2.h"

enum value_kind { NUMBER, BOOLEAN, SCHEDULE, BIND };

/* name, scope, kind of value, routine, handle */
#define ICVS(X) PLAIN(X) SPECIAL(X)
#define PLAIN(X)                                                                                   \
    X("num-procs-var", PROCESS, NUMBER, get_num_procs, SPACE(s))                                   \
    X("thread-limit-var", PROCESS, NUMBER, get_thread_limit, SPACE(s))                             \
    X("thread-num-var", THREAD, NUMBER, get_thread_num, THREAD(handle))                            \
    X("max-active-levels-var", THREAD, NUMBER, get_max_active_levels, THREAD(handle))              \
    X("team-size-var", REGION, NUMBER, get_num_threads, REGION(handle))                            \
    X("levels-var", TASK, NUMBER, get_level, TASK(handle))                                         \
    X("active-levels-var", TASK, NUMBER, get_active_level, TASK(handle))                           \
    X("nthreads-var", TASK, NUMBER, get_max_threads, TASK(handle))                                 \
    X("in-parallel", TASK, BOOLEAN, in_parallel, TASK(handle))                                     \
    X("final-task-var", TASK, BOOLEAN, in_final, TASK(handle))                                     \
    X("dyn-var", TASK, BOOLEAN, get_dynamic, TASK(handle))                                         \
    X("nest-var", TASK, BOOLEAN, get_nested, TASK(handle))                                         \
    X("implicit-task-var", TASK, BOOLEAN, is_implicit, TASK(handle))
/* The two whose value is no ompd_tword_t. */
#define SPECIAL(X)                                                                                 \
    X("run-sched-var", TASK, SCHEDULE, get_schedule, TASK(handle))                                 \
    X("bind-var", TASK, BIND, get_proc_bind, TASK(handle))

#define SPACE(s) (((struct abi *)(s)->state)->space)

#define X(name, scope, kind, routine, handle) INDEX_##routine,
enum { ICVS(X) ICV_COUNT };
#undef X

#define X(name, scope, kind, routine, handle) {name, ICV_OF_##scope, false},
static const struct icv icvs[] = {ICVS(X)};
#undef X

#define X(name, scope, kind, routine, handle) kind,
static const enum value_kind kinds[] = {ICVS(X)};
#undef X

const struct icv *abi2_icvs(struct session *s, size_t *count)
{
    (void)s;
    *count = ICV_COUNT;
    return icvs;
}

static enum answer schedule(struct session *s, void *handle, int64_t *number, int64_t *chunk)
{
    ompd_sched_t kind;
    ompd_rc_t rc = CALL(s)->get_schedule(TASK(handle), &kind, chunk);
    if (rc == ompd_rc_ok)
        *number = kind;
    return abi2_answer(rc);
}

static enum answer bind(struct session *s, void *handle, int64_t *number)
{
    ompd_proc_bind_t policy;
    ompd_rc_t rc = CALL(s)->get_proc_bind(TASK(handle), &policy);
    if (rc == ompd_rc_ok)
        *number = policy;
    return abi2_answer(rc);
}

enum answer abi2_icv_number(struct session *s, size_t icv, void *handle, int64_t *number)
{
    int64_t chunk;
    switch (icv) {
    case INDEX_get_schedule:
        return CALL(s)->get_schedule ? schedule(s, handle, number, &chunk) : ANSWER_UNSUPPORTED;
    case INDEX_get_proc_bind:
        return CALL(s)->get_proc_bind ? bind(s, handle, number) : ANSWER_UNSUPPORTED;
#define X(name, scope, kind, routine, handle)                                                      \
    case INDEX_##routine:                                                                          \
        return CALL(s)->routine ? abi2_answer(CALL(s)->routine(handle, number))                    \
                                : ANSWER_UNSUPPORTED;
        PLAIN(X)
#undef X
    default:
        return ANSWER_BAD_INPUT;
    }
}

static const char *word(const char *const *words, size_t count, int64_t number)
{
    return number >= 0 && (uint64_t)number < count ? words[number] : NULL;
}

enum answer abi2_icv_text(struct session *s, size_t icv, void *handle, char **text)
{
    static const char *const truths[] = {"false", "true"};
    static const char *const schedules[] = {NULL, "static", "dynamic", "guided", "auto"};
    static const char *const policies[] = {"false", "true", "primary", "close", "spread"};
    int64_t number = 0, chunk = 0;
    enum answer answer = icv == INDEX_get_schedule && CALL(s)->get_schedule
                             ? schedule(s, handle, &number, &chunk)
                             : abi2_icv_number(s, icv, handle, &number);
    if (answer != ANSWER_OK)
        return answer;
    const char *named = NULL;
    if (kinds[icv] == BOOLEAN)
        named = word(truths, 2, number);
    else if (kinds[icv] == SCHEDULE)
        named = word(schedules, 5, number);
    else if (kinds[icv] == BIND)
        named = word(policies, 5, number);
    char line[64];
    if (!named)
        snprintf(line, sizeof line, "%" PRId64, number);
    else if (chunk)
        snprintf(line, sizeof line, "%s,%" PRId64, named, chunk);
    else
        snprintf(line, sizeof line, "%s", named);
    void *copy;
    answer = host_alloc(strlen(line) + 1, &copy);
    if (answer == ANSWER_OK)
        *text = strcpy(copy, line);
    return answer;
}

enum answer abi2_settings(struct session *s, char ***list, size_t *count)
{
    if (!CALL(s)->get_display_control_vars || !CALL(s)->release_display_control_vars)
        return ANSWER_UNSUPPORTED;
    const char *const *vector;
    ompd_rc_t rc = CALL(s)->get_display_control_vars(SPACE(s), &vector);
    if (rc != ompd_rc_ok)
        return abi2_answer(rc);
    enum answer answer = settings_copy(vector, list, count);
    CALL(s)->release_display_control_vars(vector);
    return answer;
}
