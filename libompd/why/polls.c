/* SPDX-License-Identifier: MIT
 *
 * Threads that wait for each other in loops of their own, which no runtime knows for waits: they
 * test a lock until its holder releases it, or spin in a task until another one has begun.
 *
 * A poll is judged as if it were a wait: who polls is stuck if it would be stuck in the lock's
 * routine that waits. For instance
 *
 *   thread 1   holds l, waits at a barrier of threads 1 and 2
 *   thread 2   tests l in vain
 *
 * is closed, and no lock to be polled is if any other thread may release it. But a thread may stop
 * polling, whatever its code looks like: it is likely where all of the polls went on between two
 * looks, else possible, never certain.
 */
#include <string.h>

#include "libompd/why/judge.h"

static bool is_poll(const struct graph *graph, const struct edge *poll)
{
    const struct node *thread = graph_node(graph, poll->from);
    return (thread->of.what == DOING_WORKS || thread->of.what == DOING_ASLEEP) &&
           is_lockish(graph_node(graph, poll->to)->of.what);
}

/* The evidence with waits in place of polls; its nodes have the same indices. */
static enum rc copy_with_waits(const struct graph *graph, struct why_evidence **out)
{
    void *memory;
    uint32_t *polls;
    enum rc rc = graph_numbers(graph, 0, &polls); /* by node */
    if (rc != RC_OK)
        return rc;
    rc = graph->ops->alloc(graph->count * sizeof **out, &memory);
    if (rc != RC_OK) {
        graph->ops->release(polls);
        return rc;
    }
    *out = memory;
    memcpy(*out, graph->evidence, graph->count * sizeof **out);
    const struct edge *all = graph->polls.elements;
    for (size_t i = 0; i < graph->polls.count; i++) {
        if (!is_poll(graph, &all[i]))
            continue;
        polls[all[i].from] = 1;
        (*out)[all[i].evidence].kind = EVIDENCE_WAITS;
    }
    for (size_t i = 0; i < graph->count; i++) {
        struct why_evidence *one = &(*out)[i];
        if (one->kind != EVIDENCE_THREAD || !polls[graph_find(graph, one->id)])
            continue;
        one->what = DOING_WAITS;
        /* Without its poll it is free; where it works it may move. */
        one->flags &= ~(uint32_t)(FLAG_CONFIRMED | FLAG_MOVED);
    }
    graph->ops->release(polls);
    return RC_OK;
}

/* Whether another verdict tells why a lock is not released. */
static bool is_explained(const struct judge *judge, uint32_t lock)
{
    const struct node *node = graph_node(&judge->graph, lock);
    bool explained = judge->covered[lock];
    for (uint32_t i = 0; i < node->edges; i++)
        explained |= judge->covered[graph_edge(&judge->graph, node->first_edge + i)->to];
    return explained;
}

/* Adds the polls that never succeed in a view. */
static enum rc find_stuck_polls(const struct judge *judge, const struct graph *waits,
                                enum view view, struct array *out)
{
    const struct graph *graph = &judge->graph;
    const struct edge *all = graph->polls.elements;
    for (size_t i = 0; i < graph->polls.count; i++) {
        if (!is_poll(graph, &all[i]) || judge->covered[all[i].from] ||
            !is_stuck(graph_node(waits, all[i].from), view) || is_explained(judge, all[i].to))
            continue;
        enum rc rc = array_add(out, &all[i]);
        if (rc != RC_OK)
            return rc;
    }
    return RC_OK;
}

/* Why the lock of a poll is not released. */
static enum why_cause find_cause(const struct graph *graph, const struct edge *poll)
{
    const struct node *lock = graph_node(graph, poll->to);
    if (lock->of.flags & FLAG_DESTROYED)
        return CAUSE_DESTROYED;
    if (!lock->edges)
        return lock->of.flags & FLAG_UNMADE ? CAUSE_UNMADE : CAUSE_NOT_RELEASED;
    const struct edge *need = graph_edge(graph, lock->first_edge);
    const struct node *holder = graph_node(graph, need->to);
    if (need->flags & FLAG_RETURNED || holder->of.what == DOING_IDLE)
        return CAUSE_RETURNED;
    if (holder->of.what == DOING_ENDED)
        return graph->process_flags & FLAG_FORKED ? CAUSE_LEFT_BEHIND : CAUSE_OWNER_ENDED;
    if (need->to == poll->from)
        return CAUSE_ACQUIRED_AGAIN;
    if (holder->of.what != DOING_WAITS || !holder->edges)
        return CAUSE_TWO_ORDERS; /* it polls another one */
    const struct edge *wait = graph_edge(graph, holder->first_edge);
    return is_lockish(graph_node(graph, wait->to)->of.what) ? CAUSE_TWO_ORDERS : CAUSE_HOLDS_ACROSS;
}

