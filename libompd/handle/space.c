/* SPDX-License-Identifier: MIT
 *
 * The address space: where work on a process begins and ends.
 */
#include <stdalign.h>
#include <string.h>

#include "libompd/handle/handle.h"
#include "libompd/runtime/reader.h"
#include "libompd/target/target.h"

static const uint64_t space_magic = UINT64_C(0x6f6d70642d737063);

enum rc space_create(const struct target_ops *ops, void *context, struct space **out)
{
    struct space space;
    memset(&space, 0, sizeof space);
    space.ops = ops;
    space.context = context;
    enum rc rc = target_describe(&space);
    if (rc == RC_OK)
        rc = reader_detect(&space);
    if (rc != RC_OK)
        return rc;

    void *memory;
    rc = ops->alloc(sizeof space, &memory);
    if (rc != RC_OK) {
        reader_close(&space);
        return rc;
    }
    space.magic = space_magic;
    memcpy(memory, &space, sizeof space);
    *out = memory;
    return RC_OK;
}

void space_destroy(struct space *space)
{
    reader_close(space);
    space->magic = 0;
    space->ops->release(space);
}

enum rc space_check(const struct space *space)
{
    if (!space || (uintptr_t)space % alignof(struct space) != 0 ||
        space->magic != space_magic)
        return RC_STALE_HANDLE;
    return RC_OK;
}

enum rc space_select_reader(struct space *space)
{
    enum rc rc = space_check(space);
    if (rc == RC_OK && space->quiet)
        reader_wake(space);
    return rc;
}

enum rc space_records(struct space *space, bool *out)
{
    enum rc rc = space_select_reader(space);
    if (rc != RC_OK)
        return rc;
    if (space->reader->records)
        return space->reader->records(space, out);
    *out = false;
    return RC_OK;
}
