/* SPDX-License-Identifier: MIT
 *
 * Recursion by tasks, as in tree searches: each level creates 8 tasks, the last of which
 * goes one level deeper, and waits for them. libgomp runs a task undeferred when 64 for
 * each thread wait, so tasks nest on one stack as deep as the recursion goes.
 *
 *   recursion KIND THREADS STACK DEPTH...
 *
 * KIND is of the table below, or "mixed". The primary thread's stack has STACK
 * megabytes between guard pages; OMP_STACKSIZE says what the others have. Memory that the
 * program mapped before is looked at again in the end.
 */
#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include "blocks.h"
#include "guarded_mmap.h"

enum { GUARD = 1 << 20, CANARIES = 32, CANARY = 1 << 16, MAX_DEPTHS = 16 };

static long total(const struct slot *slots)
{
    long sum = 0;
    for (int i = 0; i < FAN; i++)
        sum += slots[i].sum;
    return sum;
}

static long next_level(int left);

static void run_slot(struct slot *slot)
{
    slot->sum = slot->index < FAN - 1 ? 1 : next_level(slot->left - 1);
}

static void run_body(struct slot *slot, const struct block *block)
{
    check_block(block);
    run_slot(slot);
    check_block(block); /* whatever ran meanwhile on the same stack */
}

#define DIRECTIVE(...) _Pragma(#__VA_ARGS__)

/* NAME is the recursion by tasks with these clauses, which end with LAST. GCC gives a
 * task that captures a structure a copy function, and none to one that captures scalars
 * only. */
#define BY_TASKS(NAME, LAST, ...)                                                        \
    static long NAME(int left)                                                           \
    {                                                                                    \
        struct slot slots[FAN];                                                          \
        for (int i = 0; i < FAN; i++) {                                                  \
            omp_event_handle_t event;                                                    \
            (void)event;                                                                 \
            struct slot *slot = &slots[i];                                               \
            slot->left = left, slot->index = i;                                          \
            MAKE_BLOCK(block, slot);                                                     \
            DIRECTIVE(omp task firstprivate(block) __VA_ARGS__)                          \
            {                                                                            \
                run_body(block.slot, &block);                                            \
                LAST;                                                                    \
            }                                                                            \
        }                                                                                \
        DIRECTIVE(omp taskwait)                                                          \
        return total(slots);                                                             \
    }                                                                                    \
    static long NAME##_scalars(int left)                                                 \
    {                                                                                    \
        struct slot slots[FAN];                                                          \
        for (int i = 0; i < FAN; i++) {                                                  \
            omp_event_handle_t event;                                                    \
            (void)event;                                                                 \
            struct slot *slot = &slots[i];                                               \
            slot->left = left, slot->index = i;                                          \
            long mark = mark_of(slot);                                                   \
            DIRECTIVE(omp task firstprivate(slot, mark) __VA_ARGS__)                     \
            {                                                                            \
                run_slot(slot);                                                          \
                CHECK(mark == mark_of(slot));                                            \
                LAST;                                                                    \
            }                                                                            \
        }                                                                                \
        DIRECTIVE(omp taskwait)                                                          \
        return total(slots);                                                             \
    }

static int depended;
BY_TASKS(plain, (void)0)
BY_TASKS(undeferred, (void)0, if (0))
BY_TASKS(final, (void)0, final(slot->left % 2 == 0))
BY_TASKS(untied, (void)0, untied)
BY_TASKS(mergeable, (void)0, mergeable if (slot->index < 4))
BY_TASKS(depend, (void)0, depend(inout : depended))
BY_TASKS(depend_undeferred, (void)0, depend(inout : depended) if (slot->index < 7))
BY_TASKS(detach, omp_fulfill_event(event), detach(event))
BY_TASKS(detach_depend, omp_fulfill_event(event), detach(event) depend(inout : depended))
BY_TASKS(priority, (void)0, priority(slot->index))

#define BY_TASKLOOP(NAME, ...)                                                           \
    static long NAME(int left)                                                           \
    {                                                                                    \
        struct slot slots[FAN];                                                          \
        for (int i = 0; i < FAN; i++)                                                    \
            slots[i].left = left, slots[i].index = i;                                    \
        MAKE_BLOCK(block, slots);                                                        \
        DIRECTIVE(omp taskloop firstprivate(block) __VA_ARGS__)                          \
        for (int i = 0; i < FAN; i++)                                                    \
            run_body(&block.slot[i], &block);                                            \
        return total(slots);                                                             \
    }

