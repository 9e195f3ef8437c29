/* SPDX-License-Identifier: MIT
 *
 * questions.h.
 */
#include "questions.h"

#include <string.h>

#include "fake-program.h"
#include "frame.h"

enum { QUESTIONS_MAX = 96, BY_LWP = 1 };

struct question questions[QUESTIONS_MAX];
unsigned question_count;

void questions_begin(const struct question *ways, unsigned count)
{
    question_count = 0;
    for (unsigned i = 0; i < routine_count; i++) {
        const struct routine *routine = &routines[i];
        if (routine->reads != UNASKED)
            questions[question_count++] = (struct question){
                .name = routine->name,
                .takes = routine->takes,
                .reads = routine->reads,
                .routine = routine,
            };
    }
    for (unsigned i = 0; i < count; i++) {
        questions[question_count] = ways[i];
        questions[question_count].routine = routine_named(ways[i].of);
        ck_assert_ptr_nonnull(questions[question_count++].routine);
    }
    ck_assert_uint_lt(question_count, QUESTIONS_MAX);
}

int ask(const struct question *question, const struct subject *subject, struct outs *outs)
{
    void *const handles[] = {
        [KIND_SPACE] = subject->space,
        [KIND_THREAD] = subject->thread,
        [KIND_REGION] = subject->region,
        [KIND_TASK] = subject->task,
        [KIND_COUNT] = NULL,
        [KIND_NONE] = NULL,
    };
    struct args args = question->args;
    args.h = args.h2 = args.scoped = handles[question->takes];
    args.context = subject->space ? subject->context : NULL;
    args.kind = args.kind ? args.kind : BY_LWP;
    args.size = sizeof subject->lwp;
    memcpy(args.id, subject->lwp, sizeof subject->lwp);
    args.object[0] = CRITICAL_NAME;
    args.object[1] = 1;
    return question->routine->call(&args, outs);
}

static void free_given(void *memory)
{
    if (memory && !outs_untouched(&memory, sizeof memory))
        fake_cb_free(memory);
}

static void release_vector(enum kind kind, struct outs *outs)
{
    if (outs_untouched(&outs->vector, sizeof outs->vector))
        return;
    for (int i = 0; i < outs->number; i++)
        ck_assert_int_eq(release_handle(kind, outs->vector[i]), 0);
    if (outs->vector)
        fake_cb_free(outs->vector);
}

void outs_release(const struct question *question, struct outs *outs)
{
    switch (question->routine->gives) {
    case GIVES_SPACE:
    case GIVES_THREAD:
    case GIVES_REGION:
    case GIVES_TASK:
        ck_assert_int_eq(
            release_handle((enum kind)(question->routine->gives - GIVES_SPACE), outs->handle), 0);
        break;
    case GIVES_THREADS:
        release_vector(KIND_THREAD, outs);
        break;
    case GIVES_TASKS:
        release_vector(KIND_TASK, outs);
        break;
    case GIVES_STRING:
    case GIVES_WORDS:
    case GIVES_ANY_WORDS:
        free_given(outs->string);
        break;
    case GIVES_TWO_LISTS:
    case GIVES_PAIR:
        free_given(outs->list2);
        /* fall through */
    case GIVES_LIST:
        free_given(outs->list);
        break;
    case GIVES_VARS:
        ck_assert_int_eq(release_vars(outs->list), 0);
        break;
    case GIVES_NOTHING:
    case GIVES_BOOL:
    case GIVES_TEAM_SIZE:
    case GIVES_RELEASE:
    case GIVES_ORDER:
        break;
    }
}

void subject_end(struct subject *subject)
{
    ck_assert_int_eq(release_handle(KIND_THREAD, subject->thread), 0);
    ck_assert_int_eq(release_handle(KIND_REGION, subject->region), 0);
    ck_assert_int_eq(release_handle(KIND_TASK, subject->task), 0);
}

static int expected_code(enum fake_callback failed, struct failures failures)
{
    enum { OK = 0, INCOMPATIBLE = 7, NOMEM = 10 }; /* in both interfaces */
    switch (failed) {
    case FAKE_ALLOC:
        return NOMEM;
    case FAKE_READ:
        return failures.read;
    case FAKE_SYMBOL:
        return INCOMPATIBLE;
    case FAKE_SIZES:
    case FAKE_TO_HOST:
        return failures.other;
    case FAKE_NONE:
        break;
    }
    return OK;
}

unsigned fail_each_callback(const struct question *question, const struct subject *subject,
                            struct failures failures)
{
    unsigned alive = fake_counts.allocs_alive;
    for (unsigned n = 1;; n++) {
        struct outs outs;
        outs_clear(&outs);
        fake_counts_reset();
        fake_fail_at(n);
        int rc = ask(question, subject, &outs);
        enum fake_callback failed = fake_failed();
        fake_fail_at(0);
        ck_assert_msg(rc == expected_code(failed, failures), "%s, callback %u (%d): %d",
                      question->name, n, failed, rc);
        if (failed == FAKE_NONE) {
            ck_assert_msg(!outs_untouched(&outs, sizeof outs), "%s", question->name);
            outs_release(question, &outs);
            ck_assert_msg(fake_counts.allocs_alive == alive, "%s leaks", question->name);
            return n - 1;
        }
        ck_assert_msg(outs_untouched(&outs, sizeof outs), "%s, callback %u", question->name, n);
        ck_assert_msg(fake_counts.allocs_alive == alive, "%s, callback %u leaks", question->name,
                      n);
    }
}

/* Does it ask the target about the object of its handle? */
static bool asks_object(const struct question *question)
{
    return question->reads && question->takes > KIND_SPACE && question->takes < KIND_COUNT;
}

unsigned ask_all_stale(const struct subject *subject, bool objects, int stale)
{
    unsigned asked = 0;
    for (unsigned q = 0; q < question_count; q++) {
        const char *name = questions[q].name;
        struct outs outs;
        if (objects ? !asks_object(&questions[q]) : !strcmp(name, "process_initialize"))
            continue;
        outs_clear(&outs);
        fake_counts_reset();
        int rc = ask(&questions[q], subject, &outs);
        ck_assert_msg(rc == stale, "%s: %d", name, rc);
        ck_assert_msg(outs_untouched(&outs, sizeof outs), "%s", name);
        ck_assert_msg(objects || fake_counts.reads == 0, "%s", name);
        asked++;
    }
    return asked;
}

static bool needs_out(const struct question *question, unsigned out, const struct subject *subject,
                      int bad_input)
{
    struct question without = *question;
    struct outs outs;
    without.args.null |= 1u << out;
    outs_clear(&outs);
    fake_counts_reset();
    int rc = ask(&without, subject, &outs);
    ck_assert_msg(rc == 0 || rc == bad_input, "%s, out %u: %d", question->name, out, rc);
    if (rc == 0) {
        outs_release(question, &outs);
        return false;
    }
    ck_assert_msg(outs_untouched(&outs, sizeof outs), "%s, out %u", question->name, out);
    ck_assert_msg(fake_counts.reads == 0, "%s, out %u", question->name, out);
    return true;
}

unsigned ask_all_without_outs(const struct subject *subject, int bad_input)
{
    enum { OUTS = 3 };
    unsigned needed = 0;
    for (unsigned q = 0; q < question_count; q++)
        for (unsigned out = 0; out < OUTS; out++)
            needed += needs_out(&questions[q], out, subject, bad_input);
    return needed;
}

void check_reads(const struct question *question)
{
    ck_assert_msg(question->reads < 0 || fake_counts.reads <= (unsigned)question->reads,
                  "%s: %u reads", question->name, fake_counts.reads);
}
