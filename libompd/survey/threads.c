/* SPDX-License-Identifier: MIT
 *
 * The facts of all threads.
 */
#include "libompd/handle/handle.h"
#include "libompd/runtime/reader.h"
#include "libompd/survey/survey.h"

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

/* For readers that cannot give the facts of many: thread by thread. One that ends
 * meanwhile is left out. */
static bool fetch_and_gather(void *arg, struct ref ref)
{
    struct gathered *g = arg;
    struct thread_facts facts;
    enum rc rc = g->space->reader->thread(g->space, ref, &facts);
    if (rc == RC_STALE_HANDLE)
        return true;
    g->rc = rc;
    return rc == RC_OK && gather(arg, ref, &facts);
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
    enum rc rc = space_settle(space);
    if (rc != RC_OK)
        return rc;
    *threads = array_of(space->ops, sizeof(struct surveyed_thread));
    struct gathered g = {space, threads, RC_OK};
    rc = space->reader->each_thread
             ? space->reader->each_thread(space, gather, &g)
             : space->reader->walk_threads(space, fetch_and_gather, &g);
    if (g.rc != RC_OK)
        rc = g.rc;
    if (rc != RC_OK && rc != RC_INCOMPLETE)
        return rc;
    struct surveyed_thread *all = threads->elements;
    unsigned left = SURVEY_SETTLE_MAX;
    for (size_t i = 0; i < threads->count; i++) {
        settle(space, HANDLE_PARALLEL, &all[i].facts.region, &left);
        settle(space, HANDLE_TASK, &all[i].facts.task, &left);
    }
    return rc;
}
