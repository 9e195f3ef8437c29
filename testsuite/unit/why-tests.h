/* SPDX-License-Identifier: MIT
 *
 * What holds of each of `scenes`, which stand before this: the verdict, that it is no longer certain
 * once another thread may do something, and that it is the same in many orders and with every
 * allocation failing in turn.
 */
#ifndef WHY_TESTS_H
#define WHY_TESTS_H

enum { SCENES = sizeof scenes / sizeof *scenes, MORE = 16, ORDERS = 40 };

static unsigned pieces_of(const struct scene *scene)
{
    unsigned count = 0;
    while (count < PIECES_MAX && scene->evidence[count].kind)
        count++;
    return count;
}

EACH(verdict_of_scene, SCENES)
{
    const struct scene *scene = &scenes[_i];
    struct answer answer;
    begin();
    assert_ok(judge(scene->evidence, pieces_of(scene), &answer));
    const ompd_ext_verdict_t *first = answer.verdicts;
    ck_assert_msg(
        first->verdict == scene->says.verdict && first->certainty == scene->says.certainty &&
            first->cause == scene->says.cause && first->threads == scene->says.threads &&
            first->others == scene->says.others && answer.verdict_count == 1 + scene->more,
        "%s: verdict %u [%u], cause %u, %u threads, %u others; %u in all", scene->name,
        first->verdict, first->certainty, first->cause, first->threads, first->others,
        (unsigned)answer.verdict_count);
    ck_assert_msg(!scene->next || first->next == scene->next, "%s: next %x", scene->name,
                  first->next);
    for (ompd_size_t i = 0; i < answer.link_count; i++)
        ck_assert_uint_lt(answer.links[i].evidence, pieces_of(scene));
    answer_free(&answer);
    end();
}

/* Whose members may end it without being its owner. */
static bool has_team(const struct scene *scene, const ompd_ext_evidence_t *thing)
{
    for (unsigned i = 0; i < pieces_of(scene); i++)
        if (scene->evidence[i].flags & FLAG_SUSPENDED && scene->evidence[i].id == thing->id)
            return true;
    return thing->what >= THING_BARRIER && thing->what <= THING_ORDERED;
}

/* A scene in which all that waits, or never proceeds, are one team, with its things. */
static unsigned as_team(const struct scene *scene, ompd_ext_evidence_t *out)
{
    unsigned pieces = pieces_of(scene), count = pieces;
    out[count++] = (ompd_ext_evidence_t)TEAM(99, 0);
    for (unsigned i = 0; i < pieces; i++) {
        out[i] = scene->evidence[i];
        if (out[i].kind == EVIDENCE_THING && has_team(scene, &out[i]))
            out[i].other = 99;
        if (out[i].kind == EVIDENCE_THREAD && out[i].what != DOING_WORKS)
            out[count++] = (ompd_ext_evidence_t)MEMBER(99, out[i].id);
    }
    return count;
}

/* What only an owner may end, or the end of a thread: verdicts.def. */
static bool is_of_owners(const struct scene *scene)
{
    uint32_t verdict = scene->says.verdict;
    for (unsigned i = 0; i < pieces_of(scene); i++)
        if (scene->evidence[i].kind == EVIDENCE_THING && scene->evidence[i].what == THING_JOIN)
            return true;
    return verdict == VERDICT_SECTION_SELF || verdict == VERDICT_LOCK_CYCLE ||
           verdict == VERDICT_LOCK_CYCLE_2 || verdict == VERDICT_LOCK_ENDED ||
           verdict == VERDICT_LOCK_LEFT || verdict == VERDICT_STACK_SHARED;
}

