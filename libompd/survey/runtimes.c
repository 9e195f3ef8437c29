/* SPDX-License-Identifier: MIT
 *
 * The runtimes of a process: which they are, and whether what they do is recorded.
 */
#include "libompd/handle/handle.h"
#include "libompd/runtime/reader.h"
#include "libompd/survey/survey.h"

static bool count_thread(void *arg, struct ref ref)
{
    (void)ref;
    ++*(uint64_t *)arg;
    return true;
}

/* By the runtime's own memory, also where records are read in its place. */
static enum rc describe_runtime(const struct instance *instance,
                                struct surveyed_runtime *out)
{
    struct instance own = {.space = instance->space, .image = instance->image};
    enum rc rc = reader_open(&own);
    if (rc != RC_OK)
        return rc;
    if (own.reader->versions)
        own.reader->versions(&own, &out->first_version, &out->last_version);
    uint64_t threads = 0;
    if (own.reader->walk_threads(&own, count_thread, &threads) == RC_OK)
        out->threads = (struct fact){KNOWN, threads};
    reader_close(&own);
    return RC_OK;
}

static enum recorded recorded_of(const struct instance *instance)
{
    struct instance *first = instance->space->instances;
    if (!first->reader || !(first->reader->records || first->quiet))
        return RECORDED_NO_HOOKS;
    if (instance->image.is_kmp)
        return RECORDED_OTHER;
    if (!first->reader->records)
        return RECORDED_OFF;
    bool records;
    if (first->reader->records(first, &records) != RC_OK || !records)
        return RECORDED_OFF;
    return instance == first || instance_is_recorded(instance) ? RECORDED_YES
                                                               : RECORDED_NOT_CALLED;
}

enum rc survey_runtimes(struct space *space, struct array *out)
{
    enum rc rc = space_check(space);
    if (rc != RC_OK)
        return rc;
    instances_refresh(space);
    *out = array_of(space->ops, sizeof(struct surveyed_runtime));
    for (unsigned place = 0; place < INSTANCES_MAX && rc == RC_OK; place++) {
        struct instance *instance = &space->instances[place];
        bool is_runtime = !instance->image.is_kmp || instance->image.file;
        if (!instance->serial || !is_runtime)
            continue;
        if (instance->quiet)
            reader_wake(instance);
        struct surveyed_runtime runtime = {
            .place = place,
            .is_kmp = instance->image.is_kmp,
            .entry = {instance->image.entry ? KNOWN : NOT_HELD, instance->image.entry},
            .recorded = recorded_of(instance),
        };
        rc = describe_runtime(instance, &runtime);
        if (rc == RC_UNAVAILABLE && !instance->image.file)
            continue; /* records only */
        rc = rc == RC_NOMEM ? rc : array_add(out, &runtime);
    }
    return rc;
}
