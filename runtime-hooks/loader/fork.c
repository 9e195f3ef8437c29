/* SPDX-License-Identifier: MIT
 *
 * Registers the fork handlers of the hooks before all others, and so interposes
 * __register_atfork(), which pthread_atfork() calls: constructors of other libraries may come
 * before ours. Handlers that are registered first are the last to run before a fork and the first
 * after it, so that no handler of others runs while the hooks lock is held: it may use OpenMP, or
 * wait for a lock whose holder does.
 */
#include "core/hooks.h"
#include "core/images.h"
#include "core/lock.h"
#include "loader/libc.h"
#include "loader/loader.h"
#include "state/threads.h"

#include <errno.h>

typedef void handler(void);
typedef int register_fn(handler *prepare, handler *parent, handler *child, void *object);

extern void *__dso_handle __attribute__((visibility("hidden")));

EXPORT register_fn register_handlers;
__asm__(".symver register_handlers,__register_atfork@@" LIBC_ATFORK_VERSION);

static void in_child(void)
{
    threads_forked();
    hooks_unlock_fork();
    hooks_forked();
}

/* The function of the C library. The first call, before any other thread exists, registers ours. */
static register_fn *real_register(void)
{
    static register_fn *real;
    if (!real) {
        *(void **)&real = images_next("__register_atfork");
        if (real)
            real(hooks_lock_fork, hooks_unlock_fork, in_child, __dso_handle);
    }
    return real;
}

void fork_start(void)
{
    real_register();
}

int register_handlers(handler *prepare, handler *parent, handler *child, void *object)
{
    register_fn *real = real_register();
    return real ? real(prepare, parent, child, object) : ENOMEM;
}
