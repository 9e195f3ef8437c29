/* SPDX-License-Identifier: MIT
 *
 * A shared library with OpenMP inside, as a Python package has it: it prints what its own
 * runtime answers and calls the functions of another module from inside its regions.
 * MODULE is its name. What it prints is the same however many runtimes the process has,
 * and says nothing of regions that belong to another one.
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>

#define NAME_OF(module, function) module##_##function
#define EXPAND(module, function) NAME_OF(module, function)
#define NAME(function) EXPAND(MODULE, function)
#define TEXT_OF(word) #word
#define TEXT(word) TEXT_OF(word)

enum { MOST = 8, ITERATIONS = 1000 };

static const char *name = TEXT(MODULE);
static long total;

static void print_members(const char *what, const int *seen, int size)
{
    printf("%s: %s of %d:", name, what, size);
    for (int i = 0; i < size && i < MOST; i++)
        printf(" %d", seen[i]);
    putchar('\n');
    fflush(stdout);
}

/* Each number of the team once, and what the runtime says of levels. */
void NAME(team)(int threads)
{
    int seen[MOST] = {0}, size = 0, wrong = 0;
#pragma omp parallel num_threads(threads)
    {
        int number = omp_get_thread_num();
        if (number < MOST)
            __atomic_add_fetch(&seen[number], 1, __ATOMIC_RELAXED);
#pragma omp master
        size = omp_get_num_threads();
        if (omp_get_level() != 1 || omp_get_team_size(1) != omp_get_num_threads() ||
            omp_get_ancestor_thread_num(1) != number || !omp_in_parallel())
            __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
    }
    print_members("numbers seen", seen, size);
    printf("%s: %d wrong levels, outside: level %d, in parallel %d\n", name, wrong,
           omp_get_level(), omp_in_parallel());
    fflush(stdout);
}

/* omp_set_num_threads of this module is that of its own runtime. */
void NAME(set)(int threads)
{
    omp_set_num_threads(threads);
    int size = 0;
#pragma omp parallel
#pragma omp master
    size = omp_get_num_threads();
    printf("%s: set %d, max %d, team %d\n", name, threads, omp_get_max_threads(), size);
    fflush(stdout);
}

int NAME(max)(void)
{
    return omp_get_max_threads();
}

/* Work-sharing, synchronisation and tasks, with results that a wrong team would spoil. */
void NAME(work)(int threads)
{
    long loop = 0, guarded = 0, named = 0, order = 0, ordered = 1, tasks = 0, singles = 0,
         phases = 0;
    long sections = 0, locked = 0, nest_locked = 0, reduced = 0, taskloops = 0,
         members = 0;
    omp_lock_t lock;
    omp_nest_lock_t nest;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(threads) reduction(+ : loop, members)
    {
        members++;
#pragma omp for schedule(dynamic, 3)
        for (int i = 0; i < ITERATIONS; i++)
            loop += i;
#pragma omp for schedule(guided) reduction(+ : reduced)
        for (int i = 0; i < ITERATIONS; i++)
            reduced += i;
#pragma omp for ordered schedule(dynamic)
        for (int i = 0; i < 50; i++)
#pragma omp ordered
        {
            if (order != i)
                ordered = 0;
            order = i + 1;
        }
        for (int i = 0; i < 20; i++) {
#pragma omp critical
            guarded++;
            omp_set_lock(&lock);
            locked++;
            omp_unset_lock(&lock);
            omp_set_nest_lock(&nest);
            omp_set_nest_lock(&nest);
            nest_locked++;
            omp_unset_nest_lock(&nest);
            omp_unset_nest_lock(&nest);
        }
#pragma omp critical(module)
        named++;
#pragma omp sections
        {
#pragma omp section
            __atomic_add_fetch(&sections, 1, __ATOMIC_RELAXED);
#pragma omp section
            __atomic_add_fetch(&sections, 1, __ATOMIC_RELAXED);
#pragma omp section
            __atomic_add_fetch(&sections, 1, __ATOMIC_RELAXED);
        }
#pragma omp single
        {
            singles++;
            for (int i = 0; i < 200; i++)
#pragma omp task shared(tasks)
                __atomic_add_fetch(&tasks, 1, __ATOMIC_RELAXED);
#pragma omp taskwait
#pragma omp taskloop shared(taskloops) grainsize(2)
            for (int i = 0; i < 40; i++)
                __atomic_add_fetch(&taskloops, 1, __ATOMIC_RELAXED);
        }
        for (int i = 0; i < 10; i++) {
            __atomic_add_fetch(&phases, 1, __ATOMIC_RELAXED);
#pragma omp barrier
            if (__atomic_load_n(&phases, __ATOMIC_RELAXED) <
                (i + 1) * omp_get_num_threads())
                __atomic_store_n(&phases, -1000000, __ATOMIC_RELAXED);
#pragma omp barrier
        }
    }
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
    printf("%s: %ld members, loops %ld %ld, guarded %ld %ld, locks %ld %ld, ordered %ld, "
           "sections %ld, "
           "singles %ld, tasks %ld %ld, phases %ld\n",
           name, members, loop, reduced, guarded, named, locked, nest_locked, ordered,
           sections, singles, tasks, taskloops, phases);
    fflush(stdout);
}

