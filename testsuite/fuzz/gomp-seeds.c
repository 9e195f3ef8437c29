/* SPDX-License-Identifier: MIT
 *
 * Seeds of a process with a stock libgomp or libomp.
 */
#include <stdio.h>
#include <string.h>

#include "gomp-target.h"
#include "seeds.h"

/* Seeds: every routine of a process in order, of one that is changed between calls, and
 * of one that is opened again and again; the same with memory that has no end; and all of it
 * with two runtimes, of which the list of images leads to the second. */
unsigned seed_count(void)
{
    return 12 * GOMP_KINDS;
}

size_t seed_copy(unsigned number, unsigned char *out)
{
    size_t size = 0;
    unsigned how = number / GOMP_KINDS % 3;
    unsigned everywhere = number / GOMP_KINDS % 6 >= 3 ? GOMP_EVERYWHERE : 0;
    unsigned two = number / GOMP_KINDS >= 6 ? GOMP_TWO : 0;
    out[size++] = (unsigned char)(number % GOMP_KINDS + everywhere + two);
    for (unsigned i = 0; i < 2 * routine_count; i++) {
        const unsigned char change[] = {GOMP_OP_CHANGE,         3, (unsigned char)(i * 7),
                                        (unsigned char)(i * 3), 4, (unsigned char)(i * 5),
                                        (unsigned char)i};
        const unsigned char ask[] = {(unsigned char)(OP_CALL | i % routine_count),
                                     (unsigned char)(0x10 + i % 16), (unsigned char)i, 1};
        if (how == 1) {
            memcpy(out + size, change, sizeof change);
            size += sizeof change;
        }
        if (how == 2 && i % 8 == 0)
            out[size++] = GOMP_OP_REOPEN;
        memcpy(out + size, ask, sizeof ask);
        size += sizeof ask;
    }
    return size;
}

void seed_name(unsigned number, char *out, size_t room)
{
    snprintf(out, room, "gomp-%u", number);
}
