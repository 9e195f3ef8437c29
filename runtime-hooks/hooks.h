/* SPDX-License-Identifier: MIT
 *
 * What every file of the hooks shares: export marks, the mode word, and the table of the
 * real runtime's functions.
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
    uint32_t events; /* EVENT_BIT of what some consumer wants to hear of (events.h) */
};
extern struct hooks_words hooks_words;

/* Finds the real runtime and settles the mode; true when it is MODE_ON. Called by a
 * wrapper that found MODE_UNRESOLVED. */
bool hooks_resolve(void);

static inline bool hooks_off(void)
{
    return __atomic_load_n(&hooks_words.mode, __ATOMIC_ACQUIRE) == MODE_OFF;
}

static inline bool hooks_on(void)
{
    return likely(__atomic_load_n(&hooks_words.mode, __ATOMIC_ACQUIRE) == MODE_ON) ||
           hooks_resolve();
}

/* The real functions. Never called through their names: those are our wrappers. */
struct real_functions {
#define HOOKED(need, type, name, parameters) type(*name) parameters;
#define HOOKED_AS(type, name, symbol, version, parameters) type(*name) parameters;
#define CALLED(need, type, name, parameters) type(*name) parameters;
#include "functions.def"
#undef HOOKED
#undef HOOKED_AS
#undef CALLED
};
extern struct real_functions real;

/* The wrappers have no other declaration: a program knows them from its compiler. */
#define HOOKED(need, type, name, parameters) EXPORT type name parameters;
#define HOOKED_AS(type, name, symbol, version, parameters) EXPORT type name parameters;
#define CALLED(need, type, name, parameters)
#include "functions.def"
#undef HOOKED
#undef HOOKED_AS
#undef CALLED

/* real.c */
enum runtime_kind {
    RUNTIME_NONE,    /* not loaded (yet) */
    RUNTIME_LIBGOMP, /* one that we can record */
    RUNTIME_FOREIGN, /* another runtime, or one that brings its own OMPD support */
};
enum runtime_kind real_resolve(void);

/* Looks through the constants of the object that the real functions are in: a piece at a
 * time. */
typedef void constants_visitor(const char *bytes, size_t size, void *arg);
void real_constants(constants_visitor *visit, void *arg);

/* locations.c */
void locations_publish(void);
void locations_hand_on(const char **other);

/* threads.c */
void threads_start(void);

/* control.c: begins to record, as omp_ompd_enable() does; false when that cannot be. */
bool hooks_record(void);

/* In the child of a fork: tools are looked for anew. */
void hooks_forked(void);

#pragma GCC visibility pop

#endif
