/* SPDX-License-Identifier: MIT
 *
 * Every anonymous mapping that anybody but the C library itself makes in this process has
 * pages without access around it, so that nothing can be written past its end unseen. The
 * program is linked with -rdynamic: its mmap() comes before the C library's. The guards
 * stay when the mapping goes.
 */
#ifndef TASKS_GUARDED_MMAP_H
#define TASKS_GUARDED_MMAP_H

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { GUARD_PAGE = 4096 };

#ifdef __cplusplus
extern "C"
#endif
    __attribute__((visibility("default"))) void *
    mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    if (address || !(flags & MAP_ANONYMOUS))
        return (void *)syscall(SYS_mmap, address, size, protection, flags, fd, offset);
    size = (size + GUARD_PAGE - 1) & ~(size_t)(GUARD_PAGE - 1);
    long whole = syscall(SYS_mmap, NULL, size + 2 * GUARD_PAGE, PROT_NONE,
                         flags | MAP_NORESERVE, fd, offset);
    if (whole == -1)
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, whole + GUARD_PAGE, size, protection,
                           flags | MAP_FIXED, fd, offset);
}

#endif
