/* SPDX-License-Identifier: MIT
 *
 * The C library's view of threads through libthread_db: pthread_t and thread-local data.
 * Without it (static program, another C library) a pthread_t is still known where the
 * thread pointer is one, and thread-local data is not.
 */
#ifndef HOST_THREADS_H
#define HOST_THREADS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct target;
struct thread_db;
struct symbol;

/* Fills lwp->pthread of every thread. Called after each stop. */
void threads_refresh(struct target *target);

/* Whether libthread_db answers for this target. */
bool threads_known(const struct target *target);

/* Where a thread-local symbol stands for one thread. */
bool thread_local_address(struct target *target, pid_t lwp, const struct symbol *symbol,
                          uint64_t *address);

void thread_db_destroy(struct thread_db *db);

#endif
