/* SPDX-License-Identifier: MIT
 *
 * The verdicts about a process: all rules, and in what order what they find is reported.
 */
#include "libompd/why/judge.h"

#define ORDER(x, y)                                                                                \
    if ((x) != (y))                                                                                \
    return (x) > (y)

/* A loop without progress explains less than what it lacks, and that less than a cycle. */
static int explains(const struct why_verdict *verdict)
{
    if (verdict->name == VERDICT_STACK_SHARED)
        return 4;
    if (verdict->name == VERDICT_SPIN || verdict->name == VERDICT_SPINS)
        return 1;
    if (verdict_kinds[verdict->name] == KIND_DEADLOCK || verdict->kind == KIND_SPIN ||
        verdict->name == VERDICT_BARRIER_MIXED)
        return 3;
    return is_starved(verdict) ? 2 : 0;
}

/* A crash comes first; then what explains itself before what only says that it is so. */
static bool verdict_before(const void *left, const void *right)
{
    const struct why_verdict *a = left;
    const struct why_verdict *b = right;
    ORDER(a->kind == KIND_CRASH, b->kind == KIND_CRASH);
    ORDER(a->certainty >= CERTAINTY_LIKELY, b->certainty >= CERTAINTY_LIKELY);
    ORDER(explains(a), explains(b));
    ORDER(a->certainty, b->certainty);
    ORDER(a->threads + a->others, b->threads + b->others);
    ORDER(b->name, a->name);
    ORDER(b->subject, a->subject);
    return a->first_link < b->first_link;
}

_Static_assert(sizeof(struct why_verdict) <= ARRAY_ELEMENT_MAX, "verdicts are sorted");

/* What a second look and the threads tell of the whole process. */
static void judge_looks(struct judge *judge)
{
    judge->compared = judge->graph.process_flags & FLAG_SAME_PLACE;
    for (uint32_t i = 0; i < graph_size(&judge->graph); i++) {
        const struct node *node = graph_node(&judge->graph, i);
        if (node->of.kind != EVIDENCE_THREAD)
            continue;
        bool repeats = node->of.flags & FLAG_REPEATS;
        judge->compared |= repeats || node->of.flags & (FLAG_SAME_PLACE | FLAG_MOVED);
        judge->computes |= node->of.what == DOING_WORKS
                               ? !repeats
                               : node->of.what == DOING_WAITS && node->of.flags & FLAG_MOVED;
    }
}

/* True if a verdict says more than that somebody waits for a thread that works. */
static bool explains_all(const struct judge *judge)
{
    const struct why_verdict *all = judge->verdicts->elements;
    for (size_t i = 0; i < judge->verdicts->count; i++)
        if (all[i].name != VERDICT_ABSENT_WORKS && all[i].name != VERDICT_SLOW)
            return true;
    return false;
}

static enum rc judge_all(struct judge *judge)
{
    judge_looks(judge);
    enum rc rc = graph_numbers(&judge->graph, 0, &judge->covered);
    if (rc == RC_OK)
        rc = graph_numbers(&judge->graph, 0, &judge->queue);
    if (rc == RC_OK)
        rc = judge_crashes(judge);
    if (rc == RC_OK)
        rc = judge_stacks(judge);
    for (unsigned view = 0; rc == RC_OK && view < VIEWS; view++)
        rc = judge_stuck(judge, view);
    if (rc == RC_OK)
        rc = judge_polls(judge);
    if (rc == RC_OK)
        rc = judge_spinning_tasks(judge);
    if (rc == RC_OK)
        rc = judge_absent(judge);
    if (rc == RC_OK)
        rc = judge_starved(judge);
    if (rc == RC_OK)
        rc = judge_loops(judge);
    if (rc == RC_OK && !explains_all(judge))
        rc = judge_runtime(judge);
    if (rc == RC_OK && !judge->verdicts->count)
        rc = judge_mpi(judge);
    if (rc == RC_OK && !judge->verdicts->count)
        rc = judge_waiting(judge);
    if (rc == RC_OK)
        array_sort(judge->verdicts, verdict_before);
    return rc;
}

enum rc why_judge(const struct target_ops *ops, const struct why_evidence *evidence, size_t count,
                  struct array *verdicts, struct array *links)
{
    *verdicts = array_of(ops, sizeof(struct why_verdict));
    *links = array_of(ops, sizeof(struct why_link));
    struct judge judge = {.verdicts = verdicts, .links = links};
    enum rc rc = graph_build(&judge.graph, ops, evidence, count);
    if (rc == RC_OK)
        rc = judge_all(&judge);
    if (judge.covered)
        ops->release(judge.covered);
    if (judge.queue)
        ops->release(judge.queue);
    graph_free(&judge.graph);
    if (rc != RC_OK) {
        array_free(verdicts);
        array_free(links);
    }
    return rc;
}
