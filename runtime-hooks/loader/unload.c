/* SPDX-License-Identifier: MIT
 *
 * dlclose(), so that nothing which was remembered of an object outlives it. The function
 * does not look at its caller, so another may stand in front of it; dlopen() does.
 */
#include "core/hooks.h"
#include "core/runtimes.h"
#include "loader/libc.h"

#include <dlfcn.h>

EXPORT int close_noticed(void *handle);
EXPORT int close_noticed_first(void *handle) __attribute__((alias("close_noticed")));
STANDS_FOR(close_noticed, dlclose);
STANDS_FOR_FIRST(close_noticed_first, dlclose);

int close_noticed(void *handle)
{
    int (*real_dlclose)(void *);
    *(void **)&real_dlclose = dlsym(RTLD_NEXT, "dlclose");
    if (!real_dlclose)
        return -1;
    runtimes_unloading();
    int result = real_dlclose(handle);
    runtimes_unloaded();
    return result;
}
