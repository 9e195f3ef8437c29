/* SPDX-License-Identifier: MIT
 *
 * Between the 5.x entry points and the core: one place for return codes and handles.
 */
#ifndef LIBOMPD_ABI_5_H
#define LIBOMPD_ABI_5_H

#include "libompd/abi-5/omp-tools.h"
#include "libompd/abi-5/ompd-types.h"
#include "libompd/handle/handle.h"

/* Versions of the interface, as dates. */
enum { API_OLDEST = 201811, API_NEWEST = 202411, API_6_0 = 202411 };

/* The debugger's callbacks in the core's terms; NULL before ompd_initialize. */
const struct target_ops *abi_ops(void);

/* What the debugger asked for in ompd_initialize. */
ompd_word_t abi_version(void);

static inline ompd_rc_t abi_answer(enum rc rc)
{
    /* A code that older debuggers do not know. */
    if (rc == RC_OTHER_HANDLE && abi_version() < API_6_0)
        return ompd_rc_bad_input;
    switch (rc) {
#define RC(name, name2, value2, name5, value5)                                                     \
    case RC_##name:                                                                                \
        return ompd_rc_##name5;
#include "libompd/tables/rc.def"
#undef RC
    }
    return ompd_rc_error;
}

static inline ompd_address_t abi_address(uint64_t address)
{
    return (ompd_address_t){ompd_segment_none, address};
}

static inline ompd_frame_info_t abi_frame(uint64_t address)
{
    return (ompd_frame_info_t){
        .frame_address = abi_address(address),
        .frame_flag = address ? ompt_frame_runtime | ompt_frame_cfa : 0,
    };
}

static inline struct space *abi_space(ompd_address_space_handle_t *handle)
{
    return (struct space *)handle;
}

static inline struct handle *abi_thread(ompd_thread_handle_t *handle)
{
    return (struct handle *)handle;
}

static inline struct handle *abi_parallel(ompd_parallel_handle_t *handle)
{
    return (struct handle *)handle;
}

static inline struct handle *abi_task(ompd_task_handle_t *handle)
{
    return (struct handle *)handle;
}

/* The state that the 2.000 value in a fact is in 5.x. RC_NONSENSE: none. */
enum rc abi_state(uint64_t state, ompd_word_t *out);

#endif
