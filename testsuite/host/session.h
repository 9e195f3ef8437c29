/* SPDX-License-Identifier: MIT
 *
 * One OMPD library at work on one target: loading it, what its callbacks come down to, and
 * the counts of what it asked for.
 */
#ifndef HOST_SESSION_H
#define HOST_SESSION_H

#include "dialect.h"

/* What the library asked for since session_open; tests take differences. */
struct counts {
    uint64_t reads; /* calls of the read callback */
    uint64_t read_bytes;
    uint64_t symbols; /* calls of the symbol callback */
    uint64_t writes;
    int64_t allocations; /* not freed yet */
};

/* A name that the library's lookups do not find; NULL: none. It makes a library that knows
 * a process in several ways take another one. */
extern const char *session_hidden_symbol;

struct session {
    struct target *target;
    const struct dialect *dialect;
    char *library; /* path */
    void *dl;
    void *state; /* of the dialect */
    struct counts counts;
    uint64_t opening_symbols; /* of those counted, the ones until the process was known */
    /* Tests: the callback read number `fail_read` (1 is the next) fails; 0 is none. */
    uint64_t fail_read;
};

/* `abi` 2 or 5. `library` NULL: the one that was built with this host; never what the
 * target names. One session per library at a time. Returns NULL and says why; *answer is what the library
 * said when it was the one to refuse, else ANSWER_ERROR. */
struct session *session_open(struct target *target, int abi, const char *library,
                             enum answer *answer, struct why *why);
void session_close(struct session *session);

/* A routine of a library and where its dialect keeps it. */
struct named_routine {
    const char *name;
    size_t offset;
    unsigned flags; /* enum routine_flag */
};

/* What callbacks come down to, for the dialects. */
enum answer host_read(struct session *s, uint64_t address, uint64_t length, void *buffer);
enum answer host_write(struct session *s, uint64_t address, uint64_t length, const void *buffer);
/* lwp 0: no thread; thread-local symbols are then unavailable. `file` is the name that the
 * dynamic linker has for the image; NULL: any image. */
enum answer host_symbol(struct session *s, pid_t lwp, const char *file, const char *name,
                        uint64_t *address);
/* Memory callbacks carry no context, so the counts go to the session that is open. */
enum answer host_alloc(uint64_t bytes, void **pointer);
enum answer host_free(void *pointer);

#endif
