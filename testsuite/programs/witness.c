/* SPDX-License-Identifier: MIT
 *
 * Says whether hooks are loaded and whether they record, so that the comparison of the
 * other programs is known to compare what it claims to.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

int main(void)
{
    int n = 0;
#pragma omp parallel num_threads(2) reduction(+ : n)
    n++;
    const uint32_t *root = dlsym(RTLD_DEFAULT, "ompd_hooks_root");
    puts(!root ? "no hooks" : *root ? "recording" : "off");
    return n != 2;
}
