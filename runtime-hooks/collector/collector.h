/* SPDX-License-Identifier: MIT
 *
 * What the files of the Collector share: the session, and the answers that threads get
 * about themselves. All but start, stop and the registrations may be called in signal
 * handlers.
 */
#ifndef OMPD_HOOKS_COLLECTOR_H
#define OMPD_HOOKS_COLLECTOR_H

#include "hooks.h"
#include "omp_collector_api.h"

#pragma GCC visibility push(hidden)

typedef void (*collector_callback)(OMP_COLLECTORAPI_EVENT);

/* session.c */
bool collector_started(void);
OMP_COLLECTORAPI_EC collector_start(void);
OMP_COLLECTORAPI_EC collector_stop(void);
OMP_COLLECTORAPI_EC collector_register(int event, collector_callback callback);
OMP_COLLECTORAPI_EC collector_unregister(int event);
OMP_COLLECTORAPI_EC collector_pause(bool pause);

/* Calls back for the event if somebody wants to hear of it. */
void collector_raise(OMP_COLLECTORAPI_EVENT event);

/* answers.c */
OMP_COLLECTOR_API_THR_STATE collector_state(uintptr_t *wait_id);
OMP_COLLECTORAPI_EC collector_current_region(uint64_t *id);
OMP_COLLECTORAPI_EC collector_parent_region(uint64_t *id);

#pragma GCC visibility pop

#endif
