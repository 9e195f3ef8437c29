/* SPDX-License-Identifier: MIT
 *
 * Runs an input: two processes, a debugger that has opened both, and operations until the
 * input ends. Then everything is released, and nothing may be left.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "input.h"
#include "pool.h"
#include "target.h"

struct fuzz_totals fuzz_totals;
bool fuzz_endless;

/* Keep one input below some milliseconds. */
enum { CALLS_MAX = 300, READS_MAX = 1200, RAW_READS_MAX = 200 };

struct run {
    struct input in;
    struct target target[2];
    unsigned current; /* target */
    struct pool pool;
    unsigned calls;
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

static bool is_good(struct run *run, const void *handle, enum kind kind)
{
    const struct slot *slot = pool_find(&run->pool, handle);
    return slot && slot->kind == kind && !slot->orphan;
}

/* A space that goes takes the use of its handles with it, and leaves their memory to the
 * debugger. */
static void bury(struct run *run, struct slot *slot)
{
    slot->alive = false;
    if (slot->kind != KIND_SPACE)
        return;
    for (unsigned i = 0; i < run->pool.count; i++) {
        struct slot *other = &run->pool.slot[i];
        if (other != slot && other->alive && &run->pool.slot[other->space] == slot)
            other->orphan = true;
    }
}

static void release(enum kind kind, void *handle)
{
    int rc = fuzz_abi.release[kind](handle);
    if (rc != RC_ok)
        fuzz_fail("release answers %d", rc);
}

static void keep(struct run *run, enum kind kind, void *handle, unsigned space)
{
    if (pool_find(&run->pool, handle))
        fuzz_fail("the same handle is given twice");
    if (!pool_add(&run->pool, kind, handle, space))
        release(kind, handle);
}

static void keep_vector(struct run *run, enum kind kind, const struct outs *outs,
                        unsigned space)
{
    enum { KEPT = 6 };
    for (int i = 0; i < outs->number; i++) {
        if (i < KEPT)
            keep(run, kind, outs->vector[i], space);
        else
            release(kind, outs->vector[i]);
    }
    allocator_free(outs->vector);
}

/* Takes what a routine gave. */
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
    case GIVES_TASKS:
        if (!outs_untouched(&outs->vector, sizeof outs->vector) && outs->number)
            keep_vector(run, routine->gives == GIVES_TASKS ? KIND_TASK : KIND_THREAD,
                        outs, space);
        break;
    case GIVES_PAIR:
        allocator_free(outs->list);
        allocator_free(outs->list2);
        break;
    case GIVES_STRING:
    case GIVES_WORDS:
    case GIVES_ANY_WORDS:
        allocator_free(outs->string);
        break;
    case GIVES_LIST:
    case GIVES_TWO_LISTS:
        if (outs->size && !outs_untouched(&outs->list, sizeof outs->list))
            allocator_free(outs->list);
        if (routine->gives == GIVES_TWO_LISTS && outs->size2)
            allocator_free(outs->list2);
        break;
    case GIVES_VARS:
        if (fuzz_abi.release_vars(outs->list) != RC_ok)
            fuzz_fail("settings are not taken back");
        break;
    case GIVES_RELEASE:
        bury(run, subject);
        break;
    case GIVES_NOTHING:
    case GIVES_BOOL:
    case GIVES_TEAM_SIZE:
        break;
    }
}

static void call(struct run *run, const struct routine *routine, struct args *args)
{
    bool good = routine->takes == KIND_NONE || is_good(run, args->h, routine->takes);
    struct outs outs;
    outs_clear(&outs);
    running = routine->name;
    watch_begin();
    int rc = routine->call(args, &outs);
    fuzz_totals.calls++;
    fuzz_totals.answered += rc == RC_ok;
    check_call(routine, rc, &outs, good);
    target_fail_at(0, 0);
    if (rc == RC_ok || rc == RC_incomplete)
        take(run, routine, args, &outs);
    running = "nothing";
}

