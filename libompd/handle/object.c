/* SPDX-License-Identifier: MIT
 *
 * References as they leave the library: an address and an id that no other object of the
 * process has, whatever its runtime. Readers make ids within a runtime (ID_IS_MADE): kernel ids
 * leave room above them for the place of the instance; ids made of addresses leave some below,
 * because objects are aligned to 8 bytes. Those of the first instance stay as they are, and the
 * numbers of records, which are read there, are not made.
 */
#include "libompd/handle/handle.h"
#include "libompd/runtime/reader.h"

enum { PLACE_BITS = 3, THREAD_SHIFT = 32 };
static const uint64_t PLACE_MASK = (1 << PLACE_BITS) - 1;
_Static_assert(INSTANCES_MAX <= 1 << PLACE_BITS, "places fit in ids");

struct ref object_of_ref(const struct instance *instance, enum handle_kind kind,
                         struct ref ref)
{
    uint64_t place = (uint64_t)(instance - instance->space->instances);
    ref.id |= kind == HANDLE_THREAD ? place << THREAD_SHIFT : place;
    return ref;
}

enum rc handle_of_object(struct space *space, enum handle_kind kind, struct ref object,
                         struct handle **out)
{
    enum rc rc = space_check(space);
    if (rc != RC_OK)
        return rc;
    if (!object.address || !object.id)
        return RC_BAD_INPUT;
    unsigned shift = kind == HANDLE_THREAD ? THREAD_SHIFT : 0;
    uint64_t place = ref_is_made(object) ? object.id >> shift & PLACE_MASK : 0;
    object.id &= ~(place << shift);
    struct instance *instance = &space->instances[place];
    return instance->reader ? handle_create(instance, kind, object, out)
                            : RC_STALE_HANDLE;
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
