/* SPDX-License-Identifier: MIT
 *
 * The routines of the 2.000 report that tables/routines.def has.
 */
#include "libompd/abi-2/abi.h"
#include "libompd/handle/routines.h"

#define ROUTINE_2 ROUTINE_TAKEN
#define ROUTINE_5 ROUTINE_LEFT
#include "libompd/tables/routines.def"
