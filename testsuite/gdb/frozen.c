/* SPDX-License-Identifier: MIT
 *
 * Teams that freeze: each has a thread that stays where it is, and all others come to wait for it,
 * one scene in each pthread. Every thread says in `truths` what it does before it does it, so that
 * once all are at rest the program itself knows what each waits for, who holds that, and how many
 * have arrived.
 *
 * Usage: frozen SEED [MODULE], where MODULE is this file made by another compiler, whose scenes are
 * frozen, too. SEED decides the sizes of teams and who stays. */
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REST_NANOSECONDS 50000000 /* what spins need not come to sleep */
#include "../common/rest.h"

#ifndef TRUTHS
#define TRUTHS truths
#define FREEZE freeze
#endif

/* As frozen.py has them. */
enum doing {
    PAUSES = 1, PAUSES_AT_END, CRITICAL, NAMED, LOCK, NEST_LOCK, ORDERED, DOACROSS, BARRIER,
    END_OF_FOR, END_OF_DYNAMIC, END_OF_SECTIONS, END_OF_SINGLE, COPYPRIVATE, REDUCTION,
    END_OF_REGION, TASKWAIT, TASKGROUP, DEPEND, END_OF_SCOPE, END_OF_REDUCED, PAUSES_WITHIN
};

enum { MOST = 256 };
struct truth {
    volatile long tid, scene, number, size, doing, object, holder, unused;
} TRUTHS[MOST];
static volatile long used;
static __thread struct truth *mine;

struct scene {
    void (*run)(struct scene *scene);
    int number, size, stays;
    volatile long holder; /* the one that stays, once it does */
    volatile int begun, sum;
    omp_lock_t lock;
    omp_nest_lock_t nest_lock;
};

static long self(void)
{
    return syscall(SYS_gettid);
}

static void will(const struct scene *scene, enum doing doing, const volatile void *object)
{
    if (!mine)
        mine = &TRUTHS[__atomic_fetch_add(&used, 1, __ATOMIC_SEQ_CST) % MOST];
    mine->scene = scene->number;
    mine->number = omp_get_thread_num();
    mine->size = omp_get_num_threads();
    mine->object = (long)object;
    mine->holder = scene->holder;
    mine->doing = doing;
    __atomic_store_n(&mine->tid, self(), __ATOMIC_SEQ_CST);
}

static void stay(struct scene *scene, enum doing doing)
{
    scene->holder = self();
    will(scene, doing, NULL);
    for (;;)
        pause();
}

static int stays(const struct scene *scene)
{
    return omp_get_thread_num() == scene->stays;
}

/* Behind a construct: GCC leaves its barrier out where that of the region follows. */
static void came(struct scene *scene)
{
    scene->sum++;
}

/* The others come when the one that stays does, who is before them then. */
static void come_later(struct scene *scene)
{
    while (!stays(scene) && !scene->holder)
        usleep(1000);
}

static void critical(struct scene *scene)
{
#pragma omp parallel num_threads(scene->size)
    {
        come_later(scene);
        will(scene, CRITICAL, NULL);
#pragma omp critical
        stay(scene, PAUSES);
    }
}

static void named(struct scene *scene)
{
#pragma omp parallel num_threads(scene->size)
    {
        come_later(scene);
        will(scene, NAMED, NULL);
#pragma omp critical(section)
        stay(scene, PAUSES);
    }
}

static void lock(struct scene *scene)
{
    omp_init_lock(&scene->lock);
#pragma omp parallel num_threads(scene->size)
    {
        come_later(scene);
        will(scene, LOCK, &scene->lock);
        omp_set_lock(&scene->lock);
        stay(scene, PAUSES);
    }
}

static void nest_lock(struct scene *scene)
{
    omp_init_nest_lock(&scene->nest_lock);
#pragma omp parallel num_threads(scene->size)
    {
        come_later(scene);
        will(scene, NEST_LOCK, &scene->nest_lock);
        omp_set_nest_lock(&scene->nest_lock);
        omp_set_nest_lock(&scene->nest_lock);
        stay(scene, PAUSES);
    }
}

