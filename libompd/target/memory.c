/* SPDX-License-Identifier: MIT
 *
 * Bounded access to the target's memory and symbols.
 */
#include "libompd/target/target.h"

enum rc target_symbol_in(const struct space *space, const char *file, const char *name, taddr *out)
{
    taddr address;
    enum rc rc = space->ops->symbol(space->context, file, name, &address);
    if (rc != RC_OK)
        return rc;
    if (!address)
        return RC_UNAVAILABLE;
    *out = address;
    return RC_OK;
}

enum rc target_read(const struct space *space, taddr address, size_t bytes, void *out)
{
    taddr last = space->sizes.sizeof_pointer == 4 ? UINT32_MAX : UINT64_MAX;
    if (!address || !bytes || bytes > TARGET_BULK_BYTES || address > last ||
        last - address < bytes - 1)
        return RC_NONSENSE;
    return space->ops->read(space->context, address, bytes, out);
}

enum rc target_each(const struct space *space, taddr first, uint32_t stride, uint32_t count,
                    element_visitor *visit, void *arg)
{
    if (!stride || stride > TARGET_BULK_BYTES)
        return RC_NONSENSE;
    unsigned char buffer[TARGET_BULK_BYTES];
    uint32_t per_read = TARGET_BULK_BYTES / stride;
    for (uint32_t done = 0; done < count;) {
        uint32_t now = count - done < per_read ? count - done : per_read;
        taddr address = first + (taddr)done * stride;
        if (address < first)
            return RC_NONSENSE;
        enum rc rc = target_read(space, address, (size_t)now * stride, buffer);
        if (rc != RC_OK)
            return rc;
        for (uint32_t i = 0; i < now; i++) {
            if (!visit(arg, done + i, address + (taddr)i * stride, buffer + i * stride))
                return RC_OK;
        }
        done += now;
    }
    return RC_OK;
}
