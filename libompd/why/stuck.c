/* SPDX-License-Identifier: MIT
 *
 * What can proceed, view by view: whatever works can, and so can what waits for nothing but
 * what can. The rest is stuck.
 *
 * A thread waits for one thing, and can go on when that happens. A thing or a task happens
 * when all that it needs can proceed, a turn in a loop when one of them can; one of which nobody
 * knows who would end it, when any thread of the process can. Where more than possible is to be
 * said, the rest is a closed set as verdicts.def has it: what a team or a handler may end then
 * happens, too, as soon as one of its members can proceed, or the process has a handler.
 */
#include "libompd/why/graph.h"

bool graph_takes(enum view view, const struct edge *edge)
{
    if (view == VIEW_CERTAIN && is_inferred(edge->witness))
        return false;
    return view == VIEW_POSSIBLE || edge->kind == EVIDENCE_NEEDS || edge->flags & FLAG_CONFIRMED;
}

static bool needs_any(const struct graph *graph, const struct node *node, enum view view)
{
    for (uint32_t i = 0; i < node->edges; i++)
        if (graph_takes(view, graph_edge(graph, node->first_edge + i)))
            return true;
    return false;
}

/* Whether a handler of a signal may end what is waited for, in the thread that has it if one has,
 * or what nobody knows. What a construct makes threads wait for is ended by its end, which is not
 * in a handler. Nor is what libc knows by no other name, by POSIX: that keeps it from certain, as does
 * at a second look that an owner's handler may release what that had at the first one. */
static bool handler_may_end(const struct graph *graph, const struct node *node, enum view view)
{
    if (view == VIEW_POSSIBLE || !(graph->process_flags & FLAG_HANDLED))
        return false;
    if (node->of.kind != EVIDENCE_THING)
        return node->of.kind == EVIDENCE_THREAD;
    switch (node->of.what) {
    case THING_OTHER:
        if (view != VIEW_CERTAIN)
            return false;
        break;
    case THING_LOCK:
    case THING_NEST_LOCK:
    case THING_MUTEX:
        if (node->edges && view != VIEW_CERTAIN && graph->process_flags & FLAG_SAME_PLACE)
            return false;
        break;
    case THING_EVENT:
    case THING_SEMAPHORE:
        break;
    default:
        return false;
    }
    if (!node->edges)
        return true;
    const struct node *owner = graph_node(graph, graph_edge(graph, node->first_edge)->to);
    return owner->of.what != DOING_ENDED && owner->of.what != DOING_ABSENT;
}

/* Whether the thread that has a lock waits for it. Only the owner may release a lock, but where one
 * is used as a binary semaphore another thread does, and the owner waits so for it. */
static bool is_wanted_by_owner(const struct graph *graph, const struct node *node)
{
    if (node->of.kind != EVIDENCE_THING || !node->edges ||
        (node->of.what != THING_LOCK && node->of.what != THING_NEST_LOCK &&
         node->of.what != THING_MUTEX))
        return false;
    const struct node *owner = graph_node(graph, graph_edge(graph, node->first_edge)->to);
    for (uint32_t i = 0; owner->of.kind == EVIDENCE_THREAD && i < owner->edges; i++) {
        const struct edge *edge = graph_edge(graph, owner->first_edge + i);
        if (edge->kind == EVIDENCE_WAITS && graph_node(graph, edge->to) == node)
            return true;
    }
    return false;
}

/* Whether any thread might end what a thing or task waits for, in that view. */
static bool whoever(const struct graph *graph, const struct node *node, enum view view)
{
    /* A third thread may cancel the one that joins another, or that one. */
    if (view != VIEW_POSSIBLE && node->of.kind == EVIDENCE_THING && node->of.what == THING_JOIN &&
        node->of.flags & FLAG_WHOEVER)
        return true;
    if (view == VIEW_CERTAIN && is_wanted_by_owner(graph, node))
        return true;
    if (needs_any(graph, node, view))
        return false;
    /* It sleeps, and in this view nobody knows for what, or who opens the next region. */
    if (node->of.kind == EVIDENCE_THREAD)
        return (node->of.what == DOING_WAITS ||
                (node->of.what == DOING_IDLE && view != VIEW_POSSIBLE)) &&
               node->of.flags & FLAG_CONFIRMED;
    if (node->of.flags & FLAG_WHOEVER)
        return true;
    /* It is held, and in this view nobody knows by whom. */
    return node->of.kind == EVIDENCE_THING && node->of.flags & FLAG_HELD;
}

