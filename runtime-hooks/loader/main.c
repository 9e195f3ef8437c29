/* SPDX-License-Identifier: MIT
 *
 * Interposes __libc_start_main(), to run hooks_before_main() just before main().
 */
#include "core/hooks.h"
#include "loader/libc.h"
#include "loader/loader.h"

#include <dlfcn.h>
#include <stdlib.h>

typedef int main_fn(int argc, char **argv, char **envp);
typedef int start_fn(main_fn *main, int argc, char **argv, void (*init)(void),
                     void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

EXPORT start_fn start_main;
EXPORT start_fn start_main_first __attribute__((alias("start_main")));
INTERPOSE(start_main, __libc_start_main);
INTERPOSE_FIRST(start_main_first, __libc_start_main);

static main_fn *program_main;

/* Ends with a tail call, so that main() has no caller of ours. */
static int before_main(int argc, char **argv, char **envp)
{
    hooks_before_main();
    return program_main(argc, argv, envp);
}

int start_main(main_fn *main, int argc, char **argv, void (*init)(void),
               void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    start_fn *real_start;
    *(void **)&real_start = dlsym(RTLD_NEXT, "__libc_start_main");
    if (!real_start)
        abort();
    program_main = main;
    return real_start(before_main, argc, argv, init, fini, rtld_fini, stack_end);
}
