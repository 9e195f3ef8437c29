/* SPDX-License-Identifier: MIT
 *
 * Interposes prctl(), by which a program may forbid itself to read the processor's counter, as the
 * flight recorder does: the thread would be killed for it, and those that it creates. By
 * PR_SET_NO_NEW_PRIVS it may be about to forbid itself what handlers of state/crash.c call, too.
 */
#include "core/hooks.h"
#include "core/images.h"
#include "loader/libc.h"
#include "loader/loader.h"
#include "records/ticks.h"
#include "state/crash.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>

typedef int prctl_fn(int option, ...);

EXPORT prctl_fn control_process;
INTERPOSE_FIRST(control_process, prctl);

static prctl_fn *real_prctl;

void counter_start(void)
{
    if (!real_prctl)
        *(void **)&real_prctl = images_next("prctl");
}

static bool forbids_counter(int option, unsigned long argument)
{
    return (option == PR_SET_TSC && argument == PR_TSC_SIGSEGV) ||
           (option == PR_SET_SECCOMP && argument == SECCOMP_MODE_STRICT);
}

/* Reads as many arguments as the C library's own, however many there are. */
int control_process(int option, ...)
{
    va_list list;
    va_start(list, option);
    unsigned long a = va_arg(list, unsigned long), b = va_arg(list, unsigned long),
                  c = va_arg(list, unsigned long), d = va_arg(list, unsigned long);
    va_end(list);
    counter_start();
    if (!real_prctl) {
        errno = ENOSYS;
        return -1;
    }
    if (forbids_counter(option, a))
        ticks_lose_counter();
    if (option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP) {
        crash_unwatch();
        ending_unwatch();
    }
    return real_prctl(option, a, b, c, d);
}
