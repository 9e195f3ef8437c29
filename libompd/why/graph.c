/* SPDX-License-Identifier: MIT
 *
 * The wait-for graph from evidence in any order; see graph.h.
 */
#include <string.h>

#include "libompd/why/graph.h"

_Static_assert(sizeof(struct node) <= ARRAY_ELEMENT_MAX, "nodes are sorted");
_Static_assert(sizeof(struct edge) <= ARRAY_ELEMENT_MAX, "edges are sorted");
_Static_assert(sizeof(struct opener) <= ARRAY_ELEMENT_MAX, "openers are sorted");

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

#define ORDER(member)                                                                              \
    if (compare(a->member, b->member))                                                             \
    return compare(a->member, b->member) < 0

/* Of contradicting evidence the same piece comes first, in whatever order it is given. */
static bool node_before(const void *left, const void *right)
{
    const struct node *a = left;
    const struct node *b = right;
    ORDER(of.id);
    ORDER(of.kind);
    ORDER(of.witness);
    ORDER(of.what);
    ORDER(of.flags);
    ORDER(of.other);
    ORDER(of.number);
    return a->evidence < b->evidence;
}

static bool node_id_before(const void *left, const void *right)
{
    return ((const struct node *)left)->of.id < ((const struct node *)right)->of.id;
}

static bool edge_before(const void *left, const void *right)
{
    const struct edge *a = left;
    const struct edge *b = right;
    ORDER(from);
    ORDER(to);
    ORDER(kind);
    ORDER(witness);
    ORDER(flags);
    return a->evidence < b->evidence;
}

static bool is_valid(const struct why_evidence *one)
{
    static const uint32_t ends[EVIDENCE_END] = {
        [EVIDENCE_PROCESS] = 1,       [EVIDENCE_THREAD] = DOING_END,
        [EVIDENCE_THING] = THING_END, [EVIDENCE_TASK] = PROGRESS_END,
        [EVIDENCE_WAITS] = 1,         [EVIDENCE_NEEDS] = 1,
        [EVIDENCE_TEAM] = 1,          [EVIDENCE_MEMBER] = 1,
        [EVIDENCE_POLLS] = 1,
    };
    return one->kind >= EVIDENCE_PROCESS && one->kind < EVIDENCE_END &&
           one->witness >= WITNESS_RECORDED && one->witness < WITNESS_END &&
           one->what < ends[one->kind] && (ends[one->kind] == 1 || one->what) &&
           (one->kind == EVIDENCE_PROCESS || one->id);
}

static enum rc gather_nodes(struct graph *graph, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct why_evidence *one = &graph->evidence[i];
        if (!is_valid(one))
            return RC_BAD_INPUT;
        if (one->kind == EVIDENCE_PROCESS)
            graph->process_flags |= one->flags;
        if (one->kind != EVIDENCE_THREAD && one->kind != EVIDENCE_THING &&
            one->kind != EVIDENCE_TASK && one->kind != EVIDENCE_TEAM)
            continue;
        struct node node = {.of = *one, .evidence = (uint32_t)i};
        enum rc rc = array_add(&graph->nodes, &node);
        if (rc != RC_OK)
            return rc;
    }
    array_sort(&graph->nodes, node_before);
    size_t kept = 0;
    for (size_t i = 0; i < graph->nodes.count; i++)
        if (!kept || graph_node(graph, kept - 1)->of.id != graph_node(graph, i)->of.id)
            *graph_node(graph, kept++) = *graph_node(graph, i);
    graph->nodes.count = kept;
    return RC_OK;
}

uint32_t graph_find(const struct graph *graph, uint64_t id)
{
    struct node key = {.of.id = id};
    size_t at = array_lower(&graph->nodes, &key, node_id_before);
    return at < graph->nodes.count && graph_node(graph, at)->of.id == id ? at : NO_NODE;
}

static bool is_of(const struct graph *graph, uint32_t at, uint32_t kind)
{
    return at != NO_NODE && graph_node(graph, at)->of.kind == kind;
}

static bool is_edge(const struct graph *graph, const struct edge *edge)
{
    if (edge->from == NO_NODE || edge->to == NO_NODE)
        return false;
    uint32_t from = graph_node(graph, edge->from)->of.kind;
    if (is_of(graph, edge->to, EVIDENCE_TEAM))
        return false;
    if (edge->kind == EVIDENCE_NEEDS)
        return from == EVIDENCE_THING || from == EVIDENCE_TASK;
    return from == EVIDENCE_THREAD && graph_node(graph, edge->to)->of.kind == EVIDENCE_THING;
}

/* Of contradicting edges one is kept. */
static void sort_edges(struct array *edges)
{
    struct edge *all = edges->elements;
    array_sort(edges, edge_before);
    size_t kept = 0;
    for (size_t i = 0; i < edges->count; i++)
        if (!kept || all[kept - 1].from != all[i].from || all[kept - 1].to != all[i].to)
            all[kept++] = all[i];
    edges->count = kept;
}

