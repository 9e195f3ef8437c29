/* SPDX-License-Identifier: MIT
 *
 * The program, and with -DLIBRARY a library that has its region; -DOTHER makes another file of
 * either, in which functions lie elsewhere. */
#include <stdio.h>
#include <unistd.h>

#ifdef OTHER
int in_its_place(int n)
{
    for (int i = 0; i < n; i++)
        n ^= n << 3 | i;
    return n + getpid() * 7;
}
#endif

#ifdef LIBRARY
static void stay(void)
{
    for (;;)
        pause();
}

void work(void)
{
#pragma omp parallel num_threads(2)
    stay();
}
#else
void work(void);

int main(void)
{
    work();
}
#endif
