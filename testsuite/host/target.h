/* SPDX-License-Identifier: MIT
 *
 * A process or a core as the host sees it: bytes, mapped files, threads of the kernel.
 *
 * live.c and core.c each fill one of these; everything above (symbols, thread ids, the
 * OMPD callbacks) works on either and does not know which it has. Addresses are integers
 * of the target. Functions that can fail say why in a struct why, which the person reads.
 */
#ifndef HOST_TARGET_H
#define HOST_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/procfs.h>

/* One sentence for a person; empty while nothing went wrong. */
struct why {
    char text[512];
};

/* Always false, so that a caller can return what it returns. */
bool why_set(struct why *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A stretch of a file in the address space. */
struct mapping {
    uint64_t start, end;
    uint64_t offset; /* in the file */
    char *path;
    uint64_t device, inode; /* 0 when not known, as in a core */
};

/* A thread of the kernel, with the registers it was stopped with. */
struct lwp {
    pid_t lwp;
    bool has_registers;
    elf_gregset_t registers;
    uint64_t thread_pointer; /* where the registers do not hold it, else 0 */
    uint64_t pthread;        /* pthread_t, 0 when not known; see threads.h */
};

struct target;

enum step_result {
    STEP_DONE,    /* one instruction further */
    STEP_BLOCKED, /* it waits inside a system call for a thread that is stopped */
    STEP_GONE,
};

struct target_ops {
    const char *kind; /* "process" or "core" */
    /* All of `length` bytes or an errno value. */
    int (*read)(struct target *, uint64_t address, void *buffer, size_t length);
    /* The same, without bytes that a core takes from the files of this machine. */
    int (*read_held)(struct target *, uint64_t address, void *buffer, size_t length);
    int (*write)(struct target *, uint64_t address, const void *buffer, size_t length);
    /* Stops every thread and reads the lists anew; lets all run. NULL for a core. */
    bool (*stop)(struct target *, struct why *);
    bool (*resume)(struct target *, struct why *);
    enum step_result (*step)(struct target *, struct lwp *);
    void (*close)(struct target *);
};

struct target {
    const struct target_ops *ops;
    void *state; /* of live.c or core.c */
    pid_t pid;
    unsigned word_size; /* bytes of a pointer: 8, or 4 where this machine runs such programs */
    unsigned machine;   /* EM_* of the program and its libraries */
    struct mapping *mappings; /* of files, by address */
    size_t mapping_count;
    struct lwp *lwps;
    size_t lwp_count;
    uint64_t program_headers; /* AT_PHDR: it tells which image is the program; or 0 */

    struct page_cache *cache;
    struct image *images; /* elf-image.h */
    size_t image_count;
    struct thread_db *thread_db; /* threads.h; NULL when there is none */
};

/* The word is a process id or the name of a core file. Returns NULL and says why. */
struct target *target_open(const char *word, struct why *why);
struct target *live_open(pid_t pid, struct why *why);
struct target *core_open(const char *path, struct why *why);

/* Ends work on it; a live process runs on. */
void target_close(struct target *target);

/* Through the page cache. 0 or an errno value; `buffer` changes only on success. */
int target_read(struct target *target, uint64_t address, void *buffer, size_t length);
int target_write(struct target *target, uint64_t address, const void *buffer, size_t length);

/* A string of at most `size` - 1 bytes; ENAMETOOLONG when it has no end within. */
int target_read_string(struct target *target, uint64_t address, char *buffer, size_t size);

/* A pointer-sized number. */
int target_read_word(struct target *target, uint64_t address, uint64_t *word);

bool target_stop(struct target *target, struct why *why);
bool target_resume(struct target *target, struct why *why);

/* One instruction of one thread while the others stay stopped. */
enum step_result target_step(struct target *target, struct lwp *lwp);

/* Whether it is a program of another machine: a core from there, or emulated here. */
bool target_is_foreign(const struct target *target);

/* NULL when the target has no such thread. */
struct lwp *target_lwp(struct target *target, pid_t lwp);

/* The file stretch that covers an address, or NULL. */
const struct mapping *target_mapping(const struct target *target, uint64_t address);

/* For live.c and core.c. */
/* `count` pointer-sized numbers as they stand in the target. */
void target_decode_words(const struct target *target, const void *bytes, size_t count,
                         uint64_t *words);
struct target *target_new(const struct target_ops *ops, void *state);
bool target_add_mapping(struct target *target, const struct mapping *mapping);
struct lwp *target_add_lwp(struct target *target, pid_t lwp);
void target_forget_lists(struct target *target);

/* Bounds on what a target may claim; far above real programs, far below what would hang. */
enum {
    TARGET_MAX_LWPS = 1 << 17,
    TARGET_MAX_MAPPINGS = 1 << 18,
};

#endif
