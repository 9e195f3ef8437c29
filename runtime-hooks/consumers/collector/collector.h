/* SPDX-License-Identifier: MIT
 *
 * What the files of the Collector share: the session, and the answers that threads get
 * about themselves. The answers may be had in signal handlers.
 */
#ifndef OMPD_HOOKS_COLLECTOR_H
#define OMPD_HOOKS_COLLECTOR_H

#include "core/hooks.h"
#include "consumers/collector/omp_collector_api.h"

#pragma GCC visibility push(hidden)

typedef void (*collector_callback)(OMP_COLLECTORAPI_EVENT);

/* session.c */
bool collector_started(void);

/* Regions may have been opened before the recording began. */
bool collector_came_late(void);
OMP_COLLECTORAPI_EC collector_start(void);
OMP_COLLECTORAPI_EC collector_stop(void);
OMP_COLLECTORAPI_EC collector_register(int event, collector_callback callback);
OMP_COLLECTORAPI_EC collector_unregister(int event);
OMP_COLLECTORAPI_EC collector_pause(bool pause);

/* Tells the seam what has to be heard for the present registrations. */
void collector_listen(void);

/* Calls back for the event if somebody wants to hear of it. */
void collector_raise(OMP_COLLECTORAPI_EVENT event);

/* events.c: the region whose FORK this thread is telling. It is the thread's current one
 * to the collector before it is so in the records. */
struct region;
extern __thread const struct region *collector_forking
    __attribute__((tls_model("initial-exec")));

/* answers.c */
OMP_COLLECTOR_API_THR_STATE collector_state(uintptr_t *wait_id);
OMP_COLLECTORAPI_EC collector_current_region(uint64_t *id);
OMP_COLLECTORAPI_EC collector_parent_region(uint64_t *id);

#pragma GCC visibility pop

#endif
