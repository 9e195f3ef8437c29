/* SPDX-License-Identifier: MIT
 *
 * The table of ompd-routines.h for the 5.x interface and the extension.
 */
#include "libompd/ext/ompd-ext.h"
#include "ompd-types.h"
#include "ompd-routines-call.h"

#define ROUTINE_5 CALL
#include "ompd-routines.def"

const struct routine routines[] = {
#define ROUTINE_5 ROW
#include "ompd-routines.def"
};

const unsigned routine_count = sizeof routines / sizeof *routines;

int release_vars(void *list)
{
    const char *const *vars = list;
    return (int)ompd_rel_display_control_vars(&vars);
}
