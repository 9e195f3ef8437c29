/* SPDX-License-Identifier: MIT
 *
 * The value of one ICV, fetched, and how it turns into a number or words.
 */
#ifndef LIBOMPD_ICV_VALUE_H
#define LIBOMPD_ICV_VALUE_H

#include "libompd/handle/icv.h"

/* The kinds of tables/icvs.def. */
enum icv_kind {
    KIND_NUMBER,
    KIND_BOOLEAN,
    KIND_ENABLED,
    KIND_SCHEDULE,
    KIND_DEF_SCHEDULE,
    KIND_BINDS,
    KIND_NUMBERS,
    KIND_PLACES,
    KIND_OFFLOAD,
    KIND_WAIT,
    KIND_ALLOCATOR,
    KIND_TEXT,
    KIND_TEXT_OR_NOTHING,
    KIND_TEXT_OR_DISABLED,
};

union icv_source {
    struct global_facts globals;
    struct numbering_facts numbering;
    struct icv_facts icvs;
    struct thread_facts thread;
    struct region_facts region;
    struct task_facts task;
};

struct icv_value {
    struct instance *instance;
    enum icv_kind kind;
    union icv_source facts;
    const struct fact *fact; /* in facts */
    bool is_5_0;             /* of the scope that AT_5_0 gives it */
};

/* Text that is put together; longer than that is nonsense. Ends with NUL once anything
 * was put. */
struct words {
    size_t length;
    char text[4096];
};

enum rc icv_value_number(const struct icv_value *value, int64_t *out);
enum rc icv_value_words(const struct icv_value *value, struct words *out);

#endif
