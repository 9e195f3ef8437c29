/* SPDX-License-Identifier: MIT
 *
 * Worksharing constructs that pass by, for tools only: no record is kept of them.
 *
 * The end of some is not a call. They stay open in the thread until the next call of the
 * same implicit task that can only come after: a barrier, a worksharing construct or the
 * end of the region.
 */
#ifndef OMPD_HOOKS_WORK_H
#define OMPD_HOOKS_WORK_H

#include "events.h"

#pragma GCC visibility push(hidden)

/* Begins and, if its end will be no call, leaves open. */
void work_begin(struct thread *t, enum work_kind kind, uint64_t count, uintptr_t codeptr);
void work_begin_open(struct thread *t, enum work_kind kind, uint64_t count,
                     uintptr_t codeptr);

/* A call that says that the innermost construct, or what is open, has ended. */
void work_end(struct thread *t, enum work_kind kind, uintptr_t codeptr);
void work_close(struct thread *t);

#pragma GCC visibility pop

#endif
