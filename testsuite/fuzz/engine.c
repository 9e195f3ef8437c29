/* SPDX-License-Identifier: MIT
 *
 * Runs an input: two processes, a debugger that has opened both, and operations until the
 * input ends. Then everything is released, and nothing may be left.
 */
#include <string.h>

#include "check.h"
#include "input.h"
#include "take.h"
#include "target.h"

/* Keep one input below some milliseconds. */
enum { CALLS_MAX = 300, READS_MAX = 1200, RAW_READS_MAX = 200 };

struct run {
    struct input in;
    struct target target[2];
    unsigned current; /* target */
    struct pool pool;
    unsigned calls;
};

static bool is_good(struct run *run, const void *handle, enum kind kind)
{
    const struct slot *slot = pool_find(&run->pool, handle);
    return slot && slot->kind == kind;
}

static void call(struct run *run, const struct routine *routine, struct args *args)
{
    bool good = routine->takes == KIND_NONE || is_good(run, args->h, routine->takes);
    struct outs outs;
    outs_clear(&outs);
    fuzz_running = routine->name;
    watch_begin();
    unsigned handles = pool_count(&run->pool, args->h);
    int rc = routine->call(args, &outs);
    fuzz_totals.calls++;
    fuzz_totals.answered += rc == RC_ok;
    check_call(routine, rc, &outs, good, handles);
    target_fail_at(0, 0);
    if (rc == RC_ok || rc == RC_incomplete)
        take(&run->pool, routine, args, &outs);
    fuzz_running = "nothing";
}

/* Ids that a debugger would ask about: of the program's threads, and any. */
static void choose_id(struct run *run, unsigned choice, struct args *args)
{
    const struct target *target = &run->target[run->current];
    unsigned number = choice % 8;
    args->kind = choice >> 3 & 1;
    args->size = args->kind ? 8u : target->fake.pointer_size;
    uint64_t id = args->kind ? FIRST_LWP + number - 1 : program_pthread(target->program, number);
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
    args->h2 = second & HANDLE_FITTING && slot ? slot->handle : pool_any(&run->pool, second);
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
    const struct routine *routine = &routines[number % routine_count];
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
    if (!run->pool.count || !slot->alive)
        return;
    release(slot);
    bury(&run->pool, slot);
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
    fuzz_running = "comparison";
    check_order(three);
}

/* Handles stay good: they hang on nothing but their address space. */
static void restart(void)
{
    if (fuzz_abi.finalize() != RC_ok || fuzz_abi.finalize() != fuzz_abi.uninitialized ||
        fuzz_abi.initialize() != RC_ok || fuzz_abi.initialize() != fuzz_abi.initialized)
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
    for (unsigned i = 0; i < 2 * routine_count; i++) {
        const struct routine *routine = &routines[i % routine_count];
        struct args args;
        memset(&args, 0, sizeof args);
        if (routine->gives < GIVES_SPACE || routine->gives > GIVES_TASKS ||
            (routine->gives == GIVES_SPACE && i >= routine_count))
            continue;
        choose_handles(run, routine, HANDLE_FITTING + 1 + i / routine_count, HANDLE_FITTING, &args);
        target_object(&run->target[run->current], 8 + i % 4, args.object);
        choose_id(run, 8 + 2 + i / routine_count, &args);
        args.context = &run->target[run->current];
        call(run, routine, &args);
    }
}

void fuzz_one(const unsigned char *data, size_t size)
{
    if (size < 2)
        return;
    static struct run run;
    memset(&run, 0, sizeof run);
    run.in = (struct input){data, size, 0};
    check_begin();
    fuzz_totals.inputs++;
    fuzz_running = "the start";
    unsigned flags = input_u8(&run.in);
    unsigned threads = input_u8(&run.in);
    target_begin(&run.target[0], flags, threads, data, size);
    target_begin(&run.target[1], flags & INPUT_OTHER_KIND ? flags ^ 3u : flags, threads >> 2, data,
                 size);
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
    fuzz_running = "the end";
    release_all(&run.pool);
    take_leave();
    target_end(&run.target[0]);
    target_end(&run.target[1]);
}
