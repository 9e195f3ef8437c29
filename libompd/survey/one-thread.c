/* SPDX-License-Identifier: MIT
 *
 * What costs reads of its own and is asked of one thread: its loop and its stack; and of a
 * process, how often it has forked.
 */
#include "libompd/handle/handle.h"
#include "libompd/runtime/reader.h"
#include "libompd/survey/survey.h"

enum rc survey_loop(const struct handle *thread, struct loop_facts *out)
{
    enum rc rc = handle_check(thread, HANDLE_THREAD);
    if (rc != RC_OK)
        return rc;
    struct space *space = thread->space;
    return space->reader->loop ? space->reader->loop(space, thread->ref, out)
                               : RC_UNSUPPORTED;
}

enum rc survey_stack(const struct handle *thread, struct stack_facts *out)
{
    enum rc rc = handle_check(thread, HANDLE_THREAD);
    if (rc != RC_OK)
        return rc;
    struct space *space = thread->space;
    return space->reader->stack ? space->reader->stack(space, thread->ref, out)
                                : RC_UNSUPPORTED;
}

enum rc survey_forks(struct space *space, uint32_t *out)
{
    enum rc rc = space_select_reader(space);
    if (rc != RC_OK)
        return rc;
    return space->reader->forks ? space->reader->forks(space, out) : RC_UNSUPPORTED;
}
