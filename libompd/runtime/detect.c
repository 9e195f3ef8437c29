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

/* Closes a reader that is not the space's. */
static void drop(struct space *space, const struct reader *reader, void *state)
{
    void *own = space->reader_state;
    space->reader_state = state;
    reader->close(space);
    space->reader_state = own;
}

enum rc reader_detect(struct space *space)
{
    const struct reader *quiet = NULL;
    void *quiet_state = NULL;
    enum rc rc = RC_UNAVAILABLE;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        rc = readers[i]->open(space);
        if (rc == RC_UNAVAILABLE || (quiet && rc == RC_INCOMPATIBLE))
            continue;
        bool sleeps = false;
        if (rc == RC_OK) {
            rc = is_quiet(space, readers[i], &sleeps);
            if (rc != RC_OK)
                readers[i]->close(space);
        }
        if (rc == RC_OK && sleeps) {
            quiet = readers[i];
            quiet_state = space->reader_state;
            space->reader_state = NULL;
            continue;
        }
        if (rc != RC_OK) {
            if (quiet)
                drop(space, quiet, quiet_state);
            return rc;
        }
        space->reader = readers[i];
        space->quiet = quiet;
        space->quiet_state = quiet_state;
        return RC_OK;
    }
    if (!quiet)
        return RC_INCOMPATIBLE;
    space->reader = quiet;
    space->reader_state = quiet_state;
    return RC_OK;
}

void reader_close(struct space *space)
{
    space->reader->close(space);
    if (space->quiet)
        drop(space, space->quiet, space->quiet_state);
}

void reader_wake(struct space *space)
{
    const struct reader *reader = space->reader;
    void *state = space->reader_state;
    bool sleeps;
    space->reader_state = space->quiet_state;
    if (is_quiet(space, space->quiet, &sleeps) != RC_OK || sleeps) {
        space->reader_state = state;
        return;
    }
    space->reader = space->quiet;
    space->quiet = NULL;
    drop(space, reader, state);
}
