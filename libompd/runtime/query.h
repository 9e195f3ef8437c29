/* SPDX-License-Identifier: MIT
 *
 * One query of a reader about a runtime's own memory: what it has read it does not read again,
 * nor do further ones at the same stop, and what it may take in all is bounded. Begins as {0};
 * queries may be nested.
 */
#ifndef LIBOMPD_QUERY_H
#define LIBOMPD_QUERY_H

#include "libompd/target/target.h"

/* What one query may take in all. Bounds on each walk are not enough where walks are
 * nested: a hostile process would be walked for years. A step is a question to
 * memory that was read before; a read of the target counts as several. */
enum {
    QUERY_STEPS_MAX = 1 << 24,
    QUERY_READ_STEPS = 64,
};

struct query {
    unsigned depth;            /* of begin() in begin() */
    uint32_t steps;            /* that are left */
    struct query_pages *pages; /* NULL: not allocated yet */
    uint64_t stop;             /* of space->stop, at which the pages were read */
    bool is_whole;             /* what is read lies in pages that are there as a whole */
};

/* True: it is not within another one. */
bool query_begin(const struct space *space, struct query *query);
void query_end(struct query *query);
void query_free(const struct space *space, struct query *query);

/* query_end() of one that keeps no memory until it begins again. */
void query_end_free(const struct space *space, struct query *query);

/* target_read() for everything but bulk. RC_INCOMPLETE: the query has taken all its steps. */
enum rc query_read(const struct space *space, struct query *query, taddr address, size_t bytes,
                   void *out);

/* Takes steps of the query that is under way, for what is done without query_read(). Outside of queries
 * nothing walks. */
static inline enum rc query_take_steps(struct query *query, size_t steps)
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

#endif