/* A thread that waits for nothing in this view can go on. */
static bool is_free_thread(const struct graph *graph, const struct node *node, enum view view)
{
    switch (node->of.what) {
    case DOING_ENDED:
    case DOING_ABSENT:
    case DOING_CRASHED:
        return false;
    case DOING_ENDLESS: /* unless a handler leaves it, by a jump */
        return view == VIEW_CERTAIN &&
               (is_inferred(node->of.witness) || handler_may_end(graph, node, view));
    case DOING_IDLE:
        return (view != VIEW_POSSIBLE && !(node->of.flags & FLAG_CONFIRMED)) ||
               (view == VIEW_CERTAIN && is_inferred(node->of.witness));
    case DOING_WAITS: /* one that has got on since another look may do so again */
        if (node->of.flags & FLAG_MOVED && view != VIEW_CERTAIN)
            return true;
        return !needs_any(graph, node, view) &&
               (!whoever(graph, node, view) || handler_may_end(graph, node, view));
    default:
        return true;
    }
}

static bool is_free(const struct graph *graph, const struct node *node, enum view view)
{
    if (node->of.kind == EVIDENCE_THREAD)
        return is_free_thread(graph, node, view);
    if (node->of.kind == EVIDENCE_TEAM)
        return false;
    if (handler_may_end(graph, node, view))
        return true;
    if (view == VIEW_CERTAIN && is_inferred(node->of.witness))
        return true;
    return !needs_any(graph, node, view) && !whoever(graph, node, view);
}

/* Nodes that can proceed and have not been followed. `missing`: how many more must proceed
 * before a node can. */
struct work {
    struct graph *graph;
    enum view view;
    uint32_t *missing;
    uint32_t *queue;
    uint32_t head, tail;
};

static void proceed(struct work *work, uint32_t at)
{
    struct node *node = graph_node(work->graph, at);
    if (!is_stuck(node, work->view))
        return;
    node->stuck &= ~(1u << work->view);
    work->queue[work->tail++] = at;
}

/* Some thread of the process can proceed, so that what anyone may end can, too. */
static void free_whoever(struct work *work)
{
    for (uint32_t i = 0; i < graph_size(work->graph); i++)
        if (whoever(work->graph, graph_node(work->graph, i), work->view))
            proceed(work, i);
}

/* A member that can proceed may end what its team waits for in a way that nobody can foresee:
 * cancel it, post for another one, be the first to arrive. The only one that exists may help
 * nobody else. */
static void open_by(struct work *work, uint32_t at)
{
    uint32_t opened;
    for (uint32_t n = 0; (opened = graph_opened_by(work->graph, at, n)) != NO_NODE; n++) {
        bool alone = graph_node(work->graph, opened)->of.flags & FLAG_ALONE &&
                     graph_node(work->graph, opened)->of.kind == EVIDENCE_TEAM;
        if (work->view == VIEW_CERTAIN || (work->view == VIEW_LIKELY && !alone))
            proceed(work, opened);
    }
}

static void follow(struct work *work, uint32_t at)
{
    struct graph *graph = work->graph;
    const struct edge *edge;
    for (uint32_t n = 0; (edge = graph_edge_to(graph, at, n)); n++) {
        const struct node *waits = graph_node(graph, edge->from);
        if (!graph_takes(work->view, edge))
            continue;
        if (waits->of.kind == EVIDENCE_THREAD ? waits->of.what == DOING_WAITS
                                              : --work->missing[edge->from] == 0)
            proceed(work, edge->from);
    }
}

/* Whoever comes first ends it, of those that a thing needs. */
static bool takes_one(const struct node *node)
{
    return node->of.kind == EVIDENCE_THING &&
           (node->of.what == THING_ORDERED || node->of.what == THING_ITERATION);
}

static void find_in_view(struct work *work, bool anyone_may)
{
    struct graph *graph = work->graph;
    bool somebody = anyone_may || !(graph->process_flags & FLAG_COMPLETE);
    work->head = work->tail = 0;
    for (uint32_t i = 0; i < graph_size(graph); i++) {
        struct node *node = graph_node(graph, i);
        if (!anyone_may)
            node->stuck |= 1u << work->view;
        else if (!is_stuck(node, work->view))
            work->queue[work->tail++] = i;
        work->missing[i] = 0;
        for (uint32_t e = 0; e < node->edges; e++)
            work->missing[i] += graph_takes(work->view, graph_edge(graph, node->first_edge + e));
        if (work->missing[i] && takes_one(node))
            work->missing[i] = 1;
    }
    if (somebody)
        free_whoever(work);
    for (uint32_t i = 0; i < graph_size(graph); i++)
        if (is_free(graph, graph_node(graph, i), work->view))
            proceed(work, i);
    while (work->head < work->tail) {
        uint32_t at = work->queue[work->head++];
        if (!somebody && graph_node(graph, at)->of.kind == EVIDENCE_THREAD) {
            somebody = true;
            free_whoever(work);
        }
        follow(work, at);
        if (!anyone_may)
            open_by(work, at);
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
