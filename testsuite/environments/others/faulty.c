/* SPDX-License-Identifier: MIT
 *
 * Faults inside regions for the sanitizers to find: faulty overflow|free|leak|shift.
 */
#include <stdlib.h>
#include <string.h>
#include "check.h"

static void *volatile kept;
static volatile int number = 40;

/* The stack that is left behind must not keep a pointer to the memory. */
__attribute__((noinline)) static void lose(size_t n)
{
    kept = malloc(n);
    kept = NULL;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    const char *how = argv[1];
#pragma omp parallel num_threads(2)
#pragma omp master
    {
        char *memory = malloc(10);
        kept = memory;
        if (strcmp(how, "overflow") == 0)
            memory[number - 30] = 1;
        free(memory);
        if (strcmp(how, "free") == 0)
            free(kept);
        kept = NULL;
        if (strcmp(how, "leak") == 0)
            for (int i = 0; i < 10; i++)
                lose(100 + (size_t)i);
        if (strcmp(how, "shift") == 0)
            number = 1 << number;
    }
    return check_result(how);
}
