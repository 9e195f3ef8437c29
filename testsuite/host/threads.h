/* SPDX-License-Identifier: MIT
 *
 * The C library's view of threads through libthread_db: pthread_t. Without it (static program,
 * another C library) a pthread_t is still known where the thread pointer is one.
 */
#ifndef HOST_THREADS_H
#define HOST_THREADS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct target;
struct thread_db;

/* Fills lwp->pthread of every thread. Called after each stop. */
void threads_refresh(struct target *target);

/* Whether libthread_db answers for this target. */
bool threads_known(const struct target *target);

void thread_db_destroy(struct thread_db *db);

#endif
