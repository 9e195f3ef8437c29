/* SPDX-License-Identifier: MIT
 *
 * What every file of the hooks shares: export marks, the mode word, and the functions of
 * the runtime that a call is forwarded to.
 */
#ifndef OMPD_HOOKS_H
#define OMPD_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))
#define NOINLINE __attribute__((noinline))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Keeps the compiler from moving stores across; a debugger that stops the thread sees
 * them in program order. */
#define publish_order() __asm__ volatile("" ::: "memory")

/* What is declared without EXPORT is reached directly, not through the GOT. */
#pragma GCC visibility push(hidden)

typedef void (*body_fn)(void *);
typedef void (*copy_fn)(void *, void *);

enum mode {
    MODE_OFF = 0,        /* forward and do nothing else */
    MODE_UNRESOLVED = 1, /* the real runtime has not been looked for with success */
    MODE_ON = 2,         /* record */
};

/* What every wrapper looks at, side by side. */
struct hooks_words {
    int mode;
    uint32_t events;     /* EVENT_BIT of what some consumer wants to hear of (events.h) */
    uint32_t generation; /* of the loaded objects; see struct route */
};
extern struct hooks_words hooks_words;

/* A runtime of the process, by its functions. They are never called through their names:
 * those are our wrappers. */
struct runtime {
    bool recorded;            /* it is a libgomp that has all that the hooks need */
    uint64_t unnamed_critical; /* their addresses are the wait ids of the two locks */
    uint64_t atomic;
#define HOOKED(need, type, name, parameters) type(*name) parameters;
#define HOOKED_AS(type, name, symbol, version, parameters) type(*name) parameters;
#define CALLED(need, type, name, parameters) type(*name) parameters;
#include "functions.def"
#undef HOOKED
#undef HOOKED_AS
#undef CALLED
};

/* The object that the calling thread's last call came from, with the runtime it is bound
 * to. It holds while hooks_words.generation is what it was. */
struct route {
    uintptr_t start, size;
    const struct runtime *real;
    uint32_t generation;
};
extern __thread struct route hooks_route __attribute__((tls_model("initial-exec")));

/* The runtime that an address in user code is bound to: that of a function which the
 * compiler has outlined, or the return address of a call (core/runtimes.c). */
const struct runtime *runtime_of_body(uintptr_t function);
const struct runtime *runtime_of_call(uintptr_t return_address);

static inline bool hooks_routed(uintptr_t address)
{
    const struct route *route = &hooks_route;
    return likely(address - route->start < route->size &&
                  route->generation ==
                      __atomic_load_n(&hooks_words.generation, __ATOMIC_ACQUIRE));
}

/* For the body of a wrapper: declares `real`, the caller's runtime. The second is for
 * constructs that hand on an outlined function, which lies with its caller even where the
 * call is the last thing that the caller does and the return address is another one's. */
#define ROUTE_CALL                                                                       \
    const struct runtime *real =                                                         \
        hooks_routed((uintptr_t)__builtin_return_address(0))                             \
            ? hooks_route.real                                                           \
            : runtime_of_call((uintptr_t)__builtin_return_address(0))
#define ROUTE_BODY(fn)                                                                   \
    const struct runtime *real = hooks_routed((uintptr_t)(fn))                           \
                                     ? hooks_route.real                                  \
                                     : runtime_of_body((uintptr_t)(fn))

/* Resolves the mode at the first use of the runtime; true when it is MODE_ON. Called by a
 * wrapper that found MODE_UNRESOLVED. */
bool hooks_resolve(void);

static inline bool hooks_off(void)
{
    return __atomic_load_n(&hooks_words.mode, __ATOMIC_ACQUIRE) == MODE_OFF;
}

/* Whether a call to this runtime is recorded. */
static inline bool hooks_on(const struct runtime *real)
{
    return likely(real->recorded) &&
           (likely(__atomic_load_n(&hooks_words.mode, __ATOMIC_ACQUIRE) == MODE_ON) ||
            hooks_resolve());
}

/* The wrappers have no other declaration: a program knows them from its compiler. */
#define HOOKED(need, type, name, parameters) EXPORT type name parameters;
#define HOOKED_AS(type, name, symbol, version, parameters) EXPORT type name parameters;
#define CALLED(need, type, name, parameters)
#include "functions.def"
#undef HOOKED
#undef HOOKED_AS
#undef CALLED

/* control.c: begins to record, as omp_ompd_enable() does; false when that cannot be. */
bool hooks_record(void);

/* In the child of a fork: tools are looked for anew. */
void hooks_forked(void);

#pragma GCC visibility pop

#endif
