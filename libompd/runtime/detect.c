/* SPDX-License-Identifier: MIT
 *
 * Which runtime is this? The readers are asked in turn, those that know most first.
 */
#include "libompd/runtime/reader.h"

static const struct reader *const readers[] = {
    &hooks_reader,
    &gomp_reader,
};

enum rc reader_detect(struct space *space)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        enum rc rc = readers[i]->open(space);
        if (rc == RC_UNAVAILABLE)
            continue;
        if (rc == RC_OK)
            space->reader = readers[i];
        return rc;
    }
    return RC_INCOMPATIBLE;
}
