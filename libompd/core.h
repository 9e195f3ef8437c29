/* SPDX-License-Identifier: MIT
 *
 * What all layers of the library share: return codes, addresses of the target, facts, and
 * the address space that everything hangs off. Knows neither of the two interfaces.
 */
#ifndef LIBOMPD_CORE_H
#define LIBOMPD_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rc {
#define RC(name, name2, value2, name5, value5) RC_##name,
#include "libompd/tables/rc.def"
#undef RC
};

/* States of threads; the values are those of the 2.000 report. */
enum state {
#define STATE(name2, value2, name5, value5) STATE_##name2 = value2,
#include "libompd/tables/states.def"
#undef STATE
};

/* An address of the target. Never a pointer: the target may be wider or narrower. */
typedef uint64_t taddr;

/* An object of the runtime: where it is, and the id that tells whether it is still the one
 * that was meant. Ids are unique for the life of the process and never 0. */
struct ref {
    taddr address;
    uint64_t id;
};

/* How a fact is known. What is not filled in is not held. */
enum known {
    NOT_HELD, /* this runtime does not keep it */
    KNOWN,
    NONE_HERE,      /* there is no such thing in this context */
    NEEDS_TRACKING, /* it would be kept if tracking were on */
    UNREADABLE,     /* the target's memory could not be read */
    IMPOSSIBLE,     /* it was read and cannot be true */
};

struct fact {
    enum known known;
    uint64_t value;
};

struct ref_fact {
    enum known known;
    bool
        torn; /* the writer was stopped between address and id: the id is to be taken from
                  the object itself. See fact_ref() in handle/facts.c */
    struct ref ref;
};

struct thread_facts {
    struct fact state; /* enum state */
    struct fact wait_id;
    struct fact thread_num;
    struct fact lwp;
    struct fact pthread;
    struct ref_fact region; /* innermost */
    struct ref_fact task;   /* current */
};

struct region_facts {
    struct fact num_threads;
    struct fact level;
    struct fact active_level;
    struct fact function;
    struct ref_fact enclosing;
    struct ref_fact encountering_task;
    struct ref_fact master;
};

struct task_facts {
    struct fact implicit; /* 0 or 1; the initial task counts as implicit */
    struct fact final;    /* 0 or 1 */
    struct fact level;
    struct fact active_level;
    struct fact thread_num;
    struct fact function;
    struct fact exit_frame; /* canonical frame addresses; 0 when not there */
    struct fact enter_frame;
    struct ref_fact parent; /* generating task */
    struct ref_fact region;
    struct ref_fact thread;
};

/* Kinds of operating system thread ids. */
enum os_thread_kind {
    OS_THREAD_PTHREAD,
    OS_THREAD_LWP,
};

/* Sizes of the target's types in bytes, as far as the library needs them. */
struct type_sizes {
    unsigned sizeof_long;
    unsigned sizeof_pointer;
};

/* What the library needs from the debugger. Each interface fills this table in its
 * callbacks.c. All functions answer RC_OK and fill their out-parameter, or another code and
 * leave it. */
struct target_ops {
    enum rc (*alloc)(size_t bytes, void **out); /* RC_NOMEM */
    void (*release)(void *memory);
    enum rc (*type_sizes)(void *context, struct type_sizes *out);
    enum rc (*symbol)(void *context, const char *name, taddr *out); /* RC_UNAVAILABLE */
    enum rc (*read)(void *context, taddr address, size_t bytes, void *out);
    enum rc (*to_host)(void *context, const void *in, int unit, int count, void *out);
};

/* A process or core: the address space handle. Holds what cannot change while the process
 * lives. Made and released by handle/space.c. */
struct space {
    uint64_t magic;
    const struct target_ops *ops;
    void *context; /* the debugger's; says which process is meant */
    struct type_sizes sizes;
    bool big_endian;
    const struct reader *reader;
    void *reader_state; /* owned by the reader */
};

#endif