/* The first iteration is that of thread 0. */
static void ordered(struct scene *scene)
{
    scene->stays = 0;
#pragma omp parallel num_threads(scene->size)
    {
        come_later(scene);
#pragma omp for ordered schedule(static, 1)
        for (int i = 0; i < scene->size; i++) {
            will(scene, ORDERED, NULL);
#pragma omp ordered
            stay(scene, PAUSES);
        }
    }
}

static void doacross(struct scene *scene)
{
    scene->stays = 0;
#pragma omp parallel num_threads(scene->size)
#pragma omp for ordered(1) schedule(static, 1)
    for (int i = 0; i < scene->size; i++) {
        if (i == 0)
            stay(scene, PAUSES);
        will(scene, DOACROSS, NULL);
#pragma omp ordered depend(sink : i - 1)
#pragma omp ordered depend(source)
    }
}

static void barrier(struct scene *scene)
{
#pragma omp parallel num_threads(scene->size)
    {
        if (stays(scene))
            stay(scene, PAUSES);
        will(scene, BARRIER, NULL);
#pragma omp barrier
    }
}

static void end_of_for(struct scene *scene)
{
#pragma omp parallel num_threads(scene->size)
    {
#pragma omp for schedule(static, 1)
        for (int i = 0; i < scene->size; i++) {
            if (stays(scene))
                stay(scene, PAUSES);
            will(scene, END_OF_FOR, NULL);
        }
        came(scene);
    }
}

static void end_of_dynamic(struct scene *scene)
{
#pragma omp parallel num_threads(scene->size)
    {
        will(scene, END_OF_DYNAMIC, NULL);
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < 1; i++)
            stay(scene, PAUSES);
        came(scene);
    }
}

static void end_of_sections(struct scene *scene)
{
#pragma omp parallel num_threads(scene->size)
    {
        will(scene, END_OF_SECTIONS, NULL);
#pragma omp sections
        {
#pragma omp section
            stay(scene, PAUSES);
#pragma omp section
            scene->sum++;
        }
        came(scene);
    }
}

/* GCC gives the end of single the line of the statement before. */
static void end_of_single(struct scene *scene)
{
#pragma omp parallel num_threads(scene->size)
    {
#pragma omp for schedule(static, 1)
        for (int i = 0; i < scene->size; i++)
            will(scene, END_OF_SINGLE, NULL);
#pragma omp single
        stay(scene, PAUSES);
        came(scene);
    }
}

static void copyprivate(struct scene *scene)
{
    int value;
#pragma omp parallel num_threads(scene->size) private(value)
    {
        will(scene, COPYPRIVATE, NULL);
#pragma omp single copyprivate(value)
        {
            value = 1;
            stay(scene, PAUSES);
        }
        scene->sum += value;
    }
}

static void reduction(struct scene *scene)
{
    int sum = 0;
#pragma omp parallel num_threads(scene->size)
    {
#pragma omp for schedule(static, 1) reduction(+ : sum)
        for (int i = 0; i < scene->size; i++) {
            if (stays(scene))
                stay(scene, PAUSES);
            will(scene, REDUCTION, NULL);
            sum += i;
        }
        came(scene);
    }
    scene->sum = sum;
}

/* With five threads or more clang has them wait in a call of its own. */
static void end_of_reduced(struct scene *scene)
{
    int sum = 0;
#pragma omp parallel num_threads(scene->size) reduction(+ : sum)
    {
#pragma omp for schedule(static, 1)
        for (int i = 0; i < scene->size; i++)
            sum += i;
        if (stays(scene))
            stay(scene, PAUSES);
        will(scene, END_OF_REDUCED, NULL);
    }
    scene->sum = sum;
}

#if __GNUC__ >= 12
static void end_of_scope(struct scene *scene)
{
#pragma omp parallel num_threads(scene->size)
    {
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < scene->size; i++)
            scene->sum++;
#pragma omp scope
        {
            if (stays(scene))
                stay(scene, PAUSES);
            will(scene, END_OF_SCOPE, NULL);
        }
        came(scene);
    }
}
#endif