/* Ids that a debugger would ask about: of the program's threads, and any. */
static void choose_id(struct run *run, unsigned choice, struct args *args)
{
    const struct target *target = &run->target[run->current];
    unsigned number = choice % 8;
    args->kind = choice >> 3 & 1;
    args->size = args->kind ? 8u : target->fake.pointer_size;
    uint64_t id =
        args->kind ? FIRST_LWP + number - 1 : program_pthread(target->program, number);
    if (choice & 0x10)
        args->size = (unsigned[]){0, 4, 8, 16}[choice >> 5 & 3];
    if (choice >= 0xe0) {
        args->kind = choice & 7;
        id = (uint64_t)choice * UINT64_C(0x9E3779B97F4A7C15);
    }
    fake_encode(&target->fake, id, args->id, args->size == 4 ? 4 : 8);
}

/* Without a choice of handles a routine is passed those that fit. */
static void choose_handles(struct run *run, const struct routine *routine, unsigned first,
                           unsigned second, struct args *args)
{
    enum kind kind = routine->takes == KIND_NONE ? KIND_SPACE : routine->takes;
    const struct slot *slot = pool_pick(&run->pool, kind, first);
    args->h = first & HANDLE_FITTING && slot ? slot->handle : pool_any(&run->pool, first);
    slot = pool_pick(&run->pool, kind, second);
    args->h2 =
        second & HANDLE_FITTING && slot ? slot->handle : pool_any(&run->pool, second);
}

/* A handle of the kind that a scope asks for, nearly always. */
static void choose_scope(struct run *run, unsigned first, unsigned second, unsigned id,
                         struct args *args)
{
    static const enum kind kind_of[] = {KIND_SPACE,  KIND_SPACE, KIND_SPACE, KIND_THREAD,
                                        KIND_REGION, KIND_TASK,  KIND_TASK,  KIND_SPACE};
    args->scope = second & 7;
    args->icv = id & 0x3f;
    const struct slot *slot = pool_pick(&run->pool, kind_of[second & 7], first >> 1);
    args->scoped = slot && id < 0xc0 ? slot->handle : pool_any(&run->pool, first);
    target_object(&run->target[run->current], first, args->object);
}

/* Both handles of a comparison must be good; check_order() looks closer. */
static void op_call(struct run *run, unsigned number)
{
    const struct routine *routine = &fuzz_abi.routines[number % fuzz_abi.count];
    struct args args;
    memset(&args, 0, sizeof args);
    unsigned first = input_u8(&run->in);
    unsigned second = input_u8(&run->in);
    unsigned id = input_u8(&run->in);
    unsigned other = input_u8(&run->in);
    choose_handles(run, routine, first, second, &args);
    choose_id(run, id, &args);
    choose_scope(run, first, second, id, &args);
    args.number = (int)(int8_t)second;
    args.context = &run->target[run->current];
    if (other >> 6 == 3) {
        args.null = other & 7;
        args.context = other & 8 ? NULL : args.context;
        args.number = other & 16 ? INT32_MAX : other & 32 ? INT32_MIN : args.number;
    }
    call(run, routine, &args);
}

static void op_release(struct run *run)
{
    unsigned number = input_u8(&run->in) % (run->pool.count ? run->pool.count : 1);
    struct slot *slot = &run->pool.slot[number];
    if (!run->pool.count || !slot->alive || slot->orphan)
        return;
    release(slot->kind, slot->handle);
    bury(run, slot);
}

static void op_compare(struct run *run)
{
    unsigned number[3];
    struct slot *three[3];
    for (unsigned i = 0; i < 3; i++)
        number[i] = input_u8(&run->in);
    if (!run->pool.count)
        return;
    for (unsigned i = 0; i < 3; i++)
        three[i] = &run->pool.slot[number[i] % run->pool.count];
    running = "comparison";
    check_order(three);
}

/* Handles stay good: they hang on nothing but their address space. */
static void restart(void)
{
    if (fuzz_abi.finalize() != RC_ok || fuzz_abi.finalize() != RC_error ||
        fuzz_abi.initialize() != RC_ok || fuzz_abi.initialize() != RC_error)
        fuzz_fail("finalize and initialize");
}

