/* SPDX-License-Identifier: MIT
 *
 * Scenes for a race detector: each is free of races, or has one. Built with
 * -fsanitize=thread; `archer list` prints the names, `archer NAME` plays one.
 */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEAM = 4, CELLS = 64, ROUNDS = 50 };

static int cells[CELLS], sum;
static omp_lock_t lock, other_lock;
static omp_nest_lock_t nest_lock;

/* Two tasks only race where two threads run them: each waits until both have begun. The
 * meeting itself orders nothing. */
static int arrived;
static void meet(int count)
{
    __atomic_add_fetch(&arrived, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 200000000 && __atomic_load_n(&arrived, __ATOMIC_RELAXED) < count;
         i++)
        ;
}

static void fork_join(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        int mine = round;
#pragma omp parallel num_threads(TEAM) shared(mine)
        cells[omp_get_thread_num()] = mine + sum;
        for (int i = 0; i < TEAM; i++)
            sum += cells[i];
        mine = sum;
    }
}

static void explicit_barrier(void)
{
#pragma omp parallel num_threads(TEAM)
    for (int i = 0; i < ROUNDS; i++) {
        int me = omp_get_thread_num();
        cells[me] = i;
#pragma omp barrier
        int next = cells[(me + 1) % TEAM];
#pragma omp barrier
        cells[me] = next;
    }
}

static void loops(void)
{
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp for schedule(static)
        for (int i = 0; i < CELLS; i++)
            cells[i] = i;
#pragma omp for schedule(dynamic)
        for (int i = 0; i < CELLS; i++)
            cells[CELLS - 1 - i] += 1;
#pragma omp for schedule(guided)
        for (int i = 0; i < CELLS; i++)
            cells[i] *= 2;
    }
}

static void sections(void)
{
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp sections
        {
#pragma omp section
            cells[0] = 1;
#pragma omp section
            cells[1] = 2;
        }
#pragma omp sections
        {
#pragma omp section
            sum = cells[0] + cells[1];
        }
    }
}

static void criticals(void)
{
#pragma omp parallel num_threads(TEAM)
    for (int i = 0; i < ROUNDS; i++) {
#pragma omp critical
        sum++;
#pragma omp critical(named)
        cells[0]++;
    }
}

static void locks(void)
{
#pragma omp parallel num_threads(TEAM)
    for (int i = 0; i < ROUNDS; i++) {
        omp_set_lock(&lock);
        sum++;
        omp_unset_lock(&lock);
        while (!omp_test_lock(&other_lock))
            ;
        cells[0]++;
        omp_unset_lock(&other_lock);
    }
}

static void nest_locks(void)
{
#pragma omp parallel num_threads(TEAM)
    for (int i = 0; i < ROUNDS; i++) {
        omp_set_nest_lock(&nest_lock);
        sum++;
        omp_set_nest_lock(&nest_lock);
        sum++;
        omp_unset_nest_lock(&nest_lock);
        sum++;
        omp_unset_nest_lock(&nest_lock);
    }
}

static void reductions(void)
{
    int total = 0;
#pragma omp parallel for num_threads(TEAM) reduction(+ : total)
    for (int i = 0; i < CELLS; i++)
        total += i;
    double product = 1, least = 9;
#pragma omp parallel for num_threads(TEAM) reduction(* : product) reduction(min : least)
    for (int i = 1; i < 9; i++) {
        product *= i;
        least = least < i ? least : i;
    }
    sum = total + (int)product + (int)least;
}

static void single_copies(void)
{
#pragma omp parallel num_threads(TEAM)
    {
        int copied;
#pragma omp single
        sum = 5;
#pragma omp single copyprivate(copied)
        copied = sum + 1;
        cells[omp_get_thread_num()] = copied + sum;
    }
}

static void ordered(void)
{
#pragma omp parallel for ordered schedule(dynamic) num_threads(TEAM)
    for (int i = 0; i < CELLS; i++) {
#pragma omp ordered
        sum = 2 * sum + i;
    }
}

static int tree(int depth)
{
    int left = 0, right = 0;
    if (!depth)
        return 1;
#pragma omp task shared(left)
    left = tree(depth - 1);
#pragma omp task shared(right)
    right = tree(depth - 1);
#pragma omp taskwait
    return left + right;
}

static void tasks_taskwait(void)
{
#pragma omp parallel num_threads(TEAM)
#pragma omp single
    sum = tree(6);
}

static void tasks_taskgroup(void)
{
#pragma omp parallel num_threads(TEAM)
#pragma omp single
    {
#pragma omp taskgroup
        for (int i = 0; i < CELLS; i++)
#pragma omp task firstprivate(i)
            cells[i] = i;
        for (int i = 0; i < CELLS; i++)
            sum += cells[i];
    }
}

static void tasks_barrier(void)
{
#pragma omp parallel num_threads(TEAM)
    {
        int me = omp_get_thread_num();
#pragma omp task firstprivate(me)
        cells[me] = me;
#pragma omp barrier
        int next = cells[(me + 1) % TEAM];
#pragma omp critical
        sum += next;
    }
}

