/* SPDX-License-Identifier: MIT
 *
 * Between the 5.x entry points and the core: one place for return codes and handles.
 */
#ifndef LIBOMPD_ABI_5_H
#define LIBOMPD_ABI_5_H

#include "libompd/abi-5/ompd-5.h"
#include "libompd/handle/handle.h"

/* The debugger's callbacks in the core's terms; NULL before ompd_initialize. */
const struct target_ops *abi_ops(void);

static inline ompd_rc_t abi_answer(enum rc rc)
{
    switch (rc) {
#define RC(name, name2, value2, name5, value5)                                           \
    case RC_##name:                                                                      \
        return ompd_rc_##name5;
#include "libompd/tables/rc.def"
#undef RC
    }
    return ompd_rc_error;
}

static inline ompd_address_t abi_address(uint64_t address)
{
    return (ompd_address_t){OMPD_SEGMENT_UNSPECIFIED, address};
}

/* An answer that is an address. */
static inline ompd_rc_t abi_answer_address(enum rc rc, struct fact fact,
                                           ompd_address_t *address)
{
    uint64_t value;
    if (rc == RC_OK)
        rc = fact_value(fact, &value);
    if (rc == RC_OK)
        *address = abi_address(value);
    return abi_answer(rc);
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
