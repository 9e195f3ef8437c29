/* SPDX-License-Identifier: MIT
 *
 * The services that libthread_db demands of a debugger (<proc_service.h>).
 *
 * libthread_db finds these by name in the program that loads it. Requests that would change
 * the target are refused: this host only looks.
 */
#include "config.h"

#include <string.h>

#include "elf-image.h"
#include "proc-service.h"
#include "registers.h"
#include "target.h"

void proc_service_init(struct ps_prochandle *handle, struct target *target)
{
    handle->target = target;
}

ps_err_e ps_pdread(struct ps_prochandle *handle, psaddr_t address, void *buffer, size_t size)
{
    return target_read(handle->target, (uintptr_t)address, buffer, size) ? PS_ERR : PS_OK;
}

ps_err_e ps_ptread(struct ps_prochandle *handle, psaddr_t address, void *buffer, size_t size)
{
    return ps_pdread(handle, address, buffer, size);
}

ps_err_e ps_pdwrite(struct ps_prochandle *handle, psaddr_t address, const void *buffer, size_t size)
{
    (void)handle, (void)address, (void)buffer, (void)size;
    return PS_ERR;
}

ps_err_e ps_ptwrite(struct ps_prochandle *handle, psaddr_t address, const void *buffer, size_t size)
{
    return ps_pdwrite(handle, address, buffer, size);
}

ps_err_e ps_lgetregs(struct ps_prochandle *handle, lwpid_t id, prgregset_t registers)
{
    const struct lwp *lwp = target_lwp(handle->target, id);
    if (!lwp || !lwp->has_registers)
        return PS_BADLID;
    memcpy(registers, &lwp->registers, sizeof lwp->registers);
    return PS_OK;
}

ps_err_e ps_lsetregs(struct ps_prochandle *handle, lwpid_t id, const prgregset_t registers)
{
    (void)handle, (void)id, (void)registers;
    return PS_ERR;
}

ps_err_e ps_lgetfpregs(struct ps_prochandle *handle, lwpid_t id, prfpregset_t *registers)
{
    (void)handle, (void)id, (void)registers;
    return PS_NOFREGS;
}

ps_err_e ps_lsetfpregs(struct ps_prochandle *handle, lwpid_t id, const prfpregset_t *registers)
{
    (void)handle, (void)id, (void)registers;
    return PS_ERR;
}

pid_t ps_getpid(struct ps_prochandle *handle)
{
    return handle->target->pid;
}

ps_err_e ps_get_thread_area(struct ps_prochandle *handle, lwpid_t id, int index, psaddr_t *address)
{
    (void)index; /* only the thread pointer is ever asked for on 64-bit machines */
    const struct lwp *lwp = target_lwp(handle->target, id);
    uint64_t pointer;
    if (!lwp || !lwp_thread_pointer(lwp, &pointer))
        return PS_BADLID;
    *address = (psaddr_t)(uintptr_t)pointer;
    return PS_OK;
}

ps_err_e ps_pglobal_lookup(struct ps_prochandle *handle, const char *object, const char *name,
                           psaddr_t *address)
{
    struct symbol symbol;
    if (!images_symbol(handle->target, object, name, &symbol) &&
        !images_symbol(handle->target, NULL, name, &symbol))
        return PS_NOSYM;
    *address = (psaddr_t)(uintptr_t)symbol.address;
    return PS_OK;
}

/* A stopped target stays stopped while libthread_db looks at it. */
ps_err_e ps_pstop(struct ps_prochandle *handle)
{
    (void)handle;
    return PS_OK;
}

ps_err_e ps_pcontinue(struct ps_prochandle *handle)
{
    (void)handle;
    return PS_OK;
}

ps_err_e ps_lstop(struct ps_prochandle *handle, lwpid_t id)
{
    (void)handle, (void)id;
    return PS_OK;
}

ps_err_e ps_lcontinue(struct ps_prochandle *handle, lwpid_t id)
{
    (void)handle, (void)id;
    return PS_OK;
}
