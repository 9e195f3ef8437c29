/* SPDX-License-Identifier: MIT
 *
 * The hostile process and the debugger's callbacks over it.
 */
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include "fuzz.h"
#include "input.h"
#include "testsuite/unit/fake-records.h"

enum { RECORDS_MAX = 2048 };

/* What inputs begin with; the two processes of one may be of one kind. */
struct origin {
    struct program *program;
    struct {
        enum hooks_record kind;
        uint64_t address;
    } record[RECORDS_MAX];
    unsigned records;
    unsigned char *bytes[2]; /* memory for what becomes of it */
    bool is_used[2];
};

struct target {
    struct origin *origin;
    const struct program *program; /* as it was at first */
    struct fake fake;              /* as it is */
    uint64_t base;                 /* of its memory; the end is fake.end */
    bool raw;
    bool raw_descriptor;
    bool everywhere;
    const unsigned char *raw_bytes;
    size_t raw_size;
    int sizeof_long; /* what the debugger says */
    int sizeof_pointer;
    bool says_big_endian;
    bool sizes_changed; /* ever */
};

/* flags are those of enum input_flag; threads chooses one of few sizes. */
void target_begin(struct target *target, unsigned flags, unsigned threads,
                  const unsigned char *data, size_t size);
void target_end(struct target *target);
/* Address and id of a record. */
void target_object(const struct target *target, unsigned record, uint64_t out[2]);
void target_restore(struct target *target);

/* One of the operations that change the process; false: it is another operation. */
bool target_change(struct target *target, enum op op, struct input *in);

/* What the library asked for since target_watch(). */
struct watch {
    unsigned reads;
    uint64_t bytes;
    unsigned lookups;
    long allocated; /* minus what was freed */
    bool read_failed;
    bool alloc_failed;
    bool lookup_failed;
    bool other_failed;
};
extern struct watch watch;
void watch_begin(void);

/* Lets the callback number `n` from now fail, 0: none; `how`: with what rubbish. */
void target_fail_at(unsigned n, unsigned how);

/* How many reads of one input succeed; raw targets are endless otherwise. */
void target_budget(unsigned reads);

/* The debugger's allocator. Freed blocks stay until allocator_end(), which gives their
 * number; only the first eight bytes of them may be looked at. */
void *allocator_get(size_t bytes);
void allocator_free(void *memory);
long allocator_alive(void);
void allocator_end(void);

/* For the callbacks: is this the one that fails? A read is counted, and fails also when no
 * more of them may succeed; its answer. */
bool callback_fails(void);
void callback_count_read(uint64_t address, uint64_t bytes, const void *out);
int callback_read_fails(bool fails);

/* The callbacks; RC_... */
int callback_alloc(uint64_t bytes, void **out);
int callback_free(void *memory);
int callback_sizes(void *context, int *sizeof_long, int *sizeof_pointer);
/* `file` NULL: of any image. */
int callback_symbol(void *context, const char *file, const char *name, uint64_t *out);
int callback_read(void *context, uint64_t address, uint64_t bytes, void *out);
int callback_thread(void *context, uint64_t bytes, const void *lwp, void **out);
int callback_to_host(void *context, const void *in, int unit, int count, void *out);

#endif
