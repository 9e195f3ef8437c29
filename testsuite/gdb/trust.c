/* SPDX-License-Identifier: MIT
 *
 * A program that names a library of its own for the debugger, as an attacker's would: the one
 * that its argument says, if any.
 */
#include <stdlib.h>

static const char *locations[2] = {"/nowhere/libompd.so"};
const char **ompd_dll_locations = locations;

void ompd_dll_locations_valid(void)
{
}

int main(int argc, char **argv)
{
    if (argc > 1)
        locations[0] = argv[1];
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        if (argc > 0) /* mark: here */
            abort();
    }
    return 0;
}
