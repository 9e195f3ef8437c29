/* SPDX-License-Identifier: MIT
 *
 * The moment before main(), by the function of the C library that calls it.
 */
#include "core/hooks.h"
#include "loader/libc.h"
#include "loader/loader.h"

#include <dlfcn.h>
#include <stdlib.h>

typedef int main_fn(int argc, char **argv, char **envp);
typedef int start_fn(main_fn *main, int argc, char **argv, void (*init)(void),
                     void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

EXPORT start_fn start_noticed;
EXPORT start_fn start_noticed_first __attribute__((alias("start_noticed")));
STANDS_FOR(start_noticed, __libc_start_main);
STANDS_FOR_FIRST(start_noticed_first, __libc_start_main);

static main_fn *program_main;

/* Leaves no frame of ours below main(). */
static int tools_then_main(int argc, char **argv, char **envp)
{
    hooks_before_main();
    return program_main(argc, argv, envp);
}

int start_noticed(main_fn *main, int argc, char **argv, void (*init)(void),
                  void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    start_fn *real_start;
    *(void **)&real_start = dlsym(RTLD_NEXT, "__libc_start_main");
    if (!real_start)
        abort();
    program_main = main;
    return real_start(tools_then_main, argc, argv, init, fini, rtld_fini, stack_end);
}
