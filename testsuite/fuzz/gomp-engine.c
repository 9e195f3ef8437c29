/* SPDX-License-Identifier: MIT
 *
 * Runs an input against a process with a stock libgomp: what memory holds is changed word
 * by word, and every routine is called with what the others gave. What a debugger may
 * rely on is checked after each call: the code, out-parameters that are left alone, the
 * number of reads, and that nothing is left in the end.
 *
 *   kind, then operations: OP_CALL + routine and 4 bytes, or one of enum gomp_op and its
 *   arguments.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gomp-target.h"
#include "pool.h"
#include "seeds.h"

struct fuzz_totals fuzz_totals;
bool fuzz_endless;

enum gomp_op {
    GOMP_OP_CHANGE,
    GOMP_OP_CHANGE_2, /* twice as often as the others */
    GOMP_OP_FAIL,
    GOMP_OP_HIDE,
    GOMP_OP_THREADS,
    GOMP_OP_RESTORE,
    GOMP_OP_REOPEN,
    GOMP_OPS,
};

/* One walk over queues that were spoilt may take long; all of an input may not. */
enum { CALLS_MAX = 200, BUDGET = 20000, READS_MAX = 1 << 20 };

struct run {
    struct input in;
    struct gomp_target target;
    struct pool pool;
};

static const char *running = "nothing";

void fuzz_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: %s: ", fuzz_abi.name, running);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

enum { PATTERN = 0x5A };

static bool untouched(const void *part, size_t bytes)
{
    const unsigned char *at = part;
    for (size_t i = 0; i < bytes; i++) {
        if (at[i] != PATTERN)
            return false;
    }
    return true;
}

static void keep(struct run *run, enum kind kind, void *handle, unsigned space)
{
    if (!handle || pool_find(&run->pool, handle))
        fuzz_fail("a handle that is none or is given twice");
    if (!pool_add(&run->pool, kind, handle, space) &&
        fuzz_abi.release[kind](handle) != RC_ok)
        fuzz_fail("release");
}

static void keep_vector(struct run *run, enum kind kind, const struct outs *outs,
                        unsigned space)
{
    enum { KEPT = 4 };
    if (outs->number < 0)
        fuzz_fail("%d objects", outs->number);
    if (untouched(&outs->vector, sizeof outs->vector) || !outs->number)
        return;
    for (int i = 0; i < outs->number; i++) {
        if (i < KEPT)
            keep(run, kind, outs->vector[i], space);
        else if (fuzz_abi.release[kind](outs->vector[i]) != RC_ok)
            fuzz_fail("release");
    }
    allocator_free(outs->vector);
}

static void take_list(void *list, uint64_t count)
{
    if (!untouched(&count, sizeof count) && !untouched(&list, sizeof list) && count)
        allocator_free(list);
}

static void take(struct run *run, const struct routine *routine, const struct args *args,
                 struct outs *outs)
{
    struct slot *subject = pool_find(&run->pool, args->h);
    unsigned space = subject ? subject->space : 0;
    switch (routine->gives) {
    case GIVES_SPACE:
        keep(run, KIND_SPACE, outs->handle, 0);
        break;
    case GIVES_THREAD:
        keep(run, KIND_THREAD, outs->handle, space);
        break;
    case GIVES_REGION:
        keep(run, KIND_REGION, outs->handle, space);
        break;
    case GIVES_TASK:
        keep(run, KIND_TASK, outs->handle, space);
        break;
    case GIVES_THREADS:
        keep_vector(run, KIND_THREAD, outs, space);
        break;
    case GIVES_TASKS:
        keep_vector(run, KIND_TASK, outs, space);
        break;
    case GIVES_PAIR:
        allocator_free(outs->list);
        allocator_free(outs->list2);
        break;
    case GIVES_STRING:
    case GIVES_WORDS:
    case GIVES_ANY_WORDS:
        if (routine->gives != GIVES_ANY_WORDS && !outs->string[0])
            fuzz_fail("an empty string");
        allocator_free(outs->string);
        break;
    case GIVES_LIST:
        take_list(outs->list, outs->size);
        break;
    case GIVES_TWO_LISTS:
        take_list(outs->list, outs->size);
        take_list(outs->list2, outs->size2);
        break;
    case GIVES_VARS:
        if (fuzz_abi.release_vars(outs->list) != RC_ok)
            fuzz_fail("settings are not taken back");
        break;
    case GIVES_RELEASE:
        subject->alive = false;
        break;
    case GIVES_TEAM_SIZE:
        if (outs->word < 1 || outs->word > 1 << 16)
            fuzz_fail("%lld threads", (long long)outs->word);
        break;
    case GIVES_NOTHING:
    case GIVES_BOOL:
        break;
    }
}

static void check(const struct routine *routine, int rc, const struct outs *outs,
                  bool good)
{
    bool given =
        rc == RC_ok || (rc == RC_incomplete && routine->flags & MAY_BE_INCOMPLETE);
    if (rc < RC_ok || rc > RC_incompatible_handle || rc == RC_write_error)
        fuzz_fail("return code %d", rc);
    if (!good && (given || watch.reads))
        fuzz_fail("return code %d for a handle that is none", rc);
    if (!given && !(routine->flags & TELLS_BY_NULL) && !untouched(outs, sizeof *outs))
        fuzz_fail("out-parameters of a routine that answers %d", rc);
    if (watch.reads > READS_MAX)
        fuzz_fail("%u reads", watch.reads);
    if (rc == RC_read_error && !watch.read_failed)
        fuzz_fail("a read error without one");
    if (rc == RC_nomem && !watch.alloc_failed)
        fuzz_fail("nomem with memory");
    if (watch.reads > fuzz_totals.reads_max)
        fuzz_totals.reads_max = watch.reads;
    fuzz_totals.reads += watch.reads;
}