BY_TASKLOOP(taskloop, grainsize(1))
BY_TASKLOOP(taskloop_undeferred, num_tasks(3) if (0))
BY_TASKLOOP(taskloop_untied, untied num_tasks(4))

static long taskloops(int left)
{
    struct slot slots[FAN];
    for (int i = 0; i < FAN; i++)
        slots[i].left = left, slots[i].index = i;
    MAKE_BLOCK(block, slots);
#pragma omp taskloop num_tasks(2) firstprivate(block)
    for (int i = 0; i < FAN; i += 4) {
        check_block(&block);
#pragma omp taskloop grainsize(1) firstprivate(block)
        for (int k = i; k < i + 4; k++)
            run_body(&block.slot[k], &block);
    }
    return total(slots);
}

/* A task that captures an array of variable length has a copy function in C, too. */
static long variable_length(int left)
{
    struct slot slots[FAN];
    for (int i = 0; i < FAN; i++) {
        struct slot *slot = &slots[i];
        slot->left = left, slot->index = i;
        int n = BLOCK + (int)(left & 7);
        unsigned char bytes[n];
        memset(bytes, mark_of(slot), (size_t)n);
#pragma omp task firstprivate(bytes, slot, n)
        {
            CHECK(bytes[0] == mark_of(slot) && !memcmp(bytes, bytes + 1, (size_t)n - 1));
            run_slot(slot);
            CHECK(!memcmp(bytes, bytes + 1, (size_t)n - 1));
        }
    }
#pragma omp taskwait
    return total(slots);
}

/* By hand, as a compiler calls it for scalars: any size and alignment, no copy function.
 */
#ifdef __cplusplus
extern "C"
#endif
    void
    GOMP_task(void (*)(void *), void *, void (*)(void *, void *), long, long, bool,
              unsigned, void **, int, void *);

struct hand {
    struct slot *slot;
    long size;
    unsigned char fill[];
};

static void check_hand(const struct hand *hand)
{
    long n = hand->size - (long)sizeof(*hand);
    CHECK((uintptr_t)hand % ALIGN == 0);
    CHECK(n <= 0 || hand->fill[0] == mark_of(hand->slot));
    CHECK(n <= 1 || !memcmp(hand->fill, hand->fill + 1, (size_t)n - 1));
}

static void hand_body(void *data)
{
    struct hand *hand = (struct hand *)data;
    check_hand(hand);
    run_slot(hand->slot);
    check_hand(hand);
}

static void make_hand_task(struct slot *slot, long size, bool deferrable)
{
    size = (size + (long)sizeof(struct hand) + ALIGN - 1) / ALIGN * ALIGN;
    unsigned char memory[size + ALIGN];
    struct hand *hand = (struct hand *)(((uintptr_t)memory + ALIGN - 1) / ALIGN * ALIGN);
    hand->slot = slot;
    hand->size = size;
    memset(hand->fill, mark_of(slot), (size_t)size - sizeof(*hand));
    GOMP_task(hand_body, hand, NULL, size, ALIGN, deferrable, 0, NULL, 0, NULL);
}

static long by_hand(int left)
{
    struct slot slots[FAN];
    for (int i = 0; i < FAN; i++) {
        slots[i].left = left, slots[i].index = i;
        make_hand_task(&slots[i], BLOCK, true);
    }
#pragma omp taskwait
    return total(slots);
}

static long by_hand_undeferred(int left)
{
    struct slot slots[FAN];
    for (int i = 0; i < FAN; i++) {
        slots[i].left = left, slots[i].index = i;
        make_hand_task(&slots[i], BLOCK, false);
    }
    return total(slots);
}

/* Tasks of all sizes side by side: whatever memory holds them meets its borders at each.
 */
static long sizes(int left)
{
    static const int of[FAN] = {0, 1000, 24, 504, 56, 248, 120, 2040};
    struct slot slots[FAN];
    for (int i = 0; i < FAN; i++) {
        slots[i].left = left, slots[i].index = i;
        make_hand_task(&slots[i], of[(left + i) % FAN], left % 3 != 0);
    }
#pragma omp taskwait
    return total(slots);
}

