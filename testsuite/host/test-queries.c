/* SPDX-License-Identifier: MIT
 *
 * What questions cost on a real target, and what becomes of them when the target changes:
 * callback reads per question, no symbol lookup after initialisation, reads that fail,
 * handles that outlive what they name, a process that dies while the host holds it.
 */
#define _GNU_SOURCE
#include "config.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "elf-image.h"
#include "extension.h"
#include "icv-list.h"
#include "page-cache.h"
#include "session.h"
#include "spawn.h"
#include "tap.h"

#define ASK(s, question, ...) (s)->dialect->question((s), __VA_ARGS__)

struct host {
    struct spawned program;
    struct target *target;
    struct session *session;
};

/* `count` 0: no second argument. */
static bool host_start_abi(struct host *h, int abi, const char *name, const char *argument,
                           int count)
{
    const char *build = getenv("top_builddir");
    char path[4096], word[64], number[16];
    struct why why = {""};
    enum answer answer;
    snprintf(path, sizeof path, "%s/testsuite/host/%s", build ? build : ".", name);
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

static bool host_start(struct host *h, const char *name, const char *argument, int count)
{
    return host_start_abi(h, 2, name, argument, count);
}

static void host_end(struct host *h)
{
    session_close(h->session);
    target_close(h->target);
    spawn_kill(&h->program);
}

/* Handles of one thread that is inside a region. */
struct handles {
    struct omp_thread *thread;
    struct omp_region *region;
    struct omp_task *task;
};

static void release(struct session *s, struct handles *h)
{
    if (h->thread)
        ASK(s, thread_release, h->thread);
    if (h->region)
        ASK(s, region_release, h->region);
    if (h->task)
        ASK(s, task_release, h->task);
    *h = (struct handles){0};
}

/* The first thread with a region, NULL handles when none has one. */
static struct handles find_handles(struct session *s)
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

/* Every question about one object. The answers do not matter to the callers but for their
 * code; values go nowhere. */
enum { QUESTIONS = 27 };

static const char *const question_names[QUESTIONS] = {
    "thread by lwp", "thread by pthread", "lwp of thread", "pthread of thread",
    "thread state", "thread number", "thread's region", "thread's task",
    "thread as string", "thread compared", "region id", "region size", "region function",
    "region's parent", "region's master", "region as string", "region compared", "task id",
    "task function", "task frame", "task's parent", "task's region", "task level",
    "task active level", "task implicit", "task final", "task as string",
};

static enum answer ask(struct session *s, const struct handles *h, const uint64_t id[2],
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

/* These are answered from the handle itself. */
static bool reads_nothing(int question)
{
    return question == 8 || question == 9 || question == 15 || question == 16 ||
           question == 26;
}

/* OpenMP 5.x has no strings for handles. */
static bool is_string(int question)
{
    return question == 8 || question == 15 || question == 26;
}

static void ids_of(struct session *s, const struct handles *h, uint64_t id[2])
{
    id[0] = id[1] = 0;
    ASK(s, thread_id, h->thread, ID_LWP, &id[0]);
    ASK(s, thread_id, h->thread, ID_PTHREAD, &id[1]);
}

static void costs(int abi, const char *construct)
{
    struct host host;
    if (host_start_abi(&host, abi, "park", construct, 0)) {
        struct session *s = host.session;
        struct counts opened = s->counts;
        struct handles h = find_handles(s);
        uint64_t id[2], worst = 0;
        int worst_question = 0, refused = -1;
        if (tap_ok(h.task != NULL, "%s: a thread in a region is found", construct)) {
            ids_of(s, &h, id);
            for (int q = 0; q < QUESTIONS; q++) {
                uint64_t before = s->counts.reads;
                enum answer answer = ask(s, &h, id, q);
                if (answer != ANSWER_OK && answer != ANSWER_UNAVAILABLE &&
                    !(abi == 5 && is_string(q)))
                    refused = q;
                if (s->counts.reads - before > worst) {
                    worst = s->counts.reads - before;
                    worst_question = q;
                }
            }
            tap_ok(refused < 0, "%s: every question is answered %s", construct,
                   refused < 0 ? "" : question_names[refused]);
            tap_ok(worst <= 1, "%s: at most 1 callback read a question (%" PRIu64 ": %s)",
                   construct, worst, question_names[worst_question]);
        }
        release(s, &h);
        tap_ok(s->counts.symbols == opened.symbols,
               "%s: no symbol lookup after initialisation", construct);
        tap_ok(s->counts.allocations == opened.allocations,
               "%s: everything allocated was given back", construct);
    }
    host_end(&host);
}

/* All ICVs of one thread: its own, those of its region and task, and of the process. */
static void ask_icvs(struct session *s, const struct handles *h, uint64_t *worst_number,
                     uint64_t *worst_text, size_t *answered)
{
    size_t count;
    const struct icv *icvs = s->dialect->icvs(s, &count);
    for (size_t i = 0; i < count; i++) {
        void *handles[ICV_SCOPES] = {NULL, h->thread, h->region, h->task};
        uint64_t before = s->counts.reads;
        int64_t number;
        char *text = NULL;
        enum answer answer = s->dialect->icv_number(s, i, handles[icvs[i].scope], &number);
        /* The report asks a thread for this one: first its task has to be found. */
        bool indirect = s->dialect->abi == 2 && !strcmp(icvs[i].name, "max-active-levels-var");
        uint64_t reads = s->counts.reads - before - indirect;
        if (reads > *worst_number)
            *worst_number = reads;
        *answered += answer == ANSWER_OK || answer == ANSWER_INCOMPLETE;
        before = s->counts.reads;
        s->dialect->icv_text(s, i, handles[icvs[i].scope], &text);
        if (s->counts.reads - before > *worst_text)
            *worst_text = s->counts.reads - before;
        host_free(text);
    }
}

static void icv_costs(int abi, const char *construct)
{
    struct host host;
    if (host_start_abi(&host, abi, "park", construct, 0)) {
        struct session *s = host.session;
        struct counts opened = s->counts;
        struct handles h = find_handles(s);
        uint64_t number = 0, text = 0;
        size_t answered = 0;
        if (tap_ok(h.task != NULL, "%s: a thread in a region is found", construct)) {
            struct why why = {""};
            /* Nothing is in the cache: the target might have run. */
            target_stop(host.target, &why);
            uint64_t accesses = page_cache_accesses(host.target->cache);
            ask_icvs(s, &h, &number, &text, &answered);
            accesses = page_cache_accesses(host.target->cache) - accesses;
            tap_ok(answered >= 13 && number <= 2,
                   "%zu ICVs are numbers; one costs %" PRIu64 " callback reads, 2 at most",
                   answered, number);
            tap_ok(text <= 3, "its words %" PRIu64 ", 3 at most", text);
            tap_ok(accesses <= 8,
                   "all ICVs of a thread cost %" PRIu64 " target accesses, 8 at most",
                   accesses);
        }
        release(s, &h);
        tap_ok(s->counts.symbols == opened.symbols &&
                   s->counts.allocations == opened.allocations,
               "without symbol lookups, and everything was given back");
    }
    host_end(&host);
}

/* The extension's call for all threads. */
static void bulk_costs(int size)
{
    struct host host;
    if (host_start_abi(&host, 5, "park", "work", size)) {
        struct session *s = host.session;
        uint64_t reads = s->counts.reads;
        ompd_ext_thread_t *threads = NULL;
        ompd_size_t count = 0;
        enum answer answer = extension_threads(s, &threads, &count);
        reads = s->counts.reads - reads;
        tap_ok(answer == ANSWER_OK && count == (ompd_size_t)size &&
                   reads <= (uint64_t)size / 8 + 10,
               "all %d threads at once cost %" PRIu64 " callback reads, %d at most", size,
               reads, size / 8 + 10);
        tap_ok(s->counts.symbols == s->opening_symbols, "and no symbol lookup");
        host_free(threads);
    }
    host_end(&host);
}

/* Over every thread of a large team: the list, then each question about each thread, its
 * region and its task. */
static void team_costs(int abi, int size)
{
    struct host host;
    if (host_start_abi(&host, abi, "park", "work", size)) {
        struct session *s = host.session;
        uint64_t accesses = page_cache_accesses(host.target->cache), worst = 0;
        struct omp_thread **list = NULL;
        size_t count = 0;
        enum answer answer = ASK(s, threads, &list, &count);
        if (answer != ANSWER_OK)
            count = 0;
        for (size_t i = 0; i < count; i++) {
            uint64_t state, wait;
            ASK(s, thread_state, list[i], &state, &wait);
        }
        accesses = page_cache_accesses(host.target->cache) - accesses;
        tap_ok(count == (size_t)size && accesses <= count / 8 + 10,
               "the states of %zu threads cost %" PRIu64 " target accesses, %zu at most",
               count, accesses, count / 8 + 10);
        int worst_question = 0, refused = -1;
        for (size_t i = 0; i < count; i++) {
            struct handles h = {.thread = list[i]};
            uint64_t id[2];
            ids_of(s, &h, id);
            if (ASK(s, thread_region, h.thread, &h.region) != ANSWER_OK ||
                ASK(s, thread_task, h.thread, &h.task) != ANSWER_OK)
                refused = 0;
            for (int q = 0; h.task && q < QUESTIONS; q++) {
                uint64_t before = s->counts.reads;
                enum answer one = ask(s, &h, id, q);
                if (one != ANSWER_OK && one != ANSWER_UNAVAILABLE &&
                    !(abi == 5 && is_string(q)))
                    refused = q;
                if (s->counts.reads - before > worst) {
                    worst = s->counts.reads - before;
                    worst_question = q;
                }
            }
            release(s, &h);
        }
        host_free(list);
        tap_ok(refused < 0, "each of %d threads answers every question %s", size,
               refused < 0 ? "" : question_names[refused]);
        tap_ok(worst <= 1, "with at most 1 callback read (%" PRIu64 ": %s)", worst,
               question_names[worst_question]);
    }
    host_end(&host);
}

/* libthread_db's part: a thread-local variable of the program holds another value in each
 * thread, and the library's symbol callback finds each by the thread's context. */
static void thread_locals(void)
{
    struct host host;
    struct symbol symbol;
    if (host_start(&host, "park", "work", 0)) {
        struct session *s = host.session;
        unsigned right = 0, wrong = 0;
        uint64_t address;
        tap_ok(images_symbol(host.target, NULL, "park_own_lwp", &symbol) &&
                   symbol.thread_local_storage,
               "a thread-local symbol is known as one");
        for (size_t i = 0; i < host.target->lwp_count; i++) {
            uint64_t pthread = host.target->lwps[i].pthread;
            pid_t lwp = host.target->lwps[i].lwp;
            int64_t value;
            struct omp_thread *thread;
            if (ASK(s, thread_by_id, ID_PTHREAD, pthread, &thread) != ANSWER_OK)
                continue;
            ASK(s, thread_release, thread);
            if (host_symbol(s, lwp, "park_own_lwp", &address) == ANSWER_OK &&
                target_read(host.target, address, &value, sizeof value) == 0 &&
                value == lwp)
                right++;
            else
                wrong++;
        }
        tap_ok(right == 4 && wrong == 0, "%u threads have their own, %u do not", right,
               wrong);
        tap_ok(host_symbol(s, 0, "park_own_lwp", &address) == ANSWER_UNAVAILABLE,
               "and without a thread there is none");
    }
    host_end(&host);
}

static void failing_reads(void)
{
    struct host host;
    if (host_start(&host, "park", "nested", 0)) {
        struct session *s = host.session;
        struct handles h = find_handles(s);
        struct counts before = s->counts;
        uint64_t id[2];
        int wrong = -1;
        if (tap_ok(h.task != NULL, "a thread in a region is found")) {
            ids_of(s, &h, id);
            for (int q = 0; q < QUESTIONS; q++) {
                s->fail_read = 1;
                enum answer answer = ask(s, &h, id, q);
                s->fail_read = 0;
                if (answer != (reads_nothing(q) ? ANSWER_OK : ANSWER_READ_ERROR))
                    wrong = q;
            }
            tap_ok(wrong < 0, "a read that fails is told as such %s",
                   wrong < 0 ? "" : question_names[wrong]);
            tap_ok(s->counts.allocations == before.allocations, "and nothing leaks");
        }
        release(s, &h);
    }
    host_end(&host);
}

static void run_on(struct host *host, int milliseconds)
{
    struct why why;
    target_resume(host->target, &why);
    nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
    target_stop(host->target, &why);
}

/* Regions and tasks of a churning program are over after a while; their memory is in use
 * again, which must not show. */
static void stale_handles(void)
{
    struct host host;
    if (host_start(&host, "churn-target", NULL, 0)) {
        struct session *s = host.session;
        unsigned region_stale = 0, task_stale = 0, lies = 0, rounds = 0;
        for (int i = 0; i < 200 && rounds < 40; i++) {
            run_on(&host, 2);
            struct handles h = find_handles(s);
            uint64_t region = 0, task = 0, value;
            if (!h.task || ASK(s, region_id, h.region, &region) != ANSWER_OK ||
                ASK(s, task_id, h.task, &task) != ANSWER_OK) {
                release(s, &h);
                continue;
            }
            rounds++;
            run_on(&host, 50);
            enum answer answer = ASK(s, region_id, h.region, &value);
            region_stale += answer == ANSWER_STALE_HANDLE;
            lies += answer != ANSWER_STALE_HANDLE && (answer || value != region);
            /* No question about a stale region may find an answer. */
            if (answer == ANSWER_STALE_HANDLE)
                for (int q = 11; q <= 14; q++)
                    lies += ask(s, &h, (uint64_t[2]){0, 0}, q) != ANSWER_STALE_HANDLE;
            answer = ASK(s, task_id, h.task, &value);
            task_stale += answer == ANSWER_STALE_HANDLE;
            lies += answer != ANSWER_STALE_HANDLE && (answer || value != task);
            if (answer == ANSWER_STALE_HANDLE)
                for (int q = 18; q <= 25; q++)
                    lies += ask(s, &h, (uint64_t[2]){0, 0}, q) != ANSWER_STALE_HANDLE;
            release(s, &h);
        }
        tap_ok(rounds > 10 && region_stale > rounds / 2 && task_stale > rounds / 2,
               "of %u regions and tasks %u and %u are stale after the program ran on",
               rounds, region_stale, task_stale);
        tap_ok(lies == 0, "the others are the same, and none that is stale answers (%u do)",
               lies);
    }
    host_end(&host);
}

static void stale_thread(void)
{
    struct host host;
    struct why why;
    if (host_start(&host, "churn-target", NULL, 0)) {
        struct session *s = host.session;
        unsigned stale = 0, lies = 0;
        for (int round = 0; round < 100 && stale < 3; round++) {
            run_on(&host, 3);
            struct omp_thread **list = NULL;
            size_t count = 0;
            if (ASK(s, threads, &list, &count) != ANSWER_OK)
                break;
            run_on(&host, 30);
            for (size_t i = 0; i < count; i++) {
                uint64_t lwp, state, wait;
                enum answer answer = ASK(s, thread_id, list[i], ID_LWP, &lwp);
                if (answer == ANSWER_STALE_HANDLE) {
                    stale++;
                    lies += ASK(s, thread_state, list[i], &state, &wait) !=
                            ANSWER_STALE_HANDLE;
                } else if (answer || !target_lwp(host.target, (pid_t)lwp)) {
                    lies++;
                }
                ASK(s, thread_release, list[i]);
            }
            host_free(list);
        }
        tap_ok(stale > 0, "threads that ended are stale (%u)", stale);
        tap_ok(lies == 0, "and those that are not do exist (%u do not)", lies);
        uint64_t nobody = 1;
        struct omp_thread *thread = (struct omp_thread *)&nobody;
        enum answer answer = ASK(s, thread_by_id, ID_LWP, nobody, &thread);
        tap_ok(answer == ANSWER_BAD_INPUT && thread == NULL,
               "a kernel thread that is not the program's is bad input, and no handle");
        target_resume(host.target, &why);
    }
    host_end(&host);
}

static void dead_target(void)
{
    struct host host;
    if (host_start(&host, "park", "critical", 0)) {
        struct session *s = host.session;
        struct handles h = find_handles(s);
        uint64_t id[2];
        int wrong = -1;
        struct why why = {""};
        if (tap_ok(h.task != NULL, "a thread in a region is found")) {
            ids_of(s, &h, id);
            kill(host.program.pid, SIGKILL);
            target_resume(host.target, &why);
            waitpid(host.program.pid, NULL, 0);
            for (int q = 0; q < QUESTIONS; q++) {
                enum answer answer = ask(s, &h, id, q);
                if (answer != (reads_nothing(q) ? ANSWER_OK : ANSWER_READ_ERROR))
                    wrong = q;
            }
            tap_ok(wrong < 0, "a process that died cannot be read %s",
                   wrong < 0 ? "" : question_names[wrong]);
            struct omp_thread **list;
            size_t count;
            tap_ok(ASK(s, threads, &list, &count) == ANSWER_READ_ERROR,
                   "and its threads cannot be listed");
            tap_ok(!target_stop(host.target, &why) && why.text[0], "nor stopped: %s",
                   why.text);
        }
        release(s, &h);
    }
    host_end(&host);
}

int main(void)
{
    for (int abi = 2; abi <= 5; abi += 3) {
        costs(abi, "work");
        costs(abi, "critical");
        costs(abi, "taskwait");
        costs(abi, "nested");
        icv_costs(abi, "icvs");
        icv_costs(abi, "nested");
        for (int size = 8; size <= 512; size *= 8)
            team_costs(abi, size);
    }
    for (int size = 8; size <= 512; size *= 8)
        bulk_costs(size);
    thread_locals();
    failing_reads();
    stale_handles();
    stale_thread();
    dead_target();
    return tap_end();
}
