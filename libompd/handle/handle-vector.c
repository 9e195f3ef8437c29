/* SPDX-License-Identifier: MIT
 *
 * Vectors of handles. The references are gathered first, so that one walk of the target
 * serves both the count and the handles, and nothing is published that is half made.
 */
#include <limits.h>

#include "libompd/array.h"
#include "libompd/handle/handle.h"
#include "libompd/runtime/reader.h"

struct gathered {
    struct array refs;
    bool count_only;
    size_t count;
    enum rc rc;
};

static struct gathered nothing_yet(const struct instance *instance, bool count_only)
{
    return (struct gathered){.refs = array_of(instance->space->ops, sizeof(struct ref)),
                             .count_only = count_only};
}

static bool gather(void *arg, struct ref ref)
{
    struct gathered *g = arg;
    if (!g->count_only)
        g->rc = array_add(&g->refs, &ref);
    g->count += g->rc == RC_OK;
    return g->rc == RC_OK;
}

static enum rc make_vector(struct instance *instance, enum handle_kind kind,
                           const struct gathered *g, struct handle ***out)
{
    if (!g->count) {
        *out = NULL;
        return RC_OK;
    }
    void *memory;
    const struct target_ops *ops = instance->space->ops;
    enum rc rc = ops->alloc(g->count * sizeof(struct handle *), &memory);
    if (rc != RC_OK)
        return rc;
    struct handle **vector = memory;
    const struct ref *refs = g->refs.elements;
    for (size_t i = 0; i < g->count; i++) {
        rc = handle_create(instance, kind, refs[i], &vector[i]);
        if (rc != RC_OK) {
            while (i)
                handle_destroy(vector[--i]);
            ops->release(vector);
            return rc;
        }
    }
    *out = vector;
    return RC_OK;
}

/* Takes the walk's answer and turns what was gathered into the caller's results. */
static enum rc finish(struct instance *instance, enum handle_kind kind, enum rc rc,
                      struct gathered *g, struct handle ***out, int *count)
{
    if (rc == RC_OK)
        rc = g->rc;
    if (rc == RC_OK && g->count > INT_MAX)
        rc = RC_NONSENSE;
    if (rc == RC_OK && out)
        rc = make_vector(instance, kind, g, out);
    if (rc == RC_OK)
        *count = (int)g->count;
    array_free(&g->refs);
    return rc;
}

enum rc threads_of_space(struct space *space, struct handle ***out, int *count)
{
    struct instance *instance;
    enum rc rc = space_instance(space, &instance);
    if (rc != RC_OK)
        return rc;
    struct gathered g = nothing_yet(instance, !out);
    rc = instance->reader->walk_threads(instance, gather, &g);
    return finish(instance, HANDLE_THREAD, rc, &g, out, count);
}

static enum rc members_of_region(const struct handle *region, enum members members,
                                 struct handle ***out, int *count)
{
    enum rc rc = handle_check(region, HANDLE_PARALLEL);
    if (rc != RC_OK)
        return rc;
    struct instance *instance = region->instance;
    struct gathered g = nothing_yet(instance, !out);
    rc = instance->reader->walk_members(instance, region->ref, members, gather, &g);
    enum handle_kind kind = members == MEMBER_THREADS ? HANDLE_THREAD : HANDLE_TASK;
    return finish(instance, kind, rc, &g, out, count);
}

enum rc threads_of_region(const struct handle *region, struct handle ***out, int *count)
{
    return members_of_region(region, MEMBER_THREADS, out, count);
}

enum rc implicit_tasks_of_region(const struct handle *region, struct handle ***out, int *count)
{
    return members_of_region(region, MEMBER_TASKS, out, count);
}