static void tasks_depend(void)
{
    int a = 0, b = 0;
#pragma omp parallel num_threads(TEAM)
#pragma omp single
    for (int i = 0; i < ROUNDS; i++) {
#pragma omp task depend(out : a) shared(a)
        a = i;
#pragma omp task depend(in : a) depend(out : b) shared(a, b)
        b = a + 1;
#pragma omp task depend(in : a) shared(a)
        cells[i % CELLS] = a;
#pragma omp task depend(inout : a, b) shared(a, b)
        a += b;
    }
    sum = a + b;
}

static void taskloop(void)
{
#pragma omp parallel num_threads(TEAM)
#pragma omp single
    {
#pragma omp taskloop grainsize(4)
        for (int i = 0; i < CELLS; i++)
            cells[i] = i;
        for (int i = 0; i < CELLS; i++)
            sum += cells[i];
    }
}

static void detached(void)
{
    omp_event_handle_t event;
    int seen = 0;
#pragma omp parallel num_threads(TEAM)
#pragma omp single
    {
#pragma omp task detach(event) depend(out : seen) shared(seen)
        {
            seen = 1;
            omp_fulfill_event(event);
        }
#pragma omp task depend(in : seen) shared(seen)
        sum = seen;
    }
}

static void nested(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        int me = omp_get_thread_num(), inner[2] = {me, me};
#pragma omp parallel num_threads(2)
        inner[omp_get_thread_num()] += me;
        cells[me] = inner[0] + inner[1];
    }
    sum = cells[0] + cells[1];
}

static void *own_region(void *to)
{
    int mine[TEAM];
#pragma omp parallel num_threads(TEAM)
    mine[omp_get_thread_num()] = omp_get_thread_num();
    *(int *)to = mine[0] + mine[TEAM - 1];
    return NULL;
}

static void initial_threads(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, own_region, &cells[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    sum = cells[0] + cells[1] + cells[2];
}

/* From here on: with a race. Two accesses at the very same moment may escape the
 * detector; a thousand do not. */
static void touch(volatile int *place)
{
    for (int i = 0; i < 1000; i++)
        (*place)++;
}

static void race_counter(void)
{
#pragma omp parallel num_threads(TEAM)
    {
        meet(TEAM);
        touch(&sum);
    }
}

static void race_nowait(void)
{
#pragma omp parallel num_threads(2)
    {
        int me = omp_get_thread_num();
        meet(2);
        touch(&cells[me]);
        cells[2 + me] = cells[1 - me];
    }
}

static void race_locks(void)
{
#pragma omp parallel num_threads(2)
    {
        omp_lock_t *mine = omp_get_thread_num() ? &lock : &other_lock;
        omp_set_lock(mine);
        meet(2);
        touch(&sum);
        omp_unset_lock(mine);
    }
}

static void race_criticals(void)
{
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num()) {
#pragma omp critical(one)
        {
            meet(2);
            touch(&sum);
        }
    } else {
#pragma omp critical(two)
        {
            meet(2);
            touch(&sum);
        }
    }
}

static void race_tasks(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 2; i++)
#pragma omp task
    {
        meet(2);
        touch(&sum);
    }
}

static void race_depend(void)
{
    int a = 0, b = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(inout : a) shared(a)
        {
            meet(2);
            a++;
            touch(&sum);
        }
#pragma omp task depend(inout : b) shared(b)
        {
            meet(2);
            b++;
            touch(&sum);
        }
    }
}

static void race_taskwait(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
        {
            meet(2);
            touch(&sum);
        }
        meet(2);
        touch(&sum);
#pragma omp taskwait
    }
}

static const struct {
    const char *name;
    void (*play)(void);
} scenes[] = {
#define SCENE(name)                                                                      \
    {                                                                                    \
#name, name                                                                      \
    }
    SCENE(fork_join),      SCENE(explicit_barrier), SCENE(loops),
    SCENE(sections),       SCENE(criticals),        SCENE(locks),
    SCENE(nest_locks),     SCENE(reductions),       SCENE(single_copies),
    SCENE(ordered),        SCENE(tasks_taskwait),   SCENE(tasks_taskgroup),
    SCENE(tasks_barrier),  SCENE(tasks_depend),     SCENE(taskloop),
    SCENE(detached),       SCENE(nested),           SCENE(initial_threads),
    SCENE(race_counter),   SCENE(race_nowait),      SCENE(race_locks),
    SCENE(race_criticals), SCENE(race_tasks),       SCENE(race_depend),
    SCENE(race_taskwait),
#undef SCENE
};

int main(int count, char **arguments)
{
    omp_init_lock(&lock);
    omp_init_lock(&other_lock);
    omp_init_nest_lock(&nest_lock);
    for (unsigned i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
        if (count > 1 && !strcmp(arguments[1], "list"))
            puts(scenes[i].name);
        if (count > 1 && !strcmp(arguments[1], scenes[i].name)) {
            scenes[i].play();
            puts("played");
        }
    }
    return 0;
}
