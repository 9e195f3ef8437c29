/* SPDX-License-Identifier: MIT
 *
 * What is left where nothing is stuck: threads that repeat a loop, or are in a call of MPI, although
 * nobody waits for them, and who waits for whom. The first needs a second look. The last is no
 * verdict: most healthy programs look like that most of the time.
 */
#include "libompd/why/judge.h"

/* Whether a thread is needed for something that is waited for, or that starved.c has a verdict of; else
 * what has not begun, and needs it, or NULL. */
static bool is_needed(const struct judge *judge, uint32_t at, const struct edge **unbegun)
{
    const struct graph *graph = &judge->graph;
    const struct edge *edge;
    *unbegun = NULL;
    for (uint32_t n = 0; (edge = graph_edge_to(graph, at, n)); n++) {
        bool has_begun = !is_unbegun(graph_node(graph, edge->from));
        if (judge->covered[edge->from] || (has_begun && graph_edge_to(graph, edge->from, 0)))
            return true;
        *unbegun = has_begun ? *unbegun : edge;
    }
    return false;
}

/* A loop that comes to no new value polls what another thread sets. While some thread computes,
 * that may be the one. */
enum rc judge_loops(struct judge *judge)
{
    const struct graph *graph = &judge->graph;
    struct why_verdict verdict =
        judge_begin(judge, VERDICT_SPINS, judge->computes ? CERTAINTY_POSSIBLE : CERTAINTY_LIKELY,
                    CAUSE_NONE, 1 << NEXT_BT);
    uint32_t queued = 0;
    const struct edge *unbegun, *first = NULL;
    for (uint32_t i = 0; i < graph_size(graph); i++) {
        const struct node *node = graph_node(graph, i);
        if (node->of.kind != EVIDENCE_THREAD || node->of.what != DOING_WORKS ||
            !(node->of.flags & FLAG_REPEATS) || is_needed(judge, i, &unbegun) ||
            !judge_cover(judge, i, &queued))
            continue;
        first = first ? first : unbegun;
        if (!verdict.threads++)
            verdict.subject = node->of.id;
        enum rc rc = judge_link(judge, &verdict, ROLE_AT, node->evidence);
        if (rc != RC_OK)
            return rc;
    }
    enum rc rc = first ? judge_link(judge, &verdict, ROLE_HOLDS, first->evidence) : RC_OK;
    return rc == RC_OK && verdict.threads ? judge_end(judge, &verdict) : rc;
}

/* Since a look before, if there was one. */
static bool is_in_mpi(const struct node *node)
{
    return node->of.kind == EVIDENCE_THREAD && node->of.what == DOING_MPI &&
           !(node->of.flags & FLAG_MOVED);
}

/* Nobody waits for those that are in a call of MPI: whether it ends, other ranks know. */
enum rc judge_mpi(struct judge *judge)
{
    enum why_certainty certainty = CERTAINTY_POSSIBLE;
    for (uint32_t i = 0; i < graph_size(&judge->graph); i++) {
        const struct node *node = graph_node(&judge->graph, i);
        if (is_in_mpi(node) && node->of.flags & FLAG_SAME_PLACE)
            certainty = CERTAINTY_LIKELY;
    }
    struct why_verdict verdict =
        judge_begin(judge, VERDICT_IN_MPI, certainty, CAUSE_NONE, 1 << NEXT_RANKS);
    for (uint32_t i = 0; i < graph_size(&judge->graph); i++) {
        const struct node *node = graph_node(&judge->graph, i);
        if (!is_in_mpi(node))
            continue;
        if (!verdict.threads++)
            verdict.subject = node->of.id;
        enum rc rc = judge_link(judge, &verdict, ROLE_AT, node->evidence);
        if (rc != RC_OK)
            return rc;
    }
    return verdict.threads ? judge_end(judge, &verdict) : RC_OK;
}

