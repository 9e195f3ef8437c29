/* SPDX-License-Identifier: MIT
 *
 * The Collector API: a profiler inside the process requests states, region ids and events
 * from the OpenMP runtime. Names and numbers are those of the ARB white paper "An OpenMP
 * Runtime API for Profiling" (2007).
 *
 * A collector looks up the function by dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API), so that it
 * also works in programs without OpenMP.
 */
#ifndef OMP_COLLECTOR_API_H
#define OMP_COLLECTOR_API_H

#ifdef __cplusplus
extern "C" {
#endif

#define OMP_COLLECTOR_API "__omp_collector_api"

/* `arg` is a batch of consecutive entries, terminated by an int that is 0:
 *
 *     int sz    length of the entry in bytes, these four ints included; a multiple of 4
 *     int r#    OMP_COLLECTORAPI_REQUEST
 *     int ec    set by the runtime: OMP_COLLECTORAPI_EC
 *     int rsz   set by the runtime: bytes returned in mem, or needed there
 *     char mem[sz - 16]   parameters and results
 *
 * Returns 0 if the batch was read to its end, whatever the results of its requests; -1
 * if it is malformed, after the entries before the error have been processed. */
int __omp_collector_api(void *arg);

/* Parameters -> results. Those marked * may be made in a signal handler. */
typedef enum {
    OMP_REQ_START = 0,
    OMP_REQ_REGISTER = 1,     /* OMP_COLLECTORAPI_EVENT, void (*)(OMP_COLLECTORAPI_EVENT) */
    OMP_REQ_UNREGISTER = 2,   /* OMP_COLLECTORAPI_EVENT */
    OMP_REQ_STATE = 3,        /* * -> OMP_COLLECTOR_API_THR_STATE, void *wait_id */
    OMP_REQ_CURRENT_PRID = 4, /* * -> uint64_t region id, 0 outside all regions */
    OMP_REQ_PARENT_PRID = 5,  /* * -> uint64_t id of the enclosing region, or 0 */
    OMP_REQ_STOP = 6,
    OMP_REQ_PAUSE = 7,
    OMP_REQ_RESUME = 8,
    OMP_REQ_LAST
} OMP_COLLECTORAPI_REQUEST;

typedef enum {
    OMP_ERRCODE_OK = 0,
    OMP_ERRCODE_ERROR = 1,        /* a parameter is missing or mem is not aligned */
    OMP_ERRCODE_UNKNOWN = 2,      /* no such request, or no such event */
    OMP_ERRCODE_UNSUPPORTED = 3,  /* known, but not offered here */
    OMP_ERRCODE_SEQUENCE_ERR = 4, /* at the wrong time: before START, or a second START */
    OMP_ERRCODE_OBSOLETE = 5,
    OMP_ERRCODE_THREAD_ERR = 6,    /* unknown on the calling thread */
    OMP_ERRCODE_MEM_TOO_SMALL = 7, /* rsz says how many bytes mem must have */
    OMP_ERRCODE_LAST
} OMP_COLLECTORAPI_EC;

typedef enum {
    OMP_EVENT_FORK = 1,
    OMP_EVENT_JOIN = 2,
    OMP_EVENT_THR_BEGIN_IDLE = 3,
    OMP_EVENT_THR_END_IDLE = 4,
    OMP_EVENT_THR_BEGIN_IBAR = 5, /* implicit barrier */
    OMP_EVENT_THR_END_IBAR = 6,
    OMP_EVENT_THR_BEGIN_EBAR = 7, /* explicit barrier */
    OMP_EVENT_THR_END_EBAR = 8,
    OMP_EVENT_THR_BEGIN_LKWT = 9, /* lock */
    OMP_EVENT_THR_END_LKWT = 10,
    OMP_EVENT_THR_BEGIN_CTWT = 11, /* critical section */
    OMP_EVENT_THR_END_CTWT = 12,
    OMP_EVENT_THR_BEGIN_ODWT = 13, /* wait for an ordered section */
    OMP_EVENT_THR_END_ODWT = 14,
    OMP_EVENT_THR_BEGIN_MASTER = 15,
    OMP_EVENT_THR_END_MASTER = 16,
    OMP_EVENT_THR_BEGIN_SINGLE = 17,
    OMP_EVENT_THR_END_SINGLE = 18,
    OMP_EVENT_THR_BEGIN_ORDERED = 19, /* inside the section */
    OMP_EVENT_THR_END_ORDERED = 20,
    OMP_EVENT_THR_BEGIN_ATWT = 21, /* atomic */
    OMP_EVENT_THR_END_ATWT = 22,
    OMP_EVENT_THR_RESERVED_IMPL = 4096, /* from here on a runtime's own */
    OMP_EVENT_LAST
} OMP_COLLECTORAPI_EVENT;

typedef enum {
    THR_OVHD_STATE = 1, /* inside a region, in the runtime */
    THR_WORK_STATE = 2, /* inside a region, in user code */
    THR_IBAR_STATE = 3, /* the wait id is that of the barrier */
    THR_EBAR_STATE = 4,
    THR_IDLE_STATE = 5,   /* a worker without a region */
    THR_SERIAL_STATE = 6, /* outside all regions, and not a worker */
    THR_REDUC_STATE = 7,
    THR_LKWT_STATE = 8, /* the wait id is that of the lock, here and below */
    THR_CTWT_STATE = 9,
    THR_ODWT_STATE = 10, /* but here of the ordered region */
    THR_ATWT_STATE = 11,
    THR_LAST_STATE
} OMP_COLLECTOR_API_THR_STATE;

#ifdef __cplusplus
}
#endif

#endif
