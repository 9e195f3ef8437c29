/* SPDX-License-Identifier: MIT
 *
 * What can get on, view by view: whatever works can, and so can what waits for nothing but
 * what can. The rest is stuck.
 *
 * A thread waits for one thing, and can go on when that happens. A thing or a task happens
 * when all that it needs can get on; one of which nobody knows who would end it, when any
 * thread of the process can.
 */
#include "libompd/why/graph.h"

bool graph_takes(enum view view, const struct edge *edge)
{
    if (view == VIEW_CERTAIN && is_inferred(edge->witness))
        return false;
    return view == VIEW_POSSIBLE || edge->kind == EVIDENCE_NEEDS ||
           edge->flags & FLAG_CONFIRMED;
}

static bool needs_any(const struct graph *graph, const struct node *node, enum view view)
{
    for (uint32_t i = 0; i < node->edges; i++)
        if (graph_takes(view, graph_edge(graph, node->first_edge + i)))
            return true;
    return false;
}

bool graph_whoever(const struct graph *graph, const struct node *node, enum view view)
{
    if (needs_any(graph, node, view))
        return false;
    /* It sleeps, and in this view nobody knows for what. */
    if (node->of.kind == EVIDENCE_THREAD)
        return node->of.what == DOING_WAITS && node->of.flags & FLAG_CONFIRMED;
    if (node->of.flags & FLAG_WHOEVER)
        return true;
    /* It is held, and in this view nobody knows by whom. */
    return node->of.kind == EVIDENCE_THING && node->of.flags & FLAG_HELD;
}

/* A thread that waits for nothing in this view can go on. */
static bool is_free_thread(const struct graph *graph, const struct node *node,
                           enum view view)
{
    switch (node->of.what) {
    case DOING_ENDED:
    case DOING_ABSENT:
    case DOING_CRASHED:
        return false;
    case DOING_ENDLESS:
        return view == VIEW_CERTAIN && is_inferred(node->of.witness);
    case DOING_IDLE:
        return view != VIEW_POSSIBLE && !(node->of.flags & FLAG_CONFIRMED);
    case DOING_WAITS:
        return !needs_any(graph, node, view) && !graph_whoever(graph, node, view);
    default:
        return true;
    }
}

static bool is_free(const struct graph *graph, const struct node *node, enum view view)
{
    if (node->of.kind == EVIDENCE_THREAD)
        return is_free_thread(graph, node, view);
    if (view == VIEW_CERTAIN && is_inferred(node->of.witness))
        return true;
    return !needs_any(graph, node, view) && !graph_whoever(graph, node, view);
}

/* Nodes that can get on and have not been followed. `missing`: how many more must get on
 * before a node can. */
struct work {
    struct graph *graph;
    enum view view;
    uint32_t *missing;
    uint32_t *queue;
    uint32_t head, tail;
};

static void get_on(struct work *work, uint32_t at)
{
    struct node *node = graph_node(work->graph, at);
    if (!is_stuck(node, work->view))
        return;
    node->stuck &= ~(1u << work->view);
    work->queue[work->tail++] = at;
}

/* Some thread of the process can get on, so that what anyone may end can, too. */
static void free_whoever(struct work *work)
{
    for (uint32_t i = 0; i < graph_size(work->graph); i++)
        if (graph_whoever(work->graph, graph_node(work->graph, i), work->view))
            get_on(work, i);
}

static void follow(struct work *work, uint32_t at)
{
    struct graph *graph = work->graph;
    const struct edge *edge;
    for (uint32_t n = 0; (edge = graph_edge_to(graph, at, n)); n++) {
        const struct node *waits = graph_node(graph, edge->from);
        if (!graph_takes(work->view, edge))
            continue;
        if (waits->of.kind == EVIDENCE_THREAD
                ? waits->of.what == DOING_WAITS
                : --work->missing[edge->from] == 0)
            get_on(work, edge->from);
    }
}

static void find_in_view(struct work *work, bool somebody)
{
    struct graph *graph = work->graph;
    work->head = work->tail = 0;
    for (uint32_t i = 0; i < graph_size(graph); i++) {
        struct node *node = graph_node(graph, i);
        node->stuck |= 1u << work->view;
        work->missing[i] = 0;
        for (uint32_t e = 0; e < node->edges; e++)
            work->missing[i] +=
                graph_takes(work->view, graph_edge(graph, node->first_edge + e));
    }
    somebody = somebody || !(graph->process_flags & FLAG_COMPLETE);
    if (somebody)
        free_whoever(work);
    for (uint32_t i = 0; i < graph_size(graph); i++)
        if (is_free(graph, graph_node(graph, i), work->view))
            get_on(work, i);
    while (work->head < work->tail) {
        uint32_t at = work->queue[work->head++];
        if (!somebody && graph_node(graph, at)->of.kind == EVIDENCE_THREAD) {
            somebody = true;
            free_whoever(work);
        }
        follow(work, at);
    }
}

enum rc graph_find_stuck(struct graph *graph, enum view view, bool anyone_may)
{
    struct work work = {.graph = graph, .view = view};
    enum rc rc = graph_numbers(graph, 0, &work.missing);
    if (rc != RC_OK)
        return rc;
    rc = graph_numbers(graph, 0, &work.queue);
    if (rc == RC_OK)
        find_in_view(&work, anyone_may);
    if (work.queue)
        graph->ops->release(work.queue);
    graph->ops->release(work.missing);
    return rc;
}
