/* SPDX-License-Identifier: MIT
 *
 * queries.h.
 */
#include "config.h"

#include <stdlib.h>

#include "queries.h"
#include "random-stops.h"
#include "tap.h"

bool host_start_abi(struct host *h, int abi, const char *name, const char *argument,
                    int count)
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

const char *const question_names[QUESTIONS] = {
    "thread by lwp", "thread by pthread", "lwp of thread", "pthread of thread",
    "thread state", "thread number", "thread's region", "thread's task",
    "thread as string", "thread compared", "region id", "region size", "region function",
    "region's parent", "region's master", "region as string", "region compared", "task id",
    "task function", "task frame", "task's parent", "task's region", "task level",
    "task active level", "task implicit", "task final", "task as string",
};

enum answer ask(struct session *s, const struct handles *h, const uint64_t id[2],
                int question)
{
    uint64_t u, v;
    int64_t i;
    int order;
    char *text = NULL;
    struct handles got = {0};
    struct task_frame frame;
    enum answer answer;
    switch (question) {
    case 0: answer = ASK(s, thread_by_id, ID_LWP, id[0], &got.thread); break;
    case 1: answer = ASK(s, thread_by_id, ID_PTHREAD, id[1], &got.thread); break;
    case 2: answer = ASK(s, thread_id, h->thread, ID_LWP, &u); break;
    case 3: answer = ASK(s, thread_id, h->thread, ID_PTHREAD, &u); break;
    case 4: answer = ASK(s, thread_state, h->thread, &u, &v); break;
    case 5: answer = ASK(s, thread_num, h->thread, &i); break;
    case 6: answer = ASK(s, thread_region, h->thread, &got.region); break;
    case 7: answer = ASK(s, thread_task, h->thread, &got.task); break;
    case 8: answer = ASK(s, thread_string, h->thread, &text); break;
    case 9: answer = ASK(s, thread_compare, h->thread, h->thread, &order); break;
    case 10: answer = ASK(s, region_id, h->region, &u); break;
    case 11: answer = ASK(s, region_size, h->region, &i); break;
    case 12: answer = ASK(s, region_function, h->region, &u); break;
    case 13: answer = ASK(s, region_parent, h->region, &got.region); break;
    case 14: answer = ASK(s, region_master, h->region, &got.thread); break;
    case 15: answer = ASK(s, region_string, h->region, &text); break;
    case 16: answer = ASK(s, region_compare, h->region, h->region, &order); break;
    case 17: answer = ASK(s, task_id, h->task, &u); break;
    case 18: answer = ASK(s, task_function, h->task, &u); break;
    case 19: answer = ASK(s, task_frame, h->task, &frame); break;
    case 20: answer = ASK(s, task_parent, h->task, &got.task); break;
    case 21: answer = ASK(s, task_region, h->task, &got.region); break;
    case 22: answer = ASK(s, task_level, h->task, &i); break;
    case 23: answer = ASK(s, task_active_level, h->task, &i); break;
    case 24: answer = ASK(s, task_implicit, h->task, &i); break;
    case 25: answer = ASK(s, task_final, h->task, &i); break;
    default: answer = ASK(s, task_string, h->task, &text); break;
    }
    host_free(text);
    release(s, &got);
    return answer;
}

bool reads_nothing(int question)
{
    return question == 8 || question == 9 || question == 15 || question == 16 ||
           question == 26;
}

bool is_string(int question)
{
    return question == 8 || question == 15 || question == 26;
}

void ids_of(struct session *s, const struct handles *h, uint64_t id[2])
{
    id[0] = id[1] = 0;
    ASK(s, thread_id, h->thread, ID_LWP, &id[0]);
    ASK(s, thread_id, h->thread, ID_PTHREAD, &id[1]);
}
