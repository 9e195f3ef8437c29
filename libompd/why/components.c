/* SPDX-License-Identifier: MIT
 *
 * Strongly connected components of the stuck part of a graph, by Tarjan's algorithm
 * without recursion: a chain of waits may be as long as the process has tasks.
 */
#include <string.h>

#include "libompd/why/graph.h"

struct walk {
    const struct graph *graph;
    enum view view;
    struct components *out;
    uint32_t *index; /* order of discovery, NO_NODE: not found */
    uint32_t *low;
    uint32_t *next;    /* edge of a node to be followed */
    uint32_t *above;   /* the node from which it was found */
    uint32_t *waiting; /* nodes without a component */
    uint32_t found, count;
};

static bool is_followed(const struct walk *walk, const struct edge *edge)
{
    return graph_takes(walk->view, edge) && is_stuck(graph_node(walk->graph, edge->to), walk->view);
}

static void discover(struct walk *walk, uint32_t at, uint32_t above)
{
    walk->index[at] = walk->low[at] = walk->found++;
    walk->next[at] = 0;
    walk->above[at] = above;
    walk->waiting[walk->count++] = at;
}

static void close_component(struct walk *walk, uint32_t at)
{
    uint32_t number = walk->out->count++, size = 0, last;
    do {
        last = walk->waiting[--walk->count];
        walk->out->of[last] = number;
        size++;
    } while (last != at);
    walk->out->is_cycle[number] = size > 1;
}

/* One edge of a node, or its end; what is looked at next. */
static uint32_t step(struct walk *walk, uint32_t at)
{
    const struct node *node = graph_node(walk->graph, at);
    if (walk->next[at] < node->edges) {
        const struct edge *edge = graph_edge(walk->graph, node->first_edge + walk->next[at]++);
        if (!is_followed(walk, edge))
            return at;
        if (walk->index[edge->to] == NO_NODE) {
            discover(walk, edge->to, at);
            return edge->to;
        }
        if (walk->out->of[edge->to] == NO_NODE && walk->index[edge->to] < walk->low[at])
            walk->low[at] = walk->index[edge->to];
        return at;
    }
    uint32_t above = walk->above[at];
    if (walk->low[at] == walk->index[at])
        close_component(walk, at);
    if (above != NO_NODE && walk->low[at] < walk->low[above])
        walk->low[above] = walk->low[at];
    return above;
}

static void mark_roots(struct walk *walk)
{
    struct components *out = walk->out;
    for (uint32_t i = 0; i < out->count; i++)
        out->is_root[i] = 1;
    for (uint32_t i = 0; i < walk->graph->edges.count; i++) {
        const struct edge *edge = graph_edge(walk->graph, i);
        uint32_t from = out->of[edge->from];
        if (from != NO_NODE && is_followed(walk, edge) && from != out->of[edge->to])
            out->is_root[from] = 0;
    }
}

static void find_all(struct walk *walk)
{
    for (uint32_t i = 0; i < graph_size(walk->graph); i++) {
        if (walk->index[i] != NO_NODE || !is_stuck(graph_node(walk->graph, i), walk->view))
            continue;
        discover(walk, i, NO_NODE);
        for (uint32_t at = i; at != NO_NODE;)
            at = step(walk, at);
    }
    mark_roots(walk);
}

static enum rc allocate(struct walk *walk)
{
    void *memory;
    uint32_t **numbers[] = {&walk->out->of, &walk->index, &walk->low,
                            &walk->next,    &walk->above, &walk->waiting};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        enum rc rc = graph_numbers(walk->graph, NO_NODE, numbers[i]);
        if (rc != RC_OK)
            return rc;
    }
    size_t bytes = graph_size(walk->graph) + 1;
    enum rc rc = walk->graph->ops->alloc(2 * bytes, &memory);
    if (rc != RC_OK)
        return rc;
    memset(memory, 0, 2 * bytes);
    walk->out->is_root = memory;
    walk->out->is_cycle = walk->out->is_root + bytes;
    return RC_OK;
}

enum rc components_find(const struct graph *graph, enum view view, struct components *out)
{
    *out = (struct components){0};
    struct walk walk = {.graph = graph, .view = view, .out = out};
    enum rc rc = allocate(&walk);
    if (rc == RC_OK)
        find_all(&walk);
    uint32_t *own[] = {walk.index, walk.low, walk.next, walk.above, walk.waiting};
    for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i])
            graph->ops->release(own[i]);
    if (rc != RC_OK)
        components_free(graph, out);
    return rc;
}

void components_free(const struct graph *graph, struct components *components)
{
    if (components->of)
        graph->ops->release(components->of);
    if (components->is_root)
        graph->ops->release(components->is_root);
    *components = (struct components){0};
}
