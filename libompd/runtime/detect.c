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

static enum rc is_quiet(struct space *space, const struct reader *reader, bool *out)
{
    bool records = true;
    enum rc rc = reader->records ? reader->records(space, &records) : RC_OK;
    *out = !records;
    return rc;
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
        bool sleeps;
        rc = is_quiet(space, readers[i], &sleeps);
        if (rc != RC_OK || sleeps)
            readers[i]->close(space);
        if (rc != RC_OK)
            return rc;
        if (sleeps) {
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
    const struct reader *sleeper = space->quiet, *reader = space->reader;
    void *state = space->reader_state;
    bool sleeps = true;
    if (sleeper->open(space) == RC_OK) {
        if (is_quiet(space, sleeper, &sleeps) != RC_OK)
            sleeps = true;
        if (sleeps)
            sleeper->close(space);
    }
    if (sleeps) {
        space->reader_state = state;
        return;
    }
    void *opened = space->reader_state;
    space->reader_state = state;
    reader->close(space);
    space->reader_state = opened;
    space->reader = sleeper;
    space->quiet = NULL;
}
