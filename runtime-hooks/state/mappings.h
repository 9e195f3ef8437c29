/* SPDX-License-Identifier: MIT
 *
 * Who has mapped what to a device, for debuggers: a table of bounded size, in which the newest mapping
 * takes the place of the oldest.
 */
#ifndef OMPD_HOOKS_MAPPINGS_H
#define OMPD_HOOKS_MAPPINGS_H

#include "state/threads.h"

#pragma GCC visibility push(hidden)

/* Of a runtime that reports each copy: that it has made one, which is `copy`, and that it removes it. */
void mapping_reported(const struct rec_mapping *made);
void mapping_removed(uint32_t device, uintptr_t copy);

/* What a construct of libgomp lists. */
struct target_ranges {
    size_t count;
    void **host;
    const size_t *sizes;
};

/* libgomp reports no mapping. A construct for data has made those that were not there before it and are
 * there after it, if no other construct for a device was in progress meanwhile; one that is asynchronous
 * is so for ever. A mapping is known no more when a construct may release what its construct holds. */
struct mapping_span {
    const struct runtime *real;
    struct target_ranges ranges;
    enum target_kind kind;
    uint32_t device; /* as thread.target_device */
    uint64_t number; /* 0: no device takes part */
    uint64_t absent; /* bits: those of the first ranges that were not there, where it was alone */
    struct mapping_ids made;
};

/* `span` is filled up to the device, the rest 0. */
void mappings_begin(struct mapping_span *span);
void mappings_end(struct mapping_span *span, uintptr_t codeptr);

/* A region for data ends, which has made these. */
void mappings_undo(struct mapping_ids made);

#pragma GCC visibility pop

#endif
