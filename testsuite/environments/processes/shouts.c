/* SPDX-License-Identifier: MIT
 *
 * A library that says so when it is loaded, and who it is then.
 */
#include <stdio.h>
#include <unistd.h>

__attribute__((constructor)) static void shout(void)
{
    printf("loaded into a process of user %u\n", (unsigned)geteuid());
    fflush(stdout);
}
