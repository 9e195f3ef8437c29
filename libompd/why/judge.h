/* SPDX-License-Identifier: MIT
 *
 * While verdicts are made: what they are made of, and which nodes one has been given for.
 */
#ifndef LIBOMPD_WHY_JUDGE_H
#define LIBOMPD_WHY_JUDGE_H

#include "libompd/why/graph.h"

struct judge {
    struct graph graph;
    struct array *verdicts; /* struct why_verdict */
    struct array *links;    /* struct why_link */
    uint32_t *covered;      /* by node: 1 if a verdict explains why it makes no progress */
    uint32_t *queue;        /* as long */
    bool compared;          /* with another look, some while ago */
    bool all_stuck;         /* no thread of the process can proceed, in the view that is judged */
    bool computes; /* some thread works, and does not repeat itself, or is in another wait than
                    * before; others may wait for it */
};

extern const uint8_t verdict_kinds[]; /* enum why_kind, by enum why_verdict_name */

/* A verdict of no links yet. */
struct why_verdict judge_begin(const struct judge *judge, enum why_verdict_name name,
                               enum why_certainty certainty, enum why_cause cause, uint32_t next);
enum rc judge_link(struct judge *judge, struct why_verdict *verdict, enum why_role role,
                   uint32_t evidence);
enum rc judge_end(struct judge *judge, const struct why_verdict *verdict);

/* Links as others the waits of all threads that wait in this view for the `count` nodes at
 * the beginning of judge->queue, which are covered. Stuck: only of those that are. */
enum rc judge_others(struct judge *judge, struct why_verdict *verdict, uint32_t count,
                     enum view view, bool stuck);

/* One step back from a node, into the queue: links the waits of threads for it, and with `all`
 * those that are stuck and the things and tasks that need it. */
enum rc judge_link_back(struct judge *judge, struct why_verdict *verdict, uint32_t at, bool all,
                        uint32_t *queued);

/* Adds a node to the queue unless it is covered; `count`: of the queue. */
static inline bool judge_cover(struct judge *judge, uint32_t node, uint32_t *count)
{
    if (judge->covered[node])
        return false;
    judge->covered[node] = 1;
    judge->queue[(*count)++] = node;
    return true;
}

/* Root causes of what is stuck (deadlock.c), crashes, and what others wait for that may
 * still proceed (absent.c). */
enum rc judge_crashes(struct judge *judge);
/* Threads that run on the stacks of others. */
enum rc judge_stacks(struct judge *judge);
enum rc judge_stuck(struct judge *judge, enum view view);
enum rc judge_absent(struct judge *judge);
/* Threads that test locks which nobody will release, and tasks that spin while their successors
 * wait for them (polls.c). */
enum rc judge_polls(struct judge *judge);
enum rc judge_spinning_tasks(struct judge *judge);
/* What has not begun while all threads of a team are busy with something else (starved.c). */
enum rc judge_starved(struct judge *judge);
bool is_unbegun(const struct node *node);

/* Whether it is about what starved.c judges. */
bool is_starved(const struct why_verdict *verdict);

/* Threads that repeat a loop; if there is no other verdict, those in MPI, and then who waits for whom
 * (waiting.c). */
enum rc judge_loops(struct judge *judge);
enum rc judge_mpi(struct judge *judge);
enum rc judge_runtime(struct judge *judge);
enum rc judge_waiting(struct judge *judge);

static inline bool is_lockish(uint32_t thing)
{
    return thing >= THING_LOCK && thing <= THING_MUTEX;
}

/* A thread that may act for others. */
static inline bool is_at_large(const struct node *node)
{
    return node->of.kind == EVIDENCE_THREAD &&
           (node->of.what == DOING_WORKS || node->of.what == DOING_ASLEEP ||
            node->of.what == DOING_MPI);
}

/* Who is to act for a need: a thread, or the one that runs a task. */
static inline const struct node *find_actor(const struct graph *graph, const struct edge *edge)
{
    const struct node *node = graph_node(graph, edge->to);
    if (node->of.kind == EVIDENCE_TASK && node->of.what == PROGRESS_BEGUN && node->edges)
        node = graph_node(graph, graph_edge(graph, node->first_edge)->to);
    return node;
}

#endif
