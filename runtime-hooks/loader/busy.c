/* SPDX-License-Identifier: MIT
 *
 * Whether the dynamic linker is busy; see busy.h. Its lock cannot be tried, so a thread of
 * its own takes it, and how long that lasts tells.
 */
#include "loader/busy.h"
#include "core/hooks.h"
#include "core/lock.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>

#define LONGEST_WAIT 200 /* milliseconds; taking a free lock takes microseconds */

enum { NOT_ASKED, ASKED, ANSWERED };
static uint32_t state;

static void *take_lock(void *unused)
{
    (void)dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD); /* of the program itself: need not be closed */
    __atomic_store_n(&state, ANSWERED, __ATOMIC_RELEASE);
    word_wake_all(&state);
    return unused;
}

/* The thread is nobody's to signal. */
static bool ask(void)
{
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool created = pthread_create(&thread, NULL, take_lock, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (created)
        pthread_detach(thread);
    return created;
}

bool loader_is_busy(void)
{
    int saved_errno = errno;
    if (state == ANSWERED)
        state = NOT_ASKED;
    if (state == NOT_ASKED) {
        state = ASKED;
        if (!ask()) {
            state = NOT_ASKED;
            errno = saved_errno;
            return false;
        }
        word_wait_for(&state, ASKED, LONGEST_WAIT);
    }
    errno = saved_errno;
    return __atomic_load_n(&state, __ATOMIC_ACQUIRE) == ASKED;
}
