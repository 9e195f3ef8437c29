/* SPDX-License-Identifier: MIT
 *
 * How often a routine may read the target, whatever stands there. libompd/README.md has
 * the table in words.
 */
#ifndef BOUNDS_H
#define BOUNDS_H

#include "libompd/runtime/hooks.h"
#include "libompd/survey/survey.h"

/* Pieces in which an array of records is read whose stride the target chooses. */
#define PIECES(records)                                                                            \
    ((records) / (TARGET_BULK_BYTES / HOOKS_RECORD_BYTES_MAX) +                                    \
     ((records) % (TARGET_BULK_BYTES / HOOKS_RECORD_BYTES_MAX) != 0))

enum {
    READS_NONE = 0,
    READS_OBJECT = 1,                   /* facts of a thread, region or task */
    READS_REFERENCE = READS_OBJECT + 1, /* what it refers to, when that was half changed */
    READS_OPEN = 3,                     /* header, tables, root */
    READS_WALK = 1 + HOOKS_WALK_READS_MAX,
    /* The index where it was, the root, where it is, and all threads. */
    READS_FIND = 2 + READS_WALK,
    READS_MEMBER = 2,
    READS_TEAM = 1 + PIECES(HOOKS_TEAM_MAX),
    /* Of the implicit region: the thread, then from its task outward. */
    READS_INITIAL_TASK = READS_REFERENCE + 256,
    READS_ICV = 2,
    READS_ICV_WORDS = READS_ICV + 2, /* a list; a string, which may cross into a page */
    READS_SETTINGS = 1 + HOOKS_SETTINGS_BYTES_MAX / TARGET_BULK_BYTES,
    READS_THREADS = READS_WALK + SURVEY_TORN_MAX,
    READS_LOCKS = READS_THREADS + READS_WALK,
    READS_REGIONS = READS_THREADS + 2 * SURVEY_REGIONS_MAX,
    READS_DEPENDENCES = READS_WALK + 2 * SURVEY_TASKS_MAX,
    READS_TASKS = READS_DEPENDENCES + READS_THREADS,
};

#endif
