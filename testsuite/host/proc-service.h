/* SPDX-License-Identifier: MIT
 *
 * What libthread_db calls a process: ours is a target.
 */
#ifndef HOST_PROC_SERVICE_H
#define HOST_PROC_SERVICE_H

#include <proc_service.h>

struct target;

struct ps_prochandle {
    struct target *target;
};

void proc_service_init(struct ps_prochandle *handle, struct target *target);

#endif
