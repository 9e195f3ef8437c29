/* SPDX-License-Identifier: MIT
 *
 * What nobody waits for in the runtime, and everybody may wait for in the program: sections,
 * iterations and tasks that have not begun, and threads that a team lacks, while each member of
 * the team sleeps or repeats itself. Programs that are well look like that, too, so it makes
 * nothing more than possible; likely where each of them polls, rather than reads a file. Who repeats a
 * loop that reads nothing of others waits for nobody, and has nothing to do with what has not begun.
 */
#include "libompd/why/judge.h"

static enum why_verdict_name name_of(const struct node *node)
{
    if (node->of.kind == EVIDENCE_TASK)
        return node->of.what == PROGRESS_CREATED ? VERDICT_READY_STARVED : VERDICT_NOTHING;
    if (node->of.kind != EVIDENCE_THING)
        return VERDICT_NOTHING;
    return node->of.what == THING_SHARE  ? VERDICT_SHARE_STARVED
           : node->of.what == THING_TEAM ? VERDICT_TEAM_SMALLER
                                         : VERDICT_NOTHING;
}

/* Whether no thread that a node needs can act for it soon, as far as one look tells, or two; no, too,
 * if they repeat loops that none of others can end. */
static enum why_certainty judge_members(const struct judge *judge, const struct node *node)
{
    const struct graph *graph = &judge->graph;
    bool same = !judge->computes, polls = true;
    for (uint32_t i = 0; i < node->edges; i++) {
        const struct edge *edge = graph_edge(graph, node->first_edge + i);
        uint32_t at = edge->to;
        const struct node *member = graph_node(graph, at);
        bool repeats = member->of.flags & FLAG_REPEATS;
        bool spins = repeats || member->of.flags & FLAG_LOOPS;
        if (judge->covered[at] || member->of.kind != EVIDENCE_THREAD ||
            (member->of.what != DOING_ASLEEP && (member->of.what != DOING_WORKS || !spins)))
            return CERTAINTY_NONE;
        same = same && repeats;
        polls = polls && edge->flags & FLAG_CONFIRMED;
    }
    if (!node->edges || (same && !polls))
        return CERTAINTY_NONE;
    return same ? CERTAINTY_LIKELY : CERTAINTY_POSSIBLE;
}

bool is_unbegun(const struct node *node)
{
    return name_of(node) != VERDICT_NOTHING;
}

static enum rc judge_node(struct judge *judge, uint32_t at)
{
    const struct graph *graph = &judge->graph;
    const struct node *node = graph_node(graph, at);
    enum why_verdict_name name = name_of(node);
    if (name == VERDICT_NOTHING || judge->covered[at])
        return RC_OK;
    enum why_certainty certainty = judge_members(judge, node);
    if (certainty == CERTAINTY_NONE)
        return RC_OK;
    struct why_verdict verdict =
        judge_begin(judge, name, certainty,
                    name == VERDICT_TEAM_SMALLER      ? CAUSE_LACKS
                    : node->of.flags & FLAG_THROTTLED ? CAUSE_THROTTLED
                                                      : CAUSE_TOO_FEW,
                    1 << NEXT_BT | (name == VERDICT_TEAM_SMALLER    ? 1 << NEXT_DOCTOR
                                    : name == VERDICT_READY_STARVED ? 1 << NEXT_TASKS
                                                                    : 0));
    if (certainty == CERTAINTY_POSSIBLE)
        verdict.kind = KIND_WAITING; /* a member may act after all */
    verdict.subject = node->of.id;
    verdict.threads = node->edges;
    uint32_t queued = 0;
    judge_cover(judge, at, &queued);
    enum rc rc = judge_link(judge, &verdict, ROLE_AT, node->evidence);
    for (uint32_t i = 0; rc == RC_OK && i < node->edges; i++) {
        const struct edge *edge = graph_edge(graph, node->first_edge + i);
        rc = judge_link(judge, &verdict, ROLE_HOLDS, edge->evidence);
        if (rc == RC_OK)
            rc = judge_link(judge, &verdict, ROLE_AT, graph_node(graph, edge->to)->evidence);
    }
    return rc == RC_OK ? judge_end(judge, &verdict) : rc;
}

bool is_starved(const struct why_verdict *verdict)
{
    return verdict->name == VERDICT_SHARE_STARVED || verdict->name == VERDICT_READY_STARVED ||
           verdict->name == VERDICT_TEAM_SMALLER;
}

enum rc judge_starved(struct judge *judge)
{
    enum rc rc = RC_OK;
    for (uint32_t i = 0; rc == RC_OK && i < graph_size(&judge->graph); i++)
        rc = judge_node(judge, i);
    return rc;
}
