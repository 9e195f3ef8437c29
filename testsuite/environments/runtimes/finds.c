/* SPDX-License-Identifier: MIT
 *
 * Calls of libgomp by who has no reference to it, before anybody else:
 *
 *   finds plugin    by ./silent.so, which it opens
 *   finds dlsym     by itself, of what dlsym() finds
 */
#define _GNU_SOURCE
#include "check.h"
#include "silent.h"
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static int (*registered)(void);

void register_work(int (*work)(void))
{
    registered = work;
}

static int members;

static void body(void *unused)
{
    (void)unused;
    __atomic_add_fetch(&members, 1, __ATOMIC_RELAXED);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    if (strcmp(argv[1], "plugin") == 0) {
        CHECK(dlopen("./silent.so", RTLD_NOW));
        CHECK(registered && registered());
    } else {
        CHECK(dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL));
        void (*parallel)(void (*)(void *), void *, unsigned, unsigned);
        *(void **)&parallel = dlsym(RTLD_DEFAULT, "GOMP_parallel");
        CHECK(parallel);
        parallel(body, NULL, 3, 0);
        CHECK(members == 3);
    }
    return check_result(argv[1]);
}