/* Teams that stay inside the runtime, if there is no other reason for that. */
enum rc judge_runtime(struct judge *judge)
{
    const struct graph *graph = &judge->graph;
    enum rc rc = RC_OK;
    for (uint32_t i = 0; rc == RC_OK && i < graph_size(graph); i++) {
        const struct node *team = graph_node(graph, i);
        if (team->of.kind != EVIDENCE_TEAM || !(team->of.flags & FLAG_INSIDE))
            continue;
        struct why_verdict verdict = judge_begin(judge, VERDICT_RUNTIME, CERTAINTY_LIKELY,
                                                 CAUSE_NONE_OUTSIDE, 1 << NEXT_STATUS);
        for (uint32_t at = 0; rc == RC_OK && at < graph_size(graph); at++) {
            uint32_t opened;
            for (uint32_t n = 0; (opened = graph_opened_by(graph, at, n)) != NO_NODE && opened != i;
                 n++)
                ;
            if (opened != i)
                continue;
            verdict.threads++;
            rc = judge_link(judge, &verdict, ROLE_AT, graph_node(graph, at)->evidence);
        }
        verdict.subject = team->of.id;
        if (rc == RC_OK)
            rc = judge_end(judge, &verdict);
    }
    return rc;
}

static bool is_running(const struct node *node)
{
    return node->of.kind == EVIDENCE_THREAD && node->of.flags & FLAG_RUNNING;
}

/* Each thread that does not wait for another one, or runs, so that it may not. */
static enum rc link_threads(struct judge *judge, struct why_verdict *verdict)
{
    const struct graph *graph = &judge->graph;
    enum rc rc = RC_OK;
    for (uint32_t i = 0; rc == RC_OK && i < graph_size(graph); i++)
        if (is_at_large(graph_node(graph, i)) || is_running(graph_node(graph, i)))
            rc = judge_link(judge, verdict, ROLE_AT, graph_node(graph, i)->evidence);
    return rc;
}

/* Who waits for what, and who of these may act for it. */
static enum rc link_waits(struct judge *judge, struct why_verdict *verdict)
{
    const struct graph *graph = &judge->graph;
    enum rc rc = RC_OK;
    for (uint32_t i = 0; rc == RC_OK && i < graph_size(graph); i++) {
        const struct node *thread = graph_node(graph, i);
        if (thread->of.kind != EVIDENCE_THREAD || thread->of.what != DOING_WAITS || !thread->edges)
            continue;
        const struct edge *wait = graph_edge(graph, thread->first_edge);
        const struct node *thing = graph_node(graph, wait->to);
        rc = judge_link(judge, verdict, ROLE_WAITS, wait->evidence);
        uint32_t queued = 0;
        bool is_new = judge_cover(judge, wait->to, &queued);
        for (uint32_t e = 0; rc == RC_OK && is_new && e < thing->edges; e++) {
            const struct edge *need = graph_edge(graph, thing->first_edge + e);
            if (is_at_large(find_actor(graph, need)))
                rc = judge_link(judge, verdict, ROLE_HOLDS, need->evidence);
        }
    }
    return rc;
}

enum rc judge_waiting(struct judge *judge)
{
    const struct graph *graph = &judge->graph;
    uint32_t works = 0, asleep = 0, waits = 0, polls = 0, running = 0;
    for (uint32_t i = 0; i < graph_size(graph); i++) {
        const struct node *node = graph_node(graph, i);
        if (node->of.kind != EVIDENCE_THREAD)
            continue;
        works += node->of.what == DOING_WORKS;
        polls += node->of.what == DOING_WORKS && node->of.flags & FLAG_LOOPS;
        waits += node->of.what == DOING_WAITS;
        running += is_running(node);
        asleep += node->of.what == DOING_ASLEEP || node->of.what == DOING_MPI;
    }
    bool looks = works + asleep > 0 && !judge->compared;
    struct why_verdict verdict =
        judge_begin(judge, waits + asleep + polls + running > 0 ? VERDICT_WAITING : VERDICT_NOTHING,
                    CERTAINTY_NONE, CAUSE_NONE, looks ? 1 << NEXT_WATCH : 0);
    verdict.threads = works;
    verdict.others = waits;
    enum rc rc = link_threads(judge, &verdict);
    if (rc == RC_OK)
        rc = link_waits(judge, &verdict);
    return rc == RC_OK ? judge_end(judge, &verdict) : rc;
}
