/* SPDX-License-Identifier: MIT
 *
 * The index through which a reader finds the thread of a kernel id or pthread_t
 * (records.def, record "index"). The hooks' lock must be held for all of these.
 */
#ifndef OMPD_HOOKS_THREAD_INDEX_H
#define OMPD_HOOKS_THREAD_INDEX_H

#include "records/records.h"

#pragma GCC visibility push(hidden)

/* Between these, during which its record gets its id, a thread is added by each of its keys. */
void index_add_begin(void);
void index_add(uint64_t key, const struct rec_thread *thread);
void index_add_end(void);

/* Does nothing if the key is that of another thread by now. */
void index_remove(uint64_t key, const struct rec_thread *thread);

/* NULL if the key is not in the index. */
struct rec_thread *index_find(uint64_t key);

/* Empties the index. */
void index_clear(void);

#pragma GCC visibility pop

#endif
