/* SPDX-License-Identifier: MIT
 *
 * The table of ompd-routines.h for the 2.000 interface.
 */
#include "libompd/abi-2/ompd.h"
#include "ompd-routines-call.h"

#define ROUTINE_2 CALL
#include "ompd-routines.def"

const struct routine routines[] = {
#define ROUTINE_2 ROW
#include "ompd-routines.def"
};

const unsigned routine_count = sizeof routines / sizeof *routines;

int release_vars(void *list)
{
    return (int)ompd_release_display_control_vars(list);
}
