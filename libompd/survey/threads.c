/* SPDX-License-Identifier: MIT
 *
 * The facts of all threads.
 */
#include "libompd/handle/handle.h"
#include "libompd/runtime/reader.h"
#include "libompd/survey/survey.h"

/* Reads that settling half changed references may cost in all. */
enum { SETTLE_MAX = 8 };

struct gathered {
    struct space *space;
    struct array *threads;
    enum rc rc;
};

static bool gather(void *arg, struct ref ref, const struct thread_facts *facts)
{
    struct gathered *g = arg;
    struct surveyed_thread thread = {ref, *facts};
    g->rc = array_add(g->threads, &thread);
    return g->rc == RC_OK;
}

static void settle(struct space *space, enum handle_kind kind, struct ref_fact *fact,
                   unsigned *left)
{
    if (fact->known != KNOWN || !fact->torn)
        return;
    struct ref ref;
    if (*left && fact_ref(space, kind, *fact, &ref) == RC_OK)
        *fact = (struct ref_fact){.known = KNOWN, .ref = ref};
    else
        fact->known = UNREADABLE;
    *left -= *left > 0;
}

enum rc survey_threads(struct space *space, struct array *threads)
{
    enum rc rc = space_check(space);
    if (rc != RC_OK)
        return rc;
    *threads = array_of(space->ops, sizeof(struct surveyed_thread));
    if (!space->reader->each_thread)
        return RC_UNSUPPORTED;
    struct gathered g = {space, threads, RC_OK};
    rc = space->reader->each_thread(space, gather, &g);
    if (g.rc != RC_OK)
        return g.rc;
    struct surveyed_thread *all = threads->elements;
    unsigned left = SETTLE_MAX;
    for (size_t i = 0; i < threads->count; i++) {
        settle(space, HANDLE_PARALLEL, &all[i].facts.region, &left);
        settle(space, HANDLE_TASK, &all[i].facts.task, &left);
    }
    return rc;
}
