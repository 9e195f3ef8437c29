/* SPDX-License-Identifier: MIT
 *
 * Root causes of what is stuck: components of the graph that wait for no other one. A
 * cycle is named by what is in it, a single node by what it is.
 *
 * What anyone might end is left to the view that trusts inferences: there it may turn out
 * to be part of a cycle.
 */
#include "libompd/why/judge.h"

/* What is in a component. */
struct summary {
    uint32_t threads, lockish, barriers, iterations, other_things, tasks;
    bool returned, suspended, one_call;
    bool by_code; /* it says who has a thing */
    const struct node *first_thread, *first_thing;
};

/* Nodes by component, in the order of their ids. */
struct members {
    uint32_t *nodes;
    uint32_t *first; /* by component, and one behind the last */
};

static enum rc find_members(const struct graph *graph, const struct components *parts,
                            struct members *out)
{
    *out = (struct members){0};
    enum rc rc = graph_numbers(graph, 0, &out->nodes);
    if (rc == RC_OK)
        rc = graph_numbers(graph, 0, &out->first);
    if (rc != RC_OK)
        return rc;
    for (uint32_t i = 0; i < graph_size(graph); i++)
        if (parts->of[i] != NO_NODE)
            out->first[parts->of[i]]++;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < parts->count; i++)
        out->first[i] = sum += out->first[i];
    out->first[parts->count] = sum;
    for (uint32_t i = graph_size(graph); i-- > 0;)
        if (parts->of[i] != NO_NODE)
            out->nodes[--out->first[parts->of[i]]] = i;
    return RC_OK;
}

static void members_free(const struct graph *graph, struct members *members)
{
    if (members->nodes)
        graph->ops->release(members->nodes);
    if (members->first)
        graph->ops->release(members->first);
}

static struct summary summarize(const struct graph *graph, const uint32_t *nodes, uint32_t count)
{
    struct summary sum = {0};
    uint32_t flags = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct node *node = graph_node(graph, nodes[i]);
        if (node->of.kind == EVIDENCE_THREAD) {
            sum.first_thread = sum.threads++ ? sum.first_thread : node;
        } else if (node->of.kind == EVIDENCE_TASK) {
            sum.tasks++;
        } else {
            uint32_t what = node->of.what;
            sum.lockish += is_lockish(what);
            sum.barriers += what == THING_BARRIER || what == THING_REGION_END;
            sum.iterations += what == THING_ITERATION;
            sum.other_things +=
                !is_lockish(what) && what != THING_BARRIER && what != THING_REGION_END;
            if (!sum.first_thing || (is_lockish(what) && !is_lockish(sum.first_thing->of.what)))
                sum.first_thing = node;
        }
        for (uint32_t e = 0; e < node->edges; e++) {
            const struct edge *edge = graph_edge(graph, node->first_edge + e);
            flags |= edge->flags;
            sum.by_code |= node->of.kind == EVIDENCE_THING && edge->witness == WITNESS_SOURCE;
        }
    }
    sum.returned = flags & FLAG_RETURNED;
    sum.suspended = flags & FLAG_SUSPENDED;
    sum.one_call = flags & FLAG_ONE_CALL;
    return sum;
}

/* What is outside of the process may fulfil an event, a task may begin when a thread comes to a
 * scheduling point that is not known, and who posts an iteration follows from the schedule. */
static enum why_certainty promised(enum why_verdict_name name, enum why_certainty certainty)
{
    bool never =
        name == VERDICT_TASK_DETACHED || name == VERDICT_TASK_STARVED || name == VERDICT_DOACROSS;
    return certainty == CERTAINTY_CERTAIN && never ? CERTAINTY_LIKELY : certainty;
}

/* A thread waits for a lock that it has acquired by its code alone. Another one may have been given it, or
 * may release it if it works: programs use locks as signals, too. */
static bool is_own_lock(const struct summary *sum)
{
    return sum->by_code && sum->threads == 1 && sum->lockish == 1 && !sum->barriers &&
           !sum->other_things && sum->first_thing->of.what != THING_CRITICAL;
}

static struct why_verdict of_own_lock(const struct judge *judge, const struct node *lock,
                                      enum why_certainty certainty)
{
    struct why_verdict verdict = judge_begin(judge, VERDICT_LOCK_ORPHAN, certainty,
                                             CAUSE_ACQUIRED_AGAIN, 1 << NEXT_BT | 1 << NEXT_RECORD);
    verdict.subject = lock->of.id;
    verdict.threads = 1;
    return verdict;
}

