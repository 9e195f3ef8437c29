/* SPDX-License-Identifier: MIT
 *
 * Translates records to the types of OMPT; see ompt.h.
 */
#include "consumers/ompt/ompt.h"

int ompt_task_flags(uint32_t kind, uint32_t flags)
{
    static const struct {
        uint32_t ours;
        unsigned theirs;
    } map[] = {
        {TASK_FLAG_UNDEFERRED, ompt_task_undeferred}, {TASK_FLAG_FINAL, ompt_task_final},
        {TASK_FLAG_UNTIED, ompt_task_untied},         {TASK_FLAG_MERGEABLE, ompt_task_mergeable},
        {TASK_FLAG_TASKWAIT, ompt_task_taskwait},     {TASK_FLAG_TARGET, ompt_task_target},
    };
    unsigned result = kind == TASK_INITIAL                              ? ompt_task_initial
                      : kind == TASK_IMPLICIT                           ? ompt_task_implicit
                      : flags & (TASK_FLAG_TASKWAIT | TASK_FLAG_TARGET) ? 0
                                                                        : ompt_task_explicit;
    for (unsigned i = 0; i < sizeof(map) / sizeof(map[0]); i++)
        if (flags & map[i].ours)
            result |= map[i].theirs;
    return (int)result;
}

/* Async-signal-safe: a handler that interrupts before the frame is used writes the
 * same. */
ompt_frame_t *ompt_task_frame(struct thread *t, const struct rec_task *task, unsigned level)
{
    _Static_assert(sizeof(struct frame_words) == sizeof(ompt_frame_t),
                   "frame_words is not what a tool reads");
    struct frame_words *frame = &t->frames[level < FRAME_LEVELS ? level : FRAME_LEVELS - 1];
    frame->exit = task ? task->exit_frame : 0;
    frame->enter = task ? task->enter_frame : 0;
    frame->exit_flags = frame->exit ? ompt_frame_runtime | ompt_frame_cfa : 0;
    frame->enter_flags = frame->enter ? ompt_frame_runtime | ompt_frame_cfa : 0;
    return (ompt_frame_t *)frame;
}
