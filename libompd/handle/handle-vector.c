/* SPDX-License-Identifier: MIT
 *
 * Vectors of handles. The references are gathered first, so that one walk of the target
 * serves both the count and the handles, and nothing is published that is half made.
 */
#include <limits.h>
#include <string.h>

#include "libompd/handle/handle.h"
#include "libompd/runtime/reader.h"

struct gathered {
    const struct target_ops *ops;
    bool count_only;
    enum rc rc;
    struct ref *refs;
    size_t count;
    size_t capacity;
};

static enum rc grow(struct gathered *g)
{
    size_t capacity = g->capacity ? g->capacity * 2 : 64;
    void *memory;
    enum rc rc = g->ops->alloc(capacity * sizeof *g->refs, &memory);
    if (rc != RC_OK)
        return rc;
    if (g->refs) {
        memcpy(memory, g->refs, g->count * sizeof *g->refs);
        g->ops->release(g->refs);
    }
    g->refs = memory;
    g->capacity = capacity;
    return RC_OK;
}

static bool gather(void *arg, struct ref ref)
{
    struct gathered *g = arg;
    if (!g->count_only) {
        if (g->count == g->capacity && (g->rc = grow(g)) != RC_OK)
            return false;
        g->refs[g->count] = ref;
    }
    g->count++;
    return true;
}

static enum rc make_vector(struct space *space, enum handle_kind kind,
                           const struct gathered *g, struct handle ***out)
{
    if (!g->count) {
        *out = NULL;
        return RC_OK;
    }
    void *memory;
    enum rc rc = space->ops->alloc(g->count * sizeof(struct handle *), &memory);
    if (rc != RC_OK)
        return rc;
    struct handle **vector = memory;
    for (size_t i = 0; i < g->count; i++) {
        rc = handle_create(space, kind, g->refs[i], &vector[i]);
        if (rc != RC_OK) {
            while (i)
                handle_destroy(vector[--i]);
            space->ops->release(vector);
            return rc;
        }
    }
    *out = vector;
    return RC_OK;
}

/* Takes the walk's answer and turns what was gathered into the caller's results. */
static enum rc finish(struct space *space, enum handle_kind kind, enum rc rc,
                      struct gathered *g, struct handle ***out, int *count)
{
    if (rc == RC_OK)
        rc = g->rc;
    if (rc == RC_OK && g->count > INT_MAX)
        rc = RC_NONSENSE;
    if (rc == RC_OK && out)
        rc = make_vector(space, kind, g, out);
    if (rc == RC_OK)
        *count = (int)g->count;
    if (g->refs)
        g->ops->release(g->refs);
    return rc;
}

enum rc threads_of_space(struct space *space, struct handle ***out, int *count)
{
    enum rc rc = space_settle(space);
    if (rc != RC_OK)
        return rc;
    struct gathered g = {.ops = space->ops, .count_only = !out};
    rc = space->reader->walk_threads(space, gather, &g);
    return finish(space, HANDLE_THREAD, rc, &g, out, count);
}

enum rc threads_of_region(const struct handle *region, struct handle ***out, int *count)
{
    enum rc rc = handle_check(region, HANDLE_PARALLEL);
    if (rc != RC_OK)
        return rc;
    struct space *space = region->space;
    struct gathered g = {.ops = space->ops, .count_only = !out};
    rc = space->reader->walk_team(space, region->ref, gather, &g);
    return finish(space, HANDLE_THREAD, rc, &g, out, count);
}

enum rc implicit_tasks_of_region(const struct handle *region, struct handle ***out,
                                 int *count)
{
    enum rc rc = handle_check(region, HANDLE_PARALLEL);
    if (rc != RC_OK)
        return rc;
    struct space *space = region->space;
    struct gathered g = {.ops = space->ops, .count_only = !out};
    rc = space->reader->walk_implicit_tasks(space, region->ref, gather, &g);
    return finish(space, HANDLE_TASK, rc, &g, out, count);
}
