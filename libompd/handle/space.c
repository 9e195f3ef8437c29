/* SPDX-License-Identifier: MIT
 *
 * The address space: where work on a process begins and ends.
 */
#include <string.h>

#include "libompd/handle/handle.h"
#include "libompd/runtime/reader.h"
#include "libompd/target/target.h"

enum rc space_create(const struct target_ops *ops, void *context, struct space **out)
{
    struct space space;
    memset(&space, 0, sizeof space);
    space.ops = ops;
    space.context = context;
    enum rc rc = target_describe(&space);
    if (rc == RC_OK)
        rc = instances_open(&space);
    if (rc != RC_OK)
        return rc;

    void *memory;
    rc = ops->alloc(sizeof space, &memory);
    if (rc != RC_OK) {
        instances_close(&space);
        return rc;
    }
    space.magic = SPACE_MAGIC;
    struct space *made = memory;
    memcpy(made, &space, sizeof space);
    for (unsigned place = 0; place < INSTANCES_MAX; place++)
        made->instances[place].space = made;
    *out = made;
    return RC_OK;
}

void space_destroy(struct space *space)
{
    while (space->handles)
        handle_destroy(space->handles);
    instances_close(space);
    space->magic = 0;
    space->ops->release(space);
}

enum rc space_instance(struct space *space, struct instance **out)
{
    enum rc rc = space_check(space);
    if (rc != RC_OK)
        return rc;
    for (unsigned place = 0; rc == RC_OK && place < INSTANCES_MAX; place++)
        rc = reader_wake(&space->instances[place]);
    if (rc != RC_OK)
        return rc;
    struct instance *first = instance_next(space, NULL);
    if (!first && instances_refresh(space))
        first = instance_next(space, NULL);
    if (!first)
        return RC_UNAVAILABLE;
    *out = first;
    return RC_OK;
}

enum rc space_records(struct space *space, bool *out)
{
    struct instance *instance;
    enum rc rc = space_instance(space, &instance);
    if (rc != RC_OK)
        return rc;
    if (instance->unread != RC_OK)
        return instance->unread;
    if (instance->reader->records)
        return instance->reader->records(instance, out);
    *out = false;
    return RC_OK;
}
