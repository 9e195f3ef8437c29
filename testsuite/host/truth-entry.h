/* SPDX-License-Identifier: MIT
 *
 * How a program keeps a table of its own threads: each takes an entry when it is met, writes
 * what its runtime tells it, and gives the entry back when it ends. The program says
 * TRUTH_TABLE, the table's name, and WORK, how long work(1) takes.
 */
#ifndef HOST_TRUTH_ENTRY_H
#define HOST_TRUTH_ENTRY_H

#include <omp.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "truth.h"

#define IN_ORDER() __asm__ volatile("" ::: "memory")

struct truth TRUTH_TABLE[TRUTHS];

static __thread struct truth *mine;
static pthread_key_t truth_leaving;
static volatile unsigned long work_done;

static void truth_give_back(void *given)
{
    struct truth *t = given;
    t->stable = TRUTH_UNKNOWN;
    IN_ORDER();
    __atomic_store_n(&t->lwp, 0, __ATOMIC_SEQ_CST);
}

/* Before any thread takes an entry. */
static inline void truth_start(void)
{
    pthread_key_create(&truth_leaving, truth_give_back);
}

/* Waits for one to be free. */
static inline struct truth *truth_take(void)
{
    uint32_t lwp = (uint32_t)syscall(SYS_gettid);
    for (int i = 0;; i = (i + 1) % TRUTHS) {
        struct truth *t = &TRUTH_TABLE[i];
        uint32_t none = 0;
        if (__atomic_compare_exchange_n(&t->lwp, &none, lwp, 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST)) {
            pthread_setspecific(truth_leaving, t);
            return t;
        }
    }
}

static inline struct truth *entry(void)
{
    if (!mine)
        mine = truth_take();
    return mine;
}

static inline void now(uint32_t what)
{
    IN_ORDER();
    entry()->stable = what;
    IN_ORDER();
}

/* From here until unsettle() the entry is true. */
static inline void settle(int explicit_task)
{
    struct truth *t = entry();
    now(TRUTH_UNKNOWN);
    t->num = (uint32_t)omp_get_thread_num();
    t->team = (uint32_t)omp_get_num_threads();
    t->level = (uint32_t)omp_get_level();
    t->active_level = (uint32_t)omp_get_active_level();
    t->explicit_task = (uint32_t)explicit_task;
    t->final = (uint32_t)omp_in_final();
    t->max_threads = (uint32_t)omp_get_max_threads();
    t->dynamic = (uint32_t)omp_get_dynamic();
    for (int i = 0; i < TRUTH_LEVELS; i++) {
        t->ancestor[i] = (uint32_t)omp_get_ancestor_thread_num(i);
        t->size[i] = (uint32_t)omp_get_team_size(i);
    }
    t->wait = 0;
    now(TRUTH_WORKS);
}

static inline void unsettle(void)
{
    now(TRUTH_UNKNOWN);
}

static inline void work(unsigned amount)
{
    for (unsigned i = 0; i < amount * WORK; i++)
        work_done++;
}

#endif
