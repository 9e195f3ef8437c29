/* SPDX-License-Identifier: MIT
 *
 * Opening and closing a file with libdwarf, whose two calls changed their arguments
 * between the dated releases (Debian 12) and 0.3 (later ones). configure finds out which.
 */
#ifndef HOST_LIBDWARF_COMPAT_H
#define HOST_LIBDWARF_COMPAT_H

#include "config.h"

#include <stddef.h>

#ifdef HAVE_LIBDWARF_LIBDWARF_H
#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>
#else
#include <dwarf.h>
#include <libdwarf.h>
#endif

static inline int compat_dwarf_init(int fd, Dwarf_Debug *dwarf)
{
#ifdef LIBDWARF_INIT_TAKES_ACCESS
    return dwarf_init_b(fd, DW_DLC_READ, DW_GROUPNUMBER_ANY, NULL, NULL, dwarf, NULL);
#else
    return dwarf_init_b(fd, DW_GROUPNUMBER_ANY, NULL, NULL, dwarf, NULL);
#endif
}

static inline void compat_dwarf_finish(Dwarf_Debug dwarf)
{
#ifdef LIBDWARF_INIT_TAKES_ACCESS
    dwarf_finish(dwarf, NULL);
#else
    dwarf_finish(dwarf);
#endif
}

#endif
