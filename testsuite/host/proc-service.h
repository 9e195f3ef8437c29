/* SPDX-License-Identifier: MIT
 *
 * What libthread_db calls a process: ours is a target.
 */
#ifndef HOST_PROC_SERVICE_H
#define HOST_PROC_SERVICE_H

#include <proc_service.h>
#include <stdbool.h>
#include <stdint.h>

struct lwp;
struct target;

struct ps_prochandle {
    struct target *target;
};

void proc_service_init(struct ps_prochandle *handle, struct target *target);

/* The thread pointer of a stopped thread, as the registers hold it. */
bool lwp_thread_pointer(const struct lwp *lwp, uint64_t *pointer);

#endif