static struct why_verdict of_cycle(const struct judge *judge, const struct summary *sum,
                                   enum why_certainty certainty)
{
    enum why_verdict_name name = VERDICT_WAIT_CYCLE;
    enum why_cause cause = CAUSE_NONE;
    uint32_t next = 1 << NEXT_BT_BOTH;
    if (sum->lockish && !sum->barriers && !sum->other_things && sum->threads == 1) {
        bool section = sum->first_thing->of.what == THING_CRITICAL;
        bool suspended = sum->suspended && !sum->returned;
        name = suspended ? VERDICT_LOCK_SUSPENDED
               : section ? VERDICT_SECTION_SELF
                         : VERDICT_LOCK_SELF;
        cause = sum->returned   ? CAUSE_RETURNED
                : suspended     ? CAUSE_SUSPENDED
                : !section      ? CAUSE_ACQUIRED_AGAIN
                : sum->one_call ? CAUSE_JUMPED
                                : CAUSE_ENTERED_AGAIN;
        next = 1 << NEXT_BT;
    } else if (sum->lockish && !sum->barriers && !sum->other_things) {
        name = sum->threads == 2 ? VERDICT_LOCK_CYCLE_2 : VERDICT_LOCK_CYCLE;
        cause = sum->returned   ? CAUSE_RETURNED
                : sum->one_call ? CAUSE_ORDERS_OR_NOT_RELEASED
                                : CAUSE_TWO_ORDERS;
    } else if (sum->lockish) {
        name = VERDICT_LOCK_HOLDER_WAITS;
        cause = sum->returned ? CAUSE_RETURNED : CAUSE_HOLDS_ACROSS;
    } else if (sum->iterations) {
        name = VERDICT_DOACROSS;
        cause = CAUSE_NOT_POSTED;
    } else if (sum->barriers && !sum->other_things) {
        name = VERDICT_BARRIER_MISMATCH;
        cause = CAUSE_FEWER_BARRIERS;
    } else if (sum->tasks) {
        name = VERDICT_TASK_CYCLE;
        cause = CAUSE_WAITS_FOR_SUCCESSOR;
        next = 1 << NEXT_TASKS;
    }
    struct why_verdict verdict = judge_begin(judge, name, promised(name, certainty), cause, next);
    const struct node *about = sum->threads == 1 ? sum->first_thread : sum->first_thing;
    verdict.subject = about ? about->of.id : 0;
    verdict.threads = sum->threads;
    return verdict;
}

static struct why_verdict of_thread(const struct judge *judge, const struct node *node,
                                    enum why_certainty certainty, bool of_lock)
{
    enum why_verdict_name name = VERDICT_WAIT_ORPHAN;
    enum why_cause cause = CAUSE_NONE;
    uint32_t next = 0;
    if (node->of.what == DOING_ABSENT) {
        name = VERDICT_FORK;
        cause = CAUSE_NO_WORKERS;
        next = 1 << NEXT_FORK;
    } else if (node->of.what == DOING_ENDLESS) {
        name = VERDICT_SPIN_FOREVER;
        cause = CAUSE_NO_EXIT;
        next = 1 << NEXT_BT;
    } else if (node->of.what == DOING_ENDED) {
        bool forked = judge->graph.process_flags & FLAG_FORKED;
        name = !of_lock ? VERDICT_MEMBER_ENDED : forked ? VERDICT_LOCK_LEFT : VERDICT_LOCK_ENDED;
        cause = !of_lock ? CAUSE_MEMBER_ENDED : forked ? CAUSE_LEFT_BEHIND : CAUSE_OWNER_ENDED;
    } else if (node->of.what == DOING_IDLE && of_lock) {
        name = VERDICT_LOCK_ORPHAN;
        cause = CAUSE_RETURNED;
        next = 1 << NEXT_BT;
    }
    struct why_verdict verdict = judge_begin(judge, name, certainty, cause, next);
    verdict.subject = node->of.id;
    return verdict;
}

static struct why_verdict of_thing(const struct judge *judge, const struct node *node,
                                   enum why_certainty certainty)
{
    enum why_verdict_name name = VERDICT_WAIT_ORPHAN;
    enum why_cause cause = CAUSE_NONE;
    uint32_t next = 1 << NEXT_BT;
    if (node->of.kind == EVIDENCE_TASK) {
        name = VERDICT_TASK_STARVED;
        next = 1 << NEXT_TASKS;
    } else if (node->of.what == THING_EVENT) {
        name = VERDICT_TASK_DETACHED;
        cause = CAUSE_NO_FULFIL;
        next = 1 << NEXT_TASKS;
    }
    struct why_verdict verdict = judge_begin(judge, name, promised(name, certainty), cause, next);
    verdict.subject = node->of.id;
    return verdict;
}

