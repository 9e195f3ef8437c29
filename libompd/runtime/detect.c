/* SPDX-License-Identifier: MIT
 *
 * Which runtime is this? The readers are asked in turn, those that know most first. One
 * that could know more if the program recorded it lets others go before it.
 */
#include "libompd/runtime/reader.h"

static const struct reader *const readers[] = {
    &hooks_reader,
    &gomp_reader,
};

static bool is_quiet(const struct space *space, const struct reader *reader)
{
    return reader->records && !reader->records(space);
}

enum rc reader_detect(struct space *space)
{
    const struct reader *quiet = NULL;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        enum rc rc = readers[i]->open(space);
        if (rc == RC_UNAVAILABLE || (quiet && rc == RC_INCOMPATIBLE))
            continue;
        if (rc != RC_OK)
            return rc;
        if (is_quiet(space, readers[i])) {
            readers[i]->close(space);
            quiet = readers[i];
            continue;
        }
        space->reader = readers[i];
        space->quiet = quiet;
        return RC_OK;
    }
    if (!quiet)
        return RC_INCOMPATIBLE;
    enum rc rc = quiet->open(space);
    if (rc == RC_OK)
        space->reader = quiet;
    return rc;
}

void reader_wake(struct space *space)
{
    void *state = space->reader_state;
    bool awake = space->quiet->open(space) == RC_OK;
    if (awake && is_quiet(space, space->quiet)) {
        space->quiet->close(space);
        awake = false;
    }
    if (!awake) {
        space->reader_state = state;
        return;
    }
    void *opened = space->reader_state;
    space->reader_state = state;
    space->reader->close(space);
    space->reader_state = opened;
    space->reader = space->quiet;
    space->quiet = NULL;
}
