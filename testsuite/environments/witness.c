/* SPDX-License-Identifier: MIT
 *
 * Says whether hooks are loaded, whether they record, and whether a tool is there, in a
 * process that has an OpenMP runtime and in one (-DWITHOUT_OPENMP) that has none.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

int main(void)
{
#ifndef WITHOUT_OPENMP
    int n = 0;
#pragma omp parallel num_threads(2) reduction(+ : n)
    n++;
    if (n != 2)
        return 1;
#endif
    const uint32_t *root = dlsym(RTLD_DEFAULT, "ompd_hooks_root");
    int (*control)(int, int, void *) =
        (int (*)(int, int, void *))dlsym(RTLD_DEFAULT, "omp_control_tool");
    printf("%s%s\n",
           !root   ? "no hooks"
           : *root ? "recording"
                   : "off",
           root && control && control(1, 0, NULL) == 1 ? ", tool" : "");
    return 0;
}
