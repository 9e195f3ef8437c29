/* SPDX-License-Identifier: MIT
 *
 * Memory of the target for the length of one query. The facts of a process share teams,
 * pools and first threads; what one query has read it does not read again, and what
 * is adjacent comes with one read. From one query to the next it is kept only where the
 * debugger says that it is at the same stop; else the target may have run.
 */
#include <string.h>

#include "libompd/runtime/address-set.h"

enum {
    PAGE = 4096,
    CHUNK = 64,    /* pages that are allocated together; enough for threads of one team */
    KEPT = 128,    /* chunks, at most, from one query of a stop to the next */
    CHUNKS = 1024, /* for 10^5 tasks, which are gone through more than once */
    RUN = 16,      /* pages behind which a list is taken to go on: more than one are read at once */
    AHEAD = TARGET_BULK_BYTES / PAGE,
};

struct page {
    taddr at;
    unsigned char *bytes;
};

struct query_pages {
    struct address_set set; /* struct page */
    struct page last;       /* used: reads mostly are of the same page again; or NULL */
    unsigned chunks;
    unsigned char *chunk[CHUNKS];
};

static void forget_pages(struct query_pages *pages)
{
    pages->last.bytes = NULL;
    if (pages->set.count > CHUNK)
        address_set_free(&pages->set);
    else
        address_set_clear(&pages->set);
}

static void release_chunks(const struct space *space, struct query_pages *pages, unsigned kept)
{
    while (pages->chunks > kept)
        space->ops->release(pages->chunk[--pages->chunks]);
}

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
        *query->pages = (struct query_pages){
            .set = {.ops = space->ops,
                    .query = query,
                    .size = sizeof(struct page),
                    .max = CHUNK * CHUNKS},
        };
    }
    bool is_same = space->stop && space->stop == query->stop && query->pages->chunks <= KEPT;
    query->stop = space->stop;
    if (!is_same) {
        forget_pages(query->pages);
        release_chunks(space, query->pages, 1); /* of a large query before */
    }
    return true;
}

void query_end(struct query *query)
{
    query->depth--;
}

void query_free(const struct space *space, struct query *query)
{
    if (query->pages) {
        release_chunks(space, query->pages, 0);
        address_set_free(&query->pages->set);
        space->ops->release(query->pages);
    }
    query->pages = NULL;
}

void query_end_free(const struct space *space, struct query *query)
{
    query_end(query);
    if (!query->depth)
        query_free(space, query);
}

/* Not of memory that is kept. */
static enum rc read_target(const struct space *space, struct query *query, taddr address,
                           size_t bytes, void *out)
{
    enum rc rc = query_take_steps(query, QUERY_READ_STEPS);
    return rc == RC_OK ? target_read(space, address, bytes, out) : rc;
}

/* Room for one more page, and whether for some COUNT. Where there is none all that was read is
 * forgotten, which costs reads alone. NULL: there is no memory. */
static unsigned char *room_for_page(const struct space *space, struct query_pages *pages,
                                    unsigned *count)
{
    unsigned chunk = pages->set.count / CHUNK, place = pages->set.count % CHUNK;
    void *memory;
    if (chunk >= CHUNKS) {
        forget_pages(pages);
        chunk = place = 0;
    }
    if (chunk == pages->chunks) {
        if (space->ops->alloc(CHUNK * PAGE, &memory) != RC_OK)
            return NULL;
        pages->chunk[pages->chunks++] = memory;
    }
    if (*count > CHUNK - place)
        *count = CHUNK - place;
    return pages->chunk[chunk] + place * PAGE;
}

/* Pages from AT on, or down from there, that are known, or are not, up to a number of them. */
static unsigned count_pages(const struct query_pages *pages, taddr at, bool is_down, bool known,
                            unsigned most)
{
    unsigned count = 0;
    while (count < most && at <= UINT64_MAX - 2 * PAGE &&
           (address_set_find(&pages->set, at) != NULL) == known) {
        at = is_down ? at - PAGE : at + PAGE;
        count++;
    }
    return count;
}

/* How many pages are read with the one at AT, up or down. */
static unsigned pages_ahead(const struct query_pages *pages, taddr at, bool *is_down)
{
    *is_down = count_pages(pages, at + PAGE, false, true, RUN) == RUN;
    if (!*is_down && count_pages(pages, at - PAGE, true, true, RUN) < RUN)
        return 1;
    unsigned count = count_pages(pages, at, *is_down, false, AHEAD);
    return count ? count : 1;
}

/* Reads the page at an address with those that are likely to be next. */
static enum rc read_pages(const struct space *space, struct query *query, taddr at,
                          const unsigned char **out)
{
    struct query_pages *pages = query->pages;
    bool is_down;
    unsigned count = pages_ahead(pages, at, &is_down);
    unsigned char *bytes = room_for_page(space, pages, &count);
    if (!bytes)
        return RC_NOMEM;
    taddr start = is_down ? at - (count - 1) * PAGE : at;
    enum rc rc = read_target(space, query, start, count * PAGE, bytes);
    if (rc != RC_OK && count > 1) {
        count = 1;
        start = at;
        rc = read_target(space, query, at, PAGE, bytes);
    }
    for (unsigned i = 0; rc == RC_OK && i < count; i++) {
        void *added;
        rc = address_set_add(&pages->set, start + i * PAGE, &added);
        if (rc == RC_OK)
            *(struct page *)added = (struct page){start + i * PAGE, bytes + i * PAGE};
    }
    if (rc != RC_OK)
        return rc;
    *out = bytes + (at - start);
    pages->last = (struct page){at, bytes + (at - start)};
    return RC_OK;
}

/* The page at an address, if it can be read as a whole and there is room for it. */
static enum rc page_at(const struct space *space, struct query *query, taddr at,
                       const unsigned char **out)
{
    struct query_pages *pages = query->pages;
    if (pages->last.bytes && pages->last.at == at) {
        *out = pages->last.bytes;
        return RC_OK;
    }
    const struct page *known = address_set_find(&pages->set, at);
    if (known) {
        pages->last = *known;
        *out = known->bytes;
        return RC_OK;
    }
    return read_pages(space, query, at, out);
}

enum rc query_read(const struct space *space, struct query *query, taddr address, size_t bytes,
                   void *out)
{
    enum rc rc = query_take_steps(query, 1);
    if (rc != RC_OK)
        return rc;
    if (!query->depth || !query->pages || !bytes || bytes > PAGE || address > UINT64_MAX - PAGE)
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
