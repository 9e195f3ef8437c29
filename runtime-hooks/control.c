/* SPDX-License-Identifier: MIT
 *
 * Whether the hooks record: the environment, omp_ompd_enable(), and the mode word.
 */
#include "environment.h"
#include "globals.h"
#include "hooks.h"
#include "icvs.h"
#include "lock-records.h"
#include "lock.h"
#include "omp-ompd.h"
#include "records.h"
#include "threads.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

int hooks_mode = MODE_UNRESOLVED;
static int wanted;  /* tracking was asked for */
static int foreign; /* and can never be given */

/* An allocator of the program's own may use OpenMP locks, and the dynamic linker the
 * allocator: what comes back to us while we resolve is only forwarded. */
static __thread bool resolving;

/* True when the variable holds the word, whatever its case and the blanks around it. */
static bool environment_says(const char *variable, const char *word)
{
    const char *value = getenv(variable);
    if (!value)
        return false;
    while (isspace((unsigned char)*value))
        value++;
    size_t length = strlen(value);
    while (length && isspace((unsigned char)value[length - 1]))
        length--;
    return length == strlen(word) && strncasecmp(value, word, length) == 0;
}

static void start_tracking(void)
{
    threads_start();
    lock_records_start();
    environment_start();
    icvs_start();
    globals_start();
    ompd_hooks_root.pid = (uint32_t)getpid();
    __atomic_store_n(&ompd_hooks_root.tracking, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&hooks_mode, MODE_ON, __ATOMIC_RELEASE);
}

/* Settles the mode; only the first of several threads that come here does. */
static void settle(enum runtime_kind kind)
{
    static int settled;
    hooks_lock();
    bool first = !settled;
    settled = 1;
    hooks_unlock();
    if (!first)
        return;

    foreign = kind == RUNTIME_FOREIGN;
    if (foreign) {
        __atomic_store_n(&hooks_mode, MODE_OFF, __ATOMIC_RELEASE);
        return;
    }
    if (wanted)
        start_tracking();
    else
        __atomic_store_n(&hooks_mode, MODE_OFF, __ATOMIC_RELEASE);
    locations_publish();
}

bool hooks_resolve(void)
{
    if (resolving)
        return false;
    resolving = true;
    enum runtime_kind kind = real_resolve();
    if (kind != RUNTIME_NONE)
        settle(kind);
    resolving = false;
    return __atomic_load_n(&hooks_mode, __ATOMIC_ACQUIRE) == MODE_ON;
}

/* The mode may have been settled long ago. */
static void enable(void)
{
    __atomic_store_n(&wanted, 1, __ATOMIC_RELEASE);
    if (__atomic_load_n(&hooks_mode, __ATOMIC_ACQUIRE) == MODE_UNRESOLVED)
        hooks_resolve();
    if (__atomic_load_n(&hooks_mode, __ATOMIC_ACQUIRE) == MODE_OFF && !foreign)
        start_tracking();
    if (__atomic_load_n(&hooks_mode, __ATOMIC_ACQUIRE) == MODE_ON)
        thread_self();
}

EXPORT void omp_ompd_enable(void)
{
    enable();
}

/* Wrappers may have been called before: by the constructors of other libraries. The
 * thread that loads the program is its initial thread. */
static void __attribute__((constructor)) initialise(void)
{
    if (environment_says("OMP_OMPD", "on") || environment_says("OMP_DEBUG", "enabled"))
        enable();
    else
        hooks_resolve();
}
