/* SPDX-License-Identifier: MIT
 *
 * queries.h.
 */
#include "config.h"

#include <stdlib.h>

#include "queries.h"
#include "random-stops.h"
#include "tap.h"

bool host_start_abi(struct host *h, int abi, const char *name, const char *argument, int count)
{
    char path[PATH_BYTES], word[64], number[16];
    struct why why = {""};
    enum answer answer;
    built_program(name, path);
    snprintf(word, sizeof word, "%s", argument ? argument : "");
    snprintf(number, sizeof number, "%d", count);
    char *program[] = {path, argument ? word : NULL, count ? number : NULL, NULL};
    *h = (struct host){0};
    h->program = spawn_ready(program, 30);
    h->target = h->program.pid ? live_open(h->program.pid, &why) : NULL;
    h->session = h->target ? session_open(h->target, abi, NULL, &answer, &why) : NULL;
    return tap_ok(h->session != NULL, "%s %s is held and understood by version %d %s", name,
                  argument ? argument : "", abi, why.text);
}

bool host_start(struct host *h, const char *name, const char *argument, int count)
{
    return host_start_abi(h, 2, name, argument, count);
}

void host_end(struct host *h)
{
    session_close(h->session);
    target_close(h->target);
    spawn_kill(&h->program);
}

void release(struct session *s, struct handles *h)
{
    if (h->thread)
        ASK(s, thread_release, h->thread);
    if (h->region)
        ASK(s, region_release, h->region);
    if (h->task)
        ASK(s, task_release, h->task);
    *h = (struct handles){0};
}

struct handles find_handles(struct session *s)
{
    struct handles found = {0};
    struct omp_thread **list = NULL;
    size_t count = 0;
    if (ASK(s, threads, &list, &count) != ANSWER_OK)
        return found;
    for (size_t i = 0; i < count; i++) {
        struct handles h = {.thread = list[i]};
        if (found.thread || ASK(s, thread_region, h.thread, &h.region) != ANSWER_OK ||
            ASK(s, thread_task, h.thread, &h.task) != ANSWER_OK)
            release(s, &h);
        else
            found = h;
    }
    host_free(list);
    return found;
}

/* name, what is special of it, question and arguments */
enum { FROM_HANDLE = 1, STRING = 2 };
#define EVERY_QUESTION(X)                                                                          \
    X("thread by lwp", 0, thread_by_id, ID_LWP, id[0], &got.thread)                                \
    X("thread by pthread", 0, thread_by_id, ID_PTHREAD, id[1], &got.thread)                        \
    X("lwp of thread", 0, thread_id, h->thread, ID_LWP, &u)                                        \
    X("pthread of thread", 0, thread_id, h->thread, ID_PTHREAD, &u)                                \
    X("thread state", 0, thread_state, h->thread, &u, &v)                                          \
    X("thread number", 0, thread_num, h->thread, &i)                                               \
    X("thread's region", 0, thread_region, h->thread, &got.region)                                 \
    X("thread's task", 0, thread_task, h->thread, &got.task)                                       \
    X("thread as string", FROM_HANDLE | STRING, thread_string, h->thread, &text)                   \
    X("thread compared", FROM_HANDLE, thread_compare, h->thread, h->thread, &order)                \
    X("region id", 0, region_id, h->region, &u)                                                    \
    X("region size", 0, region_size, h->region, &i)                                                \
    X("region function", 0, region_function, h->region, &u)                                        \
    X("region's parent", 0, region_parent, h->region, &got.region)                                 \
    X("region's master", 0, region_master, h->region, &got.thread)                                 \
    X("region as string", FROM_HANDLE | STRING, region_string, h->region, &text)                   \
    X("region compared", FROM_HANDLE, region_compare, h->region, h->region, &order)                \
    X("task id", 0, task_id, h->task, &u)                                                          \
    X("task function", 0, task_function, h->task, &u)                                              \
    X("task frame", 0, task_frame, h->task, &frame)                                                \
    X("task's parent", 0, task_parent, h->task, &got.task)                                         \
    X("task's region", 0, task_region, h->task, &got.region)                                       \
    X("task level", 0, task_level, h->task, &i)                                                    \
    X("task active level", 0, task_active_level, h->task, &i)                                      \
    X("task implicit", 0, task_implicit, h->task, &i)                                              \
    X("task final", 0, task_final, h->task, &i)                                                    \
    X("task as string", FROM_HANDLE | STRING, task_string, h->task, &text)

#define X(name, flags, ...) name,
const char *const question_names[QUESTIONS] = {EVERY_QUESTION(X)};
#undef X
#define X(name, flags, ...) flags,
static const int specials[QUESTIONS] = {EVERY_QUESTION(X)};
#undef X

enum answer ask(struct session *s, const struct handles *h, const uint64_t id[2], int question)
{
    uint64_t u, v;
    int64_t i;
    int order, number = 0;
    char *text = NULL;
    struct handles got = {0};
    struct task_frame frame;
    enum answer answer = ANSWER_OTHER;
#define X(name, flags, asked, ...)                                                                 \
    if (question == number++)                                                                      \
        answer = ASK(s, asked, __VA_ARGS__);
    EVERY_QUESTION(X)
#undef X
    host_free(text);
    release(s, &got);
    return answer;
}

bool reads_nothing(int question)
{
    return specials[question] & FROM_HANDLE;
}

bool is_string(int question)
{
    return specials[question] & STRING;
}

void ids_of(struct session *s, const struct handles *h, uint64_t id[2])
{
    id[0] = id[1] = 0;
    ASK(s, thread_id, h->thread, ID_LWP, &id[0]);
    ASK(s, thread_id, h->thread, ID_PTHREAD, &id[1]);
}