static enum rc gather_edges(struct graph *graph, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct why_evidence *one = &graph->evidence[i];
        if (one->kind != EVIDENCE_WAITS && one->kind != EVIDENCE_NEEDS &&
            one->kind != EVIDENCE_POLLS)
            continue;
        struct edge edge = {.from = graph_find(graph, one->id),
                            .to = graph_find(graph, one->other),
                            .evidence = (uint32_t)i,
                            .flags = one->flags,
                            .kind = one->kind,
                            .witness = one->witness};
        if (!is_edge(graph, &edge))
            continue;
        enum rc rc = array_add(one->kind == EVIDENCE_POLLS ? &graph->polls : &graph->edges, &edge);
        if (rc != RC_OK)
            return rc;
    }
    sort_edges(&graph->edges);
    sort_edges(&graph->polls);
    for (uint32_t i = 0; i < graph->edges.count; i++) {
        struct node *node = graph_node(graph, graph_edge(graph, i)->from);
        if (!node->edges++)
            node->first_edge = i;
    }
    return RC_OK;
}

static bool opener_before(const void *left, const void *right)
{
    const struct opener *a = left;
    const struct opener *b = right;
    ORDER(by);
    return a->opens < b->opens;
}

static bool opener_by_before(const void *left, const void *right)
{
    return ((const struct opener *)left)->by < ((const struct opener *)right)->by;
}

static bool has_team(const struct node *node)
{
    return node->of.kind == EVIDENCE_THING || node->of.kind == EVIDENCE_TASK;
}

static enum rc gather_openers(struct graph *graph, size_t count)
{
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < count; i++) {
        const struct why_evidence *one = &graph->evidence[i];
        struct opener opener = {graph_find(graph, one->other), graph_find(graph, one->id)};
        if (one->kind == EVIDENCE_MEMBER && is_of(graph, opener.by, EVIDENCE_THREAD) &&
            is_of(graph, opener.opens, EVIDENCE_TEAM))
            rc = array_add(&graph->openers, &opener);
    }
    for (uint32_t i = 0; rc == RC_OK && i < graph_size(graph); i++) {
        struct opener opener = {graph_find(graph, graph_node(graph, i)->of.other), i};
        if (has_team(graph_node(graph, i)) && is_of(graph, opener.by, EVIDENCE_TEAM))
            rc = array_add(&graph->openers, &opener);
    }
    array_sort(&graph->openers, opener_before);
    return rc;
}

uint32_t graph_opened_by(const struct graph *graph, uint32_t at, uint32_t n)
{
    struct opener key = {.by = at};
    size_t i = array_lower(&graph->openers, &key, opener_by_before) + n;
    const struct opener *all = graph->openers.elements;
    return i < graph->openers.count && all[i].by == at ? all[i].opens : NO_NODE;
}

/* By counting: the order of edges is kept among those to one node. */
static enum rc turn_edges(struct graph *graph)
{
    uint32_t *first;
    enum rc rc = graph_numbers(graph, 0, &first);
    if (rc != RC_OK)
        return rc;
    graph->first_backward = first;
    uint32_t count = (uint32_t)graph->edges.count, none = 0;
    for (uint32_t i = 0; i < count && rc == RC_OK; i++) {
        first[graph_edge(graph, i)->to]++;
        rc = array_add(&graph->backward, &none);
    }
    if (rc != RC_OK)
        return rc;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < graph_size(graph); i++)
        first[i] = sum += first[i];
    first[graph_size(graph)] = sum;
    uint32_t *backward = graph->backward.elements;
    for (uint32_t i = count; i-- > 0;)
        backward[--first[graph_edge(graph, i)->to]] = i;
    return RC_OK;
}

/* A handler of the process may post what a thread waits for: it sleeps for something outside. */
static void mark_posted(struct graph *graph)
{
    for (uint32_t i = 0; i < graph->edges.count; i++) {
        const struct edge *edge = graph_edge(graph, i);
        if (graph->process_flags & FLAG_HANDLED && edge->kind == EVIDENCE_WAITS &&
            graph_node(graph, edge->to)->of.what == THING_SEMAPHORE &&
            graph_node(graph, edge->from)->of.what == DOING_WAITS)
            graph_node(graph, edge->from)->of.what = DOING_ASLEEP;
    }
}

enum rc graph_build(struct graph *graph, const struct target_ops *ops,
                    const struct why_evidence *evidence, size_t count)
{
    *graph = (struct graph){.ops = ops,
                            .evidence = evidence,
                            .count = count,
                            .nodes = array_of(ops, sizeof(struct node)),
                            .edges = array_of(ops, sizeof(struct edge)),
                            .polls = array_of(ops, sizeof(struct edge)),
                            .backward = array_of(ops, sizeof(uint32_t)),
                            .openers = array_of(ops, sizeof(struct opener))};
    if (count > WHY_EVIDENCE_MAX)
        return RC_BAD_INPUT;
    enum rc rc = gather_nodes(graph, count);
    if (rc == RC_OK)
        rc = gather_edges(graph, count);
    if (rc == RC_OK)
        rc = gather_openers(graph, count);
    if (rc == RC_OK)
        rc = turn_edges(graph);
    mark_posted(graph);
    for (unsigned view = 0; rc == RC_OK && view < VIEWS; view++)
        rc = graph_find_stuck(graph, view, false);
    return rc;
}

void graph_free(struct graph *graph)
{
    if (graph->first_backward)
        graph->ops->release(graph->first_backward);
    array_free(&graph->nodes);
    array_free(&graph->edges);
    array_free(&graph->polls);
    array_free(&graph->backward);
    array_free(&graph->openers);
}
