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

static void describe(struct instance *own, struct surveyed_runtime *out)
{
    uint64_t threads = 0;
    if (own->reader->versions)
        own->reader->versions(own, &out->first_version, &out->last_version);
    if (own->reader->walk_threads(own, count_thread, &threads) == RC_OK)
        out->threads = (struct fact){KNOWN, threads};
    out->damaged.known = NONE_HERE;
    if (own->reader->damage && own->reader->damage(own, &out->damaged.value) == RC_OK)
        out->damaged.known = KNOWN;
}

static bool records(struct instance *instance)
{
    bool does;
    return instance->reader && instance->reader->records &&
           instance->reader->records(instance, &does) == RC_OK && does;
}

/* `runtime`: what its memory says of it. LLVM's finds the hooks when it is initialised. */
static enum recorded recorded_of(struct instance *instance, const struct surveyed_runtime *runtime)
{
    struct instance *first = instance->space->instances;
    if (!first->reader || !(first->reader->records || first->awaited))
        return RECORDED_NO_HOOKS;
    if (instance->image.is_kmp && !records(instance))
        return runtime->threads.known == KNOWN && !runtime->threads.value ? RECORDED_NOT_CALLED
                                                                          : RECORDED_OTHER;
    if (instance->image.is_kmp)
        return RECORDED_YES;
    if (!records(first))
        return RECORDED_OFF;
    return instance == first || instance_is_recorded(instance) ? RECORDED_YES : RECORDED_NOT_CALLED;
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
        rc = reader_wake(instance);
        if (rc != RC_OK)
            break;
        if (!instance->serial || !instance->image.entry)
            continue; /* records only */
        struct surveyed_runtime runtime = {
            .place = place,
            .is_kmp = instance->image.is_kmp,
            .entry = {KNOWN, instance->image.entry},
        };
        struct instance *own = reader_own_memory(instance);
        if (own)
            describe(own, &runtime);
        runtime.recorded = recorded_of(instance, &runtime);
        rc = array_add(out, &runtime);
    }
    return rc;
}
