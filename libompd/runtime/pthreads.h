/* SPDX-License-Identifier: MIT
 *
 * glibc's lists of threads and the fields of its struct pthread.
 */
#ifndef LIBOMPD_PTHREADS_H
#define LIBOMPD_PTHREADS_H

#include "libompd/target/target.h"

struct pthreads {
    unsigned list_count; /* 0: none is known */
    taddr list[2];
    uint32_t list_offset; /* of the list's node in struct pthread */
    uint32_t tid_offset;  /* 0: not known */
    uint32_t size;        /* of struct pthread, 0: not known */
};

/* What is not there stays 0. */
void pthreads_find(const struct space *space, struct pthreads *out);

#endif
