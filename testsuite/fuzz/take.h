/* SPDX-License-Identifier: MIT
 *
 * What a routine gave: handles go into the pool, everything else back to the allocator.
 */
#ifndef FUZZ_TAKE_H
#define FUZZ_TAKE_H

#include "pool.h"

/* After a call that gave something. */
void take(struct pool *pool, const struct routine *routine, const struct args *args,
          const struct outs *outs);

/* A handle has been released. A space that goes takes the use of its handles with it, and
 * leaves their memory to the debugger. */
void bury(struct pool *pool, struct slot *slot);

/* Releases what is in the pool and empties it. */
void release(const struct slot *slot);
void release_all(struct pool *pool);

/* Finalizes the library, which must have left nothing. */
void take_leave(void);

#endif
