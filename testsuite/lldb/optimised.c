/* SPDX-License-Identifier: MIT
 *
 * Loops whose variable is in a register when optimised: in that of a caller, in which it may be the
 * next iteration's already, or in one that a callee has overwritten. The argument says which.
 */
#include <stdlib.h>
#include <string.h>

enum { WANTED = 1500, SIZE = 4096 };

static volatile long rounds;
static volatile int wanted = WANTED;

__attribute__((noinline)) static void item(int i)
{
    if (i == WANTED)
        for (;;)
            rounds++;
    rounds += i;
    __asm__ volatile("" ::: "memory", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11");
}

__attribute__((noinline)) static void called(void)
{
#pragma omp parallel for num_threads(3)
    for (int i = 0; i < SIZE; i++)
        item(i);
}

__attribute__((noinline)) static void innermost(void)
{
#pragma omp parallel for num_threads(3)
    for (int i = 0; i < SIZE; i++) {
        if (i == WANTED)
            for (;;)
                rounds++;
        rounds += i;
    }
}

__attribute__((noinline, noreturn)) static void endless(int i)
{
    rounds += i;
    for (;;)
        __asm__ volatile("movl $7, %%edi; movl $7, %%eax; movl $7, %%ecx; movl $7, %%edx"
                         ::: "memory", "rax", "rcx", "rdx", "rdi");
}

__attribute__((noinline)) static void overwritten(void)
{
#pragma omp parallel for num_threads(3)
    for (int i = 0; i < SIZE; i++)
        if (i + wanted == 2 * WANTED)
            endless(i);
}

__attribute__((noinline)) static void down(void)
{
#pragma omp parallel for num_threads(3) schedule(dynamic, 4)
    for (long i = SIZE; i >= 0; i -= 4)
        item((int)i);
}

__attribute__((noinline)) static int chunks(void)
{
    int sum = 0;
#pragma omp parallel for num_threads(3) schedule(static, 7) reduction(+ : sum)
    for (int i = 100; i < SIZE; i += 2) {
        item(i);
        sum += i;
    }
    return sum;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    if (!strcmp(how, "called"))
        called();
    if (!strcmp(how, "innermost"))
        innermost();
    if (!strcmp(how, "overwritten"))
        overwritten();
    if (!strcmp(how, "down"))
        down();
    return strcmp(how, "chunks") ? 0 : chunks();
}
