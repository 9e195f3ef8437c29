/* SPDX-License-Identifier: MIT
 *
 * glibc's lists of threads and the fields of its struct pthread.
 */
#ifndef LIBOMPD_PTHREADS_H
#define LIBOMPD_PTHREADS_H

#include "libompd/core.h"
#include "libompd/runtime/query.h"

struct pthreads {
    unsigned list_count; /* 0: none is known */
    taddr list[2];
    uint32_t list_offset; /* of the list's node in struct pthread */
    uint32_t tid_offset;  /* 0: not known */
    uint32_t size;        /* of struct pthread, 0: not known */
};

/* What is not there stays 0. */
void pthreads_find(const struct space *space, struct pthreads *out);

/* RC_UNAVAILABLE: that of a thread that libc has not created, or it is not known which it is.
 * RC_UNSUPPORTED: not with this libc. */
enum rc pthreads_stack(const struct space *space, struct query *query, const struct pthreads *place,
                       taddr pthread, struct stack_facts *out);

#endif
