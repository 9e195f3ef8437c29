/* SPDX-License-Identifier: MIT
 *
 * What all rules make verdicts with, and that of crashes; see why.h.
 */
#include "libompd/why/judge.h"

#define VERDICT(name, id, kind, sentence) [VERDICT_##name] = KIND_##kind,
const uint8_t verdict_kinds[] = {
#include "libompd/why/verdicts.def"
};

/* One that is only possible may be of a program that is well: its threads wait, and may go on. */
static uint8_t kind_of(enum why_verdict_name name, enum why_certainty certainty)
{
    bool closed = verdict_kinds[name] == KIND_DEADLOCK || verdict_kinds[name] == KIND_STUCK;
    return closed && certainty == CERTAINTY_POSSIBLE ? KIND_WAITING : verdict_kinds[name];
}

struct why_verdict judge_begin(const struct judge *judge, enum why_verdict_name name,
                               enum why_certainty certainty, enum why_cause cause, uint32_t next)
{
    /* What is of two moments may tell of waits that never were at once. */
    uint32_t flags = judge->graph.process_flags;
    enum why_certainty most = flags & FLAG_TORN      ? CERTAINTY_POSSIBLE
                              : flags & FLAG_RUNNING ? CERTAINTY_LIKELY
                                                     : CERTAINTY_CERTAIN;
    certainty = certainty > most ? most : certainty;
    if (certainty == CERTAINTY_POSSIBLE && !judge->compared)
        next |= 1 << NEXT_WATCH;
    return (struct why_verdict){.name = name,
                                .kind = kind_of(name, certainty),
                                .certainty = certainty,
                                .cause = cause,
                                .next = next,
                                .first_link = judge->links->count};
}

enum rc judge_link(struct judge *judge, struct why_verdict *verdict, enum why_role role,
                   uint32_t evidence)
{
    struct why_link link = {role, evidence};
    enum rc rc = array_add(judge->links, &link);
    if (rc == RC_OK)
        verdict->links++;
    return rc;
}

enum rc judge_end(struct judge *judge, const struct why_verdict *verdict)
{
    return array_add(judge->verdicts, verdict);
}

/* The waits that a node is the end of. */
static enum rc add_waiters(struct judge *judge, struct why_verdict *verdict, uint32_t at,
                           enum view view, bool stuck, uint32_t *count)
{
    const struct graph *graph = &judge->graph;
    const struct edge *edge;
    for (uint32_t n = 0; (edge = graph_edge_to(graph, at, n)); n++) {
        const struct node *from = graph_node(graph, edge->from);
        bool waits = from->of.kind != EVIDENCE_THREAD || from->of.what == DOING_WAITS;
        if (!waits || !graph_takes(view, edge) || (stuck && !is_stuck(from, view)) ||
            !judge_cover(judge, edge->from, count) || from->of.kind != EVIDENCE_THREAD)
            continue;
        enum rc rc = judge_link(judge, verdict, ROLE_OTHER, edge->evidence);
        if (rc != RC_OK)
            return rc;
        verdict->others++;
    }
    return RC_OK;
}

enum rc judge_others(struct judge *judge, struct why_verdict *verdict, uint32_t count,
                     enum view view, bool stuck)
{
    for (uint32_t i = 0; i < count; i++) {
        enum rc rc = add_waiters(judge, verdict, judge->queue[i], view, stuck, &count);
        if (rc != RC_OK)
            return rc;
    }
    return RC_OK;
}

enum rc judge_link_back(struct judge *judge, struct why_verdict *verdict, uint32_t at, bool all,
                        uint32_t *queued)
{
    const struct graph *graph = &judge->graph;
    const struct edge *edge;
    enum rc rc = RC_OK;
    for (uint32_t n = 0; rc == RC_OK && (edge = graph_edge_to(graph, at, n)); n++) {
        bool waits = edge->kind == EVIDENCE_WAITS;
        bool takes = all ? is_stuck(graph_node(graph, edge->from), VIEW_POSSIBLE) : waits;
        if (!takes || !judge_cover(judge, edge->from, queued))
            continue;
        verdict->threads += waits;
        rc = judge_link(judge, verdict, waits ? ROLE_WAITS : ROLE_HOLDS, edge->evidence);
    }
    return rc;
}

/* What anybody might end may have been for one that crashed to end: nobody knows that, so that who
 * waits for it is no part of a verdict. */
static void cover_whoever(struct judge *judge)
{
    const struct graph *graph = &judge->graph;
    const struct edge *edge;
    uint32_t queued = 0;
    for (uint32_t i = 0; i < graph_size(graph); i++) {
        const struct node *node = graph_node(graph, i);
        if (node->of.kind == EVIDENCE_THING && node->of.flags & FLAG_WHOEVER)
            judge_cover(judge, i, &queued);
    }
    for (uint32_t i = 0; i < queued; i++)
        for (uint32_t n = 0; (edge = graph_edge_to(graph, judge->queue[i], n)); n++)
            judge_cover(judge, edge->from, &queued);
}

enum rc judge_crashes(struct judge *judge)
{
    const struct graph *graph = &judge->graph;
    for (uint32_t i = 0; i < graph_size(graph); i++) {
        const struct node *node = graph_node(graph, i);
        if (node->of.kind != EVIDENCE_THREAD || node->of.what != DOING_CRASHED)
            continue;
        bool stack = node->of.flags & FLAG_OVERFLOW;
        struct why_verdict verdict = judge_begin(
            judge,
            stack                            ? VERDICT_CRASH_STACK
            : node->of.flags & FLAG_UNCAUGHT ? VERDICT_CRASH_EXCEPTION
                                             : VERDICT_CRASH_SIGNAL,
            is_inferred(node->of.witness) ? CERTAINTY_LIKELY : CERTAINTY_CERTAIN, CAUSE_NONE,
            1 << (!stack                          ? NEXT_BT
                  : node->of.flags & FLAG_INITIAL ? NEXT_STACK_LIMIT
                  : node->of.flags & FLAG_PLAIN   ? NEXT_STACK_ATTRIBUTE
                                                  : NEXT_STACKSIZE));
        verdict.subject = node->of.id;
        verdict.threads = 1;
        uint32_t count = 0;
        judge_cover(judge, i, &count);
        enum rc rc = judge_link(judge, &verdict, ROLE_AT, node->evidence);
        if (rc == RC_OK)
            rc = judge_others(judge, &verdict, count, VIEW_POSSIBLE, false);
        cover_whoever(judge);
        if (rc == RC_OK)
            rc = judge_end(judge, &verdict);
        if (rc != RC_OK)
            return rc;
    }
    return RC_OK;
}

/* Threads that run on the stacks of others. */
enum rc judge_stacks(struct judge *judge)
{
    const struct graph *graph = &judge->graph;
    for (uint32_t i = 0; i < graph_size(graph); i++) {
        const struct node *node = graph_node(graph, i);
        if (node->of.kind != EVIDENCE_THREAD || !(node->of.flags & FLAG_STRAY) ||
            node->of.what == DOING_CRASHED)
            continue;
        struct why_verdict verdict = judge_begin(judge, VERDICT_STACK_SHARED, CERTAINTY_CERTAIN,
                                                 CAUSE_LEFT_BY_JUMP, 1 << NEXT_BT);
        verdict.subject = node->of.id;
        verdict.threads = 1;
        enum rc rc = judge_link(judge, &verdict, ROLE_AT, node->evidence);
        if (rc == RC_OK)
            rc = judge_end(judge, &verdict);
        if (rc != RC_OK)
            return rc;
    }
    return RC_OK;
}