/* A component's waits and needs, as far as they stay inside. */
static enum rc link_cycle(struct judge *judge, struct why_verdict *verdict,
                          const struct components *parts, const uint32_t *nodes, uint32_t count,
                          enum view view)
{
    const struct graph *graph = &judge->graph;
    for (uint32_t i = 0; i < count; i++) {
        const struct node *node = graph_node(graph, nodes[i]);
        enum rc rc = RC_OK;
        if (node->of.kind == EVIDENCE_TASK)
            rc = judge_link(judge, verdict, ROLE_AT, node->evidence);
        for (uint32_t e = 0; rc == RC_OK && e < node->edges; e++) {
            const struct edge *edge = graph_edge(graph, node->first_edge + e);
            if (graph_takes(view, edge) && parts->of[edge->to] == parts->of[nodes[i]])
                rc = judge_link(judge, verdict,
                                edge->kind == EVIDENCE_WAITS ? ROLE_WAITS : ROLE_HOLDS,
                                edge->evidence);
        }
        if (rc != RC_OK)
            return rc;
    }
    return RC_OK;
}

/* What waits for a single node, up to the first threads, which are added to the queue with
 * all that is on the way. */
static enum rc link_single(struct judge *judge, struct why_verdict *verdict, uint32_t at,
                           uint32_t *queued)
{
    const struct graph *graph = &judge->graph;
    uint32_t next = *queued;
    enum rc rc = judge_link(judge, verdict, ROLE_AT, graph_node(graph, at)->evidence);
    if (rc == RC_OK)
        rc = judge_link_back(judge, verdict, at, true, queued);
    for (; rc == RC_OK && next < *queued; next++)
        if (graph_node(graph, judge->queue[next])->of.kind != EVIDENCE_THREAD)
            rc = judge_link_back(judge, verdict, judge->queue[next], true, queued);
    return rc;
}

static bool is_needed_by_lock(const struct graph *graph, uint32_t at)
{
    const struct edge *edge;
    for (uint32_t n = 0; (edge = graph_edge_to(graph, at, n)); n++) {
        const struct node *from = graph_node(graph, edge->from);
        if (from->of.kind == EVIDENCE_THING && is_lockish(from->of.what))
            return true;
    }
    return false;
}

/* A lock that is only polled is waited for by nobody: polls.c. */
static bool is_waited_for(const struct graph *graph, uint32_t at, enum view view)
{
    const struct edge *edge;
    for (uint32_t n = 0; (edge = graph_edge_to(graph, at, n)); n++) {
        const struct node *from = graph_node(graph, edge->from);
        bool polled = from->of.kind == EVIDENCE_THING && is_lockish(from->of.what) &&
                      !graph_edge_to(graph, edge->from, 0);
        if (!polled && graph_takes(view, edge) && is_stuck(from, view))
            return true;
    }
    return false;
}

/* Whether no thread of the process can proceed. */
static bool are_all_stuck(const struct graph *graph, enum view view)
{
    for (uint32_t i = 0; i < graph_size(graph); i++)
        if (graph_node(graph, i)->of.kind == EVIDENCE_THREAD &&
            !is_stuck(graph_node(graph, i), view))
            return false;
    return graph->process_flags & FLAG_COMPLETE;
}

static bool is_endless(const struct judge *judge, const struct components *parts, uint32_t at,
                       enum view view)
{
    const struct graph *graph = &judge->graph;
    const struct node *node = graph_node(graph, at);
    return parts->of[at] != NO_NODE && parts->is_root[parts->of[at]] &&
           node->of.kind == EVIDENCE_THREAD && node->of.what == DOING_ENDLESS &&
           (judge->all_stuck || is_waited_for(graph, at, view));
}

/* Threads that never proceed as the one in the queue does: one verdict is of all. */
static enum rc link_endless(struct judge *judge, struct why_verdict *verdict,
                            const struct components *parts, enum view view, uint32_t *queued)
{
    enum rc rc = RC_OK;
    for (uint32_t i = 0; rc == RC_OK && i < graph_size(&judge->graph); i++)
        if (is_endless(judge, parts, i, view) && judge_cover(judge, i, queued))
            rc = link_single(judge, verdict, i, queued);
    return rc;
}

