/* SPDX-License-Identifier: MIT
 *
 * The library of the 5.x interface has memory from the debugger's callbacks only: the
 * program's own malloc counts who calls it while the library is at work.
 */
#include "poison.h"
#include "unit5.h"
#include "memory-tests.h"
