/* SPDX-License-Identifier: MIT
 *
 * Resolves the mode: OMP_OMPD, omp_ompd_enable(), tools, and the first use of a runtime.
 */
#include "consumers/history/history.h"
#include "consumers/orders/orders.h"
#include "consumers/sums/sums.h"
#include "consumers/tools.h"
#include "core/environment.h"
#include "core/hooks.h"
#include "core/lock.h"
#include "core/runtimes.h"
#include "loader/busy.h"
#include "loader/inheritance.h"
#include "loader/loader.h"
#include "loader/mark.h"
#include "omp-ompd.h"
#include "records/records.h"
#include "records/ticks.h"
#include "state/crash.h"
#include "state/events.h"
#include "state/globals.h"
#include "state/lock-records.h"
#include "state/threads.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static int requested;     /* recording, by the environment or by omp_ompd_enable() */
static unsigned kept;     /* KEEPS_*, by the environment, which is restored later */
static bool main_reached; /* other threads may hold the loader lock from here on */

/* Changed under the resolver lock only. */
static enum step { NO_RUNTIME, RUNTIME_FOUND, RUNTIME_USED } progress;

/* The resolver lock. Threads that use the runtime meanwhile wait for it, or the tool
 * that is being started would miss their events. The wait has a timeout, as the holder
 * may wait for a waiter: for the loader lock, held by a thread that is inside a
 * constructor. After the timeout the waiter's call is forwarded and not recorded. */
#define TIMEOUT 10000     /* milliseconds */
static uint32_t resolver; /* 0 free, 1 held, 2 held and there may be waiters */

/* This thread holds the resolver lock. Its calls are those of a tool that is being
 * started and are forwarded, not recorded. */
static __thread bool resolving;

