/* SPDX-License-Identifier: MIT
 *
 * The session between START and STOP, and the registered callbacks.
 *
 * The state is single words with atomic access: events are raised on any thread and do
 * not block here. An event in progress on another thread while its registration changes
 * may still invoke the callback that was registered before.
 */
#include "consumers/collector/collector.h"
#include "state/events.h"
#include "core/lock.h"
#include "core/runtimes.h"

enum { COUNT = OMP_EVENT_THR_END_ATWT + 1 };

static struct consumer *consumer;
static uint32_t started, paused, late;
static collector_callback callbacks[COUNT];

#define NEEDS(event) EVENT_BIT(event)
#define NOTHING 0
static const uint32_t needs[COUNT] = {
#define COLLECTOR_EVENT(name, code, needs, remark) [code] = needs,
#include "consumers/collector/events.def"
#undef COLLECTOR_EVENT
};

#define COLLECTOR_EVENT(name, code, needs, remark)                                                 \
    _Static_assert(OMP_EVENT_##name == (code), "events.def and the header differ");
#include "consumers/collector/events.def"
#undef COLLECTOR_EVENT

/* Serialized by the lock, so that the last subscription covers all registrations. */
void collector_subscribe(void)
{
    hooks_lock();
    bool open = collector_started();
    uint32_t wants = open ? EVENT_BIT(mutex_wait) : 0; /* for STATE, also while paused */
    open = open && !__atomic_load_n(&paused, __ATOMIC_RELAXED);
    for (unsigned i = 0; open && i < COUNT; i++)
        if (__atomic_load_n(&callbacks[i], __ATOMIC_RELAXED))
            wants |= needs[i];
    consumer_wants(consumer, wants);
    hooks_unlock();
}

bool collector_started(void)
{
    return __atomic_load_n(&started, __ATOMIC_ACQUIRE);
}

/* glibc 2.32 and later. */
extern char __libc_single_threaded __attribute__((weak, visibility("default")));

/* True if this thread is in a region, or if there are other threads: theirs is
 * unknown. */
static bool may_be_in_regions(void)
{
    const struct thread *t = hooks_self;
    return !&__libc_single_threaded || !__libc_single_threaded || (t && t->untracked);
}

bool collector_started_late(void)
{
    return __atomic_load_n(&late, __ATOMIC_RELAXED);
}

/* START succeeds without a runtime, as one that is loaded later will be recorded, unless
 * LLVM's is present. */
OMP_COLLECTORAPI_EC collector_start(struct consumer *of_session)
{
    if (collector_started())
        return OMP_ERRCODE_SEQUENCE_ERR;
    bool was_off = hooks_off();
    if (!hooks_record() && (hooks_off() || runtimes_symbol("__kmpc_fork_call")))
        return OMP_ERRCODE_UNSUPPORTED;
    if (was_off && may_be_in_regions())
        __atomic_store_n(&late, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&paused, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&consumer, of_session, __ATOMIC_RELAXED);
    if (__atomic_exchange_n(&started, 1, __ATOMIC_ACQ_REL))
        return OMP_ERRCODE_SEQUENCE_ERR;
    collector_subscribe();
    return OMP_ERRCODE_OK;
}

OMP_COLLECTORAPI_EC collector_stop(void)
{
    __atomic_store_n(&started, 0, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < COUNT; i++)
        __atomic_store_n(&callbacks[i], NULL, __ATOMIC_RELAXED);
    collector_subscribe();
    return OMP_ERRCODE_OK;
}

static OMP_COLLECTORAPI_EC check_event(int event)
{
    if (event < OMP_EVENT_FORK || event >= COUNT)
        return OMP_ERRCODE_UNKNOWN;
    return needs[event] ? OMP_ERRCODE_OK : OMP_ERRCODE_UNSUPPORTED;
}

OMP_COLLECTORAPI_EC collector_register(int event, collector_callback callback)
{
    OMP_COLLECTORAPI_EC code = check_event(event);
    if (code != OMP_ERRCODE_OK)
        return code;
    if (!callback)
        return OMP_ERRCODE_ERROR;
    __atomic_store_n(&callbacks[event], callback, __ATOMIC_RELEASE);
    collector_subscribe();
    return OMP_ERRCODE_OK;
}

OMP_COLLECTORAPI_EC collector_unregister(int event)
{
    if (event < OMP_EVENT_FORK || event >= COUNT)
        return OMP_ERRCODE_UNKNOWN;
    __atomic_store_n(&callbacks[event], NULL, __ATOMIC_RELEASE);
    collector_subscribe();
    return OMP_ERRCODE_OK;
}

OMP_COLLECTORAPI_EC collector_pause(bool pause)
{
    __atomic_store_n(&paused, pause, __ATOMIC_RELAXED);
    collector_subscribe();
    return OMP_ERRCODE_OK;
}

void collector_raise(OMP_COLLECTORAPI_EVENT event)
{
    collector_callback callback = __atomic_load_n(&callbacks[event], __ATOMIC_ACQUIRE);
    if (callback && !__atomic_load_n(&paused, __ATOMIC_RELAXED))
        callback(event);
}
