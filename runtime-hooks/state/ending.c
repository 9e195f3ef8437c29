/* SPDX-License-Identifier: MIT
 *
 * A program of `ompd run -summary` that ends waits until it was looked at, by who listens at a socket:
 * in the destructor, as the last but those of the runtime and of the C library. See crash.c for one
 * that a signal ends.
 */
#include "state/crash.h"
#include "state/state.h"

#include <string.h>
#include <unistd.h>

#define PATIENCE 30 /* seconds */

static struct peer peer;

void ending_start(const char *name)
{
    peer_name(&peer, name);
}

void ending_unwatch(void)
{
    peer.size = 0;
}

/* A child of fork has its own sums, and says nothing. */
static void __attribute__((destructor)) await_look(void)
{
    if (peer.size && ompd_hooks_root.sums && !ompd_hooks_root.forks &&
        ompd_hooks_root.pid == (uint32_t)getpid())
        peer_await(&peer, PATIENCE);
}