/* Two levels, if this runtime has them. */
void NAME(nested)(int threads)
{
    int inner = 0, outer = 0, wrong = 0;
    int before = omp_get_max_active_levels();
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(threads)
    {
        int above = omp_get_thread_num();
        __atomic_add_fetch(&outer, 1, __ATOMIC_RELAXED);
#pragma omp parallel num_threads(2)
        {
            __atomic_add_fetch(&inner, 1, __ATOMIC_RELAXED);
            if (omp_get_level() != 2 || omp_get_ancestor_thread_num(1) != above)
                __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
        }
        if (omp_get_level() != 1 || omp_get_thread_num() != above)
            __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
    }
    omp_set_max_active_levels(before);
    printf("%s: %d outside, %d inside, %d wrong\n", name, outer, inner, wrong);
    fflush(stdout);
}

/* Functions that another module or a library without OpenMP calls in a region of this
 * one. */
void NAME(calls)(int threads, void (*other)(void))
{
    int numbers = 0;
#pragma omp parallel num_threads(threads) reduction(+ : numbers)
    {
        int before = omp_get_thread_num(), size = omp_get_num_threads();
        other();
        if (omp_get_thread_num() == before && omp_get_num_threads() == size)
            numbers += 1 << before;
#pragma omp barrier
        other();
#pragma omp single
#pragma omp task
        other();
    }
    printf("%s: members that stayed who they were: %#x\n", name, numbers);
    fflush(stdout);
}

/* To be called from anywhere: a small team of this runtime's own. */
void NAME(add)(void)
{
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += omp_get_thread_num() + 1;
    if (sum == 3)
        __atomic_add_fetch(&total, 1, __ATOMIC_RELAXED);
}

/* The last statements are calls of the runtime: at -O2 nothing of this module is on the
 * stack while they run. */
void NAME(barrier)(void)
{
#pragma omp barrier
}

static void add_one(void *data)
{
    __atomic_add_fetch((long *)data, 1, __ATOMIC_RELAXED);
}

void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
void GOMP_task(void (*)(void *), void *, void (*)(void *, void *), long, long, _Bool,
               unsigned, void **, int, void *);

void NAME(tail_parallel)(void)
{
    GOMP_parallel(add_one, &total, 2, 0);
}

void NAME(tail_lock)(omp_lock_t *lock)
{
    omp_set_lock(lock);
}

void NAME(tail_unlock)(omp_lock_t *lock)
{
    omp_unset_lock(lock);
}

int NAME(tail_number)(void)
{
    return omp_get_thread_num();
}

void NAME(tails)(int threads)
{
    omp_lock_t lock;
    omp_init_lock(&lock);
    long held = 0, numbers = 0;
#pragma omp parallel num_threads(threads) reduction(+ : numbers)
    {
        for (int i = 0; i < 100; i++) {
            NAME(tail_lock)(&lock);
            held++;
            NAME(tail_unlock)(&lock);
        }
        numbers += NAME(tail_number)() + 1;
        NAME(barrier)();
        if (held != 100L * omp_get_num_threads())
            __atomic_add_fetch(&total, 1000000, __ATOMIC_RELAXED);
        NAME(barrier)();
    }
    omp_destroy_lock(&lock);
    NAME(tail_parallel)();
    printf("%s: held %ld, sum of numbers %ld\n", name, held, numbers);
    fflush(stdout);
}

long NAME(total)(void)
{
    return total;
}
