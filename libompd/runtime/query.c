/* SPDX-License-Identifier: MIT
 *
 * Memory of the target for the length of one query. The facts of a process share teams,
 * pools and first threads; what one query has read it does not read again, and what
 * stands side by side comes with one read. Nothing is kept from one query to the next:
 * the target may have run.
 */
#include <string.h>

#include "libompd/runtime/query.h"

enum {
    PAGE = 4096,
    PAGES = 64, /* enough for what threads of one team share; the oldest gives way */
};

struct query_pages {
    uint64_t now;
    unsigned last; /* used: reads mostly are of the same page again */
    taddr at[PAGES];
    uint64_t used[PAGES]; /* 0: free */
    unsigned char bytes[PAGES][PAGE];
};

bool query_begin(const struct space *space, struct query *query)
{
    void *memory;
    if (query->depth++)
        return false;
    query->steps = QUERY_STEPS_MAX;
    if (!query->pages) {
        /* Without the memory each read is one of the target. */
        if (space->ops->alloc(sizeof *query->pages, &memory) != RC_OK)
            return true;
        query->pages = memory;
    }
    query->pages->now = query->pages->last = 0;
    memset(query->pages->used, 0, sizeof query->pages->used);
    return true;
}

void query_end(struct query *query)
{
    query->depth--;
}

void query_free(const struct space *space, struct query *query)
{
    if (query->pages)
        space->ops->release(query->pages);
    query->pages = NULL;
}

/* Outside of queries nothing walks. */
enum rc query_take_steps(struct query *query, size_t steps)
{
    if (!query->depth)
        return RC_OK;
    if (steps > query->steps) {
        query->steps = 0;
        return RC_INCOMPLETE;
    }
    query->steps -= (uint32_t)steps;
    return RC_OK;
}

/* Not of memory that is kept. */
static enum rc read_target(const struct space *space, struct query *query, taddr address,
                           size_t bytes, void *out)
{
    enum rc rc = query_take_steps(query, QUERY_READ_STEPS);
    return rc == RC_OK ? target_read(space, address, bytes, out) : rc;
}

/* The page at an address, if it can be read as a whole. */
static enum rc page_at(const struct space *space, struct query *query, taddr at,
                       const unsigned char **out)
{
    struct query_pages *pages = query->pages;
    unsigned oldest = 0;
    if (pages->used[pages->last] && pages->at[pages->last] == at) {
        *out = pages->bytes[pages->last];
        return RC_OK;
    }
    for (unsigned i = 0; i < PAGES; i++) {
        if (pages->used[i] && pages->at[i] == at) {
            pages->used[i] = ++pages->now;
            pages->last = i;
            *out = pages->bytes[i];
            return RC_OK;
        }
        if (pages->used[i] < pages->used[oldest])
            oldest = i;
    }
    pages->used[oldest] = 0;
    enum rc rc = read_target(space, query, at, PAGE, pages->bytes[oldest]);
    if (rc != RC_OK)
        return rc;
    pages->at[oldest] = at;
    pages->used[oldest] = ++pages->now;
    pages->last = oldest;
    *out = pages->bytes[oldest];
    return RC_OK;
}

enum rc query_read(const struct space *space, struct query *query, taddr address,
                   size_t bytes, void *out)
{
    enum rc rc = query_take_steps(query, 1);
    if (rc != RC_OK)
        return rc;
    if (!query->depth || !query->pages || !bytes || bytes > PAGE ||
        address > UINT64_MAX - PAGE)
        return read_target(space, query, address, bytes, out);
    for (size_t done = 0; done < bytes;) {
        taddr at = address + done;
        size_t now = PAGE - at % PAGE;
        if (now > bytes - done)
            now = bytes - done;
        const unsigned char *page;
        rc = page_at(space, query, at - at % PAGE, &page);
        if (rc != RC_OK)
            return query->is_whole ? rc : read_target(space, query, address, bytes, out);
        memcpy((char *)out + done, page + at % PAGE, now);
        done += now;
    }
    return RC_OK;
}
