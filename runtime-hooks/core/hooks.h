/* SPDX-License-Identifier: MIT
 *
 * Shared by all files of the hooks: export macros, the mode word, the functions of a
 * runtime, and the routing of a call to its caller's runtime.
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

/* Compiler barrier. A debugger that stops the thread sees its stores in program order, so
 * no fence is needed. */
#define publish_order() __asm__ volatile("" ::: "memory")

/* Hidden symbols are accessed without GOT and PLT. */
#pragma GCC visibility push(hidden)

typedef void (*body_fn)(void *);
typedef void (*copy_fn)(void *, void *);

enum mode {
    MODE_OFF = 0,        /* forward and do nothing else */
    MODE_UNRESOLVED = 1, /* until the first use of a runtime that can be recorded */
    MODE_ON = 2,         /* record */
};

/* Read by every wrapper, hence on one cache line. */
struct hooks_words {
    int mode;
    uint32_t events;     /* EVENT_BITs that some consumer wants (events.h) */
    uint32_t generation; /* incremented to invalidate each struct route and site */
};
extern struct hooks_words hooks_words;

/* The functions of one runtime. They are called through these pointers only: their names
 * are bound to our wrappers. */
struct runtime {
    bool recorded;             /* a libgomp with all REQUIRED functions, without OMPD of its own */
    uint64_t unnamed_critical; /* the addresses of these two are wait ids */
    uint64_t atomic;
#define HOOKED(need, type, name, parameters) type(*name) parameters;
#define HOOKED_AS(type, name, symbol, version, parameters) type(*name) parameters;
#define CALLED(need, type, name, parameters) type(*name) parameters;
#include "functions.def"
#undef HOOKED
#undef HOOKED_AS
#undef CALLED
};

/* Per-thread cache: the object that the last call came from, and the runtime it is bound
 * to. Valid while `generation` equals hooks_words.generation. */
struct route {
    uintptr_t start, size;
    const struct runtime *real;
    uint32_t generation;
};
extern __thread struct route hooks_route __attribute__((tls_model("initial-exec")));

/* The runtime that the caller is bound to, looked up by the address of an outlined
 * function or by the return address of the call (core/runtimes.c). */
const struct runtime *runtime_of_body(uintptr_t function);
const struct runtime *runtime_of_call(uintptr_t return_address);

static inline bool hooks_routed(uintptr_t address)
{
    const struct route *route = &hooks_route;
    return likely(address - route->start < route->size &&
                  route->generation == __atomic_load_n(&hooks_words.generation, __ATOMIC_ACQUIRE));
}

/* For the body of a wrapper: declares `real`, the caller's runtime. ROUTE_BODY is for
 * constructs that pass an outlined function: that is in the caller's object, whereas the
 * return address of a tail call may be in another one. */
#define ROUTE_CALL                                                                                 \
    const struct runtime *real = hooks_routed((uintptr_t)__builtin_return_address(0))              \
                                     ? hooks_route.real                                            \
                                     : runtime_of_call((uintptr_t)__builtin_return_address(0))
#define ROUTE_BODY(fn)                                                                             \
    const struct runtime *real =                                                                   \
        hooks_routed((uintptr_t)(fn)) ? hooks_route.real : runtime_of_body((uintptr_t)(fn))

/* Resolves the mode if it is MODE_UNRESOLVED: the calling wrapper is the first use of the
 * runtime. True if the mode is MODE_ON. */
bool hooks_resolve(void);

static inline bool hooks_off(void)
{
    return __atomic_load_n(&hooks_words.mode, __ATOMIC_ACQUIRE) == MODE_OFF;
}

/* True if calls to this runtime are recorded. */
static inline bool hooks_on(const struct runtime *real)
{
    return likely(real->recorded) &&
           (likely(__atomic_load_n(&hooks_words.mode, __ATOMIC_ACQUIRE) == MODE_ON) ||
            hooks_resolve());
}

/* Prototypes of the wrappers; the compiler has them built in, no header declares them. */
#define HOOKED(need, type, name, parameters) EXPORT type name parameters;
#define HOOKED_AS(type, name, symbol, version, parameters) EXPORT type name parameters;
#define CALLED(need, type, name, parameters)
#include "functions.def"
#undef HOOKED
#undef HOOKED_AS
#undef CALLED

/* control.c: a runtime that can be recorded is used. At the first call this resolves the
 * mode and makes ompd_dll_locations valid. */
void hooks_in_use(void);

/* control.c: requests recording, as omp_ompd_enable() does; true if it is on now. Without
 * a runtime it starts when one is found. */
bool hooks_record(void);

/* The runtime that reports by OMPT what it does, NULL while none does. */
extern const struct runtime *hooks_reporting;

/* control.c: a runtime that reports by OMPT starts, and records are wanted of it. */
bool hooks_wanted(void);
void hooks_record_reported(void);

/* control.c: the constructor, which is too late where another library's has a runtime look for a tool. */
void hooks_initialise(void);

/* control.c: makes ompd_dll_locations valid for such a runtime, recorded or not, unless there is
 * one with a variable of its own. */
void hooks_reported_in_use(void);

/* In the child of a fork: resets consumers; if the parent searched for tools with a
 * candidate present, the child searches again at its first use of the runtime. */
void hooks_forked(void);

#pragma GCC visibility pop

#endif
