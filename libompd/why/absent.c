/* SPDX-License-Identifier: MIT
 *
 * What others wait for and what may still proceed: a thread that works or sleeps in the
 * kernel while a team waits for it. One look does not distinguish that from a healthy
 * program, so it makes nothing more than possible. Several do where it sleeps on, or came back
 * to the same values while it ran. One that ran in the same function with ever other values
 * computes, or loops without end: nobody can know which. Of several looks each wants that somebody
 * is in the same wait in all of them, or is not known not to be: threads that go on from barrier to
 * barrier wait at each look, too.
 */
#include "libompd/why/judge.h"

/* A thing, and how many threads wait for it. */
struct awaited {
    uint32_t node, waiters;
};

static bool is_awaited_more(const void *left, const void *right)
{
    const struct awaited *a = left;
    const struct awaited *b = right;
    return a->waiters != b->waiters ? a->waiters > b->waiters : a->node < b->node;
}

static uint32_t count_waiters(const struct graph *graph, uint32_t at)
{
    uint32_t count = 0;
    const struct edge *edge;
    for (uint32_t n = 0; (edge = graph_edge_to(graph, at, n)); n++)
        count += edge->kind == EVIDENCE_WAITS;
    return count;
}

/* How much a thread explains of why others wait: one that sleeps most, one that repeats itself
 * least, since it may be waiting for one that proceeds. */
static int relevance(const struct node *node)
{
    return node->of.what != DOING_WORKS ? 2 : !(node->of.flags & FLAG_REPEATS);
}

/* The most relevant one of those that a thing needs and that can proceed. */
static const struct node *find_absent(const struct graph *graph, const struct node *thing,
                                      uint32_t *count)
{
    const struct node *found = NULL;
    *count = 0;
    for (uint32_t i = 0; i < thing->edges; i++) {
        const struct node *node = find_actor(graph, graph_edge(graph, thing->first_edge + i));
        if (!is_at_large(node))
            continue;
        ++*count;
        if (!found || relevance(node) > relevance(found))
            found = node;
    }
    return found;
}

/* Does anybody wait for those who wait for a thing? */
static bool is_in_the_way(const struct graph *graph, uint32_t at)
{
    const struct edge *edge;
    for (uint32_t n = 0; (edge = graph_edge_to(graph, at, n)); n++) {
        if (graph_edge_to(graph, edge->from, 0))
            return true;
    }
    return false;
}

static bool has_waiter(const struct graph *graph, uint32_t at, uint32_t flag)
{
    const struct edge *edge;
    for (uint32_t n = 0; (edge = graph_edge_to(graph, at, n)); n++)
        if (edge->kind == EVIDENCE_WAITS && graph_node(graph, edge->from)->of.flags & flag)
            return true;
    return false;
}

/* Whether it is not known that what is awaited is what was awaited at the first look, by a debugger
 * that says so of waits, too. A thread that comes back to the same values does not bring it about,
 * whichever that is. */
static bool has_passed(const struct judge *judge, uint32_t at, const struct node *absent)
{
    return judge->graph.process_flags & FLAG_SAME_PLACE &&
           !has_waiter(&judge->graph, at, FLAG_SAME_PLACE) &&
           (!(absent->of.flags & FLAG_REPEATS) || has_waiter(&judge->graph, at, FLAG_MOVED));
}

static bool is_worth_a_word(const struct graph *graph, uint32_t at, const struct node *absent,
                            uint32_t missing, uint32_t waiters)
{
    const struct node *thing = graph_node(graph, at);
    if (absent->of.flags & (FLAG_SAME_PLACE | FLAG_MOVED | FLAG_REPEATS) ||
        absent->of.what == DOING_MPI || thing->of.flags & (FLAG_CANCELLED | FLAG_MIXED))
        return true;
    if (absent->of.what == DOING_ASLEEP)
        return thing->of.what != THING_JOIN || is_in_the_way(graph, at);
    return !is_lockish(thing->of.what) && thing->of.what != THING_JOIN && missing < waiters;
}

