/* SPDX-License-Identifier: MIT
 *
 * Which runtime is this? The readers are asked in turn, those that know most first.
 * OMPD_READER in the debugger's environment names the only one to ask: for looking at a
 * process with hooks as if it had none.
 */
#include <stdlib.h>
#include <string.h>

#include "libompd/runtime/reader.h"

static const struct reader *const readers[] = {
    &hooks_reader,
    &gomp_reader,
};

enum rc reader_detect(struct space *space)
{
    const char *only = getenv("OMPD_READER");
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        if (only && *only && strcmp(only, readers[i]->name) != 0)
            continue;
        enum rc rc = readers[i]->open(space);
        if (rc == RC_INCOMPATIBLE)
            continue;
        if (rc == RC_OK)
            space->reader = readers[i];
        return rc;
    }
    return RC_INCOMPATIBLE;
}
