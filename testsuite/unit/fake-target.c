/* SPDX-License-Identifier: MIT
 *
 * The fake process: memory, layout and callbacks.
 */
#include "fake-target.h"

#include <stdlib.h>
#include <string.h>

enum { BASE = 0x10000, LIMIT = 1 << 22 };

struct fake_counts fake_counts;

static unsigned fail_at;
static unsigned callbacks;
static enum fake_callback failed;

void fake_counts_reset(void)
{
    unsigned alive = fake_counts.allocs_alive;
    size_t bytes = fake_counts.bytes_alive;
    fake_counts =
        (struct fake_counts){.allocs_alive = alive, .bytes_alive = bytes, .bytes_peak = bytes};
}

void fake_fail_at(unsigned n)
{
    fail_at = n;
    callbacks = 0;
    failed = FAKE_NONE;
}

enum fake_callback fake_failed(void)
{
    return failed;
}

static bool fails(enum fake_callback callback)
{
    if (!fail_at || ++callbacks != fail_at)
        return false;
    failed = callback;
    return true;
}

/* Offsets as a compiler places them: natural alignment, also for 8 bytes on 32-bit
 * targets, except that the record's own alignment may end it unpadded. */
static void place_fields(struct fake *fake)
{
    uint32_t at = 0;
#define TYPE_BYTES_u32 4
#define TYPE_BYTES_u64 8
#define TYPE_BYTES_addr fake->pointer_size
#define RECORD(r, comment) at = 0;
#define FIELD(r, type, f)                                                                          \
    at = (at + TYPE_BYTES_##type - 1) / TYPE_BYTES_##type * TYPE_BYTES_##type;                     \
    fake->field[FIELD_##r##_##f] = (struct hooks_field_place){at, TYPE_BYTES_##type};              \
    at += TYPE_BYTES_##type;
#define END_RECORD(r) fake->record_size[RECORD_##r] = (at + 7) / 8 * 8;
#include "runtime-hooks/records/records.def"
#undef RECORD
#undef FIELD
#undef END_RECORD
}

static void write_descriptor(struct fake *fake)
{
    uint64_t at = fake->descriptor;
    memcpy(fake->bytes + (at - BASE), HOOKS_COOKIE, sizeof HOOKS_COOKIE);
    const uint32_t header[] = {HOOKS_BYTE_ORDER, HOOKS_VERSION_MAJOR, HOOKS_VERSION_MINOR,
                               RECORD_COUNT,     FIELD_COUNT,         fake->pointer_size};
    at += sizeof HOOKS_COOKIE;
    for (unsigned i = 0; i < sizeof header / sizeof *header; i++, at += 4)
        fake_put_number(fake, at, 4, header[i]);
    for (unsigned i = 0; i < RECORD_COUNT; i++, at += 4)
        fake_put_number(fake, at, 4, fake->record_size[i]);
    for (unsigned i = 0; i < FIELD_COUNT; i++, at += 8) {
        fake_put_number(fake, at, 4, fake->field[i].offset);
        fake_put_number(fake, at + 4, 4, fake->field[i].size);
    }
}

struct fake *fake_new(unsigned pointer_size, bool big_endian)
{
    struct fake *fake = calloc(1, sizeof *fake);
    fake->bytes = calloc(1, LIMIT);
    fake->pointer_size = pointer_size;
    fake->big_endian = big_endian;
    fake->end = BASE;
    place_fields(fake);
    fake->descriptor = fake_memory(fake, sizeof(struct hooks_descriptor_header) + RECORD_COUNT * 4 +
                                             FIELD_COUNT * 8 + 4096);
    fake->root = fake_record(fake, RECORD_root);
    write_descriptor(fake);
    return fake;
}

void fake_free(struct fake *fake)
{
    free(fake->bytes);
    free(fake);
}

uint64_t fake_memory(struct fake *fake, size_t bytes)
{
    uint64_t at = fake->end;
    fake->end += (bytes + 63) / 64 * 64;
    if (fake->end > BASE + LIMIT)
        abort();
    return at;
}

uint64_t fake_record(struct fake *fake, enum hooks_record record)
{
    return fake_memory(fake, fake->record_size[record]);
}

void fake_encode(const struct fake *fake, uint64_t value, void *bytes, unsigned size)
{
    unsigned char *to = bytes;
    for (unsigned i = 0; i < size; i++) {
        unsigned shift = 8 * (fake->big_endian ? size - 1 - i : i);
        to[i] = (unsigned char)(value >> shift);
    }
}

void fake_put_number(struct fake *fake, uint64_t address, unsigned size, uint64_t value)
{
    fake_encode(fake, value, fake->bytes + (address - BASE), size);
}

void fake_put(struct fake *fake, uint64_t record, enum hooks_field field, uint64_t value)
{
    struct hooks_field_place place = fake->field[field];
    fake_put_number(fake, record + place.offset, place.size, value);
}

uint64_t fake_get(const struct fake *fake, uint64_t record, enum hooks_field field)
{
    struct hooks_field_place place = fake->field[field];
    const unsigned char *from = fake->bytes + (record + place.offset - BASE);
    uint64_t value = 0;
    for (unsigned i = 0; i < place.size; i++) {
        unsigned shift = 8 * (fake->big_endian ? place.size - 1 - i : i);
        value |= (uint64_t)from[i] << shift;
    }
    return value;
}

/* Freed blocks are kept, so that a released handle can be looked at. Their first words stay
 * as they were, for an allocator need not touch them; the rest is overwritten. */
enum { LEFT_ALONE = 16 };

struct block {
    struct block *next_freed;
    size_t bytes;
};

static struct block *freed;

void *fake_cb_alloc(size_t bytes)
{
    if (fails(FAKE_ALLOC))
        return NULL;
    struct block *block = malloc(sizeof *block + bytes);
    block->bytes = bytes;
    fake_counts.allocs_alive++;
    fake_counts.bytes_alive += bytes;
    if (fake_counts.bytes_alive > fake_counts.bytes_peak)
        fake_counts.bytes_peak = fake_counts.bytes_alive;
    memset(block + 1, 0xA5, bytes);
    return block + 1;
}

void fake_cb_free(void *memory)
{
    struct block *block = (struct block *)memory - 1;
    if (block->bytes > LEFT_ALONE)
        memset((char *)memory + LEFT_ALONE, 0xF5, block->bytes - LEFT_ALONE);
    block->next_freed = freed;
    freed = block;
    fake_counts.allocs_alive--;
    fake_counts.bytes_alive -= block->bytes;
}

void fake_forget_freed(void)
{
    while (freed) {
        struct block *next = freed->next_freed;
        free(freed);
        freed = next;
    }
}

bool fake_cb_sizes(void)
{
    return !fails(FAKE_SIZES);
}

bool fake_cb_symbol(const struct fake *fake, const char *name, uint64_t *out)
{
    fake_counts.lookups++;
    uint64_t address = 0;
    if (strcmp(name, HOOKS_SYMBOL_DESCRIPTOR) == 0)
        address = fake->descriptor;
    else if (strcmp(name, HOOKS_SYMBOL_ROOT) == 0)
        address = fake->root;
    if (!address || fails(FAKE_SYMBOL))
        return false;
    *out = address;
    return true;
}

static void read_repeated(const struct fake *fake, uint64_t from, uint64_t bytes,
                          unsigned char *out)
{
    while (bytes) {
        size_t at = from % fake->endless_period;
        size_t now = fake->endless_period - at < bytes ? fake->endless_period - at : bytes;
        memcpy(out, fake->bytes + (fake->repeated - BASE) + at, now);
        from += now;
        out += now;
        bytes -= now;
    }
}

bool fake_cb_read(const struct fake *fake, uint64_t address, uint64_t bytes, void *out)
{
    fake_counts.reads++;
    fake_counts.bytes_read += bytes;
    if (bytes > fake_counts.largest_read)
        fake_counts.largest_read = bytes;
    if (fails(FAKE_READ))
        return false;
    if (fake->endless_period && address >= fake->endless) {
        read_repeated(fake, address - fake->endless, bytes, out);
        return true;
    }
    if (address < BASE || address > BASE + LIMIT || bytes > BASE + LIMIT - address)
        return false;
    memcpy(out, fake->bytes + (address - BASE), bytes);
    return true;
}

bool fake_cb_to_host(const struct fake *fake, const void *in, unsigned unit, unsigned count,
                     void *out)
{
    if (fails(FAKE_TO_HOST))
        return false;
    static const uint16_t probe = 1;
    bool host_is_big = *(const unsigned char *)&probe == 0;
    const unsigned char *from = in;
    unsigned char *to = out;
    for (unsigned i = 0; i < count; i++, from += unit, to += unit) {
        for (unsigned b = 0; b < unit; b++)
            to[b] = from[host_is_big == fake->big_endian ? b : unit - 1 - b];
    }
    return true;
}
