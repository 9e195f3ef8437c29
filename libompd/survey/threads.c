/* SPDX-License-Identifier: MIT
 *
 * The facts of all threads.
 */
#include "libompd/handle/handle.h"
#include "libompd/runtime/reader.h"
#include "libompd/survey/survey.h"

enum rc survey_one(const struct instance *instance, enum rc rc)
{
    if (rc == RC_STALE_HANDLE)
        return RC_OK;
    return rc_is_damage(rc) && !instance->reader->records ? RC_INCOMPLETE : rc;
}

struct walk {
    struct collector threads;
    struct instance *instance;
};

static bool visit_thread(void *arg, struct ref ref, const struct thread_facts *facts)
{
    struct walk *walk = arg;
    struct surveyed_thread thread = {ref, *facts};
    return collect(&walk->threads, &thread);
}

/* For readers without each_thread. A thread that ends meanwhile is left out. */
static bool visit_ref(void *arg, struct ref ref)
{
    struct walk *walk = arg;
    struct thread_facts facts;
    enum rc rc = walk->instance->reader->thread(walk->instance, ref, &facts);
    if (rc == RC_STALE_HANDLE)
        return true;
    walk->threads.rc = rc;
    return rc == RC_OK && visit_thread(arg, ref, &facts);
}

static void resolve_torn(struct instance *instance, enum handle_kind kind, struct ref_fact *fact,
                         unsigned *left)
{
    if (fact->known != KNOWN || !fact->torn)
        return;
    struct ref ref;
    if (*left && fact_ref(instance, kind, *fact, &ref) == RC_OK)
        *fact = (struct ref_fact){.known = KNOWN, .ref = ref};
    else
        fact->known = UNREADABLE;
    *left -= *left > 0;
}

enum rc survey_threads(struct instance *instance, struct array *threads)
{
    *threads = array_of(instance->space->ops, sizeof(struct surveyed_thread));
    struct walk walk = {{threads, SIZE_MAX, RC_OK}, instance};
    enum rc rc = instance->reader->each_thread
                     ? instance->reader->each_thread(instance, visit_thread, &walk)
                     : instance->reader->walk_threads(instance, visit_ref, &walk);
    rc = rc_join(rc, walk.threads.rc);
    if (!rc_is_answer(rc))
        return rc;
    struct surveyed_thread *all = threads->elements;
    unsigned left = SURVEY_TORN_MAX;
    for (size_t i = 0; i < threads->count; i++) {
        resolve_torn(instance, HANDLE_PARALLEL, &all[i].facts.region, &left);
        resolve_torn(instance, HANDLE_TASK, &all[i].facts.task, &left);
    }
    return rc;
}
