/* SPDX-License-Identifier: MIT
 *
 * What a thread is told about itself, from its own record. Nothing here takes a lock or
 * memory: signal handlers ask.
 */
#include "collector.h"
#include "self.h"

static OMP_COLLECTOR_API_THR_STATE state_of(uint64_t status)
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
    case STATE_WAIT_BARRIER_EXPLICIT:
        return THR_EBAR_STATE;
    case STATE_WAIT_LOCK:
    case STATE_WAIT_NEST_LOCK:
        return THR_LKWT_STATE;
    case STATE_WAIT_CRITICAL:
        return THR_CTWT_STATE;
    case STATE_WAIT_ATOMIC:
        return THR_ATWT_STATE;
    case STATE_WAIT_ORDERED:
        return THR_ODWT_STATE;
    case STATE_OVERHEAD:
    case STATE_WAIT_TASKWAIT: /* the paper is older than tasks */
    case STATE_WAIT_TASKGROUP:
        break;
    }
    return STATUS_REGION(status) ? THR_OVHD_STATE : THR_SERIAL_STATE;
}

/* The region that the thread is about to open, in its FORK. */
static const struct rec_region *forking(const struct thread *t)
{
    const struct region *r = collector_forking;
    return t && r && STATUS_REGION(self_status(t)) == r->rec.parent_id ? &r->rec : NULL;
}

OMP_COLLECTOR_API_THR_STATE collector_state(uintptr_t *wait_id)
{
    const struct thread *t = self_known();
    *wait_id = 0;
    if (!t)
        return self_unknown_region(t) ? THR_OVHD_STATE : THR_SERIAL_STATE;
    if (forking(t))
        return THR_OVHD_STATE;
    uint64_t status = self_status(t);
    OMP_COLLECTOR_API_THR_STATE state = state_of(status);
    if (state >= THR_LKWT_STATE || state == THR_IBAR_STATE || state == THR_EBAR_STATE)
        *wait_id = (uintptr_t)self_wait_id(t, status);
    return state;
}

OMP_COLLECTORAPI_EC collector_current_region(uint64_t *id)
{
    const struct thread *t = self_known();
    if (self_unknown_region(t))
        return OMP_ERRCODE_THREAD_ERR;
    const struct rec_region *region = forking(t);
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
