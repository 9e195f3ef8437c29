/* SPDX-License-Identifier: MIT
 *
 * Memory of the target for the length of one query. The facts of a process share teams,
 * pools and first threads; what one query has read it does not read again, and what
 * stands side by side comes with one read. Nothing is kept from one query to the next:
 * the target may have run.
 */
#include <string.h>

#include "libompd/runtime/gomp.h"

enum {
    PAGE = 4096,
    PAGES = 64, /* enough for what threads of one team share; the oldest gives way */
};

struct gomp_pages {
    uint64_t now;
    taddr at[PAGES];
    uint64_t used[PAGES]; /* 0: free */
    unsigned char bytes[PAGES][PAGE];
};

void gomp_begin(struct instance *instance)
{
    struct gomp_state *state = gomp_state(instance);
    void *memory;
    if (state->queries++)
        return;
    state->steps = GOMP_STEPS_MAX;
    memset(state->runners, 0, sizeof state->runners);
    if (!state->pages) {
        /* Without the memory each read is one of the target. */
        if (instance->space->ops->alloc(sizeof *state->pages, &memory) != RC_OK)
            return;
        state->pages = memory;
    }
    state->pages->now = 0;
    memset(state->pages->used, 0, sizeof state->pages->used);
}

void gomp_end(struct instance *instance)
{
    gomp_state(instance)->queries--;
}

/* Outside of queries nothing walks. */
enum rc gomp_take_steps(const struct instance *instance, size_t steps)
{
    struct gomp_state *state = gomp_state(instance);
    if (!state->queries)
        return RC_OK;
    if (steps > state->steps) {
        state->steps = 0;
        return RC_INCOMPLETE;
    }
    state->steps -= (uint32_t)steps;
    return RC_OK;
}

/* Not of memory that is kept. */
static enum rc read_target(const struct instance *instance, taddr address, size_t bytes,
                           void *out)
{
    enum rc rc = gomp_take_steps(instance, GOMP_READ_STEPS);
    return rc == RC_OK ? target_read(instance->space, address, bytes, out) : rc;
}

/* NULL: the page cannot be read as a whole. */
static const unsigned char *page_at(const struct instance *instance,
                                    struct gomp_pages *pages, taddr at)
{
    unsigned oldest = 0;
    for (unsigned i = 0; i < PAGES; i++) {
        if (pages->used[i] && pages->at[i] == at) {
            pages->used[i] = ++pages->now;
            return pages->bytes[i];
        }
        if (pages->used[i] < pages->used[oldest])
            oldest = i;
    }
    pages->used[oldest] = 0;
    if (read_target(instance, at, PAGE, pages->bytes[oldest]) != RC_OK)
        return NULL;
    pages->at[oldest] = at;
    pages->used[oldest] = ++pages->now;
    return pages->bytes[oldest];
}

enum rc gomp_read(const struct instance *instance, taddr address, size_t bytes, void *out)
{
    const struct gomp_state *state = gomp_state(instance);
    enum rc rc = gomp_take_steps(instance, 1);
    if (rc != RC_OK)
        return rc;
    if (!state->queries || !state->pages || !bytes || bytes > PAGE ||
        address > UINT64_MAX - PAGE)
        return read_target(instance, address, bytes, out);
    for (size_t done = 0; done < bytes;) {
        taddr at = address + done;
        size_t now = PAGE - at % PAGE;
        if (now > bytes - done)
            now = bytes - done;
        const unsigned char *page = page_at(instance, state->pages, at - at % PAGE);
        if (!page)
            return read_target(instance, address, bytes, out);
        memcpy((char *)out + done, page + at % PAGE, now);
        done += now;
    }
    return RC_OK;
}