static struct why_verdict begin(const struct judge *judge, const struct node *thing,
                                const struct node *absent)
{
    bool same = absent->of.flags & FLAG_SAME_PLACE, moved = absent->of.flags & FLAG_MOVED;
    bool stays =
        absent->of.what == DOING_WORKS ? absent->of.flags & FLAG_REPEATS && !judge->computes : same;
    bool lock = is_lockish(thing->of.what);
    enum why_verdict_name name = VERDICT_ABSENT_WORKS;
    enum why_cause cause = CAUSE_NONE;
    if (thing->of.flags & FLAG_MIXED) {
        name = VERDICT_BARRIER_MIXED;
        cause = CAUSE_FEWER_BARRIERS;
    } else if (absent->of.what == DOING_MPI)
        name = VERDICT_MPI;
    else if (thing->of.flags & FLAG_CANCELLED && !moved) {
        name = VERDICT_CANCELLED;
        cause = CAUSE_NO_POINT;
    } else if (absent->of.what == DOING_ASLEEP)
        name = lock ? VERDICT_HOLDER_ASLEEP : VERDICT_ABSENT_ASLEEP;
    else if (stays)
        name = VERDICT_SPIN;
    else if (same || moved)
        name = VERDICT_SLOW;
    struct why_verdict verdict = judge_begin(
        judge, name,
        stays || (name == VERDICT_SLOW && moved) ? CERTAINTY_LIKELY : CERTAINTY_POSSIBLE, cause,
        1 << (name == VERDICT_MPI ? NEXT_RANKS : NEXT_BT));
    verdict.subject = absent->of.id;
    return verdict;
}

static enum rc link_absent(struct judge *judge, struct why_verdict *verdict,
                           const struct node *thing, uint32_t at, uint32_t *queued)
{
    const struct graph *graph = &judge->graph;
    enum rc rc = RC_OK;
    for (uint32_t i = 0; rc == RC_OK && i < thing->edges; i++) {
        const struct edge *edge = graph_edge(graph, thing->first_edge + i);
        const struct node *node = find_actor(graph, edge);
        if (!is_at_large(node))
            continue;
        rc = judge_link(judge, verdict, ROLE_HOLDS, edge->evidence);
        if (rc == RC_OK)
            rc = judge_link(judge, verdict, ROLE_AT, node->evidence);
    }
    return rc == RC_OK ? judge_link_back(judge, verdict, at, false, queued) : rc;
}

static enum rc judge_thing(struct judge *judge, const struct awaited *awaited)
{
    const struct graph *graph = &judge->graph;
    const struct node *thing = graph_node(graph, awaited->node);
    uint32_t missing, queued = 0;
    const struct node *absent = find_absent(graph, thing, &missing);
    if (!absent || has_passed(judge, awaited->node, absent) ||
        !is_worth_a_word(graph, awaited->node, absent, missing, awaited->waiters) ||
        !judge_cover(judge, awaited->node, &queued))
        return RC_OK;
    struct why_verdict verdict = begin(judge, thing, absent);
    enum rc rc = link_absent(judge, &verdict, thing, awaited->node, &queued);
    if (rc == RC_OK)
        rc = judge_others(judge, &verdict, queued, VIEW_POSSIBLE, false);
    return rc == RC_OK && verdict.threads ? judge_end(judge, &verdict) : rc;
}

enum rc judge_absent(struct judge *judge)
{
    const struct graph *graph = &judge->graph;
    struct array found = array_of(graph->ops, sizeof(struct awaited));
    enum rc rc = RC_OK;
    for (uint32_t i = 0; rc == RC_OK && i < graph_size(graph); i++) {
        struct awaited awaited = {i, count_waiters(graph, i)};
        if (awaited.waiters && graph_node(graph, i)->of.kind == EVIDENCE_THING)
            rc = array_add(&found, &awaited);
    }
    array_sort(&found, is_awaited_more);
    const struct awaited *all = found.elements;
    for (size_t i = 0; rc == RC_OK && i < found.count; i++)
        rc = judge_thing(judge, &all[i]);
    array_free(&found);
    return rc;
}