static enum rc judge_component(struct judge *judge, const struct components *parts,
                               const uint32_t *nodes, uint32_t count, enum view view)
{
    static const enum why_certainty certainties[VIEWS] = {CERTAINTY_CERTAIN, CERTAINTY_LIKELY,
                                                          CERTAINTY_POSSIBLE};
    struct graph *graph = &judge->graph;
    enum why_certainty certainty = certainties[view];
    const struct node *node = graph_node(graph, *nodes);
    bool cycle = parts->is_cycle[parts->of[*nodes]];
    for (uint32_t i = 0; i < count; i++)
        if (judge->covered[nodes[i]])
            return RC_OK;
    struct why_verdict verdict;
    if (cycle) {
        struct summary sum = summarize(graph, nodes, count);
        bool own = is_own_lock(&sum), stuck = own && is_stuck(sum.first_thing, VIEW_CERTAIN);
        bool left = own && (stuck || judge->all_stuck);
        if (own && !left && view == VIEW_LIKELY)
            return RC_OK;
        verdict = left ? of_own_lock(judge, sum.first_thing, stuck ? CERTAINTY_CERTAIN : certainty)
                       : of_cycle(judge, &sum, certainty);
    } else if (!(is_waited_for(graph, *nodes, view) || is_endless(judge, parts, *nodes, view)) ||
               (node->of.kind == EVIDENCE_THREAD && node->of.what == DOING_WAITS) ||
               (view == VIEW_CERTAIN && node->of.kind != EVIDENCE_THREAD)) {
        return RC_OK;
    } else if (node->of.kind == EVIDENCE_THREAD) {
        verdict = of_thread(judge, node, certainty, is_needed_by_lock(graph, *nodes));
    } else {
        verdict =
            of_thing(judge, node, is_stuck(node, VIEW_CERTAIN) ? CERTAINTY_CERTAIN : certainty);
    }
    uint32_t queued = 0;
    for (uint32_t i = 0; i < count; i++)
        judge_cover(judge, nodes[i], &queued);
    enum rc rc = cycle ? link_cycle(judge, &verdict, parts, nodes, count, view)
                       : link_single(judge, &verdict, *nodes, &queued);
    if (rc == RC_OK && verdict.name == VERDICT_SPIN_FOREVER)
        rc = link_endless(judge, &verdict, parts, view, &queued);
    /* Of things alone, which the runtime counts without saying who waits: whoever is known to. */
    bool nobody = cycle && !verdict.threads;
    for (uint32_t i = 0; rc == RC_OK && nobody && i < count; i++)
        rc = judge_link_back(judge, &verdict, nodes[i], false, &queued);
    if (rc == RC_OK)
        rc = judge_others(judge, &verdict, queued, VIEW_POSSIBLE, true);
    return rc == RC_OK ? judge_end(judge, &verdict) : rc;
}

/* What anyone might end, and everybody waits: a lock, or something else. */
static bool is_orphan(const struct judge *judge, const struct components *parts,
                      const struct members *members, uint32_t part, enum view view, bool lock)
{
    uint32_t at = members->nodes[members->first[part]];
    const struct node *node = graph_node(&judge->graph, at);
    return parts->is_root[part] && !parts->is_cycle[part] && !judge->covered[at] &&
           node->of.kind == EVIDENCE_THING && is_lockish(node->of.what) == lock &&
           node->of.what != THING_EVENT && is_waited_for(&judge->graph, at, view);
}

/* What the things that nobody may end have in common. */
struct orphans {
    uint32_t things, iterations, sections, destroyed, unmade;
    bool certain;
    uint64_t subject;
};

static struct orphans find_orphans(const struct judge *judge, const struct components *parts,
                                   const struct members *members, enum view view, bool lock)
{
    struct orphans found = {.certain = true};
    for (uint32_t i = 0; i < parts->count; i++) {
        if (!is_orphan(judge, parts, members, i, view, lock))
            continue;
        const struct node *node = graph_node(&judge->graph, members->nodes[members->first[i]]);
        if (!found.things++ || node->of.id < found.subject)
            found.subject = node->of.id;
        found.certain = found.certain && is_stuck(node, VIEW_CERTAIN);
        found.iterations += node->of.what == THING_ITERATION;
        found.sections += node->of.what == THING_CRITICAL;
        found.destroyed += (node->of.flags & FLAG_DESTROYED) != 0;
        found.unmade += (node->of.flags & FLAG_UNMADE) != 0;
    }
    return found;
}

