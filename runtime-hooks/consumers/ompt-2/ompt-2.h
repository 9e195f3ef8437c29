/* SPDX-License-Identifier: MIT
 *
 * Shared by the files of this folder.
 */
#ifndef OMPD_HOOKS_OMPT_2_H
#define OMPD_HOOKS_OMPT_2_H

#include "state/events.h"
#include "consumers/ompt-2/ompt.h"

#pragma GCC visibility push(hidden)

/* events.c */
extern struct consumer consumer_ompt_2;

/* callbacks.c: the registered callback, or NULL. */
ompt_callback_t ompt_2_callback(ompt_event_t event);
int ompt_2_set_callback(ompt_event_t event, ompt_callback_t callback);
int ompt_2_get_callback(ompt_event_t event, ompt_callback_t *callback);

/* Callbacks may be registered between open and close. Events are dispatched to the consumer from close
 * on, until forget, which drops the callbacks: in the child of a fork, and as the process ends. */
void ompt_2_open(struct consumer *of_tool);
void ompt_2_close(void);
void ompt_2_forget(void);

/* At the begin of a region. */
void ompt_2_used(void);

/* inquiry.c: ompt_function_lookup_t. */
ompt_interface_fn_t ompt_2_lookup(const char *name);

/* The two frame pointers of a task record, which have the layout of ompt_frame_t. */
static inline ompt_frame_t *ompt_2_frame(struct rec_task *task)
{
    return task ? (ompt_frame_t *)&task->exit_frame : NULL;
}
_Static_assert(offsetof(struct rec_task, enter_frame) - offsetof(struct rec_task, exit_frame) ==
                   offsetof(ompt_frame_t, reenter_runtime_frame),
               "struct rec_task and ompt_frame_t have different layouts");

/* True while the end of a region that has ended is being reported to a worker: the
 * inquiry functions then describe that region. */
extern __thread bool ompt_2_late __attribute__((tls_model("initial-exec")));

/* During task_begin of a task that another thread has created: its parent task, in whose
 * context the callback runs. NULL otherwise. */
extern __thread struct rec_task *ompt_2_creator __attribute__((tls_model("initial-exec")));

/* The thread's stack of target tasks. The last has not begun while `depth` exceeds
 * `begun`. `parent` is the id of the recorded task below, `entered` the frame of the
 * encountering task, which is in the runtime while the target task exists. */
#define OMPT_2_TARGETS 4
extern __thread struct ompt_2_targets {
    unsigned depth, begun;
    struct {
        uint64_t id, parent;
        ompt_frame_t entered;
        int device;
    } level[OMPT_2_TARGETS];
} ompt_2_targets __attribute__((tls_model("initial-exec")));

#pragma GCC visibility pop

#endif
