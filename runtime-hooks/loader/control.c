/* SPDX-License-Identifier: MIT
 *
 * Whether the hooks record: the environment, omp_ompd_enable(), and the mode word.
 */
#include "consumers/tools.h"
#include "core/environment.h"
#include "core/hooks.h"
#include "core/lock.h"
#include "core/runtimes.h"
#include "loader/busy.h"
#include "loader/inheritance.h"
#include "loader/loader.h"
#include "omp-ompd.h"
#include "records/records.h"
#include "state/events.h"
#include "state/globals.h"
#include "state/lock-records.h"
#include "state/threads.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

struct hooks_words hooks_words __attribute__((aligned(64))) = {MODE_UNRESOLVED, 0, 0};
static int wanted;       /* tracking was asked for */
static bool main_began; /* since then other threads may call the dynamic linker */

/* How far we have come; changed by the thread whose turn it is. */
static enum step { BEGUN, SETTLED, USED } steps;

/* One thread resolves the mode, and others that come meanwhile wait for it: what they do
 * would else be lost to a tool that is being started. The wait is bounded, because that
 * thread may in turn wait for one of them: for the loader's lock, which a thread inside a
 * constructor holds. */
#define LONGEST_WAIT 10000 /* milliseconds */
static uint32_t turn; /* 0 nobody's, 1 a thread's, 2 likewise, and others wait */

/* The calling thread has the turn: its calls, which are a tool's, are only forwarded. */
static __thread bool resolving;

static bool turn_take(void)
{
    uint32_t seen = 0;
    if (__atomic_compare_exchange_n(&turn, &seen, 1, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED))
        return resolving = true;
    for (unsigned waited = 0; __atomic_exchange_n(&turn, 2, __ATOMIC_ACQUIRE) != 0;
         waited += 100)
        if (waited >= LONGEST_WAIT)
            return false;
        else
            word_wait_for(&turn, 2, 100);
    return resolving = true;
}

static void turn_give(void)
{
    resolving = false;
    if (__atomic_exchange_n(&turn, 0, __ATOMIC_RELEASE) == 2)
        word_wake_all(&turn);
}

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

static void start_tracking(const struct runtime *real)
{
    threads_start(real);
    lock_records_start();
    environment_start();
    globals_start(real);
    ompd_hooks_root.pid = (uint32_t)getpid();
    __atomic_store_n(&ompd_hooks_root.tracking, 1, __ATOMIC_RELEASE);
}

/* There is a runtime that can be recorded. */
static void settle(const struct runtime *real)
{
    if (steps >= SETTLED)
        return;
    globals_runtime = real;
    tools_check();
    if (wanted)
        start_tracking(real);
    locations_publish();
    steps = SETTLED;
}

/* The program uses it for the first time: tools can be asked, and the mode is known. A tool
 * calls the dynamic linker, so it has to wait for a later use while that is busy. */
static void first_use(const struct runtime *real)
{
    if (steps >= USED || (main_began && tools_wanted() && loader_is_busy()))
        return;
    steps = USED;
    if (tools_register(real) && !tracking())
        start_tracking(real);
    set_mode(tracking() ? MODE_ON : MODE_OFF);
    struct thread *t = tracking() && hooks_words.events ? thread_self(real) : NULL;
    if (t)
        event_introduce(t);
}

static void resolve(bool used)
{
    if (resolving || !turn_take())
        return;
    const struct runtime *real = runtime_first();
    if (real) {
        settle(real);
        inheritance_end();
        if (used)
            first_use(real);
    }
    turn_give();
}

static bool mode_is(enum mode mode)
{
    return __atomic_load_n(&hooks_words.mode, __ATOMIC_ACQUIRE) == (int)mode;
}

bool hooks_resolve(void)
{
    if (mode_is(MODE_UNRESOLVED))
        resolve(true);
    return mode_is(MODE_ON);
}

void hooks_before_main(void)
{
    main_began = true;
    if (steps == SETTLED)
        resolve(true);
}

/* The mode may have been resolved long ago. */
static void enable(void)
{
    __atomic_store_n(&wanted, 1, __ATOMIC_RELEASE);
    if (mode_is(MODE_UNRESOLVED))
        resolve(false);
    bool nested = resolving; /* a tool that is being started calls */
    if (!nested && !turn_take())
        return;
    const struct runtime *real = steps >= SETTLED ? runtime_first() : NULL;
    if (real && !tracking())
        start_tracking(real);
    if (real && mode_is(MODE_OFF))
        set_mode(MODE_ON);
    if (!nested)
        turn_give();
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
    consumers_forked();
    if (!resolving)
        turn = 0;
    if (steps < USED || !tools_asked())
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
    inheritance_start();
    runtimes_start();
    locations_start();
    if (environment_says("OMP_OMPD", "on") || environment_says("OMP_DEBUG", "enabled"))
        enable();
    else
        resolve(false);
    if (steps == BEGUN)
        locations_hand_on(runtimes_symbol("ompd_dll_locations"));
    if (runtimes_symbol("omp_get_thread_num")) /* also of one that is not recorded */
        inheritance_end();
}
