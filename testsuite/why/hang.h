/* SPDX-License-Identifier: MIT
 *
 * What the programs that hang have in common.
 */
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

/* Runs the function of that name. */
#define CASE(name)                                                                       \
    if (!strcmp(how, #name))                                                             \
        return name(), 0;

/* Returns when so many threads have come here. */
__attribute__((unused)) static void meet(int threads)
{
    static int come;
    __atomic_fetch_add(&come, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&come, __ATOMIC_SEQ_CST) < threads)
        usleep(1000);
}
