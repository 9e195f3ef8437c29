/* SPDX-License-Identifier: MIT
 *
 * What the files of report version 2 share.
 */
#ifndef OMPD_HOOKS_OMPT_2_H
#define OMPD_HOOKS_OMPT_2_H

#include "state/events.h"
#include "consumers/ompt-2/ompt.h"

#pragma GCC visibility push(hidden)

extern struct consumer consumer_ompt_2;

/* callbacks.c: what the tool has registered; NULL if nothing. */
ompt_callback_t ompt_2_callback(ompt_event_t event);
int ompt_2_set_callback(ompt_event_t event, ompt_callback_t callback);
int ompt_2_get_callback(ompt_event_t event, ompt_callback_t *callback);

/* Callbacks may be registered between these two, and are heard of from the second on. */
void ompt_2_open(void);
void ompt_2_close(void);
void ompt_2_forget(void);

/* register.c: in the child of a fork a tool is asked anew. */
void ompt_2_forked(void);

/* inquiry.c: the functions that a tool can look up. */
ompt_interface_fn_t ompt_2_lookup(const char *name);

/* The two pointers of a task's record, which stand as in the report's structure. */
static inline ompt_frame_t *ompt_2_frame(struct rec_task *task)
{
    return task ? (ompt_frame_t *)&task->exit_frame : NULL;
}
_Static_assert(offsetof(struct rec_task, enter_frame) -
                       offsetof(struct rec_task, exit_frame) ==
                   offsetof(ompt_frame_t, reenter_runtime_frame),
               "the frames of a task do not stand as in ompt_frame_t");

/* While a worker is told late of the end of its region: it is asked about that. */
extern __thread bool ompt_2_late __attribute__((tls_model("initial-exec")));

/* While the thread is told of a task that another one has made: that one's task, in whose
 * context the tool is called. NULL otherwise. */
extern __thread struct rec_task *ompt_2_creator __attribute__((tls_model("initial-exec")));

/* Target tasks that the thread is inside of. The last has not begun while depth exceeds
 * `begun`. `parent` is the task that stands below in the records. */
#define OMPT_2_TARGETS 4
extern __thread struct ompt_2_targets {
    unsigned depth, begun;
    struct {
        uint64_t id, parent;
        int device;
    } level[OMPT_2_TARGETS];
} ompt_2_targets __attribute__((tls_model("initial-exec")));

#pragma GCC visibility pop

#endif
