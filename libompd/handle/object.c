/* SPDX-License-Identifier: MIT
 *
 * Handles of references that come from outside of the library: an address and an id that no other
 * object of the process has. The id of one without a record says which runtime made it. What is
 * recorded is read with the records, at place 0.
 */
#include "libompd/handle/handle.h"
#include "libompd/runtime/reader.h"

enum rc handle_of_object(struct space *space, enum handle_kind kind, struct ref object,
                         struct handle **out)
{
    enum rc rc = space_check(space);
    if (rc != RC_OK)
        return rc;
    if (!object.address || !object.id)
        return RC_BAD_INPUT;
    struct instance *instance = &space->instances[ref_place(object, kind == HANDLE_THREAD)];
    if (!instance->reader)
        return RC_STALE_HANDLE;
    if (instance_is_recorded(instance))
        instance = space->instances;
    return handle_create(instance, kind, object, out);
}

struct fact runtime_of(const struct instance *instance, const struct region_facts *region)
{
    const struct instance *all = instance->space->instances, *only = NULL;
    if (!instance->reader->records || instance->reader == &annotated_reader)
        return (struct fact){KNOWN, (uint64_t)(instance - all)};
    /* Records are of all runtimes. */
    unsigned count = 0;
    for (const struct instance *i = all; i < all + INSTANCES_MAX; i++) {
        if (!i->serial)
            continue;
        bool is_its = region && region->runtime.known == KNOWN && i->image.entry &&
                      i->image.entry == region->runtime.value;
        if (is_its)
            return (struct fact){KNOWN, (uint64_t)(i - all)};
        if (i->image.is_kmp || i->image.absent)
            continue;
        count++;
        only = i;
    }
    return count == 1 ? (struct fact){KNOWN, (uint64_t)(only - all)}
                      : (struct fact){.known = NOT_HELD};
}
