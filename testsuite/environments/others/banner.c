/* SPDX-License-Identifier: MIT
 *
 * Says that it is there on stdout in every process, as some profilers do.
 */
#include <unistd.h>

__attribute__((constructor)) static void banner(void)
{
    static const char text[] = "banner\n";
    if (write(1, text, sizeof(text) - 1) < 0)
        _exit(3);
}
