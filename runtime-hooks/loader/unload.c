/* SPDX-License-Identifier: MIT
 *
 * Interposes dlclose(), to invalidate what is cached about objects, and to list these for readers.
 * dlopen() could not be interposed so: its result depends on the return address.
 */
#include "core/hooks.h"
#include "core/runtimes.h"
#include "loader/closed.h"
#include "loader/libc.h"

#include <dlfcn.h>

EXPORT int close_object(void *handle);
EXPORT int close_object_first(void *handle) __attribute__((alias("close_object")));
INTERPOSE(close_object, dlclose);
INTERPOSE_FIRST(close_object_first, dlclose);

int close_object(void *handle)
{
    int (*real_dlclose)(void *);
    *(void **)&real_dlclose = dlsym(RTLD_NEXT, "dlclose");
    if (!real_dlclose)
        return -1;
    objects_list();
    runtimes_unloading();
    int result = real_dlclose(handle);
    runtimes_unloaded();
    return result;
}
