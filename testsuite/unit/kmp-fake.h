/* SPDX-License-Identifier: MIT
 *
 * A process on LLVM's runtime that exists only here: its threads, teams, tasks and locks in
 * any of the layouts, and the code of its accessors, all made from the layout tables. Not a
 * byte of it is LLVM's own.
 */
#ifndef KMP_FAKE_H
#define KMP_FAKE_H

#include "gomp-fake.h"
#include "libompd/runtime/kmp-layout.h"

/* What the threads are. The first four are a team of four; of these number 1 leads a nested
 * team of two, of which the other one is in two regions that are serialised. */
enum {
    KF_RUNS,    /* the primary thread, in an explicit task */
    KF_LEADS,   /* and sleeps at the end of its region */
    KF_LOCK,    /* waits for a lock */
    KF_ARRIVED, /* at a barrier */
    KF_SERIAL,
    KF_FOREIGN, /* unknown to the runtime */
    KF_POOL,
    KF_IDLE, /* its team's region is over */
    KF_ROOT, /* the second pthread that uses the runtime; waits for its tasks */
};

/* gtids of the threads above, in the order of the array; 0 for KF_FOREIGN. */
extern const unsigned kf_gtid[GF_THREADS];

struct kf {
    struct gf *gf;
    const struct kmp_layout *layout;
    taddr array, roots; /* what the variables point to */
    taddr variable;
    taddr team, nested, serial, idle_team, root_team;
    taddr outermost, task_team;            /* which nobody is in any more; that of `team` */
    taddr running, ready, blocked, parent; /* explicit tasks */
    taddr detached;                  /* a child of the first implicit task, whose body has ended */
    taddr lock, nest_lock, critical; /* objects */
    taddr lock_word, nest_word, critical_word;
    taddr nest_entry; /* in the table */
    taddr deque;
    taddr initialised; /* a flag that globals are valid */
    taddr global[KMP_GLOBALS];
    taddr inner_load;    /* instruction of omp_get_level that has the second offset */
    taddr variable_load; /* one of omp_get_cancellation that finds the variable */
    taddr pointers;      /* aarch64: the last entry of the global offset table */
};

enum { KF_CAPACITY = 40, KF_ROUTINE = 0x7000 };

struct kf kf_new(unsigned layout);
void kf_free(struct kf *kf);

void kf_put(struct kf *kf, taddr object, enum kmp_field field, uint64_t value);
uint64_t kf_get(const struct kf *kf, taddr object, enum kmp_field field);
taddr kf_implicit(const struct kf *kf, taddr team, unsigned number);

#endif
