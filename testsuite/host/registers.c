/* SPDX-License-Identifier: MIT
 *
 * Where a thread pointer and a program counter stand among the registers of x86-64. Other
 * machines keep the thread pointer elsewhere; there libthread_db has to do without.
 */
#include "config.h"

#include <string.h>
#include <sys/user.h>

#include "registers.h"
#include "target.h"

#if defined __x86_64__

static bool get(const struct lwp *lwp, struct user_regs_struct *registers)
{
    _Static_assert(sizeof *registers == sizeof lwp->registers, "register layout");
    memcpy(registers, &lwp->registers, sizeof *registers);
    return lwp->has_registers;
}

bool lwp_thread_pointer(const struct lwp *lwp, uint64_t *pointer)
{
    struct user_regs_struct registers;
    if (!get(lwp, &registers))
        return false;
    *pointer = registers.fs_base;
    return true;
}

bool lwp_program_counter(const struct lwp *lwp, uint64_t *counter)
{
    struct user_regs_struct registers;
    if (!get(lwp, &registers))
        return false;
    *counter = registers.rip;
    return true;
}

#else

bool lwp_thread_pointer(const struct lwp *lwp, uint64_t *pointer)
{
    (void)lwp, (void)pointer;
    return false;
}

bool lwp_program_counter(const struct lwp *lwp, uint64_t *counter)
{
    (void)lwp, (void)counter;
    return false;
}

#endif
