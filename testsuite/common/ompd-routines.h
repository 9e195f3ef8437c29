/* SPDX-License-Identifier: MIT
 *
 * Every routine of an interface behind one signature, so that a test can put all of them
 * through the same trouble: ompd-routines.def as a table, of the one interface for which the
 * program is linked (ompd-routines-2.c or ompd-routines-5.c).
 *
 * Return codes are plain numbers here: both interfaces give them the same values.
 */
#ifndef OMPD_ROUTINES_H
#define OMPD_ROUTINES_H

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
    GIVES_ORDER,     /* of two handles: out.number */
};

/* What a routine may read, in the words of libompd/README.md; fuzz/bounds.h has the numbers. */
enum cost {
    COST_NONE,
    COST_ONE,       /* one record, and the id of an object behind a torn pair */
    COST_TEAM_SIZE, /* a region, and ICVs of the task that encountered it */
    COST_TORN,      /* one record, and the ids of two objects behind torn pairs */
    COST_ELEMENT,   /* a region, and one element of an array of its; the implicit region's
                       task may be far out */
    COST_TEAM,      /* a region, and an array of its */
    COST_THREADS,   /* the root and every thread */
    COST_FIND,      /* the index twice, and as COST_THREADS */
    COST_OPEN,      /* descriptor and root; the only ones that look symbols up */
    COST_TASKS,     /* the root and every task, and what COST_THREADS has */
    COST_LOCKS,     /* the root and every lock, and what COST_THREADS has */
    COST_REGIONS,   /* as COST_SURVEY, and every region with the task that met it */
    COST_SURVEY,    /* as COST_THREADS, and an id for each torn pair */
    COST_SETTINGS,  /* the root, settings, globals and lists */
    COST_RUNTIMES,  /* the root, twice */
};

enum { MANY = -1, UNASKED = -2 }; /* struct routine.reads */

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
    MAY_BE_INCOMPLETE = 1,  /* gives what it has, with ompd_rc_incomplete */
    MAY_IGNORE_FAILURE = 2, /* a failed read is told of otherwise than by the return code */
    TELLS_BY_NULL = 4,      /* with bad_input the handle may have become NULL */
    MAY_LACK = 8,           /* a library need not have it */
};

struct routine {
    const char *name;
    int (*call)(const struct args *a, struct outs *o);
    enum kind takes;
    enum gives gives;
    enum cost cost;
    int reads;
    unsigned flags;
};

extern const struct routine routines[];
extern const unsigned routine_count;

/* The routine with that name, or NULL. */
const struct routine *routine_named(const char *name);

/* The one that releases, compares or names handles of a kind (GIVES_RELEASE, GIVES_ORDER,
 * GIVES_STRING); NULL: this interface has none. */
const struct routine *routine_of_handles(enum kind takes, enum gives gives);
int release_handle(enum kind kind, void *handle);
int release_vars(void *list);

/* Fills the out-parameters with a pattern; whether a part of them still holds it. */
void outs_clear(struct outs *outs);
bool outs_untouched(const void *part, size_t bytes);

#endif
