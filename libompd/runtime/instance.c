/* SPDX-License-Identifier: MIT
 *
 * Of one runtime: what it is where it is found by its symbols alone, and whether it reports to the hooks
 * that another one is read with.
 */
#include "libompd/runtime/reader.h"
#include "libompd/target/target.h"

enum rc instance_identify(struct instance *instance)
{
    struct space *space = instance->space;
    struct image found = instance->image;
    taddr kmp;
    enum rc rc = target_symbol(space, RUNTIME_ENTRY, &found.entry);
    if (rc != RC_OK)
        return rc;
    rc = target_symbol(space, RUNTIME_ENTRY_OF_KMP, &kmp);
    if (rc == RC_OK) {
        struct array images;
        struct image_mark mark;
        rc = target_images(space, &images, &mark);
        const struct listed_image *owner = rc == RC_OK ? images_owner(&images, found.entry) : NULL;
        found.is_kmp = !owner || owner == images_owner(&images, kmp);
        if (owner) {
            found.start = owner->base;
            found.end = images_end(&images, owner);
        }
        array_free(&images);
    }
    if (rc != RC_OK && rc != RC_UNAVAILABLE && rc != RC_NONSENSE)
        return rc;
    instance->image = found;
    return RC_OK;
}

bool instance_is_recorded(struct instance *instance)
{
    struct instance *first = instance->space->instances;
    if (instance->recorded || instance == first || !first->reader || !first->reader->records_image)
        return instance->recorded;
    enum rc rc = first->reader->records_image(first, &instance->image);
    instance->recorded = rc == RC_OK;
    return rc != RC_UNAVAILABLE;
}
