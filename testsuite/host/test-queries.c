/* SPDX-License-Identifier: MIT
 *
 * What questions cost on a real target: callback reads per question and per ICV, and no
 * symbol lookup after initialisation.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "extension.h"
#include "icv-list.h"
#include "page-cache.h"
#include "queries.h"
#include "tap.h"

/* What one question reads at most: the records of the thread and of its region, and what
 * libgomp's memory has of them, a page at a time. */
enum { READS = 2 + 8 };

/* A list of threads: the records in bulk, and of libgomp's memory a page or two for each. */
static int list_reads(int threads)
{
    return threads / 8 + 10 + 2 * threads + 20;
}

/* What the dearest question cost so far, and one that was refused. */
struct cost {
    uint64_t worst;
    int question, refused;
};

static void ask_all(struct session *s, const struct handles *h, struct cost *cost)
{
    uint64_t id[2];
    ids_of(s, h, id);
    for (int q = 0; q < QUESTIONS; q++) {
        uint64_t before = s->counts.reads;
        enum answer answer = ask(s, h, id, q);
        if (answer != ANSWER_OK && answer != ANSWER_UNAVAILABLE &&
            !(s->dialect->abi == 5 && is_string(q)))
            cost->refused = q;
        if (s->counts.reads - before > cost->worst) {
            cost->worst = s->counts.reads - before;
            cost->question = q;
        }
    }
}

static void costs(int abi, const char *construct)
{
    struct host host;
    if (host_start_abi(&host, abi, "park", construct, 0)) {
        struct session *s = host.session;
        struct counts opened = s->counts;
        struct handles h = find_handles(s);
        struct cost cost = {.refused = -1};
        if (tap_ok(h.task != NULL, "%s: a thread in a region is found", construct)) {
            ask_all(s, &h, &cost);
            tap_ok(cost.refused < 0, "%s: every question is answered %s", construct,
                   cost.refused < 0 ? "" : question_names[cost.refused]);
            tap_ok(cost.worst <= READS,
                   "%s: at most %d callback reads a question (%" PRIu64 ": %s)", construct, READS,
                   cost.worst, question_names[cost.question]);
        }
        release(s, &h);
        tap_ok(s->counts.symbols == opened.symbols, "%s: no symbol lookup after initialisation",
               construct);
        tap_ok(s->counts.allocations == opened.allocations,
               "%s: everything allocated was given back", construct);
    }
    host_end(&host);
}

/* All ICVs of one thread: its own, those of its region and task, and of the process, but for devices. */
static void ask_icvs(struct session *s, const struct handles *h, uint64_t *worst_number,
                     uint64_t *worst_text, size_t *answered)
{
    size_t count;
    const struct icv *icvs = s->dialect->icvs(s, &count);
    for (size_t i = 0; i < count; i++) {
        if (icvs[i].is_of_devices)
            continue;
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

/* Those that are of devices: the runtime's own memory is opened for the first one. */
static void device_costs(struct session *s)
{
    enum { MOST_READS = 24, MOST_SYMBOLS = 4 };
    size_t count, asked = 0;
    const struct icv *icvs = s->dialect->icvs(s, &count);
    uint64_t reads = s->counts.reads, symbols = s->counts.symbols;
    for (size_t i = 0; i < count; i++) {
        int64_t number;
        if (icvs[i].is_of_devices && ++asked)
            s->dialect->icv_number(s, i, NULL, &number);
    }
    reads = s->counts.reads - reads;
    symbols = s->counts.symbols - symbols;
    tap_ok(asked == 2 && reads <= MOST_READS && symbols <= MOST_SYMBOLS,
           "%zu ICVs of devices cost %" PRIu64 " callback reads, %d at most, and %" PRIu64
           " symbol lookups, %d at most",
           asked, reads, MOST_READS, symbols, MOST_SYMBOLS);
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
            tap_ok(answered >= 13 && number <= 1 + READS,
                   "%zu ICVs are numbers; one costs %" PRIu64 " callback reads, %d at most",
                   answered, number, 1 + READS);
            tap_ok(text <= 2 + READS, "its words %" PRIu64 ", %d at most", text, 2 + READS);
            tap_ok(accesses <= 8,
                   "all ICVs of a thread cost %" PRIu64 " target accesses, 8 at most", accesses);
        }
        release(s, &h);
        tap_ok(s->counts.symbols == opened.symbols && s->counts.allocations == opened.allocations,
               "without symbol lookups, and everything was given back");
        if (abi == 5)
            device_costs(s);
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
                   reads <= (uint64_t)list_reads(size),
               "all %d threads at once cost %" PRIu64 " callback reads, %d at most", size, reads,
               list_reads(size));
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
        uint64_t accesses = page_cache_accesses(host.target->cache);
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
        tap_ok(count == (size_t)size && accesses <= (uint64_t)list_reads((int)count),
               "the states of %zu threads cost %" PRIu64 " target accesses, %d at most", count,
               accesses, list_reads((int)count));
        struct cost cost = {.refused = -1};
        for (size_t i = 0; i < count; i++) {
            struct handles h = {.thread = list[i]};
            if (ASK(s, thread_region, h.thread, &h.region) != ANSWER_OK ||
                ASK(s, thread_task, h.thread, &h.task) != ANSWER_OK)
                cost.refused = 0;
            if (h.task)
                ask_all(s, &h, &cost);
            release(s, &h);
        }
        host_free(list);
        tap_ok(cost.refused < 0, "each of %d threads answers every question %s", size,
               cost.refused < 0 ? "" : question_names[cost.refused]);
        tap_ok(cost.worst <= READS, "with at most %d callback reads (%" PRIu64 ": %s)", READS,
               cost.worst, question_names[cost.question]);
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
    return tap_end();
}
