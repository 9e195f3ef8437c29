/* SPDX-License-Identifier: MIT
 *
 * For programs that run under ompd-run and read the records of the hooks that are loaded
 * into them, as a debugger would from outside.
 */
#ifndef HOOKS_RECORDS_H
#define HOOKS_RECORDS_H

#include <stdbool.h>
#include "runtime-hooks/records/records.h"

enum {
    WORK_SERIAL = 0,
    WORK_PARALLEL = 1,
    IDLE = 0x10,
    WAIT_BARRIER = 0x40,
    WAIT_BARRIER_IMPLICIT = 0x41,
    WAIT_TASKWAIT = 0x50,
    WAIT_TASKGROUP = 0x51,
    WAIT_LOCK = 0x60,
    WAIT_NEST_LOCK = 0x61,
    WAIT_CRITICAL = 0x62,
    WAIT_ORDERED = 0x64,
};

/* The root, or the end of the program when the hooks are not loaded. */
struct rec_root *records_root(void);

/* The thread with this key by way of the index; NULL if the index does not have it. */
struct rec_thread *records_find(uint64_t key);

/* The calling thread, found by its kernel id. */
struct rec_thread *records_self(void);

/* Threads in the slabs that are in use. */
unsigned records_count(void);

static inline unsigned state_of(const struct rec_thread *t)
{
    return (unsigned)(__atomic_load_n(&t->status, __ATOMIC_RELAXED) & 0xff);
}

static inline uint64_t region_of(const struct rec_thread *t)
{
    return __atomic_load_n(&t->status, __ATOMIC_RELAXED) >> 8;
}

static inline struct rec_task *task_of(const struct rec_thread *t)
{
    return (struct rec_task *)t->task;
}

/* Waits for the thread to be in the state; false after ten seconds. */
bool reaches(const struct rec_thread *t, unsigned state);

/* TAP. A check may be made on any thread; each name is reported once, when all is done:
 * as not ok when any of its checks failed. */
void check_that(bool holds, const char *name, const char *what, int line);
#define CHECK(name, condition) check_that(condition, name, #condition, __LINE__)
int checks_done(void);

#endif
