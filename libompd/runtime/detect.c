/* SPDX-License-Identifier: MIT
 *
 * Which runtime is this, and who can read it? Two readers are asked: the one of the records
 * that the process may keep, and the one of the runtime's own memory. Where both answer they
 * are composed. One that does not answer yet is asked again before later questions: records
 * may not be kept yet, the runtime not be loaded, memory not be readable.
 */
#include "libompd/runtime/reader.h"

static const struct reader *const records_reader = &hooks_reader;
static const struct reader *const runtime_readers[] = {&gomp_reader, &kmp_reader};

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

/* `comes`: the other reader may be able to answer later. */
static void choose(struct instance *instance, const struct opened *chosen,
                   const struct opened *other, bool comes)
{
    instance->reader = chosen->reader;
    instance->reader_state = chosen->state;
    instance->quiet = comes ? other->reader : NULL;
    instance->quiet_state = other->state;
}

/* Of the answers of both readers. On success the instance owns their states. */
static enum rc arrange(struct instance *instance, const struct opened *records, enum rc by_records,
                       const struct opened *runtime, enum rc by_runtime)
{
    if (by_records == RC_NOMEM || by_runtime == RC_NOMEM)
        return RC_NOMEM;
    /* The hooks record what libgomp does. */
    if (by_records == RC_OK && by_runtime == RC_OK && runtime->reader == &gomp_reader) {
        struct instance with_records = instance_with(instance, records);
        struct instance with_runtime = instance_with(instance, runtime);
        return recorded_compose(instance, &with_runtime, &with_records);
    }
    /* Hooks are there from the start or never; without a runtime they record nothing. */
    if (by_runtime == RC_OK) {
        choose(instance, runtime, records,
               by_records == RC_NEEDS_TRACKING || rc_is_unreadable(by_records));
        if (by_records != RC_NEEDS_TRACKING && by_records != RC_UNAVAILABLE)
            instance->unread = by_records;
    } else if (instance->image.node && instance->image.is_kmp) {
        return by_runtime; /* of which the hooks record nothing */
    } else if (records->state)
        choose(instance, records, runtime,
               by_records == RC_NEEDS_TRACKING || rc_is_unreadable(by_runtime));
    else
        return by_records == RC_UNAVAILABLE ? by_runtime : by_records;
    return RC_OK;
}

/* The first that finds its runtime. */
static enum rc open_runtime(const struct instance *instance, struct opened *opened)
{
    enum rc rc = RC_UNAVAILABLE;
    size_t count = sizeof runtime_readers / sizeof *runtime_readers;
    for (size_t i = 0; i < count && rc == RC_UNAVAILABLE; i++) {
        *opened = (struct opened){.reader = runtime_readers[i]};
        rc = open_one(instance, opened);
    }
    return rc;
}

enum rc reader_detect(struct instance *instance)
{
    struct opened records = {.reader = records_reader}, runtime = {.reader = NULL};
    enum rc by_records = open_one(instance, &records);
    enum rc by_runtime = by_records == RC_NOMEM ? RC_NOMEM : open_runtime(instance, &runtime);
    enum rc rc = arrange(instance, &records, by_records, &runtime, by_runtime);
    if (rc != RC_OK) {
        close_one(instance, &records);
        close_one(instance, &runtime);
    }
    return rc == RC_UNAVAILABLE ? RC_INCOMPATIBLE : rc;
}

enum rc reader_open(struct instance *instance)
{
    struct opened runtime;
    enum rc rc = open_runtime(instance, &runtime);
    if (rc == RC_OK) {
        instance->reader = runtime.reader;
        instance->reader_state = runtime.state;
    }
    return rc == RC_UNAVAILABLE ? RC_INCOMPATIBLE : rc;
}

void reader_close(struct instance *instance)
{
    struct opened quiet = {instance->quiet, instance->quiet_state};
    instance->reader->close(instance);
    close_one(instance, &quiet);
}

/* Where it fails, the one goes on alone until the next question. */
void reader_wake(struct instance *instance)
{
    struct opened own = {instance->reader, instance->reader_state};
    struct opened quiet = {instance->quiet, instance->quiet_state};
    bool is_runtime = own.reader != records_reader;
    enum rc by_quiet = open_one(instance, &quiet);
    if (!is_runtime && by_quiet != RC_OK)
        return;
    if (is_runtime)
        (void)arrange(instance, &quiet, by_quiet, &own, RC_OK);
    else if (arrange(instance, &own, open_one(instance, &own), &quiet, by_quiet) != RC_OK)
        close_one(instance, &quiet);
}
