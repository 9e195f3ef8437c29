/* SPDX-License-Identifier: MIT
 *
 * A plugin that exports nothing, as some are that register themselves in a constructor: GNU ld
 * gives it an empty table of exported symbols, by which its references cannot be counted.
 */
#include "work.h"
#include "silent.h"

static int works(void)
{
    return small_work(3);
}

__attribute__((constructor)) static void registers(void)
{
    register_work(works);
}
