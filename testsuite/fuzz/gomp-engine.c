/* SPDX-License-Identifier: MIT
 *
 * Runs an input against a process with a stock libgomp or libomp: what memory holds is changed word
 * by word, and every routine is called with what the others gave. What a debugger may
 * rely on is checked after each call: the code, out-parameters that are left alone, the
 * number of reads, and that nothing is left in the end.
 *
 *   kind, then operations: OP_CALL + routine and 4 bytes, or one of enum gomp_op and its
 *   arguments.
 */
#include <string.h>

#include "gomp-target.h"
#include "take.h"

/* One walk over queues that were spoilt may take long; all of an input may not. */
enum { CALLS_MAX = 200, BUDGET = 20000, READS_MAX = 1 << 20 };

struct run {
    struct input in;
    struct gomp_target target;
    struct pool pool;
};

static void check(const struct routine *routine, int rc, const struct outs *outs, bool good)
{
    bool given = rc == RC_ok || (rc == RC_incomplete && routine->flags & MAY_BE_INCOMPLETE);
    if (rc < RC_ok || rc > RC_incompatible_handle || rc == RC_write_error)
        fuzz_fail("return code %d", rc);
    if (!good && (given || watch.reads))
        fuzz_fail("return code %d for a handle that is none", rc);
    if (!given && !(routine->flags & TELLS_BY_NULL) && !outs_untouched(outs, sizeof *outs))
        fuzz_fail("out-parameters of a routine that answers %d", rc);
    if (watch.reads > READS_MAX)
        fuzz_fail("%u reads", watch.reads);
    if (rc == RC_read_error && !watch.read_failed)
        fuzz_fail("a read error without one");
    if (rc == RC_nomem && !watch.alloc_failed)
        fuzz_fail("nomem with memory");
    if (watch.reads > fuzz_totals.reads_max)
        fuzz_totals.reads_max = watch.reads;
    if (watch.bytes > fuzz_totals.bytes_max)
        fuzz_totals.bytes_max = watch.bytes;
    fuzz_totals.reads += watch.reads;
}

static void call(struct run *run, const struct routine *routine, struct args *args)
{
    const struct slot *slot = pool_find(&run->pool, args->h);
    bool good = routine->takes == KIND_NONE || (slot && slot->kind == routine->takes);
    struct outs outs;
    outs_clear(&outs);
    fuzz_running = routine->name;
    watch_begin();
    int rc = routine->call(args, &outs);
    target_fail_at(0, 0);
    fuzz_totals.calls++;
    fuzz_totals.answered += rc == RC_ok;
    check(routine, rc, &outs, good);
    if (rc == RC_ok || rc == RC_incomplete)
        take(&run->pool, routine, args, &outs);
    fuzz_running = "nothing";
}

/* Handles that fit; one in sixteen is anything. */
static void fill(struct run *run, const struct routine *routine, unsigned a, unsigned b, unsigned c,
                 struct args *args)
{
    static const enum kind of_scope[] = {KIND_SPACE,  KIND_SPACE, KIND_SPACE, KIND_THREAD,
                                         KIND_REGION, KIND_TASK,  KIND_TASK,  KIND_SPACE};
    enum kind kind = routine->takes == KIND_NONE ? KIND_SPACE : routine->takes;
    const struct gf *gf = &run->target.gf;
    const struct slot *slot = pool_pick(&run->pool, kind, a & 15);
    memset(args, 0, sizeof *args);
    args->h = slot && a >> 4 ? slot->handle : pool_any(&run->pool, a & 15);
    slot = pool_pick(&run->pool, kind, b & 15);
    args->h2 = slot ? slot->handle : args->h;
    slot = pool_pick(&run->pool, of_scope[b & 7], c & 15);
    args->scope = b & 7;
    args->scoped = slot ? slot->handle : args->h;
    args->icv = c & 0x3f;
    args->number = b >> 4 == 15 ? INT32_MIN + (int)c : (int)(int8_t)b % 5;
    args->kind = c & 7;
    args->size = 8;
    uint64_t id = c & 1 ? GF_TID_FIRST + b % (GF_THREADS + 1) : gf->pthread[b % GF_THREADS];
    if (routine->cost == COST_FIND)
        args->kind = c & 1;
    memcpy(args->id, &id, sizeof id);
    args->object[0] = run->target.object[b % run->target.objects] + 8 * (c & 3);
    args->object[1] = c;
    args->context = &run->target;
    if (c >> 3 == 31)
        args->null = b & 7;
}

/* Handles of every kind, as far as the process lets itself be read. */
static void gather(struct run *run)
{
    release_all(&run->pool);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < routine_count; i++) {
            const struct routine *routine = &routines[i];
            struct args args;
            if (routine->gives < GIVES_SPACE || routine->gives > GIVES_TASKS ||
                (routine->gives == GIVES_SPACE) != (round == 0 && !run->pool.count))
                continue;
            for (unsigned n = 0; n < (routine->cost == COST_FIND ? GF_THREADS : 1); n++) {
                fill(run, routine, 0x10 + round, n, 1, &args);
                call(run, routine, &args);
            }
        }
    }
}

/* A space is not released before the end: what hangs on it is of no more interest. */
static bool is_left_out(const struct routine *routine)
{
    return routine->gives == GIVES_RELEASE && routine->takes == KIND_SPACE;
}

static void operate(struct run *run)
{
    unsigned code = input_u8(&run->in), a;
    if (code & OP_CALL) {
        const struct routine *routine = &routines[(code & 0x7f) % routine_count];
        struct args args;
        a = input_u8(&run->in);
        unsigned b = input_u8(&run->in);
        fill(run, routine, a, b, input_u8(&run->in), &args);
        if (!is_left_out(routine))
            call(run, routine, &args);
        return;
    }
    switch ((enum gomp_op)(code % GOMP_OPS)) {
    case GOMP_OP_FAIL:
        a = input_u8(&run->in);
        target_fail_at(a, input_u8(&run->in));
        break;
    case GOMP_OP_HIDE:
        gomp_target_hide(&run->target, input_u8(&run->in));
        break;
    case GOMP_OP_THREADS:
        a = (unsigned)input_number(&run->in, 2);
        run->target.mute = a & 1;
        run->target.gone = a >> 1;
        break;
    case GOMP_OP_RESTORE:
        gomp_target_restore(&run->target);
        break;
    case GOMP_OP_REOPEN:
        gather(run);
        break;
    default:
        gomp_target_change(&run->target, &run->in);
        break;
    }
}

void fuzz_one(const unsigned char *data, size_t size)
{
    if (size < 2)
        return;
    static struct run run;
    memset(&run, 0, sizeof run);
    run.in = (struct input){data, size, 0};
    fuzz_totals.inputs++;
    gomp_target_begin(&run.target, input_u8(&run.in));
    target_budget(fuzz_endless && !run.target.everywhere ? UINT32_MAX : BUDGET);
    target_fail_at(0, 0);
    fuzz_running = "the start";
    if (fuzz_abi.initialize() != RC_ok)
        fuzz_fail("initialize");
    gather(&run);
    for (unsigned n = 0; run.in.at < size && n < CALLS_MAX; n++)
        operate(&run);
    target_fail_at(0, 0);
    fuzz_running = "the end";
    release_all(&run.pool);
    take_leave();
}
