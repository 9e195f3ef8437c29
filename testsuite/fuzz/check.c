/* SPDX-License-Identifier: MIT
 *
 * The invariants of one call.
 */
#include <stdlib.h>
#include <string.h>

#include "bounds.h"
#include "check.h"
#include "libompd/runtime/hooks.h"
#include "target.h"

static const unsigned reads_max[] = {
    [COST_NONE] = READS_NONE,
    [COST_ONE] = READS_REFERENCE,
    [COST_TEAM_SIZE] = READS_REFERENCE + READS_ICV,
    [COST_TORN] = READS_REFERENCE + 1,
    [COST_ELEMENT] = READS_INITIAL_TASK,
    [COST_TEAM] = READS_TEAM,
    [COST_THREADS] = READS_WALK,
    [COST_FIND] = READS_FIND,
    [COST_OPEN] = READS_OPEN,
    [COST_TASKS] = READS_TASKS,
    [COST_LOCKS] = READS_LOCKS,
    [COST_REGIONS] = READS_REGIONS,
    [COST_SURVEY] = READS_THREADS,
    [COST_SETTINGS] = READS_SETTINGS + READS_ICV_WORDS,
    [COST_RUNTIMES] = 2 * READS_OBJECT,
};

#define IS_SET(outs, member) !outs_untouched(&(outs)->member, sizeof(outs)->member)

static void check_reads(const struct routine *routine)
{
    unsigned max = reads_max[routine->cost];
    if (watch.reads > max)
        fuzz_fail("%u reads, of at most %u", watch.reads, max);
    uint64_t bytes = routine->cost == COST_ONE || routine->cost == COST_ELEMENT
                         ? (uint64_t)max * HOOKS_RECORD_BYTES_MAX
                         : (uint64_t)max * TARGET_BULK_BYTES;
    if (watch.bytes > bytes)
        fuzz_fail("%llu bytes read", (unsigned long long)watch.bytes);
    if (watch.reads > fuzz_totals.reads_max)
        fuzz_totals.reads_max = watch.reads;
    if (watch.bytes > fuzz_totals.bytes_max)
        fuzz_totals.bytes_max = watch.bytes;
    fuzz_totals.reads += watch.reads;
}

/* Of the runtime, which is not there: once when hooks that were opened begin to record, and again
 * when the lookup failed. */
static unsigned lookups_due;

void check_begin(void)
{
    lookups_due = 0;
}

/* Two of the list of images, two of the hooks, and one of the runtime. */
static void check_lookups(const struct routine *routine, int rc)
{
    unsigned max = routine->cost == COST_OPEN ? 5 : 0;
    unsigned more = watch.lookups > max ? watch.lookups - max : 0;
    if (more > lookups_due)
        fuzz_fail("%u symbols looked up", watch.lookups);
    lookups_due += watch.lookup_failed + (routine->cost == COST_OPEN && rc == RC_ok) - more;
}

static void check_code(const struct routine *routine, int rc, bool handles_are_good)
{
    if (rc < RC_ok || rc > RC_incompatible_handle || rc == RC_write_error)
        fuzz_fail("return code %d", rc);
    if (!handles_are_good && rc != RC_stale && rc != RC_bad_input)
        fuzz_fail("return code %d for a handle that is none", rc);
    if (!handles_are_good && (watch.reads || watch.lookups))
        fuzz_fail("the target is asked for a handle that is none");
    if (rc == RC_incomplete && !(routine->flags & MAY_BE_INCOMPLETE))
        fuzz_fail("incomplete");
    if (watch.read_failed && rc != RC_read_error && !(routine->flags & MAY_IGNORE_FAILURE))
        fuzz_fail("return code %d after a read has failed", rc);
    if (rc == RC_read_error && !watch.read_failed)
        fuzz_fail("a read error without one");
    if (watch.alloc_failed && rc != RC_nomem)
        fuzz_fail("return code %d without memory", rc);
    if (rc == RC_nomem && !watch.alloc_failed)
        fuzz_fail("nomem with memory");
    if (watch.other_failed && (rc == RC_ok || rc == RC_incomplete))
        fuzz_fail("ok after a callback has failed");
}

static void check_string(const struct routine *routine, const struct outs *outs)
{
    size_t length = strlen(outs->string);
    if (!length)
        fuzz_fail("an empty string");
    if (routine->gives == GIVES_STRING &&
        strspn(outs->string, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                             "0123456789_") != length)
        fuzz_fail("string id %s", outs->string);
}

