/* SPDX-License-Identifier: MIT
 *
 * What the files of report version 2 share.
 */
#ifndef OMPD_HOOKS_OMPT_2_H
#define OMPD_HOOKS_OMPT_2_H

#include "events.h"
#include "ompt-2/ompt.h"

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

/* Target regions that the thread is inside of, as far as somebody listens. */
extern __thread struct ompt_2_targets {
    unsigned depth;
    int device[4];
    uint64_t id[4];
} ompt_2_targets __attribute__((tls_model("initial-exec")));

#pragma GCC visibility pop

#endif