/* A lock, who holds it, and what that one waits for. */
static enum rc link_lock(struct judge *judge, struct why_verdict *verdict, uint32_t at,
                         uint32_t *queued)
{
    const struct graph *graph = &judge->graph;
    const struct node *lock = graph_node(graph, at);
    enum rc rc = RC_OK;
    if (!judge_cover(judge, at, queued))
        return RC_OK;
    for (uint32_t i = 0; rc == RC_OK && i < lock->edges; i++) {
        const struct edge *need = graph_edge(graph, lock->first_edge + i);
        const struct node *holder = graph_node(graph, need->to);
        rc = judge_link(judge, verdict, ROLE_HOLDS, need->evidence);
        if (rc != RC_OK || holder->of.kind != EVIDENCE_THREAD || holder->of.what != DOING_WAITS ||
            !judge_cover(judge, need->to, queued) || !holder->edges)
            continue;
        const struct edge *wait = graph_edge(graph, holder->first_edge);
        judge_cover(judge, wait->to, queued);
        rc = judge_link(judge, verdict, ROLE_WAITS, wait->evidence);
    }
    return rc;
}

static enum rc link_polls(struct judge *judge, struct why_verdict *verdict,
                          const struct array *polls)
{
    const struct edge *all = polls->elements;
    uint32_t queued = 0, locks = 0;
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < polls->count; i++) {
        verdict->threads += judge_cover(judge, all[i].from, &queued);
        locks += !judge->covered[all[i].to];
        rc = judge_link(judge, verdict, ROLE_WAITS, all[i].evidence);
        if (rc == RC_OK)
            rc = link_lock(judge, verdict, all[i].to, &queued);
    }
    if (locks > 1) {
        verdict->name = VERDICT_LOCKS_POLLED;
        if (verdict->cause == CAUSE_NOT_RELEASED)
            verdict->cause = CAUSE_ORDERS_OR_NOT_RELEASED;
    }
    return rc == RC_OK ? judge_others(judge, verdict, queued, VIEW_POSSIBLE, false) : rc;
}

static enum rc judge_view(struct judge *judge, const struct graph *waits, enum view view)
{
    struct array polls = array_of(judge->graph.ops, sizeof(struct edge));
    enum rc rc = find_stuck_polls(judge, waits, view, &polls);
    if (rc == RC_OK && polls.count) {
        const struct edge *first = polls.elements;
        struct why_verdict verdict = judge_begin(
            judge, VERDICT_LOCK_POLLED, view == VIEW_LIKELY ? CERTAINTY_LIKELY : CERTAINTY_POSSIBLE,
            find_cause(&judge->graph, first), 1 << NEXT_BT);
        verdict.subject = graph_node(&judge->graph, first->to)->of.id;
        rc = link_polls(judge, &verdict, &polls);
        if (rc == RC_OK)
            rc = judge_end(judge, &verdict);
    }
    array_free(&polls);
    return rc;
}

enum rc judge_polls(struct judge *judge)
{
    struct graph waits;
    struct why_evidence *evidence;
    if (!judge->graph.polls.count)
        return RC_OK;
    enum rc rc = copy_with_waits(&judge->graph, &evidence);
    if (rc != RC_OK)
        return rc;
    rc = graph_build(&waits, judge->graph.ops, evidence, judge->graph.count);
    if (rc == RC_OK)
        rc = judge_view(judge, &waits, VIEW_LIKELY);
    if (rc == RC_OK)
        rc = judge_view(judge, &waits, VIEW_POSSIBLE);
    graph_free(&waits);
    judge->graph.ops->release(evidence);
    return rc;
}

/* What may set the word that a thread reads in a loop, beside tasks that cannot begin. */
struct actors {
    uint32_t compute; /* threads that do neither wait nor read words in a loop */
    bool may; /* something else, one day: a thread that sleeps, a task that is free to begin,
                       * a handler of a signal, a thread that is not listed */
};

