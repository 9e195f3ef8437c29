/* SPDX-License-Identifier: MIT
 *
 * Handles of threads, regions and tasks: made, checked, compared, released.
 */
#include <stdalign.h>

#include "libompd/handle/handle.h"

/* Told apart by kind, so that a task's handle is no valid thread handle. */
static const uint64_t handle_magic[] = {
    [HANDLE_THREAD] = UINT64_C(0x6f6d70642d746872),
    [HANDLE_PARALLEL] = UINT64_C(0x6f6d70642d706172),
    [HANDLE_TASK] = UINT64_C(0x6f6d70642d74736b),
    [HANDLE_IMPLICIT] = UINT64_C(0x6f6d70642d696d70),
    [HANDLE_DEVICE] = UINT64_C(0x6f6d70642d646576),
};

enum rc handle_create(struct instance *instance, enum handle_kind kind, struct ref ref,
                      struct handle **out)
{
    void *memory;
    enum rc rc = instance->space->ops->alloc(sizeof(struct handle), &memory);
    if (rc != RC_OK)
        return rc;
    struct handle *handle = memory, **first = &instance->space->handles;
    *handle = (struct handle){
        handle_magic[kind], instance->space, instance, instance->serial, ref, *first, first};
    if (*first)
        (*first)->link = &handle->next;
    *first = handle;
    *out = handle;
    return RC_OK;
}

/* Without the magic number a later use of the pointer is detected, while the allocator does
 * not overwrite the memory. */
void handle_destroy(struct handle *handle)
{
    handle->magic = 0;
    *handle->link = handle->next;
    if (handle->next)
        handle->next->link = handle->link;
    handle->space->ops->release(handle);
}

static enum rc check_made(const struct handle *handle, enum handle_kind kind)
{
    if (!handle || (uintptr_t)handle % alignof(struct handle) != 0 ||
        handle->magic != handle_magic[kind])
        return RC_STALE_HANDLE;
    return space_check(handle->space);
}

enum rc handle_check(const struct handle *handle, enum handle_kind kind)
{
    enum rc rc = check_made(handle, kind);
    return rc == RC_OK && handle->serial != handle->instance->serial ? RC_STALE_HANDLE : rc;
}

enum rc handle_release(struct handle *handle, enum handle_kind kind)
{
    enum rc rc = check_made(handle, kind); /* also of a runtime that was closed */
    if (rc == RC_OK)
        handle_destroy(handle);
    return rc;
}

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static uint64_t place_of(const struct handle *handle)
{
    return (uint64_t)(handle->instance - handle->space->instances);
}

/* Ids are unique in an instance, and the context says which process is meant. */
int handle_order(const struct handle *a, const struct handle *b)
{
    int order = compare((uintptr_t)a->space->context, (uintptr_t)b->space->context);
    if (!order)
        order = compare(a->ref.id, b->ref.id);
    return order ? order : compare(place_of(a), place_of(b));
}

enum rc handle_compare(const struct handle *a, const struct handle *b, enum handle_kind kind,
                       int *out)
{
    enum rc rc = handle_check(a, kind);
    if (rc == RC_OK)
        rc = handle_check(b, kind);
    if (rc == RC_OK)
        *out = handle_order(a, b);
    return rc;
}
