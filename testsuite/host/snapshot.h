/* SPDX-License-Identifier: MIT
 *
 * Everything the dialect can say about a stopped target, gathered once into plain data.
 *
 * Handles of the same region or task that were met twice become one entry. Each value
 * carries the answer that came with it.
 */
#ifndef HOST_SNAPSHOT_H
#define HOST_SNAPSHOT_H

#include "session.h"

struct fact {
    enum answer answer;
    uint64_t value; /* valid when the answer is ANSWER_OK; signed values as int64_t */
};

enum { NO_INDEX = -1 };

struct thread_facts {
    struct omp_thread *handle; /* NULL: no OpenMP thread */
    struct fact lwp, pthread, state, wait_id, num;
    enum answer region_answer, task_answer;
    int region, task; /* index in the snapshot, or NO_INDEX */
    char *text;       /* string id, may be NULL */
    char *state_text; /* the library's own name of the state, may be NULL */
};

struct region_facts {
    struct omp_region *handle;
    struct fact id, size, function, master; /* master: its lwp */
    enum answer parent_answer, members_answer, tasks_answer;
    int parent;
    uint64_t *members; /* lwp of each */
    size_t member_count;
    int *tasks; /* implicit tasks, index in the snapshot */
    size_t task_count;
    char *text;
};

struct task_facts {
    struct omp_task *handle;
    struct fact id, function, exit_frame, enter_frame, level, active_level, implicit;
    enum answer parent_answer, region_answer;
    int parent, region;
    char *text;
};

struct snapshot {
    struct session *session;
    enum answer threads_answer;   /* of the list of all threads */
    struct thread_facts *threads; /* OpenMP threads, then the others of the target */
    size_t thread_count;
    struct region_facts *regions;
    size_t region_count;
    struct task_facts *tasks;
    size_t task_count;
};

/* NULL when memory runs out. The handles live until the snapshot goes. */
struct snapshot *snapshot_take(struct session *session);
void snapshot_free(struct snapshot *snapshot);
/* The OpenMP thread with this LWP, or NULL. */
const struct thread_facts *snapshot_thread(const struct snapshot *snapshot, uint64_t lwp);

#endif
