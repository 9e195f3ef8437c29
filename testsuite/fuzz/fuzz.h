/* SPDX-License-Identifier: MIT
 *
 * A fuzz driver of libompd. The input says what a hostile process holds, when it changes,
 * which routine is called next with which handles, and which callback fails; after every
 * call the driver checks what a debugger may rely on (engine.c says what).
 *
 * Each interface is described by a table (routines-2.def, routines-5.def); all else is
 * shared. Return codes are plain numbers here: both interfaces give them the same values.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kind { KIND_SPACE, KIND_THREAD, KIND_REGION, KIND_TASK, KIND_COUNT, KIND_NONE };

/* What is kept by a routine that succeeds, and where in struct outs it stands. */
enum gives {
    GIVES_NOTHING,
    GIVES_SPACE, /* out.handle */
    GIVES_THREAD,
    GIVES_REGION,
    GIVES_TASK,
    GIVES_THREADS, /* out.vector, out.number */
    GIVES_TASKS,
    GIVES_STRING,    /* out.string, of letters, digits and underscores */
    GIVES_WORDS,     /* out.string, of any characters */
    GIVES_ANY_WORDS, /* the same, and it may be empty */
    GIVES_PAIR,      /* out.list and out.list2, two allocations */
    GIVES_BOOL,      /* out.word */
    GIVES_TEAM_SIZE,
    GIVES_LIST,      /* out.list, out.size: one allocation, none when empty */
    GIVES_TWO_LISTS, /* the same, and out.list2, out.size2 */
    GIVES_VARS,      /* out.list, for abi.release_vars */
    GIVES_RELEASE,   /* of the handle that it takes */
};

/* What a routine may read, in the words of libompd/README.md; bounds.h has the numbers.
 */
enum cost {
    COST_NONE,
    COST_ONE,       /* one record, and the id of an object behind a torn pair */
    COST_TEAM_SIZE, /* a region, and ICVs of the task that encountered it */
    COST_TORN,      /* one record, and the ids of two objects behind torn pairs */
    COST_ELEMENT,   /* a region, and one element of an array of its; the implicit region's
                       task may be far out */
    COST_TEAM,      /* a region, and an array of its */
    COST_THREADS,  /* the root and every thread */
    COST_FIND,     /* the index twice, and as COST_THREADS */
    COST_OPEN,     /* descriptor and root; the only ones that look symbols up */
    COST_TASKS,    /* the root and every task, and what COST_THREADS has */
    COST_LOCKS,    /* the root and every lock, and what COST_THREADS has */
    COST_REGIONS,  /* as COST_SURVEY, and every region with the task that met it */
    COST_SURVEY,   /* as COST_THREADS, and an id for each torn pair */
    COST_SETTINGS, /* the root, settings, globals and lists */
    COST_RUNTIMES, /* the root, twice */
};

struct args {
    void *h;  /* a handle of the kind that the routine takes, or something else */
    void *h2; /* likewise */
    void *context;
    int number;
    uint64_t kind;
    uint64_t size;
    unsigned char id[16]; /* of an operating system thread, in the target's byte order */
    void *scoped;         /* a handle that belongs to that scope, or something else */
    unsigned scope;
    uint64_t icv;
    uint64_t object[2]; /* address and id */
    unsigned null;      /* bits of out-parameters that are passed as NULL */
};

struct outs {
    void *handle;
    void **vector;
    char *string;
    void *list;
    void *list2;
    uint64_t size;
    uint64_t size2;
    int64_t word;
    int64_t word2;
    uint64_t address[4];
    int number;
    unsigned state;
    uint64_t id;
    unsigned char os_id[16];
    unsigned char bytes[256];
};

enum routine_flag {
    MAY_BE_INCOMPLETE = 1, /* gives what it has, with ompd_rc_incomplete */
    MAY_IGNORE_FAILURE =
        2,             /* a failed read is told of otherwise than by the return code */
    TELLS_BY_NULL = 4, /* with bad_input the handle may have become NULL */
};

struct routine {
    const char *name;
    int (*call)(const struct args *a, struct outs *o);
    enum kind takes;
    enum gives gives;
    enum cost cost;
    unsigned flags;
};

struct abi {
    const char *name;
    const struct routine *routines;
    unsigned count;
    int (*initialize)(void);
    int (*finalize)(void);
    int initialized;   /* what initialize answers when it is */
    int uninitialized; /* what finalize answers then */
    int (*release[KIND_COUNT])(void *handle);
    int (*compare[KIND_COUNT])(void *a, void *b, int *out); /* NULL for spaces */
    int (*string[KIND_COUNT])(void *handle, char **out);    /* NULL: none */
    int (*release_vars)(void *list);
};

extern const struct abi fuzz_abi;

enum {
    RC_ok,
    RC_unavailable,
    RC_stale,
    RC_bad_input,
    RC_error,
    RC_unsupported,
    RC_needs_tracking,
    RC_incompatible,
    RC_read_error,
    RC_write_error,
    RC_nomem,
    RC_incomplete,
    RC_callback_error,
    RC_incompatible_handle
};

/* Runs one input from a fresh start to a balanced end; does not return when something is
 * wrong. */
void fuzz_one(const unsigned char *data, size_t size);

/* What all inputs have done so far. */
struct fuzz_totals {
    uint64_t inputs;
    uint64_t calls;
    uint64_t answered; /* with ok */
    uint64_t reads;
    unsigned reads_max; /* of one call */
    uint64_t bytes_max;
};
extern struct fuzz_totals fuzz_totals;

/* Reads of raw targets do not run out: one input may take a second then. Off at first. */
extern bool fuzz_endless;

/* The routine that is being called, or what else is done. */
extern const char *fuzz_running;

/* Fills the out-parameters with a pattern; whether a part of them still holds it. */
void outs_clear(struct outs *outs);
bool outs_untouched(const void *part, size_t bytes);

/* Says what is wrong and aborts. */
__attribute__((noreturn, format(printf, 1, 2))) void fuzz_fail(const char *format, ...);

#endif
