/* SPDX-License-Identifier: MIT
 *
 * Where a thread pointer and a program counter stand among the registers of x86-64. Other
 * machines keep the thread pointer elsewhere: aarch64 in a note or register set of its own.
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
    *pointer = lwp->thread_pointer;
    if (!*pointer && get(lwp, &registers))
        *pointer = registers.fs_base;
    return *pointer != 0;
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
    *pointer = lwp->thread_pointer;
    return *pointer != 0;
}

bool lwp_program_counter(const struct lwp *lwp, uint64_t *counter)
{
    (void)lwp, (void)counter;
    return false;
}

#endif
