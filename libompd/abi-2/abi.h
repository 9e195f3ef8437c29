/* SPDX-License-Identifier: MIT
 *
 * Between the 2.000 entry points and the core: one place for return codes and handles.
 */
#ifndef LIBOMPD_ABI_2_H
#define LIBOMPD_ABI_2_H

#include "libompd/abi-2/ompd.h"
#include "libompd/handle/handle.h"

/* The debugger's callbacks in the core's terms; NULL before ompd_initialize. */
const struct target_ops *abi_ops(void);

static inline ompd_rc_t abi_answer(enum rc rc)
{
    switch (rc) {
#define RC(name, name2, value2, name5, value5)                                                     \
    case RC_##name:                                                                                \
        return ompd_rc_##name2;
#include "libompd/tables/rc.def"
#undef RC
    }
    return ompd_rc_error;
}

/* An answer that is a number. The fact is read on RC_OK only. */
static inline ompd_rc_t abi_answer_word(enum rc rc, const struct fact *fact, ompd_tword_t *val)
{
    uint64_t value;
    if (rc == RC_OK)
        rc = fact_value(*fact, &value);
    if (rc == RC_OK)
        *val = (ompd_tword_t)value;
    return abi_answer(rc);
}

static inline ompd_address_t abi_address(uint64_t address)
{
    return (ompd_address_t){OMPD_SEGMENT_UNSPECIFIED, address};
}

static inline struct space *abi_space(ompd_address_space_handle_t *handle)
{
    return (struct space *)handle;
}

static inline struct handle *abi_thread(const ompd_thread_handle_t *handle)
{
    return (struct handle *)handle;
}

static inline struct handle *abi_parallel(const ompd_parallel_handle_t *handle)
{
    return (struct handle *)handle;
}

static inline struct handle *abi_task(const ompd_task_handle_t *handle)
{
    return (struct handle *)handle;
}

#endif