static struct why_verdict of_orphans(const struct judge *judge, const struct orphans *found,
                                     enum view view, bool lock)
{
    enum why_verdict_name name = found->things > 1 ? VERDICT_LOCK_ORPHANS : VERDICT_LOCK_ORPHAN;
    bool handled = judge->graph.process_flags & FLAG_HANDLED && view == VIEW_POSSIBLE &&
                   found->sections < found->things;
    enum why_cause cause = handled                                    ? CAUSE_HANDLER
                           : found->destroyed                         ? CAUSE_DESTROYED
                           : found->things > 1                        ? CAUSE_ORDERS_OR_NOT_RELEASED
                           : found->unmade                            ? CAUSE_UNMADE
                           : judge->graph.process_flags & FLAG_FORKED ? CAUSE_LEFT_BEHIND
                           : found->sections                          ? CAUSE_NOT_LEFT
                                                                      : CAUSE_NOT_RELEASED;
    if (!lock) {
        bool posts = found->iterations == found->things;
        name = posts ? VERDICT_DOACROSS : VERDICT_WAIT_ORPHAN;
        cause = posts ? CAUSE_NOT_POSTED : CAUSE_NONE;
    }
    bool records = lock && !(judge->graph.process_flags & FLAG_RECORDED);
    struct why_verdict verdict =
        judge_begin(judge, name,
                    promised(name, found->certain        ? CERTAINTY_CERTAIN
                                   : view == VIEW_LIKELY ? CERTAINTY_LIKELY
                                                         : CERTAINTY_POSSIBLE),
                    cause, records ? 1 << NEXT_RECORD : 1 << NEXT_BT);
    verdict.subject = found->subject;
    return verdict;
}

/* These together: who could end them is among the threads that wait. */
static enum rc judge_orphans(struct judge *judge, const struct components *parts,
                             const struct members *members, enum view view, bool lock)
{
    const struct graph *graph = &judge->graph;
    struct orphans found = find_orphans(judge, parts, members, view, lock);
    if (!found.things)
        return RC_OK;
    struct why_verdict verdict = of_orphans(judge, &found, view, lock);
    uint32_t queued = 0;
    enum rc rc = RC_OK;
    /* In the order of their ids, which those of components are not. */
    for (uint32_t i = 0; rc == RC_OK && i < graph_size(graph); i++)
        if (parts->of[i] != NO_NODE && is_orphan(judge, parts, members, parts->of[i], view, lock)) {
            judge_cover(judge, i, &queued);
            rc = link_single(judge, &verdict, i, &queued);
        }
    if (rc == RC_OK)
        rc = judge_others(judge, &verdict, queued, VIEW_POSSIBLE, true);
    return rc == RC_OK ? judge_end(judge, &verdict) : rc;
}

static enum rc judge_components(struct judge *judge, enum view view, bool only_cycles)
{
    struct components parts;
    enum rc rc = components_find(&judge->graph, view, &parts);
    if (rc != RC_OK)
        return rc;
    judge->all_stuck = are_all_stuck(&judge->graph, view);
    struct members members;
    rc = find_members(&judge->graph, &parts, &members);
    /* Cycles before single nodes: what anyone may end is likely to be held by one in them. */
    for (unsigned single = 0; single < (only_cycles ? 1 : 2); single++) {
        if (rc == RC_OK && single && view != VIEW_CERTAIN)
            rc = judge_orphans(judge, &parts, &members, view, true);
        if (rc == RC_OK && single && view != VIEW_CERTAIN)
            rc = judge_orphans(judge, &parts, &members, view, false);
        for (uint32_t i = 0; rc == RC_OK && i < parts.count; i++)
            if (parts.is_root[i] && parts.is_cycle[i] == !single)
                rc = judge_component(judge, &parts, members.nodes + members.first[i],
                                     members.first[i + 1] - members.first[i], view);
    }
    members_free(&judge->graph, &members);
    components_free(&judge->graph, &parts);
    return rc;
}

/* First of all cycles that nobody from outside could end. */
enum rc judge_stuck(struct judge *judge, enum view view)
{
    enum rc rc = graph_find_stuck(&judge->graph, view, true);
    if (rc == RC_OK)
        rc = judge_components(judge, view, true);
    if (rc == RC_OK)
        rc = graph_find_stuck(&judge->graph, view, false);
    return rc == RC_OK ? judge_components(judge, view, false) : rc;
}
