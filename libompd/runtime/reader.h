/* SPDX-License-Identifier: MIT
 *
 * A runtime, as the layers above see it: a source of facts.
 */
#ifndef LIBOMPD_READER_H
#define LIBOMPD_READER_H

#include "libompd/core.h"

/* False ends the walk, which then answers RC_OK. */
typedef bool ref_visitor(void *arg, struct ref ref);

/* To add a runtime: fill this table in a file of its own and name it in detect.c.
 *
 * Every function answers RC_OK or says why not:
 *   RC_STALE_HANDLE    the object at ref.address has another id than ref.id
 *   RC_NEEDS_TRACKING  the target does not record this; it can be told to
 *   RC_READ_ERROR, RC_NONSENSE, RC_NOMEM
 * Facts are fetched in one read of the target; walks are bounded whatever stands there. */
struct reader {
    const char *name;

    /* The ids in references are numbers that the runtime itself gave, which the program's
     * own tools see too. */
    bool has_numbers;

    /* Does the process run this runtime? By evidence found in the target, checked by
     * invariants. RC_INCOMPATIBLE: no. On success space->reader_state is set. */
    enum rc (*open)(struct space *space);
    void (*close)(struct space *space);

    /* RC_UNAVAILABLE: not an OpenMP thread. */
    enum rc (*find_thread)(struct space *space, enum os_thread_kind kind, uint64_t os_id,
                           struct ref *out);
    enum rc (*walk_threads)(struct space *space, ref_visitor *visit, void *arg);

    enum rc (*thread)(struct space *space, struct ref ref, struct thread_facts *out);
    enum rc (*region)(struct space *space, struct ref ref, struct region_facts *out);
    enum rc (*task)(struct space *space, struct ref ref, struct task_facts *out);

    /* By rising thread number; those that have not begun their part are left out. */
    enum rc (*walk_team)(struct space *space, struct ref region, ref_visitor *visit,
                         void *arg);
    enum rc (*walk_implicit_tasks)(struct space *space, struct ref region,
                                   ref_visitor *visit, void *arg);

    /* One of them by its number. RC_BAD_INPUT: the team has no such number.
     * RC_UNAVAILABLE: it has not begun its part. */
    enum rc (*team_thread)(struct space *space, struct ref region, uint32_t number,
                           struct ref *out);
    enum rc (*implicit_task)(struct space *space, struct ref region, uint32_t number,
                             struct ref *out);

    /* The id of the object at an address that was read in a torn pair. RC_UNAVAILABLE: the
     * object has been given up. */
    enum rc (*region_id)(struct space *space, taddr address, uint64_t *out);
    enum rc (*task_id)(struct space *space, taddr address, uint64_t *out);
};

extern const struct reader hooks_reader;
extern const struct reader gomp_reader;

/* Chooses the reader that fits the process and opens it. RC_INCOMPATIBLE: none does. */
enum rc reader_detect(struct space *space);

#endif
