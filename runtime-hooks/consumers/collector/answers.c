/* SPDX-License-Identifier: MIT
 *
 * What a thread is told about itself, from its own record. Nothing here takes a lock or
 * memory: signal handlers ask.
 */
#include "consumers/collector/collector.h"
#include "state/self.h"

static OMP_COLLECTOR_API_THR_STATE overhead(bool inside)
{
    return inside ? THR_OVHD_STATE : THR_SERIAL_STATE;
}

/* The record of a thread is in the state of a wait from when it meets the construct, also when
 * the mutex is free. */
static OMP_COLLECTOR_API_THR_STATE state_of(const struct thread *t, uint64_t status,
                                            bool inside)
{
    switch ((enum thread_state)(status & 0xff)) {
    case STATE_WORK_SERIAL:
        return THR_SERIAL_STATE;
    case STATE_WORK_PARALLEL:
        return THR_WORK_STATE;
    case STATE_IDLE:
        return THR_IDLE_STATE;
    case STATE_WAIT_BARRIER_IMPLICIT:
        return THR_IBAR_STATE;
    case STATE_WAIT_BARRIER:
        return THR_EBAR_STATE;
    case STATE_WAIT_LOCK:
    case STATE_WAIT_NEST_LOCK:
        return t->asked == MUTEX_FREE ? overhead(inside) : THR_LKWT_STATE;
    case STATE_WAIT_CRITICAL:
        return t->asked == MUTEX_FREE ? overhead(inside) : THR_CTWT_STATE;
    case STATE_WAIT_ATOMIC:
        return t->asked == MUTEX_FREE ? overhead(inside) : THR_ATWT_STATE;
    case STATE_WAIT_ORDERED:
        return THR_ODWT_STATE;
    case STATE_OVERHEAD:
    case STATE_WAIT_TASKWAIT: /* the paper is older than tasks */
    case STATE_WAIT_TASKGROUP:
        break;
    }
    return overhead(inside);
}

/* The region that the thread is about to open, in its FORK. */
static const struct rec_region *forking(const struct thread *t)
{
    const struct region *r = collector_forking;
    return t && r && STATUS_REGION(self_status(t)) == r->rec.parent_id ? &r->rec : NULL;
}

/* A region that was open when the recording began: there is nothing to read of it. It is over
 * when the thread is outside of all regions. */
static bool in_unknown_region(const struct thread *t)
{
    return (!t || t->untracked) && self_unknown_region(t) &&
           self_runtime()->omp_get_level() > 0;
}

/* The runtime has made the thread for a team and it has not begun to work yet: no thread can
 * be in an unknown region when all have been recorded from the first one on. */
static bool is_newborn(const struct thread *t)
{
    return !t && !collector_came_late() && in_unknown_region(t);
}

OMP_COLLECTOR_API_THR_STATE collector_state(uintptr_t *wait_id)
{
    const struct thread *t = self_known();
    *wait_id = 0;
    if (region_entering || forking(t))
        return THR_OVHD_STATE;
    bool unknown = in_unknown_region(t);
    if (!t)
        return is_newborn(t) ? THR_IDLE_STATE : unknown ? THR_WORK_STATE : THR_SERIAL_STATE;
    if (t->untracked && !unknown)
        return THR_SERIAL_STATE;
    uint64_t status = self_status(t);
    OMP_COLLECTOR_API_THR_STATE state =
        state_of(t, status, unknown || STATUS_REGION(status) != 0);
    if (state >= THR_LKWT_STATE || state == THR_IBAR_STATE || state == THR_EBAR_STATE)
        *wait_id = (uintptr_t)self_wait_id(t, status);
    return state;
}

OMP_COLLECTORAPI_EC collector_current_region(uint64_t *id)
{
    const struct thread *t = self_known();
    const struct region *entering = region_entering;
    if (!entering && in_unknown_region(t) && !is_newborn(t))
        return OMP_ERRCODE_THREAD_ERR;
    const struct rec_region *region = entering ? &entering->rec : forking(t);
    *id = region ? region->id : t ? STATUS_REGION(self_status(t)) : 0;
    return OMP_ERRCODE_OK;
}

OMP_COLLECTORAPI_EC collector_parent_region(uint64_t *id)
{
    const struct thread *t = self_known();
    const struct rec_region *region = forking(t);
    if (!region && t)
        region = self_region(t, 0);
    if (!region || region->master_id != t->id)
        return OMP_ERRCODE_THREAD_ERR;
    *id = region->parent_id;
    return OMP_ERRCODE_OK;
}
