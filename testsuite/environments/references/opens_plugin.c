/* SPDX-License-Identifier: MIT
 *
 * Opens needs_omp.so: "lazy" and calls it, "now", or "after" a libgomp was opened for
 * all.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    if (strcmp(argv[1], "after") == 0 && !dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL))
        return 3;
    void *handle =
        dlopen("./needs_omp.so", strcmp(argv[1], "lazy") == 0 ? RTLD_LAZY : RTLD_NOW);
    printf("opened: %s\n", handle ? "yes" : "no");
    fflush(stdout);
    if (!handle)
        return 4;
    int (*plugin)(void) = (int (*)(void))dlsym(handle, "plugin");
    printf("plugin: %d\n", plugin());
    return 0;
}
