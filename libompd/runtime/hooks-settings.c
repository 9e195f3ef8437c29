/* SPDX-License-Identifier: MIT
 *
 * The settings of a process with hooks: a block of strings, copied as it is.
 */
#include "libompd/runtime/hooks.h"

enum rc hooks_settings(struct instance *instance, char **out, size_t *bytes)
{
    if (!hooks_state(instance)->field[FIELD_root_settings].size)
        return RC_UNSUPPORTED;
    struct hooks_bytes root;
    enum rc rc = hooks_read_root(instance, &root);
    if (rc != RC_OK)
        return rc;
    taddr block = hooks_field(instance, root.bytes, FIELD_root_settings);
    uint64_t size = hooks_field(instance, root.bytes, FIELD_root_settings_bytes);
    if (!block)
        return hooks_state(instance)->tracking ? RC_UNAVAILABLE : RC_NEEDS_TRACKING;
    if (!size || size > HOOKS_SETTINGS_BYTES_MAX || block + size < block)
        return RC_NONSENSE;

    void *memory;
    rc = instance->space->ops->alloc(size, &memory);
    if (rc != RC_OK)
        return rc;
    char *text = memory;
    for (size_t done = 0; done < size && rc == RC_OK;) {
        size_t now = size - done < TARGET_BULK_BYTES ? size - done : TARGET_BULK_BYTES;
        rc = target_read(instance->space, block + done, now, text + done);
        done += now;
    }
    if (rc == RC_OK && text[size - 1] != '\0')
        rc = RC_NONSENSE;
    if (rc != RC_OK) {
        instance->space->ops->release(memory);
        return rc;
    }
    *out = text;
    *bytes = size;
    return RC_OK;
}