static void call(struct run *run, const struct routine *routine, struct args *args)
{
    const struct slot *slot = pool_find(&run->pool, args->h);
    bool good = routine->takes == KIND_NONE || (slot && slot->kind == routine->takes);
    struct outs outs;
    memset(&outs, PATTERN, sizeof outs);
    running = routine->name;
    watch_begin();
    int rc = routine->call(args, &outs);
    target_fail_at(0, 0);
    fuzz_totals.calls++;
    fuzz_totals.answered += rc == RC_ok;
    check(routine, rc, &outs, good);
    if (rc == RC_ok || rc == RC_incomplete)
        take(run, routine, args, &outs);
    running = "nothing";
}

/* Handles that fit; one in sixteen is anything. */
static void fill(struct run *run, const struct routine *routine, unsigned a, unsigned b,
                 unsigned c, struct args *args)
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
    uint64_t id =
        c & 1 ? GF_TID_FIRST + b % (GF_THREADS + 1) : gf->pthread[b % GF_THREADS];
    if (routine->cost == COST_FIND)
        args->kind = c & 1;
    memcpy(args->id, &id, sizeof id);
    args->object[0] = run->target.object[b % run->target.objects] + 8 * (c & 3);
    args->object[1] = c;
    args->context = &run->target;
    if (c >> 3 == 31)
        args->null = b & 7;
}

/* Its handles cannot be used any more, but are memory of the debugger. */
static void release_all(struct run *run)
{
    for (unsigned i = run->pool.count; i-- > 0;) {
        struct slot *slot = &run->pool.slot[i];
        if (slot->alive && slot->kind != KIND_SPACE &&
            fuzz_abi.release[slot->kind](slot->handle) != RC_ok)
            fuzz_fail("release");
    }
    for (unsigned i = 0; i < run->pool.count; i++) {
        struct slot *slot = &run->pool.slot[i];
        if (slot->alive && slot->kind == KIND_SPACE &&
            fuzz_abi.release[KIND_SPACE](slot->handle) != RC_ok)
            fuzz_fail("release of a space");
    }
    run->pool.count = 0;
}

/* Handles of every kind, as far as the process lets itself be read. */
static void gather(struct run *run)
{
    release_all(run);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < fuzz_abi.count; i++) {
            const struct routine *routine = &fuzz_abi.routines[i];
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
        const struct routine *routine =
            &fuzz_abi.routines[(code & 0x7f) % fuzz_abi.count];
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
    target_budget(fuzz_endless ? UINT32_MAX : BUDGET);
    target_fail_at(0, 0);
    running = "the start";
    if (fuzz_abi.initialize() != RC_ok)
        fuzz_fail("initialize");
    gather(&run);
    for (unsigned n = 0; run.in.at < size && n < CALLS_MAX; n++)
        operate(&run);
    target_fail_at(0, 0);
    running = "the end";
    release_all(&run);
    if (fuzz_abi.finalize() != RC_ok)
        fuzz_fail("finalize");
    if (allocator_alive())
        fuzz_fail("%ld allocations are left", allocator_alive());
    allocator_end();
    gomp_target_end(&run.target);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_one(data, size);
    return 0;
}

/* Seeds: every routine of a process in order, of one that is changed between calls, and
 * of one that is opened again and again. */
unsigned seed_count(void)
{
    return 3 * GOMP_KINDS;
}

size_t seed_copy(unsigned number, unsigned char *out)
{
    size_t size = 0;
    unsigned how = number / GOMP_KINDS;
    out[size++] = (unsigned char)(number % GOMP_KINDS);
    for (unsigned i = 0; i < 2 * fuzz_abi.count; i++) {
        const unsigned char change[] = {GOMP_OP_CHANGE,         3, (unsigned char)(i * 7),
                                        (unsigned char)(i * 3), 4, (unsigned char)(i * 5),
                                        (unsigned char)i};
        const unsigned char ask[] = {(unsigned char)(OP_CALL | i % fuzz_abi.count),
                                     (unsigned char)(0x10 + i % 16), (unsigned char)i, 1};
        if (how == 1) {
            memcpy(out + size, change, sizeof change);
            size += sizeof change;
        }
        if (how == 2 && i % 8 == 0)
            out[size++] = GOMP_OP_REOPEN;
        memcpy(out + size, ask, sizeof ask);
        size += sizeof ask;
    }
    return size;
}

bool seed_write_all(const char *directory)
{
    static unsigned char seed[SEED_MAX];
    for (unsigned i = 0; i < seed_count(); i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/gomp-%u", directory, i);
        size_t size = seed_copy(i, seed);
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(seed, 1, size, file) != size || fclose(file) != 0) {
            perror(path);
            return false;
        }
    }
    return true;
}