/* Nothing is captured: as many tasks go deeper as there are levels, whichever come first.
 */
static int levels_left, may_go;
static long empty_tasks;

static void empty_level(void)
{
    if (__atomic_fetch_sub(&levels_left, 1, __ATOMIC_RELAXED) <= 0)
        return;
    __atomic_store_n(&may_go, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < FAN; i++) {
#pragma omp task
        {
            __atomic_add_fetch(&empty_tasks, 1, __ATOMIC_RELAXED);
            if (__atomic_exchange_n(&may_go, 0, __ATOMIC_RELAXED))
                empty_level();
        }
    }
#pragma omp taskwait
}

static long empty(int left)
{
    levels_left = left;
    empty_tasks = 0;
    empty_level();
    return empty_tasks - left + 1;
}

static const struct kind {
    const char *name;
    long (*recurse)(int left);
} kinds[] = {
#define KIND(name)                                                                       \
    {                                                                                    \
#name, name                                                                      \
    }
    KIND(plain),
    KIND(plain_scalars),
    KIND(undeferred),
    KIND(undeferred_scalars),
    KIND(final),
    KIND(final_scalars),
    KIND(untied),
    KIND(untied_scalars),
    KIND(mergeable),
    KIND(mergeable_scalars),
    KIND(depend),
    KIND(depend_scalars),
    KIND(depend_undeferred),
    KIND(depend_undeferred_scalars),
    KIND(detach),
    KIND(detach_scalars),
    KIND(detach_depend),
    KIND(detach_depend_scalars),
    KIND(priority),
    KIND(priority_scalars),
    KIND(taskloop),
    KIND(taskloop_undeferred),
    KIND(taskloop_untied),
    KIND(taskloops),
    KIND(variable_length),
    KIND(by_hand),
    KIND(by_hand_undeferred),
    KIND(sizes),
    KIND(empty),
#undef KIND
};

/* Of "mixed" each level is of another kind, but for "empty", whose levels are not
 * counted. */
enum { KINDS = sizeof(kinds) / sizeof(*kinds), MIXED = KINDS - 1 };
static int chosen = -1;

static long next_level(int left)
{
    if (left == 0)
        return 1;
    return chosen < KINDS ? kinds[chosen].recurse(left)
                          : kinds[left % MIXED].recurse(left);
}

static int threads, depths[MAX_DEPTHS], n_depths;

static void *primary(void *data)
{
    for (int i = 0; i < n_depths; i++) {
        long result = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
        result = next_level(depths[i]);
        printf("depth %d: %s\n", depths[i],
               result == (FAN - 1L) * depths[i] + 1 ? "right" : "WRONG");
        fflush(stdout);
    }
    return data;
}

/* A thread whose stack lies between guard pages. */
static void run_guarded(size_t size)
{
    char *memory = (char *)mmap(NULL, size + 2 * GUARD, PROT_NONE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(memory != MAP_FAILED &&
          !mprotect(memory + GUARD, size, PROT_READ | PROT_WRITE));
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, memory + GUARD, size);
    pthread_t thread;
    CHECK(!pthread_create(&thread, &attributes, primary, NULL));
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    if (argc < 5 || argc > 4 + MAX_DEPTHS)
        return 2;
    for (int i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].name, argv[1]) == 0)
            chosen = i;
    if (strcmp(argv[1], "mixed") == 0)
        chosen = KINDS;
    if (chosen < 0)
        return 2;
    threads = atoi(argv[2]);
    for (int i = 4; i < argc; i++)
        depths[n_depths++] = atoi(argv[i]);

    unsigned char *canaries[CANARIES];
    for (int i = 0; i < CANARIES; i++) {
        canaries[i] = (unsigned char *)mmap(NULL, CANARY, PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memset(canaries[i], 0xa5, CANARY);
    }
    run_guarded((size_t)atoi(argv[3]) << 20);
    for (int i = 0; i < CANARIES; i++)
        CHECK(canaries[i][0] == 0xa5 &&
              !memcmp(canaries[i], canaries[i] + 1, CANARY - 1));
    CHECK(BLOCKS_ALIVE == 0);
    return check_result("recursion");
}
