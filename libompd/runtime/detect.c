/* SPDX-License-Identifier: MIT
 *
 * Which runtime is this? The readers are asked in turn, those that know most first. One
 * that could know more if the program recorded it lets others go before it.
 */
#include "libompd/runtime/reader.h"

static const struct reader *const readers[] = {
    &hooks_reader,
    &gomp_reader,
    &kmp_reader,
};

static enum rc is_quiet(struct instance *instance, const struct reader *reader, bool *out)
{
    bool records = true;
    enum rc rc = reader->records ? reader->records(instance, &records) : RC_OK;
    *out = !records;
    return rc;
}

/* Closes a reader that is not the instance's. */
static void drop(struct instance *instance, const struct reader *reader, void *state)
{
    void *own = instance->reader_state;
    instance->reader_state = state;
    reader->close(instance);
    instance->reader_state = own;
}

enum rc reader_detect(struct instance *instance)
{
    const struct reader *quiet = NULL;
    void *quiet_state = NULL;
    enum rc rc = RC_UNAVAILABLE;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        rc = readers[i]->open(instance);
        if (rc == RC_UNAVAILABLE || (quiet && rc == RC_INCOMPATIBLE))
            continue;
        bool sleeps = false;
        if (rc == RC_OK) {
            rc = is_quiet(instance, readers[i], &sleeps);
            if (rc != RC_OK)
                readers[i]->close(instance);
        }
        if (rc == RC_OK && sleeps) {
            quiet = readers[i];
            quiet_state = instance->reader_state;
            instance->reader_state = NULL;
            continue;
        }
        if (rc != RC_OK) {
            if (quiet)
                drop(instance, quiet, quiet_state);
            return rc;
        }
        instance->reader = readers[i];
        instance->quiet = quiet;
        instance->quiet_state = quiet_state;
        return RC_OK;
    }
    if (!quiet)
        return RC_INCOMPATIBLE;
    instance->reader = quiet;
    instance->reader_state = quiet_state;
    return RC_OK;
}

enum rc reader_open(struct instance *instance)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        if (readers[i]->records)
            continue;
        enum rc rc = readers[i]->open(instance);
        if (rc == RC_OK)
            instance->reader = readers[i];
        if (rc != RC_UNAVAILABLE)
            return rc;
    }
    return RC_INCOMPATIBLE;
}

void reader_close(struct instance *instance)
{
    instance->reader->close(instance);
    if (instance->quiet)
        drop(instance, instance->quiet, instance->quiet_state);
}

void reader_wake(struct instance *instance)
{
    const struct reader *reader = instance->reader;
    void *state = instance->reader_state;
    bool sleeps;
    instance->reader_state = instance->quiet_state;
    if (is_quiet(instance, instance->quiet, &sleeps) != RC_OK || sleeps) {
        instance->reader_state = state;
        return;
    }
    instance->reader = instance->quiet;
    instance->quiet = NULL;
    drop(instance, reader, state);
}
