/* SPDX-License-Identifier: MIT
 *
 * Interposes sigaction() and signal(): to the program there is no handler of state/crash.c.
 */
#include "core/hooks.h"
#include "core/images.h"
#include "loader/libc.h"
#include "loader/loader.h"
#include "loader/mark.h"
#include "state/crash.h"

#include <errno.h>
#include <stdlib.h>

typedef void handler(int number);
typedef handler *signal_fn(int number, handler *wanted);

EXPORT action_fn set_action;
INTERPOSE_FIRST(set_action, sigaction);
EXPORT signal_fn set_handler;
INTERPOSE_FIRST(set_handler, signal);

static action_fn *real_action;
static signal_fn *real_signal;

void signals_start(void)
{
    if (real_signal)
        return;
    const char *mark = secure_getenv(MARK);
    *(void **)&real_action = images_next("sigaction");
    *(void **)&real_signal = images_next("signal");
    crash_start(real_action, mark ? mark_socket(mark, MARK_WATCHDOG) : NULL);
    ending_start(mark ? mark_socket(mark, MARK_SUMMARY) : NULL);
}

int set_action(int number, const struct sigaction *wanted, struct sigaction *before)
{
    signals_start();
    if (real_action)
        return crash_action(number, wanted, before);
    errno = ENOSYS;
    return -1;
}

/* With the flags of the C library's. */
handler *set_handler(int number, handler *wanted)
{
    signals_start();
    if (real_signal && (!crash_hides(number) || wanted == SIG_ERR))
        return real_signal(number, wanted);
    struct sigaction action = {.sa_handler = wanted, .sa_flags = SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, number);
    return set_action(number, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}
