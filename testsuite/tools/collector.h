/* SPDX-License-Identifier: MIT
 *
 * What programs that use the Collector API share: the function, found as a collector
 * finds it, and batches of one or more entries.
 */
#ifndef TOOLS_COLLECTOR_H
#define TOOLS_COLLECTOR_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime-hooks/consumers/collector/omp_collector_api.h"

typedef int (*collector_fn)(void *);

static inline collector_fn collector_find(void)
{
    void *found = dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API);
    collector_fn collector;
    memcpy(&collector, &found, sizeof(collector));
    return collector;
}

struct entry {
    int32_t size, request, code, result_size;
    union {
        struct {
            int32_t event;
            void (*callback)(OMP_COLLECTORAPI_EVENT);
        } registration;
        struct {
            int32_t state;
            void *wait_id;
        } state;
        uint64_t region;
    } mem;
};

/* One request with all of mem. Its code, or -1 if the batch was refused. */
static inline int collector_ask(collector_fn collector, int request, struct entry *entry)
{
    struct {
        struct entry entry __attribute__((aligned(8)));
        int32_t end;
    } batch = {*entry, 0};
    batch.entry.size = sizeof(batch.entry);
    batch.entry.request = request;
    batch.entry.code = -2;
    batch.entry.result_size = -2;
    int result = collector(&batch);
    *entry = batch.entry;
    return result ? -1 : batch.entry.code;
}

static inline int collector_simple(collector_fn collector, int request)
{
    struct entry entry = {0};
    return collector_ask(collector, request, &entry);
}

static inline int collector_listen(collector_fn collector, int event,
                                   void (*callback)(OMP_COLLECTORAPI_EVENT))
{
    struct entry entry = {.mem.registration = {event, callback}};
    return collector_ask(collector, OMP_REQ_REGISTER, &entry);
}

static inline int collector_unlisten(collector_fn collector, int event)
{
    struct entry entry = {.mem.registration = {event, NULL}};
    return collector_ask(collector, OMP_REQ_UNREGISTER, &entry);
}

/* The thread's state and what it waits for; -1 if there is no answer. */
static inline int collector_my_state(collector_fn collector, uintptr_t *wait_id)
{
    struct entry entry = {0};
    if (collector_ask(collector, OMP_REQ_STATE, &entry) != OMP_ERRCODE_OK)
        return -1;
    if (wait_id)
        *wait_id = (uintptr_t)entry.mem.state.wait_id;
    return entry.mem.state.state;
}

/* CURRENT_PRID or PARENT_PRID. */
static inline int collector_my_region(collector_fn collector, int request, uint64_t *id)
{
    struct entry entry = {0};
    int code = collector_ask(collector, request, &entry);
    *id = entry.mem.region;
    return code;
}

#endif
