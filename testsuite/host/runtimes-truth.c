/* SPDX-License-Identifier: MIT
 *
 * Stops a process with several runtimes at random instructions and holds what the extension
 * says of every thread against its own word in the runtime that it is listed under:
 * number, team, level. No id may occur twice.
 *
 *   runtimes-truth PID SUFFIX=TABLE...   the runtime whose file ends so, and its truths
 *
 * OMPD_TRUTH_STOPS is the number of stops, OMPD_TRUTH_SEED the seed.
 */
#define _GNU_SOURCE
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "elf-image.h"
#include "extension.h"
#include "truth.h"
#include "random-stops.h"
#include "tap.h"
#include "target.h"

enum { MOST = 8, STOPS = 300, MAX_FAULTS = 20 };

static struct table {
    const char *suffix;
    uint64_t address;
    struct truth truths[TRUTHS];
} tables[MOST];
static int table_count;
static int stop;
static unsigned long faults, states, in_both, listed;

static void fault(const char *what, const struct truth *truth, const ompd_ext_thread_t *thread)
{
    faults++;
    printf("# stop %d, thread %u: %s; its word: %u of %u, level %u; the library: %u of %u, "
           "level %u, runtime %" PRIu64 ", state %#x, known %#" PRIx64 "\n",
           stop, truth->lwp, what, truth->num, truth->team, truth->level,
           thread ? thread->thread_num : 0, thread ? thread->team_size : 0,
           thread ? thread->level : 0, thread ? thread->runtime : 0, thread ? thread->state : 0,
           thread ? thread->known : 0);
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), own = strlen(end);
    return length >= own && !strcmp(text + length - own, end);
}

static struct table *table_of(const struct extension *x, uint64_t runtime)
{
    for (ompd_size_t i = 0; i < x->runtimes.count; i++)
        for (int t = 0; t < table_count && x->runtimes.items[i].number == runtime; t++)
            if (x->files && x->files[i] && ends_with(x->files[i], tables[t].suffix))
                return &tables[t];
    return NULL;
}

/* The runtime of a thread, or, where records are read, of its region. */
static bool runtime_of(const struct extension *x, const ompd_ext_thread_t *thread,
                       uint64_t *runtime)
{
    if (thread->known >> OMPD_EXT_THREAD_RUNTIME & 1) {
        *runtime = thread->runtime;
        return true;
    }
    for (ompd_size_t i = 0; i < x->regions.count; i++) {
        const ompd_ext_region_t *region = &x->regions.items[i];
        if (region->region.id == thread->region.id &&
            region->known >> OMPD_EXT_REGION_RUNTIME & 1) {
            *runtime = region->runtime;
            return true;
        }
    }
    return false;
}

static const struct truth *truth_of(const struct table *table, uint64_t lwp)
{
    for (int i = 0; table && i < TRUTHS; i++)
        if (table->truths[i].lwp == lwp && table->truths[i].stable == TRUTH_WORKS)
            return &table->truths[i];
    return NULL;
}

static unsigned long check_threads(const struct extension *x)
{
    unsigned long checked = 0;
    for (ompd_size_t i = 0; i < x->threads.count; i++) {
        const ompd_ext_thread_t *thread = &x->threads.items[i];
        uint64_t runtime;
        listed++;
        for (ompd_size_t k = 0; k < i; k++)
            if (x->threads.items[k].thread.id == thread->thread.id) {
                struct truth none = {.lwp = (uint32_t)thread->lwp};
                fault("its id is that of another one", &none, thread);
            }
        const struct truth *truth =
            runtime_of(x, thread, &runtime) ? truth_of(table_of(x, runtime), thread->lwp) : NULL;
        if (!truth)
            continue;
        checked++;
        bool is_recorded = !(thread->known >> OMPD_EXT_THREAD_RUNTIME & 1);
        if (thread->thread_num != truth->num || thread->team_size != truth->team ||
            (!is_recorded && thread->level != truth->level))
            fault("it is another member", truth, thread);
    }
    return checked;
}

/* Every thread that is sure of itself is listed under its runtime; where records are read,
 * under one of those. */
static void check_truths(const struct extension *x)
{
    for (int t = 0; t < table_count; t++)
        for (int i = 0; i < TRUTHS; i++) {
            const struct truth *truth = &tables[t].truths[i];
            bool found = false;
            if (!truth->lwp || truth->stable != TRUTH_WORKS)
                continue;
            states++;
            for (int other = 0; other < t; other++)
                in_both += truth_of(&tables[other], truth->lwp) != NULL;
            for (ompd_size_t k = 0; k < x->threads.count && !found; k++) {
                uint64_t runtime;
                found = x->threads.items[k].lwp == truth->lwp &&
                        (!(x->threads.items[k].known >> OMPD_EXT_THREAD_RUNTIME & 1) ||
                         (runtime_of(x, &x->threads.items[k], &runtime) &&
                          table_of(x, runtime) == &tables[t]));
            }
            if (!found)
                fault("it is not listed", truth, NULL);
        }
}

static bool read_tables(struct target *target)
{
    for (int t = 0; t < table_count; t++)
        if (target_read(target, tables[t].address, tables[t].truths, sizeof tables[t].truths))
            return false;
    return true;
}

struct watch {
    struct target *target;
    struct session *session;
    int stops;
    unsigned long checked, least;
};

/* Where others use the machine, it gets less far from one stop to the next. */
static enum verdict look(void *arg, int at)
{
    struct watch *w = arg;
    struct extension x;
    stop = at;
    if (!read_tables(w->target) || !extension_take(w->session, &x))
        return BROKEN;
    if (x.threads.answer == ANSWER_OK) {
        w->checked += check_threads(&x);
        check_truths(&x);
    }
    extension_free(&x);
    return faults < MAX_FAULTS && (at + 1 < w->stops || w->checked <= w->least) ? GO_ON : ENOUGH;
}

static void watch(struct target *target, struct session *session, int stops)
{
    struct why why = {""};
    struct watch w = {target, session, stops, 0, (unsigned long)stops / 2};
    int made = random_stops(target, 8 * stops, 900, &why, look, &w);
    tap_ok(made >= stops, "stopped %d times of %d %s", made, stops, why.text);
    tap_ok(faults == 0, "no thread is another one than it says (%lu faults)", faults);
    tap_ok(w.checked > w.least && in_both > 0,
           "%lu threads listed, %lu states, %lu held against their word, %lu in teams of "
           "two "
           "runtimes",
           listed, states, w.checked, in_both);
}

int main(int argc, char **argv)
{
    char library[PATH_BYTES];
    struct why why = {""};
    enum answer answer;
    if (argc < 3 || argc > 2 + MOST)
        return 2;
    staged_library("libompd.so", library);
    seed_from("OMPD_TRUTH_SEED");
    struct target *target = live_open(atoi(argv[1]), &why);
    for (int i = 2; target && i < argc; i++) {
        struct symbol symbol;
        char *equals = strchr(argv[i], '=');
        if (!equals || !images_symbol(target, NULL, equals + 1, &symbol))
            return tap_skip_all("the program has no such table");
        *equals = '\0';
        tables[table_count++] = (struct table){.suffix = argv[i], .address = symbol.address};
    }
    struct session *session = target ? session_open(target, 5, library, &answer, &why) : NULL;
    if (tap_ok(session != NULL, "the library takes the process %s", why.text))
        watch(target, session, number_from("OMPD_TRUTH_STOPS", STOPS));
    session_close(session);
    target_close(target);
    return tap_end();
}