/* How many allocations belong to what was given. */
static long check_given(const struct routine *routine, const struct outs *outs, unsigned ended)
{
    switch (routine->gives) {
    case GIVES_SPACE:
        return IS_SET(outs, handle) ? 2 : 0;
    case GIVES_THREAD:
    case GIVES_REGION:
    case GIVES_TASK:
        if (!IS_SET(outs, handle) || !outs->handle)
            fuzz_fail("ok without a handle");
        return 1;
    case GIVES_THREADS:
    case GIVES_TASKS:
        if (outs->number < 0 ||
            outs->number > (routine->cost == COST_TEAM ? HOOKS_TEAM_MAX : HOOKS_THREADS_MAX))
            fuzz_fail("%d objects", outs->number);
        if (!IS_SET(outs, vector))
            return 0;
        if (!outs->vector != !outs->number)
            fuzz_fail("%d objects in vector %p", outs->number, (void *)outs->vector);
        return outs->number ? outs->number + 1 : 0;
    case GIVES_STRING:
    case GIVES_WORDS:
        check_string(routine, outs);
        return 1;
    case GIVES_ANY_WORDS:
        return 1;
    case GIVES_PAIR:
        return 2;
    case GIVES_BOOL:
        if (outs->word != 0 && outs->word != 1)
            fuzz_fail("truth value %lld", (long long)outs->word);
        return 0;
    case GIVES_TEAM_SIZE:
        if (outs->word < 1 || outs->word > HOOKS_TEAM_MAX)
            fuzz_fail("%lld threads", (long long)outs->word);
        return 0;
    case GIVES_LIST:
        return outs->size && IS_SET(outs, list);
    case GIVES_TWO_LISTS:
        return (outs->size && IS_SET(outs, list)) + (outs->size2 && IS_SET(outs, list2));
    case GIVES_VARS:
        return 1;
    case GIVES_RELEASE:
        return routine->takes == KIND_SPACE ? -2 - (long)ended : -1;
    case GIVES_NOTHING:
    case GIVES_ORDER:
        break;
    }
    return 0;
}

static bool tells_by_null(const struct routine *routine, int rc, const struct outs *outs)
{
    struct outs expected;
    outs_clear(&expected);
    expected.handle = NULL;
    return routine->flags & TELLS_BY_NULL && rc == RC_bad_input &&
           memcmp(&expected, outs, sizeof expected) == 0;
}

void check_call(const struct routine *routine, int rc, const struct outs *outs,
                bool handles_are_good, unsigned ended)
{
    check_reads(routine);
    check_lookups(routine, rc);
    check_code(routine, rc, handles_are_good);
    long kept = 0;
    if (rc == RC_ok || rc == RC_incomplete)
        kept = check_given(routine, outs, ended);
    else if (!outs_untouched(outs, sizeof *outs) && !tells_by_null(routine, rc, outs))
        fuzz_fail("out-parameters are written with return code %d", rc);
    long allocated = watch.allocated + allocator_alive();
    if (allocated != kept)
        fuzz_fail("%ld allocations are left instead of %ld, return code %d", allocated, kept, rc);
}

/* As handles of that kind, which one may not be. */
static int compare(enum kind kind, const struct slot *a, const struct slot *b, int *out)
{
    struct args args = {.h = a->handle, .h2 = b->handle};
    struct outs outs = {.number = *out};
    int rc = routine_of_handles(kind, GIVES_ORDER)->call(&args, &outs);
    *out = outs.number;
    return rc;
}

static int order(const struct slot *a, const struct slot *b)
{
    int out = 99;
    int back = 99;
    int rc = compare(a->kind, a, b, &out);
    int rc_back = compare(a->kind, b, a, &back);
    bool good = a->kind == b->kind && a->alive && b->alive;
    if (good != (rc == RC_ok) || rc != rc_back)
        fuzz_fail("comparison answers %d and %d", rc, rc_back);
    if (!good && (rc != RC_stale || out != 99 || back != 99))
        fuzz_fail("comparison of what is no handle answers %d", rc);
    if (good && (out > 0) - (out < 0) != (back < 0) - (back > 0))
        fuzz_fail("comparison gives %d and %d", out, back);
    return good ? (out > 0) - (out < 0) : 2;
}

/* Equal strings mean equal handles. */
static void check_strings(const struct slot *a, const struct slot *b, int order_of_them)
{
    const struct routine *name = routine_of_handles(a->kind, GIVES_STRING);
    struct outs of_a, of_b;
    if (name->call(&(struct args){.h = a->handle}, &of_a) != RC_ok)
        return;
    if (name->call(&(struct args){.h = b->handle}, &of_b) == RC_ok) {
        if ((strcmp(of_a.string, of_b.string) == 0) != (order_of_them == 0))
            fuzz_fail("%s and %s compare as %d", of_a.string, of_b.string, order_of_them);
        allocator_free(of_b.string);
    }
    allocator_free(of_a.string);
}

void check_order(struct slot *const three[3])
{
    if (three[0]->kind == KIND_SPACE)
        return;
    int ab = order(three[0], three[1]);
    int bc = three[1]->kind == three[0]->kind ? order(three[1], three[2]) : 2;
    int ac = order(three[0], three[2]);
    int aa = order(three[0], three[0]);
    if (aa != 0 && aa != 2)
        fuzz_fail("a handle differs from itself");
    if (ab != 2 && bc != 2 && ac != 2 && ab <= 0 && bc <= 0 && (ac > 0 || (ac == 0 && (ab || bc))))
        fuzz_fail("comparison is no order: %d %d %d", ab, bc, ac);
    if (ab != 2 && routine_of_handles(three[0]->kind, GIVES_STRING))
        check_strings(three[0], three[1], ab);
}
