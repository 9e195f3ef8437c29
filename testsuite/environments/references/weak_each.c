/* SPDX-License-Identifier: MIT
 *
 * One function of the runtime, FUNCTION, by a weak reference, in a program without
 * OpenMP.
 */
#include <stdio.h>

__attribute__((weak)) int FUNCTION(void *, void *, void *, long, long, long);

int main(void)
{
    static char memory[256];
    if (FUNCTION)
        FUNCTION(memory, memory + 64, memory + 128, 0, 0, 0);
    puts("fine");
    return 0;
}
