/* SPDX-License-Identifier: MIT
 *
 * What becomes of questions when the target changes: each thread has its own variables,
 * reads that fail, handles that outlive what they name, a process that dies while the
 * host holds it.
 */
#define _GNU_SOURCE
#include "config.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "elf-image.h"
#include "queries.h"
#include "tap.h"

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
            if (host_symbol(s, lwp, NULL, "park_own_lwp", &address) == ANSWER_OK &&
                target_read(host.target, address, &value, sizeof value) == 0 && value == lwp)
                right++;
            else
                wrong++;
        }
        tap_ok(right == 4 && wrong == 0, "%u threads have their own, %u do not", right, wrong);
        tap_ok(host_symbol(s, 0, NULL, "park_own_lwp", &address) == ANSWER_UNAVAILABLE,
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
                bool is_told = answer == ANSWER_READ_ERROR;
                /* libgomp's memory tells of a thread whose record cannot be read. */
                if (reads_nothing(q)
                        ? answer != ANSWER_OK
                        : !is_told && (strncmp(question_names[q], "thread by", 9) || answer))
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
               "of %u regions and tasks %u and %u are stale after the program ran on", rounds,
               region_stale, task_stale);
        tap_ok(lies == 0, "the others are the same, and none that is stale answers (%u do)", lies);
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
                    lies += ASK(s, thread_state, list[i], &state, &wait) != ANSWER_STALE_HANDLE;
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
            tap_ok(!target_stop(host.target, &why) && why.text[0], "nor stopped: %s", why.text);
        }
        release(s, &h);
    }
    host_end(&host);
}

int main(void)
{
    thread_locals();
    failing_reads();
    stale_handles();
    stale_thread();
    dead_target();
    return tap_end();
}
