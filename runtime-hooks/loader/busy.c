/* SPDX-License-Identifier: MIT
 *
 * Tests if the loader lock is held; see busy.h. There is no trylock for it: a helper
 * thread acquires it by dlopen(), and the caller waits for that with a timeout.
 */
#include "loader/busy.h"
#include "core/hooks.h"
#include "core/lock.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>

#define TIMEOUT 200 /* milliseconds; a free lock is acquired within microseconds */

enum { IDLE, PROBING, DONE };
static uint32_t state;

static void *probe(void *unused)
{
    (void)dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD); /* the program: needs no dlclose() */
    __atomic_store_n(&state, DONE, __ATOMIC_RELEASE);
    word_wake_all(&state);
    return unused;
}

/* The helper thread blocks all signals: it must not run handlers of the program. */
static bool start_probe(void)
{
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool created = pthread_create(&thread, NULL, probe, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (created)
        pthread_detach(thread);
    return created;
}

bool loader_is_busy(void)
{
    int saved_errno = errno;
    if (state == DONE)
        state = IDLE;
    if (state == IDLE) {
        state = PROBING;
        if (!start_probe()) {
            state = IDLE;
            errno = saved_errno;
            return false;
        }
        word_wait_for(&state, PROBING, TIMEOUT);
    }
    errno = saved_errno;
    return __atomic_load_n(&state, __ATOMIC_ACQUIRE) == PROBING;
}
