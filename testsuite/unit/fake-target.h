/* SPDX-License-Identifier: MIT
 *
 * A process that exists only here: bytes, symbols and an allocator, with a count of every
 * callback and the power to let the Nth one fail. Its records have the layout that a
 * compiler would give records.def on a target of the chosen width and byte order.
 */
#ifndef FAKE_TARGET_H
#define FAKE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime-hooks/records/layout.h"

enum fake_callback {
    FAKE_NONE,
    FAKE_ALLOC,
    FAKE_SIZES,
    FAKE_SYMBOL,
    FAKE_READ,
    FAKE_TO_HOST,
};

/* What the debugger's side counts; one for all targets, as the allocator is. */
extern struct fake_counts {
    unsigned allocs_alive;
    unsigned reads;
    unsigned lookups;
    size_t bytes_read;
    size_t largest_read;
    size_t bytes_alive; /* of memory */
    size_t bytes_peak;
} fake_counts;

/* Forgets the counts except that of living allocations. */
void fake_counts_reset(void);

/* Lets the callback number `n`, counted from 1 and from now, fail; 0: none. */
void fake_fail_at(unsigned n);
/* The callback that failed since then, FAKE_NONE if none was reached. */
enum fake_callback fake_failed(void);

struct fake {
    unsigned pointer_size;
    bool big_endian;
    uint32_t record_size[RECORD_COUNT];
    struct hooks_field_place field[FIELD_COUNT];
    uint64_t descriptor; /* addresses; 0: the symbol does not exist */
    uint64_t root;
    uint64_t end; /* of the memory in use */
    unsigned char *bytes;
    /* From `endless` on memory repeats what stands at `repeated`; period 0: it does not. */
    uint64_t endless;
    uint64_t repeated;
    size_t endless_period;
};

/* An empty process whose descriptor and root are in place, tracking off. */
struct fake *fake_new(unsigned pointer_size, bool big_endian);
void fake_free(struct fake *fake);

/* Frees what the debugger's side has kept, so that leak checkers see real leaks only. */
void fake_forget_freed(void);

/* Zeroed memory of the target, aligned to 64. */
uint64_t fake_memory(struct fake *fake, size_t bytes);
uint64_t fake_record(struct fake *fake, enum hooks_record record);

void fake_put(struct fake *fake, uint64_t record, enum hooks_field field, uint64_t value);
void fake_put_number(struct fake *fake, uint64_t address, unsigned size, uint64_t value);
uint64_t fake_get(const struct fake *fake, uint64_t record, enum hooks_field field);

/* Number in the target's byte order. */
void fake_encode(const struct fake *fake, uint64_t value, void *bytes, unsigned size);

/* The callbacks in neutral terms; false: failed. */
void *fake_cb_alloc(size_t bytes);
void fake_cb_free(void *memory);
bool fake_cb_sizes(void);
bool fake_cb_symbol(const struct fake *fake, const char *name, uint64_t *out);
bool fake_cb_read(const struct fake *fake, uint64_t address, uint64_t bytes, void *out);
bool fake_cb_to_host(const struct fake *fake, const void *in, unsigned unit, unsigned count,
                     void *out);

#endif