static void operate(struct run *run)
{
    unsigned code = input_u8(&run->in);
    if (code & OP_CALL) {
        run->calls++;
        op_call(run, code & 0x7f);
        return;
    }
    enum op op = (enum op)(code % OP_COUNT);
    if (target_change(&run->target[run->current], op, &run->in))
        return;
    unsigned n;
    switch (op) {
    case OP_FAIL:
        n = input_u8(&run->in);
        target_fail_at(n, input_u8(&run->in));
        break;
    case OP_RELEASE:
        op_release(run);
        break;
    case OP_COMPARE:
        target_fail_at(0, 0);
        op_compare(run);
        break;
    case OP_PROCESS:
        run->current = !run->current;
        break;
    case OP_RESTART:
        restart();
        break;
    default:
        break;
    }
}

/* Handles of every kind, by the routines that give them. */
static void gather_handles(struct run *run)
{
    for (unsigned i = 0; i < 2 * fuzz_abi.count; i++) {
        const struct routine *routine = &fuzz_abi.routines[i % fuzz_abi.count];
        struct args args;
        memset(&args, 0, sizeof args);
        if (routine->gives < GIVES_SPACE || routine->gives > GIVES_TASKS ||
            (routine->gives == GIVES_SPACE && i >= fuzz_abi.count))
            continue;
        choose_handles(run, routine, HANDLE_FITTING + 1 + i / fuzz_abi.count,
                       HANDLE_FITTING, &args);
        target_object(&run->target[run->current], 8 + i % 4, args.object);
        choose_id(run, 8 + 2 + i / fuzz_abi.count, &args);
        args.context = &run->target[run->current];
        call(run, routine, &args);
    }
}

static void release_all(struct run *run)
{
    running = "the end";
    for (unsigned i = run->pool.count; i-- > 0;) {
        struct slot *slot = &run->pool.slot[i];
        if (!slot->alive || slot->kind == KIND_SPACE)
            continue;
        if (slot->orphan) {
            if (fuzz_abi.release[slot->kind](slot->handle) != RC_stale)
                fuzz_fail("a handle without an address space is released");
            allocator_free(slot->handle);
        } else {
            release(slot->kind, slot->handle);
        }
    }
    for (unsigned i = 0; i < run->pool.count; i++) {
        if (run->pool.slot[i].alive && run->pool.slot[i].kind == KIND_SPACE)
            release(KIND_SPACE, run->pool.slot[i].handle);
    }
    if (fuzz_abi.finalize() != RC_ok)
        fuzz_fail("finalize");
    if (allocator_alive())
        fuzz_fail("%ld allocations are left", allocator_alive());
    allocator_end();
}

void fuzz_one(const unsigned char *data, size_t size)
{
    if (size < 2)
        return;
    static struct run run;
    memset(&run, 0, sizeof run);
    run.in = (struct input){data, size, 0};
    fuzz_totals.inputs++;
    running = "the start";
    unsigned flags = input_u8(&run.in);
    unsigned threads = input_u8(&run.in);
    target_begin(&run.target[0], flags, threads, data, size);
    target_begin(&run.target[1], flags & INPUT_OTHER_KIND ? flags ^ 3u : flags,
                 threads >> 2, data, size);
    bool ends = !(flags & (INPUT_RAW | INPUT_EVERYWHERE));
    target_budget(ends ? READS_MAX : fuzz_endless ? UINT32_MAX : RAW_READS_MAX);
    target_fail_at(0, 0);
    if (fuzz_abi.initialize() != RC_ok)
        fuzz_fail("initialize");
    if (!(flags & INPUT_NO_HANDLES))
        gather_handles(&run);
    while (run.in.at < size && run.calls < CALLS_MAX)
        operate(&run);
    target_fail_at(0, 0);
    release_all(&run);
    target_end(&run.target[0]);
    target_end(&run.target[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_one(data, size);
    return 0;
}
