/* SPDX-License-Identifier: MIT
 *
 * What the unit tests of the 2.000 interface share: a debugger's callbacks over the fake
 * target, and one program in each kind of it.
 */
#ifndef UNIT_H
#define UNIT_H

#include "fake-program.h"
#include "libompd/abi-2/ompd.h"

struct unit {
    struct program *program;
    struct fake *fake;
    ompd_address_space_handle_t *space;
};

#include "unit-interface.h"

ompd_thread_handle_t *unit_idle_thread(const struct unit *unit);

ompd_rc_t unit_find_lwp(const struct unit *unit, uint64_t lwp, unsigned size,
                        ompd_thread_handle_t **out);
ompd_rc_t unit_find_pthread(const struct unit *unit, uint64_t pthread, ompd_thread_handle_t **out);

void unit_free_threads(ompd_thread_handle_t **vector, int count);
void unit_free_tasks(ompd_task_handle_t **vector, int count);

#endif
