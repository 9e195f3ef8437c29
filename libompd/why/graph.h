/* SPDX-License-Identifier: MIT
 *
 * The wait-for graph: nodes sorted by id, edges sorted by the node that waits, and what is
 * stuck in each view.
 */
#ifndef LIBOMPD_WHY_GRAPH_H
#define LIBOMPD_WHY_GRAPH_H

#include "libompd/why/why.h"

/* CERTAIN: only what is recorded or stands in memory, and waits that are confirmed.
 * LIKELY: what was inferred, too. POSSIBLE: waits that may be over, and sets that are open, too. */
enum view { VIEW_CERTAIN, VIEW_LIKELY, VIEW_POSSIBLE, VIEWS };

struct node {
    struct why_evidence of;
    uint32_t evidence; /* index of it */
    uint32_t first_edge, edges;
    uint8_t stuck; /* bits 1 << view */
};

struct edge {
    uint32_t from, to; /* nodes */
    uint32_t evidence; /* index of it */
    uint32_t flags;
    uint8_t kind; /* EVIDENCE_WAITS, EVIDENCE_NEEDS or EVIDENCE_POLLS */
    uint8_t witness;
};

/* A thread opens its team, and that its things: see verdicts.def. */
struct opener {
    uint32_t by, opens; /* nodes */
};

struct graph {
    const struct target_ops *ops;
    const struct why_evidence *evidence;
    size_t count;             /* pieces of it */
    struct array nodes;       /* struct node, by id */
    struct array edges;       /* struct edge, by from */
    struct array polls;       /* the same, of threads that poll locks; for polls.c alone */
    struct array backward;    /* uint32_t, edges by to */
    uint32_t *first_backward; /* of each node, and one behind the last */
    struct array openers;     /* struct opener, by by */
    uint32_t process_flags;
};

enum { NO_NODE = UINT32_MAX };

enum rc graph_build(struct graph *graph, const struct target_ops *ops,
                    const struct why_evidence *evidence, size_t count);
void graph_free(struct graph *graph);

/* Fills in what is stuck in a view (stuck.c). ANYONE_MAY: of that, what is even if a thread that is
 * not known ends whatever anyone may end; as what it is taken from is closed, nobody opens it. */
enum rc graph_find_stuck(struct graph *graph, enum view view, bool anyone_may);

static inline struct node *graph_node(const struct graph *graph, uint32_t at)
{
    return (struct node *)graph->nodes.elements + at;
}
static inline struct edge *graph_edge(const struct graph *graph, uint32_t at)
{
    return (struct edge *)graph->edges.elements + at;
}
/* The node with an id, or NO_NODE. */
uint32_t graph_find(const struct graph *graph, uint64_t id);
/* Number `n` of the edges that lead to a node, NULL behind the last. */
static inline const struct edge *graph_edge_to(const struct graph *graph, uint32_t at, uint32_t n)
{
    const uint32_t *backward = graph->backward.elements;
    uint32_t i = graph->first_backward[at] + n;
    return i < graph->first_backward[at + 1] ? graph_edge(graph, backward[i]) : NULL;
}
/* Number `n` of those that a node opens, NO_NODE behind the last. */
uint32_t graph_opened_by(const struct graph *graph, uint32_t at, uint32_t n);

static inline uint32_t graph_size(const struct graph *graph)
{
    return (uint32_t)graph->nodes.count;
}
static inline bool is_stuck(const struct node *node, enum view view)
{
    return node->stuck >> view & 1;
}
static inline bool is_inferred(unsigned witness)
{
    return witness >= WITNESS_STACKS;
}

/* Whether a view takes an edge for true. */
bool graph_takes(enum view view, const struct edge *edge);

/* An array of a number for each node, all `value`; released by the caller. */
static inline enum rc graph_numbers(const struct graph *graph, uint32_t value, uint32_t **out)
{
    size_t count = graph->nodes.count + 1;
    void *memory;
    enum rc rc = graph->ops->alloc(count * sizeof(uint32_t), &memory);
    if (rc != RC_OK)
        return rc;
    *out = memory;
    for (size_t i = 0; i < count; i++)
        (*out)[i] = value;
    return RC_OK;
}

/* Strongly connected components of what is stuck in a view (components.c). Component
 * numbers rise from what is waited for to what waits; NO_NODE: not stuck. */
struct components {
    uint32_t *of; /* by node */
    uint32_t count;
    uint8_t *is_root; /* by component: it waits for no other one */
    uint8_t *is_cycle;
};
enum rc components_find(const struct graph *graph, enum view view, struct components *out);
void components_free(const struct graph *graph, struct components *components);

#endif