/* What is certain of a whole team is not once another member may do something. */
EACH(one_more_member, SCENES)
{
    static const enum why_doing doings[] = {DOING_WORKS, DOING_ASLEEP, DOING_MPI, DOING_UNKNOWN,
                                            DOING_IDLE};
    const struct scene *scene = &scenes[_i];
    ompd_ext_evidence_t evidence[PIECES_MAX + MORE];
    struct answer answer;
    if (scene->says.certainty != CERTAINTY_CERTAIN || scene->says.verdict <= VERDICT_CRASH_SIGNAL)
        return;
    begin();
    unsigned count = as_team(scene, evidence);
    assert_ok(judge(evidence, count, &answer));
    ck_assert_msg(answer.verdicts->verdict == scene->says.verdict &&
                      answer.verdicts->certainty == CERTAINTY_CERTAIN,
                  "%s: verdict %u [%u]", scene->name, answer.verdicts->verdict,
                  answer.verdicts->certainty);
    answer_free(&answer);
    for (unsigned i = 0; i < sizeof doings / sizeof *doings; i++) {
        evidence[count] = (ompd_ext_evidence_t)THREAD(98, WORKS);
        evidence[count].what = doings[i];
        evidence[count + 1] = (ompd_ext_evidence_t)MEMBER(99, 98);
        assert_ok(judge(evidence, count + 2, &answer));
        bool stays = is_of_owners(scene);
        enum why_certainty most =
            scene->says.verdict == VERDICT_LOCK_SELF ? CERTAINTY_LIKELY : CERTAINTY_POSSIBLE;
        for (ompd_size_t n = 0; n < answer.verdict_count; n++)
            ck_assert_msg(answer.verdicts[n].certainty <= most ||
                              (stays && answer.verdicts[n].verdict == scene->says.verdict),
                          "%s, and one does %u: verdict %u [%u]", scene->name, doings[i],
                          answer.verdicts[n].verdict, answer.verdicts[n].certainty);
        ck_assert_uint_eq(stays, answer.verdicts->certainty == CERTAINTY_CERTAIN);
        answer_free(&answer);
    }
    end();
}

/* What was read while the process ran on proves nothing, while a thread runs nothing for certain. */
EACH(running, SCENES)
{
    static const struct {
        uint32_t flag;
        enum why_certainty most;
    } rows[] = {{FLAG_TORN, CERTAINTY_POSSIBLE}, {FLAG_RUNNING, CERTAINTY_LIKELY}};
    const struct scene *scene = &scenes[_i];
    ompd_ext_evidence_t evidence[PIECES_MAX + 1];
    struct answer answer;
    begin();
    unsigned count = pieces_of(scene);
    memcpy(evidence, scene->evidence, count * sizeof *evidence);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        evidence[count] = (ompd_ext_evidence_t)PROCESS(rows[i].flag);
        assert_ok(judge(evidence, count + 1, &answer));
        for (ompd_size_t n = 0; n < answer.verdict_count; n++)
            ck_assert_msg(answer.verdicts[n].certainty <= rows[i].most, "%s: verdict %u [%u]",
                          scene->name, answer.verdicts[n].verdict, answer.verdicts[n].certainty);
        answer_free(&answer);
    }
    end();
}

/* The same verdicts, and links to the same evidence in the same order. */
EACH(any_order, SCENES)
{
    const struct scene *scene = &scenes[_i];
    unsigned count = pieces_of(scene);
    struct answer first, then;
    begin();
    assert_ok(judge(scene->evidence, count, &first));
    srand(_i + 1);
    for (unsigned n = 0; n < ORDERS; n++) {
        ompd_ext_evidence_t mixed[PIECES_MAX];
        unsigned from[PIECES_MAX];
        for (unsigned i = 0; i < count; i++) {
            unsigned at = rand() % (i + 1);
            from[i] = from[at];
            from[at] = i;
        }
        for (unsigned i = 0; i < count; i++)
            mixed[i] = scene->evidence[from[i]];
        assert_ok(judge(mixed, count, &then));
        ck_assert_uint_eq(first.verdict_count, then.verdict_count);
        ck_assert_uint_eq(first.link_count, then.link_count);
        ck_assert_int_eq(
            memcmp(first.verdicts, then.verdicts, first.verdict_count * sizeof *first.verdicts), 0);
        for (ompd_size_t i = 0; i < first.link_count; i++) {
            ck_assert_uint_eq(first.links[i].role, then.links[i].role);
            ck_assert_uint_eq(first.links[i].evidence, from[then.links[i].evidence]);
        }
        answer_free(&then);
    }
    answer_free(&first);
    end();
}

EACH(failing, SCENES)
{
    const struct scene *scene = &scenes[_i];
    begin();
    for (unsigned n = 1;; n++) {
        struct answer answer = {NULL, NULL, 7, 7};
        fake_fail_at(n);
        ompd_rc_t rc = judge(scene->evidence, pieces_of(scene), &answer);
        bool failed = fake_failed() != FAKE_NONE;
        fake_fail_at(0);
        if (!failed) {
            ck_assert_int_eq(rc, ompd_rc_ok);
            answer_free(&answer);
            break;
        }
        ck_assert_int_eq(rc, ompd_rc_nomem);
        ck_assert(!answer.verdicts && !answer.links && answer.verdict_count == 7);
        ck_assert_uint_eq(fake_counts.allocs_alive, 0);
    }
    end();
}

#endif
