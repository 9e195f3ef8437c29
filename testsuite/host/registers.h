/* SPDX-License-Identifier: MIT
 *
 * The two registers that this host asks for by name.
 */
#ifndef HOST_REGISTERS_H
#define HOST_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

struct lwp;

/* False when the registers are not known, or their layout on this machine is not. */
bool lwp_thread_pointer(const struct lwp *lwp, uint64_t *pointer);
bool lwp_program_counter(const struct lwp *lwp, uint64_t *counter);

#endif
