/* SPDX-License-Identifier: MIT
 *
 * The library of the 2.000 interface has memory from the debugger's callbacks only: the
 * program's own malloc counts who calls it while the library is at work.
 */
#include "poison.h"
#include "unit.h"
#include "memory-tests.h"
