/* SPDX-License-Identifier: MIT
 *
 * The routines of the 5.x interface that tables/routines.def has.
 */
#include "libompd/abi-5/abi.h"
#include "libompd/handle/routines.h"

#define ROUTINE_5 ROUTINE_TAKEN
#define ROUTINE_2 ROUTINE_LEFT
#include "libompd/tables/routines.def"
