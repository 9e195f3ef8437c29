/* SPDX-License-Identifier: MIT
 *
 * The routines of the 2.000 interface behind one signature, so that a test can put all of
 * them through the same trouble.
 */
#ifndef ROUTINES_H
#define ROUTINES_H

#include "unit.h"

/* What a routine is asked about. */
struct subject {
    const struct unit *unit;
    ompd_address_space_handle_t *space;
    ompd_thread_handle_t *thread;
    ompd_parallel_handle_t *region;
    ompd_task_handle_t *task;
};

/* Every out-parameter that there is. */
struct outs {
    ompd_address_space_handle_t *space;
    ompd_thread_handle_t **threads;
    ompd_task_handle_t **tasks;
    ompd_thread_handle_t *thread;
    ompd_parallel_handle_t *region;
    ompd_task_handle_t *task;
    char *string;
    int number;
    ompd_tword_t word;
    ompd_address_t address[2];
    uint64_t id;
    ompd_state_t state;
    unsigned char os_id[8];
};

enum routine_flags {
    READS_TARGET = 1, /* asks the target about the object of its handle */
    ONE_OBJECT = 2,   /* a query about one thread, region or task */
};

struct routine {
    const char *name;
    ompd_rc_t (*call)(const struct subject *subject, struct outs *outs);
    unsigned flags;
};

extern const struct routine routines[];
extern const unsigned routine_count;

/* Fills the out-parameters with a pattern; whether they still hold it; gives back what the
 * routine made. */
void outs_clear(struct outs *outs);
bool outs_untouched(const struct outs *outs);
void outs_release(struct outs *outs);

/* Thread 1 of the program, the inner region, its implicit task. */
struct subject subject_begin(const struct unit *unit);
void subject_end(struct subject *subject);

#endif
