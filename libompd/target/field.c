/* SPDX-License-Identifier: MIT
 *
 * Numbers of the target. The byte order cannot change while the process lives, so the
 * debugger is asked once, when the address space is opened, how its conversion places
 * bytes; after that decoding costs no callback and cannot fail.
 */
#include <string.h>

#include "libompd/target/target.h"

enum rc target_describe(struct space *space)
{
    struct type_sizes sizes = {0};
    enum rc rc = space->ops->type_sizes(space->context, &sizes);
    if (rc != RC_OK)
        return rc;
    if ((sizes.sizeof_pointer != 4 && sizes.sizeof_pointer != 8) ||
        (sizes.sizeof_long != 4 && sizes.sizeof_long != 8))
        return RC_CALLBACK_ERROR;

    static const unsigned char probe[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint64_t eight = 0;
    rc = space->ops->to_host(space->context, probe, sizeof eight, 1, &eight);
    if (rc != RC_OK)
        return rc;
    if (eight != UINT64_C(0x0102030405060708) && eight != UINT64_C(0x0807060504030201))
        return RC_CALLBACK_ERROR;

    space->sizes = sizes;
    space->big_endian = eight == UINT64_C(0x0102030405060708);
    return RC_OK;
}

/* Most fields have these sizes. */
uint64_t target_decode(const struct space *space, const void *bytes, unsigned size)
{
    const unsigned char *from = bytes;
    uint64_t value = 0;
    uint32_t half;
    bool is_swapped = space->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    if (size == sizeof value) {
        memcpy(&value, bytes, sizeof value);
        return is_swapped ? __builtin_bswap64(value) : value;
    }
    if (size == sizeof half) {
        memcpy(&half, bytes, sizeof half);
        return is_swapped ? __builtin_bswap32(half) : half;
    }
    for (unsigned i = 0; i < size; i++)
        value = value << 8 | from[space->big_endian ? i : size - 1 - i];
    return value;
}

void target_encode(const struct space *space, uint64_t value, void *bytes, unsigned size)
{
    unsigned char *to = bytes;
    for (unsigned i = 0; i < size; i++, value >>= 8)
        to[space->big_endian ? size - 1 - i : i] = (unsigned char)value;
}
