/* SPDX-License-Identifier: MIT
 *
 * Which runtime is this, and who can read it? There are two witnesses: the records that the
 * process may keep, and the runtime's own memory. Where both can be read they are composed.
 * instance->awaited says which of them may be readable later.
 */
#include "libompd/runtime/reader.h"

static const struct reader *const records_reader = &hooks_reader;

/* A reader and its state, NULL while it is not open. */
struct opened {
    const struct reader *reader;
    void *state;
};

/* Calls of a reader that need not be the instance's. */
static struct instance instance_with(const struct instance *instance, const struct opened *opened)
{
    struct instance with = *instance;
    with.reader = opened->reader;
    with.reader_state = opened->state;
    return with;
}

static void close_one(const struct instance *instance, struct opened *opened)
{
    if (!opened->state)
        return;
    struct instance with = instance_with(instance, opened);
    opened->reader->close(&with);
    opened->state = NULL;
}

/* RC_NEEDS_TRACKING: nothing is recorded yet, and it stays open. */
static enum rc open_one(const struct instance *instance, struct opened *opened)
{
    struct instance with = instance_with(instance, opened);
    bool records = true, was_open = opened->state != NULL;
    enum rc rc = was_open ? RC_OK : opened->reader->open(&with);
    if (rc == RC_OK && opened->reader->records)
        rc = opened->reader->records(&with, &records);
    opened->state = with.reader_state;
    if (rc != RC_OK && !was_open)
        close_one(instance, opened);
    return rc == RC_OK && !records ? RC_NEEDS_TRACKING : rc;
}

static bool is_all_that_reports(const struct instance *instance, const struct opened *records)
{
    struct instance with = instance_with(instance, records);
    bool alone;
    return records->reader->reports_image(&with, &instance->image, &alone) && alone;
}

/* Of the answers of both readers. On success the instance owns their states. */
static enum rc arrange(struct instance *instance, const struct opened *records, enum rc by_records,
                       const struct opened *runtime, enum rc by_runtime)
{
    if (by_records == RC_NOMEM || by_runtime == RC_NOMEM)
        return RC_NOMEM;
    bool has_runtime = by_runtime == RC_OK;
    struct instance with_records = instance_with(instance, records);
    struct instance with_runtime =
        has_runtime ? instance_with(instance, runtime) : (struct instance){.reader = NULL};
    /* Where there may be several of libgomp, others can be read of which the first has another
     * layout. */
    bool may_be_further =
        by_runtime == RC_INCOMPATIBLE && instance->image.file && runtime->reader == &gomp_reader;
    if (by_records == RC_OK && (has_runtime || may_be_further))
        return recorded_compose(instance, &with_runtime, &with_records);
    if (!has_runtime && instance->image.is_kmp) {
        if (by_records == RC_OK && is_all_that_reports(instance, records))
            records->reader->show_reported(&with_records, true);
        else if (instance->image.file)
            return by_runtime;
    }
    if (!has_runtime && !records->state)
        return by_records == RC_UNAVAILABLE ? by_runtime : by_records;
    const struct opened *chosen = has_runtime ? runtime : records;
    instance->reader = chosen->reader;
    instance->reader_state = chosen->state;
    instance->asleep = has_runtime ? records->state : NULL;
    /* Hooks are there from the start or never; without a runtime they record nothing. */
    instance->awaited = rc_is_unreadable(has_runtime ? by_records : by_runtime) ? AWAITS_MEMORY
                        : by_records != RC_NEEDS_TRACKING                       ? AWAITS_NOTHING
                        : has_runtime                                           ? AWAITS_RECORDS
                                                                                : AWAITS_RUNTIME;
    bool is_read = !has_runtime || by_records == RC_NEEDS_TRACKING || by_records == RC_UNAVAILABLE;
    instance->unread = is_read ? RC_OK : by_records;
    return RC_OK;
}

/* Without a name of the image it is the one whose symbols are found first, which may hide what is
 * recorded. `records`: NULL where none are. */
static enum rc open_runtime(struct instance *instance, const struct opened *records,
                            struct opened *opened)
{
    struct image *image = &instance->image;
    if (image->absent)
        return RC_UNAVAILABLE;
    enum rc rc = image->entry ? RC_OK : instance_identify(instance);
    if (rc != RC_OK)
        return rc;
    if (records && image->is_kmp && !image->file && !is_all_that_reports(instance, records))
        return RC_UNAVAILABLE;
    *opened = (struct opened){.reader = image->is_kmp ? &kmp_reader : &gomp_reader};
    return open_one(instance, opened);
}

/* `records` may be open. */
static enum rc open_both(struct instance *instance, struct opened *records, enum rc by_records)
{
    struct opened runtime = {.reader = NULL};
    enum rc by_runtime =
        by_records == RC_NOMEM
            ? RC_NOMEM
            : open_runtime(instance, by_records == RC_OK ? records : NULL, &runtime);
    enum rc rc = arrange(instance, records, by_records, &runtime, by_runtime);
    if (rc != RC_OK)
        close_one(instance, &runtime);
    return rc;
}

enum rc reader_detect(struct instance *instance)
{
    struct opened records = {.reader = records_reader};
    enum rc rc = open_both(instance, &records, open_one(instance, &records));
    if (rc != RC_OK)
        close_one(instance, &records);
    return rc == RC_UNAVAILABLE ? RC_INCOMPATIBLE : rc;
}

enum rc reader_open(struct instance *instance)
{
    struct opened records = {.reader = records_reader}, runtime;
    enum rc rc = open_runtime(instance, NULL, &runtime);
    if (rc == RC_OK) {
        /* One that reports has its own view of them. */
        enum rc by_records =
            runtime.reader == &kmp_reader ? open_one(instance, &records) : RC_UNAVAILABLE;
        rc = arrange(instance, &records, by_records, &runtime, RC_OK);
        if (rc != RC_OK) {
            close_one(instance, &runtime);
            close_one(instance, &records);
        }
    }
    return rc == RC_UNAVAILABLE ? RC_INCOMPATIBLE : rc;
}

void reader_close(struct instance *instance)
{
    struct opened asleep = {records_reader, instance->asleep};
    instance->reader->close(instance);
    close_one(instance, &asleep);
}

/* Where it fails, the one reader answers alone until the next question. */
enum rc reader_wake(struct instance *instance)
{
    if (instance->awaited == AWAITS_NOTHING)
        return RC_OK;
    struct opened own = {instance->reader, instance->reader_state};
    bool is_runtime = own.reader != records_reader;
    struct opened records = is_runtime ? (struct opened){records_reader, instance->asleep} : own;
    enum rc by_records = open_one(instance, &records);
    if (is_runtime) {
        instance->asleep = records.state;
        (void)arrange(instance, &records, by_records, &own, RC_OK);
    } else if (by_records == RC_OK || instance->awaited == AWAITS_MEMORY)
        (void)open_both(instance, &records, by_records);
    bool is_unreadable = instance->reader == records_reader && rc_is_unreadable(by_records);
    return is_unreadable ? by_records : RC_OK;
}
