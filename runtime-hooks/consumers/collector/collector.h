/* SPDX-License-Identifier: MIT
 *
 * Shared by the files of the Collector API: the session, and the queries about the
 * calling thread, which are async-signal-safe.
 */
#ifndef OMPD_HOOKS_COLLECTOR_H
#define OMPD_HOOKS_COLLECTOR_H

#include "core/hooks.h"
#include "consumers/collector/omp_collector_api.h"

#pragma GCC visibility push(hidden)

typedef void (*collector_callback)(OMP_COLLECTORAPI_EVENT);

/* session.c */
bool collector_started(void);

/* True if regions may have been open when recording started. */
bool collector_started_late(void);
struct consumer;
OMP_COLLECTORAPI_EC collector_start(struct consumer *of_session);
OMP_COLLECTORAPI_EC collector_stop(void);
OMP_COLLECTORAPI_EC collector_register(int event, collector_callback callback);
OMP_COLLECTORAPI_EC collector_unregister(int event);
OMP_COLLECTORAPI_EC collector_pause(bool pause);

/* Subscribes to the events that the current registrations need. */
void collector_subscribe(void);

/* Invokes the callback that is registered for the event, unless paused. */
void collector_raise(OMP_COLLECTORAPI_EVENT event);

/* events.c */
extern struct consumer consumer_collector;

/* The region whose FORK callback the thread is in, or NULL. The callback sees
 * it as the current region, though the records do not yet. */
struct region;
extern __thread const struct region *collector_forking __attribute__((tls_model("initial-exec")));

/* answers.c */
OMP_COLLECTOR_API_THR_STATE collector_state(uintptr_t *wait_id);
OMP_COLLECTORAPI_EC collector_current_region(uint64_t *id);
OMP_COLLECTORAPI_EC collector_parent_region(uint64_t *id);

#pragma GCC visibility pop

#endif
