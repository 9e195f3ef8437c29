/* SPDX-License-Identifier: MIT
 *
 * What records 1.1 add to the program of fake-program.h:
 *
 *   one set of ICVs, of all tasks; globals; three settings
 *   tasks of implicit task 0, by serial: 6001 named 0x9000 for output, has begun on
 * thread 3 and is suspended; 6002 and 6003 want to read it, 6003 writes 0x9100; 6004
 * wants to write 0x9000; 6005 names nothing; 6006 waits for its event; 6008 is complete;
 * 6007 named two addresses of which one is recorded, the one that 6008 wrote the critical
 * section of thread 2, held by thread 0, and a lock that nobody holds
 */
#ifndef FAKE_RECORDS_H
#define FAKE_RECORDS_H

#include "fake-program.h"

enum {
    TASK_A = 6001,
    TASK_B,
    TASK_C,
    TASK_D,
    TASK_READY,
    TASK_EVENT,
    TASK_PARTLY,
    TASK_OVER,
    SLAB_TASKS = 8,
    LOCK_HELD_ID = 8001,
    LOCK_FREE_ID,
    LOCK_FREE_ADDRESS = 0xa000,
    LOCK_CODEPTR = 0x4444,
    LOCK_FRAME = 0x7fff4440,
    AWAITED = 41, /* iteration, by thread 1 */
    EVENT = 0x7777,
};

struct records {
    uint64_t icvs;
    uint64_t history, clock, events, sums, sum;
    uint64_t globals;
    uint64_t settings;
    uint64_t task_slab;
    uint64_t task[SLAB_TASKS]; /* 6001, ... */
    uint64_t lock_slab;
    uint64_t lock[2];
    uint64_t order_slab, meetings;
};

struct records records_add(struct program *program);

/* Makes the process one of records 1.0: the descriptor says nothing of what came later.
 */
void records_downgrade(struct fake *fake);

/* The same of records 1.3. */
void records_downgrade_to_1_3(struct fake *fake);

/* The same of a later minor version, still older than ours: the descriptor ends behind so
 * many kinds of records, more than RECORD_task. */
void records_cut(struct fake *fake, unsigned records);

#endif