static struct actors find_actors(const struct graph *graph)
{
    struct actors found = {.may = graph->process_flags & FLAG_HANDLED ||
                                  !(graph->process_flags & FLAG_COMPLETE)};
    for (uint32_t i = 0; i < graph_size(graph); i++) {
        const struct node *node = graph_node(graph, i);
        if (node->of.kind == EVIDENCE_THREAD) {
            found.compute +=
                node->of.what == DOING_WORKS && !(node->of.flags & (FLAG_REPEATS | FLAG_LOOPS));
            found.may |= node->of.what == DOING_ASLEEP || node->of.what == DOING_MPI ||
                         node->of.what == DOING_UNKNOWN ||
                         (node->of.what == DOING_WORKS && !(node->of.flags & FLAG_REPEATS));
        } else if (node->of.kind == EVIDENCE_TASK) {
            found.may |= node->of.what != PROGRESS_BEGUN && !node->edges;
        }
    }
    return found;
}

static bool is_task(const struct node *node, enum why_progress progress)
{
    return node->of.kind == EVIDENCE_TASK && node->of.what == progress;
}

/* Links and covers the successors of a task, which have not begun. */
static enum rc link_successors(struct judge *judge, struct why_verdict *verdict, uint32_t task,
                               uint32_t *queued)
{
    const struct graph *graph = &judge->graph;
    const struct edge *edge;
    enum rc rc = RC_OK;
    for (uint32_t n = 0; rc == RC_OK && (edge = graph_edge_to(graph, task, n)); n++)
        if (is_task(graph_node(graph, edge->from), PROGRESS_CREATED) &&
            judge_cover(judge, edge->from, queued))
            rc = judge_link(judge, verdict, ROLE_HOLDS, edge->evidence);
    return rc;
}

static bool has_successor(const struct graph *graph, uint32_t task)
{
    const struct edge *edge;
    for (uint32_t n = 0; (edge = graph_edge_to(graph, task, n)); n++)
        if (is_task(graph_node(graph, edge->from), PROGRESS_CREATED))
            return true;
    return false;
}

static enum rc judge_task(struct judge *judge, uint32_t at, const struct actors *actors)
{
    const struct graph *graph = &judge->graph;
    const struct node *task = graph_node(graph, at);
    if (!is_task(task, PROGRESS_BEGUN) || !task->edges || judge->covered[at])
        return RC_OK;
    const struct edge *runs = graph_edge(graph, task->first_edge);
    const struct node *thread = graph_node(graph, runs->to);
    bool repeats = thread->of.flags & FLAG_REPEATS;
    if (thread->of.kind != EVIDENCE_THREAD || thread->of.what != DOING_WORKS ||
        judge->covered[runs->to] || !has_successor(graph, at) ||
        !(repeats || (thread->of.flags & FLAG_LOOPS && !actors->compute)))
        return RC_OK;
    struct why_verdict verdict = judge_begin(
        judge, VERDICT_TASK_SPIN,
        repeats && !actors->compute && !actors->may ? CERTAINTY_LIKELY : CERTAINTY_POSSIBLE,
        CAUSE_WAITS_FOR_SUCCESSOR, 1 << NEXT_TASKS | 1 << NEXT_BT);
    verdict.subject = thread->of.id;
    verdict.threads = 1;
    uint32_t queued = 0;
    judge_cover(judge, runs->to, &queued);
    judge_cover(judge, at, &queued);
    enum rc rc = judge_link(judge, &verdict, ROLE_AT, thread->evidence);
    if (rc == RC_OK)
        rc = judge_link(judge, &verdict, ROLE_HOLDS, runs->evidence);
    if (rc == RC_OK)
        rc = link_successors(judge, &verdict, at, &queued);
    if (rc == RC_OK)
        rc = judge_others(judge, &verdict, queued, VIEW_POSSIBLE, false);
    return rc == RC_OK ? judge_end(judge, &verdict) : rc;
}

enum rc judge_spinning_tasks(struct judge *judge)
{
    struct actors actors = find_actors(&judge->graph);
    enum rc rc = RC_OK;
    for (uint32_t i = 0; rc == RC_OK && i < graph_size(&judge->graph); i++)
        rc = judge_task(judge, i, &actors);
    return rc;
}
