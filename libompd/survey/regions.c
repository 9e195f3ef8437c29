/* SPDX-License-Identifier: MIT
 *
 * All regions that threads are in, each once, those around them included.
 */
#include "libompd/handle/handle.h"
#include "libompd/runtime/reader.h"
#include "libompd/survey/survey.h"

_Static_assert(sizeof(struct ref) <= ARRAY_ELEMENT_MAX, "references are sorted");

static bool comes_before(const void *left, const void *right)
{
    const struct ref *a = left;
    const struct ref *b = right;
    return a->id < b->id;
}

static void keep_each_once(struct array *refs)
{
    struct ref *all = refs->elements;
    size_t kept = 0;
    array_sort(refs, comes_before);
    for (size_t i = 0; i < refs->count; i++) {
        if (!kept || all[kept - 1].id != all[i].id)
            all[kept++] = all[i];
    }
    refs->count = kept;
}

/* Among references that are sorted. */
static bool is_among(const struct array *refs, const struct ref *ref)
{
    const struct ref *all = refs->elements;
    size_t at = array_lower(refs, ref, comes_before);
    return at < refs->count && all[at].id == ref->id;
}

static enum rc gather_innermost(const struct array *threads, struct array *refs)
{
    const struct surveyed_thread *all = threads->elements;
    for (size_t i = 0; i < threads->count; i++) {
        if (all[i].facts.region.known != KNOWN)
            continue;
        enum rc rc = array_add(refs, &all[i].facts.region.ref);
        if (rc != RC_OK)
            return rc;
    }
    keep_each_once(refs);
    return RC_OK;
}

/* Where a runtime does not keep it, the encountering task has the number. */
static enum rc number_master(struct instance *instance, struct region_facts *facts)
{
    struct task_facts task;
    if (facts->master_num.known != NOT_HELD || facts->enclosing.known != KNOWN ||
        facts->encountering_task.known != KNOWN || facts->encountering_task.torn)
        return RC_OK;
    enum rc rc = instance->reader->task(instance, facts->encountering_task.ref, &task);
    if (rc == RC_OK)
        facts->master_num = task.thread_num;
    return rc == RC_STALE_HANDLE ? RC_OK : rc;
}

static enum rc add_region(struct instance *instance, struct ref ref, struct array *regions)
{
    struct surveyed_region region = {.ref = ref};
    enum rc rc = instance->reader->region(instance, ref, &region.facts);
    if (rc == RC_OK)
        rc = number_master(instance, &region.facts);
    return rc == RC_OK ? array_add(regions, &region) : rc;
}

/* Regions that cannot be read, or of which the last thread has just left, are left out. */
static enum rc add_regions(struct instance *instance, const struct array *refs,
                           struct array *regions)
{
    const struct ref *all = refs->elements;
    enum rc rc = RC_OK;
    for (size_t i = 0; i < refs->count && rc_is_answer(rc); i++) {
        if (regions->count == SURVEY_REGIONS_MAX)
            return RC_INCOMPLETE;
        rc = rc_join(rc, survey_one(instance, add_region(instance, all[i], regions)));
    }
    return rc;
}

/* The regions around those from number `first` on that are not there yet. */
static enum rc gather_enclosing(const struct array *regions, size_t first,
                                const struct array *known, struct array *refs)
{
    const struct surveyed_region *all = regions->elements;
    refs->count = 0;
    for (size_t i = first; i < regions->count; i++) {
        const struct ref_fact *around = &all[i].facts.enclosing;
        if (around->known != KNOWN || around->torn || is_among(known, &around->ref))
            continue;
        enum rc rc = array_add(refs, &around->ref);
        if (rc != RC_OK)
            return rc;
    }
    keep_each_once(refs);
    return RC_OK;
}

static enum rc add_all(const struct array *refs, struct array *out)
{
    const struct ref *all = refs->elements;
    for (size_t i = 0; i < refs->count; i++) {
        enum rc rc = array_add(out, &all[i]);
        if (rc != RC_OK)
            return rc;
    }
    array_sort(out, comes_before);
    return RC_OK;
}

static enum rc close_outwards(struct instance *instance, struct array *known, struct array *regions)
{
    struct array refs = array_of(instance->space->ops, sizeof(struct ref));
    enum rc rc = add_regions(instance, known, regions);
    size_t first = 0;
    for (unsigned level = 0; rc_is_answer(rc); level++) {
        enum rc next = gather_enclosing(regions, first, known, &refs);
        if (next == RC_OK && !refs.count)
            break;
        if (next == RC_OK && level == SURVEY_LEVELS_MAX) {
            rc = RC_INCOMPLETE;
            break;
        }
        first = regions->count;
        if (next == RC_OK)
            next = add_all(&refs, known);
        if (next == RC_OK)
            next = add_regions(instance, &refs, regions);
        rc = rc_join(rc, next);
    }
    array_free(&refs);
    return rc;
}

static enum rc regions_of_threads(struct instance *instance, struct array *regions)
{
    struct array threads = {0};
    enum rc found = survey_threads(instance, &threads);
    if (!rc_is_answer(found)) {
        array_free(&threads);
        return found;
    }
    *regions = array_of(instance->space->ops, sizeof(struct surveyed_region));
    struct array refs = array_of(instance->space->ops, sizeof(struct ref));
    enum rc rc = gather_innermost(&threads, &refs);
    array_free(&threads);
    if (rc == RC_OK)
        rc = close_outwards(instance, &refs, regions);
    array_free(&refs);
    return rc_join(found, rc);
}

enum rc survey_regions(struct instance *instance, struct array *regions)
{
    reader_begin(instance);
    enum rc rc = regions_of_threads(instance, regions);
    reader_end(instance);
    return rc;
}
