/* SPDX-License-Identifier: MIT
 *
 * What it costs to list N threads of a program that nobody prepared, from memory that
 * was not read before. All at once, by the extension: at most 2N + 20 callback reads. One
 * by one, by the 2.000 interface, where each question is a query of its own: callback
 * reads that grow with N and not with its square. Both: at most 2N + 20 accesses to the
 * target beneath the host's page cache.
 */
#define _GNU_SOURCE
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extension.h"
#include "page-cache.h"
#include "session.h"
#include "random-stops.h"
#include "tap.h"

/* For each thread, all at once and one by one; and reads of the callback. */
static unsigned at_once = 2, alone = 2, reads_alone = 48;

/* What a list of all threads needs. Answers how many of them work in a region. */
static unsigned ask(struct session *s)
{
    const struct dialect *d = s->dialect;
    struct omp_thread **list = NULL;
    size_t count = 0;
    unsigned working = 0;
    if (d->threads(s, &list, &count))
        return 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t lwp, state = 0, wait;
        int64_t num, size, level;
        struct omp_region *region;
        struct omp_task *task;
        struct omp_thread *same;
        d->thread_id(s, list[i], ID_LWP, &lwp);
        if (!d->thread_by_id(s, ID_LWP, lwp, &same))
            d->thread_release(s, same);
        d->thread_state(s, list[i], &state, &wait);
        d->thread_num(s, list[i], &num);
        if (!d->thread_region(s, list[i], &region)) {
            d->region_size(s, region, &size);
            d->region_release(s, region);
        }
        if (!d->thread_task(s, list[i], &task)) {
            d->task_level(s, task, &level);
            d->task_release(s, task);
        }
        d->thread_release(s, list[i]);
        working += state == 1;
    }
    host_free(list);
    return working;
}

static struct session *look(struct target *target, int abi, const char *library)
{
    struct why why = {""};
    enum answer answer;
    char path[PATH_BYTES];
    struct session *session =
        session_open(target, abi, staged_library(library, path), &answer, &why);
    if (!tap_ok(session != NULL, "%s takes the process %s", library, why.text))
        return NULL;
    target_resume(target, &why);
    target_stop(target, &why);
    page_cache_drop(target->cache);
    return session;
}

static void one_by_one(struct target *target, unsigned threads)
{
    struct session *session = look(target, 2, "libompd-2.so");
    if (!session)
        return;
    uint64_t accesses = page_cache_accesses(target->cache);
    struct counts before = session->counts;
    unsigned working = ask(session);
    accesses = page_cache_accesses(target->cache) - accesses;
    unsigned long reads = session->counts.reads - before.reads;
    tap_ok(working == threads, "%u of %u threads work in a region", working, threads);
    tap_ok(accesses <= alone * threads + 20, "%lu accesses to the target for %u threads",
           (unsigned long)accesses, threads);
    tap_ok(reads <= reads_alone * threads + 100, "%lu callback reads", reads);
    session_close(session);
}

static void all_at_once(struct target *target, unsigned threads)
{
    struct session *session = look(target, 5, "libompd.so");
    if (!session)
        return;
    uint64_t accesses = page_cache_accesses(target->cache);
    struct counts before = session->counts;
    ompd_ext_thread_t *list = NULL;
    ompd_size_t count = 0;
    unsigned working = 0;
    const uint64_t all =
        UINT64_C(1) << OMPD_EXT_THREAD_LWP | UINT64_C(1) << OMPD_EXT_THREAD_PTHREAD |
        UINT64_C(1) << OMPD_EXT_THREAD_STATE | UINT64_C(1) << OMPD_EXT_THREAD_THREAD_NUM |
        UINT64_C(1) << OMPD_EXT_THREAD_TEAM_SIZE | UINT64_C(1) << OMPD_EXT_THREAD_LEVEL |
        UINT64_C(1) << OMPD_EXT_THREAD_REGION | UINT64_C(1) << OMPD_EXT_THREAD_TASK;
    if (extension_threads(session, &list, &count) == ANSWER_OK) {
        for (ompd_size_t i = 0; i < count; i++)
            working += (list[i].known & all) == all && list[i].state == 1 &&
                       list[i].team_size == threads && list[i].level == 1;
    }
    accesses = page_cache_accesses(target->cache) - accesses;
    unsigned long reads = session->counts.reads - before.reads;
    tap_ok(working == threads, "%u of %u threads at once", working, threads);
    tap_ok(accesses <= at_once * threads + 20, "%lu accesses to the target for %u threads",
           (unsigned long)accesses, threads);
    tap_ok(reads <= at_once * threads + 20, "%lu callback reads", reads);
    host_free(list);
    session_close(session);
}

int main(int argc, char **argv)
{
    static const unsigned sizes[] = {8, 64, 512};
    char path[PATH_BYTES];
    built_program("gomp-many", path);
    if (argc == 2) { /* compiled by clang: LLVM's runtime has larger structures */
        snprintf(path, sizeof path, "%s", argv[1]);
        at_once = 3;
        alone = 5;
        /* 64, and up to 68 where more structures lie across what one read fetches. */
        reads_alone = 72;
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char number[16];
        snprintf(number, sizeof number, "%u", sizes[i]);
        char *program[] = {path, number, NULL};
        struct held held;
        printf("# %s threads\n", number);
        if (held_begin(&held, program, false)) {
            one_by_one(held.target, sizes[i]);
            all_at_once(held.target, sizes[i]);
        }
        held_end(&held);
    }
    return tap_end();
}
