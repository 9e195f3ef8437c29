/* SPDX-License-Identifier: MIT
 *
 * __omp_collector_api(): decodes a batch, checks each entry and dispatches it.
 *
 * A pair of an int and a pointer has the layout of a C structure if mem has room for it,
 * and is packed if not: existing collectors use either.
 */
#include "consumers/collector/collector.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct header {
    int32_t size, request, code, result_size;
};
_Static_assert(sizeof(struct header) == 16, "the header of an entry is four ints");

/* The payload of an entry. */
struct mem {
    char *bytes;
    size_t size;
};

#define ALIGNMENT(type)                                                                            \
    offsetof(                                                                                      \
        struct {                                                                                   \
            char c;                                                                                \
            type value;                                                                            \
        },                                                                                         \
        value)

static bool aligned(const void *address, size_t alignment)
{
    return (uintptr_t)address % alignment == 0;
}

/* The offset of the pointer of a pair. 0 if the pair does not fit or is misaligned, with
 * the error in `code`. */
static size_t second_of_pair(struct mem mem, OMP_COLLECTORAPI_EC too_small,
                             OMP_COLLECTORAPI_EC *code)
{
    struct pair {
        int32_t first;
        void *second;
    };
    size_t tight = sizeof(int32_t) + sizeof(void *);
    *code = too_small;
    if (mem.size < tight)
        return 0;
    if (mem.size < sizeof(struct pair))
        return sizeof(int32_t);
    *code = OMP_ERRCODE_ERROR;
    return aligned(mem.bytes, ALIGNMENT(void *)) ? offsetof(struct pair, second) : 0;
}

#define PAIR_SIZE (2 * sizeof(void *))

/* False if the address is known not to be executable; without /proc that is unknown.
 * Rejects a pair whose layout is not the one expected above. */
static bool is_code(uintptr_t address)
{
    FILE *maps = address ? fopen("/proc/self/maps", "re") : NULL;
    bool found = address && !maps;
    char line[512]; /* the rest of a longer line does not match the format */
    while (maps && !found && fgets(line, sizeof(line), maps)) {
        uintmax_t start, end;
        char execute;
        found = sscanf(line, "%jx-%jx %*1[r-]%*1[w-]%c", &start, &end, &execute) == 3 &&
                execute == 'x' && address >= start && address < end;
    }
    if (maps)
        fclose(maps);
    return found;
}

static OMP_COLLECTORAPI_EC handle_register(struct mem mem)
{
    OMP_COLLECTORAPI_EC code;
    size_t second = second_of_pair(mem, OMP_ERRCODE_ERROR, &code);
    if (!second)
        return code;
    int32_t event;
    collector_callback callback;
    memcpy(&event, mem.bytes, sizeof(event));
    memcpy(&callback, mem.bytes + second, sizeof(callback));
    if (!is_code((uintptr_t)callback))
        return OMP_ERRCODE_ERROR;
    return collector_register(event, callback);
}

static OMP_COLLECTORAPI_EC handle_unregister(struct mem mem)
{
    int32_t event;
    if (mem.size < sizeof(event))
        return OMP_ERRCODE_ERROR;
    memcpy(&event, mem.bytes, sizeof(event));
    return collector_unregister(event);
}

static OMP_COLLECTORAPI_EC handle_state(struct mem mem, int32_t *result_size)
{
    OMP_COLLECTORAPI_EC code;
    size_t second = second_of_pair(mem, OMP_ERRCODE_MEM_TOO_SMALL, &code);
    if (!second) {
        *result_size = code == OMP_ERRCODE_MEM_TOO_SMALL ? (int32_t)PAIR_SIZE : 0;
        return code;
    }
    uintptr_t wait_id;
    int32_t state = (int32_t)collector_state(&wait_id);
    memcpy(mem.bytes, &state, sizeof(state));
    memcpy(mem.bytes + second, &wait_id, sizeof(wait_id));
    *result_size = (int32_t)(second + sizeof(wait_id));
    return OMP_ERRCODE_OK;
}

static OMP_COLLECTORAPI_EC handle_region(struct mem mem, int32_t *result_size,
                                         OMP_COLLECTORAPI_EC (*query)(uint64_t *))
{
    uint64_t id;
    if (mem.size < sizeof(id)) {
        *result_size = sizeof(id);
        return OMP_ERRCODE_MEM_TOO_SMALL;
    }
    if (!aligned(mem.bytes, ALIGNMENT(uint64_t)))
        return OMP_ERRCODE_ERROR;
    OMP_COLLECTORAPI_EC code = query(&id);
    if (code != OMP_ERRCODE_OK)
        return code;
    memcpy(mem.bytes, &id, sizeof(id));
    *result_size = sizeof(id);
    return OMP_ERRCODE_OK;
}

static OMP_COLLECTORAPI_EC dispatch(int32_t request, struct mem mem, int32_t *result_size)
{
    *result_size = 0;
    if (request < 0 || request >= OMP_REQ_LAST)
        return OMP_ERRCODE_UNKNOWN;
    if (request == OMP_REQ_START)
        return collector_start(&consumer_collector);
    if (!collector_started())
        return OMP_ERRCODE_SEQUENCE_ERR;
    switch ((OMP_COLLECTORAPI_REQUEST)request) {
    case OMP_REQ_REGISTER:
        return handle_register(mem);
    case OMP_REQ_UNREGISTER:
        return handle_unregister(mem);
    case OMP_REQ_STATE:
        return handle_state(mem, result_size);
    case OMP_REQ_CURRENT_PRID:
        return handle_region(mem, result_size, collector_current_region);
    case OMP_REQ_PARENT_PRID:
        return handle_region(mem, result_size, collector_parent_region);
    case OMP_REQ_STOP:
        return collector_stop();
    case OMP_REQ_PAUSE:
    case OMP_REQ_RESUME:
        return collector_pause(request == OMP_REQ_PAUSE);
    case OMP_REQ_START:
    case OMP_REQ_LAST:
        break;
    }
    return OMP_ERRCODE_UNKNOWN;
}

EXPORT int __omp_collector_api(void *arg)
{
    if (!arg || !aligned(arg, ALIGNMENT(int32_t)))
        return -1;
    for (char *at = arg;;) {
        int32_t size;
        memcpy(&size, at, sizeof(size)); /* the batch may end after it */
        if (size == 0)
            return 0;
        if (size < (int32_t)sizeof(struct header) || size % 4)
            return -1;
        struct header head;
        memcpy(&head, at, sizeof(head));
        struct mem mem = {at + sizeof(head), (size_t)size - sizeof(head)};
        head.code = (int32_t)dispatch(head.request, mem, &head.result_size);
        memcpy(at, &head, sizeof(head));
        at += size;
    }
}