static void end_of_region(struct scene *scene)
{
#pragma omp parallel num_threads(scene->size)
    {
        if (stays(scene))
            stay(scene, PAUSES);
        will(scene, END_OF_REGION, NULL);
    }
}

/* Of another thread than that which has created it: one that is at the end of the region. */
static void child(struct scene *scene)
{
    scene->begun = 1;
    stay(scene, PAUSES_AT_END);
}

static void until_begun(struct scene *scene)
{
    while (!scene->begun)
        usleep(1000);
}

/* A thread that is at the end of the region executes a task, which has a region of its own. */
static void region_within(struct scene *scene)
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(scene->size)
    {
        if (stays(scene)) {
#pragma omp task
            {
#pragma omp parallel num_threads(2)
                {
                    scene->begun = 1;
                    stay(scene, omp_get_thread_num() ? PAUSES : PAUSES_WITHIN);
                }
            }
            until_begun(scene);
            stay(scene, PAUSES);
        }
        will(scene, END_OF_REGION, NULL);
    }
}

static void taskwait(struct scene *scene)
{
#pragma omp parallel num_threads(scene->size)
    {
        if (stays(scene)) {
#pragma omp task
            child(scene);
            until_begun(scene);
            will(scene, TASKWAIT, NULL);
#pragma omp taskwait
        }
        will(scene, END_OF_REGION, NULL);
    }
}

static void taskgroup(struct scene *scene)
{
#pragma omp parallel num_threads(scene->size)
    {
        if (stays(scene)) {
#pragma omp taskgroup
            {
#pragma omp task
                child(scene);
                until_begun(scene);
                will(scene, TASKGROUP, NULL);
            }
        }
        will(scene, END_OF_REGION, NULL);
    }
}

static void depend(struct scene *scene)
{
    int value = 0;
#pragma omp parallel num_threads(scene->size)
    {
        if (stays(scene)) {
#pragma omp task depend(out : value)
            child(scene);
            until_begun(scene);
            will(scene, DEPEND, NULL);
#pragma omp task if (0) depend(in : value)
            scene->sum += value;
        }
        will(scene, END_OF_REGION, NULL);
    }
}

static const struct {
    void (*run)(struct scene *scene);
    unsigned sizes; /* so many from two on; threads of LLVM's runtime that wait for a lock, their turn
                       or tasks never sleep */
} scenes[] = {
    {critical, 2}, {named, 2}, {lock, 2}, {nest_lock, 2}, {ordered, 2}, {doacross, 2},
    {barrier, 5}, {end_of_for, 5}, {end_of_dynamic, 2}, {end_of_sections, 2},
    {end_of_single, 5}, {copyprivate, 2}, {reduction, 2}, {end_of_region, 5},
    {taskwait, 2}, {taskgroup, 2}, {depend, 2}, {end_of_reduced, 5}, {region_within, 3},
#if __GNUC__ >= 12
    {end_of_scope, 2},
#endif
};

static void *run(void *scene)
{
    ((struct scene *)scene)->run(scene);
    return NULL;
}

/* Begins all scenes. Teams of six have inner nodes in the tree of LLVM's barriers. */
void FREEZE(unsigned seed)
{
    for (unsigned i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        struct scene *scene = calloc(1, sizeof *scene);
        pthread_t thread;
        seed = seed * 1103515245 + 12345;
        scene->run = scenes[i].run;
        scene->number = (int)i;
        scene->size = 2 + (seed >> 16) % scenes[i].sizes;
        scene->stays = (int)(seed >> 20) % scene->size;
        pthread_create(&thread, NULL, run, scene);
    }
}

int main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    void *module = argc > 2 ? dlopen(argv[2], RTLD_NOW | RTLD_LOCAL) : NULL;
    void (*other)(unsigned) = module ? (void (*)(unsigned))dlsym(module, "freeze_other") : NULL;
    if (argc > 2 && !other)
        return 1;
    FREEZE(seed);
    if (other)
        other(seed + 1);
    until_others_rest();
    if (write(1, "\n", 1) != 1)
        return 1;
    for (;;)
        pause();
}
