/* SPDX-License-Identifier: MIT
 *
 * Whether the hooks record: the environment, omp_ompd_enable(), and the mode word.
 */
#include "environment.h"
#include "events.h"
#include "globals.h"
#include "hooks.h"
#include "icvs.h"
#include "lock-records.h"
#include "lock.h"
#include "omp-ompd.h"
#include "records.h"
#include "threads.h"
#include "tools.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

struct hooks_words hooks_words __attribute__((aligned(64))) = {MODE_UNRESOLVED, 0};
static int wanted;  /* tracking was asked for */
static int foreign; /* and can never be given */

/* How far we have come. */
static enum step { BEGUN, SETTLED, USED } steps;

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

static void set_mode(enum mode mode)
{
    __atomic_store_n(&hooks_words.mode, (int)mode, __ATOMIC_RELEASE);
}

static bool tracking(void)
{
    return __atomic_load_n(&ompd_hooks_root.tracking, __ATOMIC_ACQUIRE);
}

static void start_tracking(void)
{
    threads_start();
    lock_records_start();
    environment_start();
    icvs_start();
    globals_start();
    ompd_hooks_root.pid = (uint32_t)getpid();
    __atomic_store_n(&ompd_hooks_root.tracking, 1, __ATOMIC_RELEASE);
}

/* True for the first of several threads that come to a step. */
static bool first(enum step *done, enum step step)
{
    hooks_lock();
    bool is_first = *done < step;
    if (is_first)
        *done = step;
    hooks_unlock();
    return is_first;
}

/* The runtime is there. */
static void settle(enum runtime_kind kind)
{
    if (!first(&steps, SETTLED))
        return;
    foreign = kind == RUNTIME_FOREIGN;
    if (foreign) {
        set_mode(MODE_OFF);
        return;
    }
    tools_check();
    if (wanted)
        start_tracking();
    locations_publish();
}

/* The program uses it for the first time: tools can be asked, and the mode is known. What
 * a tool calls of the runtime while it is asked is only forwarded, as is what other
 * threads call. */
static void first_use(void)
{
    if (foreign || !first(&steps, USED))
        return;
    if (tools_register() && !tracking())
        start_tracking();
    set_mode(tracking() ? MODE_ON : MODE_OFF);
    struct thread *t = tracking() && hooks_words.events ? thread_self() : NULL;
    if (t)
        event_introduce(t);
}

static bool resolve(bool used)
{
    if (resolving)
        return false;
    resolving = true;
    bool settled = __atomic_load_n(&steps, __ATOMIC_ACQUIRE) >= SETTLED;
    enum runtime_kind kind = settled ? RUNTIME_LIBGOMP : real_resolve();
    if (kind != RUNTIME_NONE) {
        settle(kind);
        if (used)
            first_use();
    }
    resolving = false;
    return __atomic_load_n(&hooks_words.mode, __ATOMIC_ACQUIRE) == MODE_ON;
}

bool hooks_resolve(void)
{
    return resolve(true);
}

/* The mode may have been settled long ago. */
static void enable(void)
{
    __atomic_store_n(&wanted, 1, __ATOMIC_RELEASE);
    if (__atomic_load_n(&hooks_words.mode, __ATOMIC_ACQUIRE) == MODE_UNRESOLVED)
        resolve(false);
    bool started = __atomic_load_n(&steps, __ATOMIC_ACQUIRE) >= SETTLED;
    if (!started || foreign)
        return;
    if (!tracking())
        start_tracking();
    if (__atomic_load_n(&hooks_words.mode, __ATOMIC_ACQUIRE) == MODE_OFF)
        set_mode(MODE_ON);
    thread_self();
}

bool hooks_record(void)
{
    enable();
    return tracking();
}

void hooks_forked(void)
{
    consumers_forked();
    if (foreign || steps < USED || !tools_asked())
        return;
    steps = SETTLED;
    ompd_hooks_root.tool = TOOL_NONE;
    set_mode(MODE_UNRESOLVED);
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
        resolve(false);
}
