/* SPDX-License-Identifier: MIT
 *
 * Queries about the calling thread: STATE, CURRENT_PRID, PARENT_PRID. Async-signal-safe:
 * they read the thread's own record, acquire no lock and allocate nothing.
 */
#include "consumers/collector/collector.h"
#include "state/self.h"

static OMP_COLLECTOR_API_THR_STATE overhead(bool inside)
{
    return inside ? THR_OVHD_STATE : THR_SERIAL_STATE;
}

/* A record has the wait state from the call on, even if the mutex is free; then it is
 * reported as overhead. */
static OMP_COLLECTOR_API_THR_STATE state_of(const struct thread *t, uint64_t status, bool inside)
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
        return t->contention == MUTEX_FREE ? overhead(inside) : THR_LKWT_STATE;
    case STATE_WAIT_CRITICAL:
        return t->contention == MUTEX_FREE ? overhead(inside) : THR_CTWT_STATE;
    case STATE_WAIT_ATOMIC:
        return t->contention == MUTEX_FREE ? overhead(inside) : THR_ATWT_STATE;
    case STATE_WAIT_ORDERED:
        return THR_ODWT_STATE;
    case STATE_OVERHEAD:
    case STATE_WAIT_TASKWAIT: /* the white paper predates tasks */
    case STATE_WAIT_TASKGROUP:
        break;
    }
    return overhead(inside);
}

/* The region that is being opened, inside a FORK callback of the thread, else NULL. */
static const struct rec_region *forking(const struct thread *t)
{
    const struct region *r = collector_forking;
    return t && r && STATUS_REGION(self_status(t)) == r->rec.parent_id ? &r->rec : NULL;
}

/* True inside a region that was open when recording started and so has no record. It has
 * ended once the runtime's nesting level is 0. */
static bool in_unknown_region(const struct thread *t)
{
    return (!t || t->untracked) && self_unknown_region(t) && self_runtime()->omp_get_level() > 0;
}

/* True on a worker that has been created for a team and has not begun its implicit task.
 * A thread without a record can be nothing else if all regions have been recorded. */
static bool is_new_worker(const struct thread *t)
{
    return !t && !collector_started_late() && in_unknown_region(t);
}

OMP_COLLECTOR_API_THR_STATE collector_state(uintptr_t *wait_id)
{
    const struct thread *t = self_known();
    *wait_id = 0;
    if (region_entering || forking(t))
        return THR_OVHD_STATE;
    bool unknown = in_unknown_region(t);
    if (!t)
        return is_new_worker(t) ? THR_IDLE_STATE : unknown ? THR_WORK_STATE : THR_SERIAL_STATE;
    if (t->untracked && !unknown)
        return THR_SERIAL_STATE;
    uint64_t status = self_status(t);
    OMP_COLLECTOR_API_THR_STATE state = state_of(t, status, unknown || STATUS_REGION(status) != 0);
    if (state >= THR_LKWT_STATE || state == THR_IBAR_STATE || state == THR_EBAR_STATE)
        *wait_id = (uintptr_t)self_wait_id(t, status);
    return state;
}

OMP_COLLECTORAPI_EC collector_current_region(uint64_t *id)
{
    const struct thread *t = self_known();
    const struct region *entering = region_entering;
    if (!entering && in_unknown_region(t) && !is_new_worker(t))
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
