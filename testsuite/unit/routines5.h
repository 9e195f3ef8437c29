/* SPDX-License-Identifier: MIT
 *
 * The routines of the 5.x interface and the extension behind one signature, so that a
 * test can put all of them through the same trouble.
 */
#ifndef ROUTINES5_H
#define ROUTINES5_H

#include "unit5.h"

/* What a routine is asked about. */
struct subject {
    const struct unit *unit;
    ompd_address_space_handle_t *space;
    ompd_thread_handle_t *thread;
    ompd_parallel_handle_t *region;
    ompd_task_handle_t *task;
    ompd_icv_id_t icv[5]; /* globals, thread, region, task, list of a task */
    ompd_icv_id_t text;
};

/* Every out-parameter that there is. Those that a routine has made are given back by
 * outs_release(). */
struct outs {
    ompd_address_space_handle_t *space;
    ompd_thread_handle_t *thread;
    ompd_parallel_handle_t *region;
    ompd_task_handle_t *task;
    const char *const *vars;
    void *memory[2]; /* strings and vectors */
    uint64_t number[4];
    ompd_frame_info_t frame[2];
    ompd_ext_thread_t ext_thread;
    ompd_ext_region_t ext_region;
    ompd_ext_task_t ext_task;
    ompd_ext_lock_t ext_lock;
    ompd_ext_team_t ext_team;
    ompd_ext_loop_t ext_loop;
};

struct routine {
    const char *name;
    ompd_rc_t (*call)(const struct subject *subject, struct outs *outs);
    int reads_max; /* when all goes well; -1: of many objects */
};

extern const struct routine routines[];
extern const unsigned routine_count;

void outs_clear(struct outs *outs);
bool outs_untouched(const struct outs *outs);
void outs_release(struct outs *outs);

/* Thread 1 of the program, the inner region, its implicit task. */
struct subject subject_begin(const struct unit *unit);
void subject_end(struct subject *subject);

#endif
