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
#ifdef __powerpc__
/* There main() is in a structure of the program. */
struct startup {
    void *data;
    main_fn *main;
    void (*init)(void);
    void (*fini)(void);
};
#define START_PARAMETERS                                                                           \
    int argc, char **argv, char **envp, void *auxv, void (*rtld_fini)(void),                       \
        const struct startup *program, void *stack_end
#else
#define START_PARAMETERS                                                                           \
    main_fn *main, int argc, char **argv, void (*init)(void), void (*fini)(void),                  \
        void (*rtld_fini)(void), void *stack_end
#endif
typedef int start_fn(START_PARAMETERS);

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

int start_main(START_PARAMETERS)
{
    start_fn *real_start;
    *(void **)&real_start = dlsym(RTLD_NEXT, "__libc_start_main");
    if (!real_start)
        abort();
#ifdef __powerpc__
    static struct startup startup;
    startup = *program;
    program_main = program->main;
    startup.main = before_main;
    return real_start(argc, argv, envp, auxv, rtld_fini, &startup, stack_end);
#else
    program_main = main;
    return real_start(before_main, argc, argv, init, fini, rtld_fini, stack_end);
#endif
}