static bool resolver_acquire(void)
{
    uint32_t seen = 0;
    if (__atomic_compare_exchange_n(&resolver, &seen, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return resolving = true;
    for (unsigned waited = 0; __atomic_exchange_n(&resolver, 2, __ATOMIC_ACQUIRE) != 0;
         waited += 100)
        if (waited >= TIMEOUT)
            return false;
        else
            word_wait_for(&resolver, 2, 100);
    return resolving = true;
}

static void resolver_release(void)
{
    resolving = false;
    if (__atomic_exchange_n(&resolver, 0, __ATOMIC_RELEASE) == 2)
        word_wake_all(&resolver);
}

/* True if the variable's value is the word, without regard to case and outer blanks. */
static bool is_variable(const char *variable, const char *word)
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

/* By the user, or by ompd-run in front of what the user has set. */
static unsigned requested_to_keep(void)
{
    const char *value = getenv("OMP_OMPD");
    unsigned found = KEEPS_ALL;
    for (; value && found; found--) {
        size_t length = strlen(mark_kept[found]);
        if (is_variable("OMP_OMPD", mark_kept[found]) ||
            (strncmp(value, mark_kept[found], length) == 0 && value[length] == ':'))
            return found;
    }
    return 0;
}

/* By the environment. */
static bool is_requested(void)
{
    return is_variable("OMP_OMPD", mark_kept[0]) || kept || is_variable("OMP_DEBUG", "enabled");
}

static void set_mode(enum mode mode)
{
    __atomic_store_n(&hooks_words.mode, (int)mode, __ATOMIC_RELEASE);
}

static bool tracking(void)
{
    return __atomic_load_n(&ompd_hooks_root.tracking, __ATOMIC_ACQUIRE);
}

static void start_records(void)
{
    clock_start();
    threads_start();
    lock_records_start();
    if (kept & KEEPS_HISTORY)
        history_start();
    if (kept & KEEPS_ORDERS)
        orders_start();
    if (kept & KEEPS_SUMS)
        sums_start();
    crash_watch();
    ompd_hooks_root.pid = (uint32_t)getpid();
    __atomic_store_n(&ompd_hooks_root.tracking, 1, __ATOMIC_RELEASE);
}

static void start_tracking(const struct runtime *real)
{
    environment_start();
    globals_start(real);
    ompd_hooks_root.unnamed_critical = (uintptr_t)&real->unnamed_critical;
    ompd_hooks_root.atomic = (uintptr_t)&real->atomic;
    start_records();
}

/* The process has a runtime that can be recorded. */
static void runtime_found(const struct runtime *real)
{
    if (progress >= RUNTIME_FOUND)
        return;
    globals_runtime = real;
    tools_check();
    if (requested)
        start_tracking(real);
    progress = RUNTIME_FOUND;
}

/* The first use of the runtime: starts a tool, if there is one, and resolves the mode.
 * Starting a tool acquires the loader lock; while another thread holds that, a later use
 * counts as the first. */
static void first_use(const struct runtime *real)
{
    if (progress >= RUNTIME_USED || (main_reached && tools_may_exist() && loader_is_busy()))
        return;
    progress = RUNTIME_USED;
    if (tools_register(real) && !tracking())
        start_tracking(real);
    set_mode(tracking() ? MODE_ON : MODE_OFF);
    struct thread *t = tracking() && hooks_words.events ? thread_self(real) : NULL;
    if (t)
        event_report_thread(t);
}

static void resolve(bool used)
{
    if (resolving || !resolver_acquire())
        return;
    const struct runtime *real = runtime_first();
    if (real) {
        runtime_found(real);
        inheritance_end();
        if (used)
            first_use(real);
    }
    resolver_release();
}

static bool is_mode(enum mode mode)
{
    return __atomic_load_n(&hooks_words.mode, __ATOMIC_ACQUIRE) == (int)mode;
}

bool hooks_resolve(void)
{
    if (is_mode(MODE_UNRESOLVED))
        resolve(true);
    return is_mode(MODE_ON);
}

void hooks_in_use(void)
{
    static int in_use;
    if (__atomic_load_n(&in_use, __ATOMIC_RELAXED) ||
        __atomic_exchange_n(&in_use, 1, __ATOMIC_RELAXED))
        return;
    hooks_resolve();
    locations_publish();
    threads_announce();
}

void hooks_reported_in_use(void)
{
    if (!runtimes_symbol("ompd_dll_locations"))
        locations_publish();
    threads_announce();
}

bool hooks_wanted(void)
{
    return __atomic_load_n(&requested, __ATOMIC_ACQUIRE) || is_requested();
}

void hooks_record_reported(void)
{
    if (resolving || !resolver_acquire())
        return;
    inheritance_end();
    start_records();
    resolver_release();
}

void hooks_before_main(void)
{
    main_reached = true;
    if (progress == RUNTIME_FOUND)
        resolve(true);
}

/* Also after the mode was resolved to MODE_OFF. */
static void enable(void)
{
    __atomic_store_n(&requested, 1, __ATOMIC_RELEASE);
    if (is_mode(MODE_UNRESOLVED))
        resolve(false);
    bool nested = resolving; /* called by a tool that is being started */
    if (!nested && !resolver_acquire())
        return;
    const struct runtime *real = progress >= RUNTIME_FOUND ? runtime_first() : NULL;
    if (real && !tracking())
        start_tracking(real);
    if (real && is_mode(MODE_OFF))
        set_mode(MODE_ON);
    if (!nested)
        resolver_release();
    if (real)
        thread_self(real);
}

bool hooks_record(void)
{
    enable();
    return tracking();
}

void hooks_forked(void)
{
    ticks_forked();
    consumers_forked();
    if (!resolving)
        resolver = 0; /* a thread of the parent may have held it */
    if (progress < RUNTIME_USED || !tools_found())
        return;
    progress = RUNTIME_FOUND;
    ompd_hooks_root.tool = TOOL_NONE;
    set_mode(MODE_UNRESOLVED);
}

EXPORT void omp_ompd_enable(void)
{
    enable();
}

/* Constructors of other libraries may have called wrappers before. enable() registers
 * this thread as an initial thread. */
void __attribute__((constructor)) hooks_initialise(void)
{
    static bool is_done;
    if (is_done)
        return;
    is_done = true;
    fork_start();
    counter_start();
    signals_start();
    kept = requested_to_keep();
    inheritance_start();
    runtimes_start();
    locations_start();
    if (is_requested())
        enable();
    else
        resolve(false);
    if (progress == NO_RUNTIME)
        locations_forward(runtimes_symbol("ompd_dll_locations"));
    if (runtimes_symbol("omp_get_thread_num")) /* also if not recorded */
        inheritance_end();
}
