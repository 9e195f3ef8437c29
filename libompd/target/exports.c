/* SPDX-License-Identifier: MIT
 *
 * What an image exports, by its own dynamic symbol table, which is in the target's memory: the
 * dynamic linker looks symbols up in it. Only GNU hash tables are read.
 */
#include <string.h>

#include "libompd/target/target.h"

enum {
    DYNAMIC_MAX = 256, /* entries of a dynamic section */
    CHAIN_MAX = 256,   /* symbols of one hash bucket */
    NAME_BYTES_MAX = 64,
    PAGE = 4096,
};

/* <elf.h>: tags of the dynamic section, and what symbols have. */
enum { TAG_NULL, TAG_STRINGS = 5, TAG_SYMBOLS = 6 };
static const uint64_t TAG_GNU_HASH = 0x6ffffef5, TAG_VERSIONS = 0x6ffffff0;
enum { TYPE_TLS = 6, VERSION_HIDDEN = 0x8000 };

/* The dynamic linker has made addresses of most sections' entries; some stay relative. */
static taddr relocated(taddr base, uint64_t value)
{
    return value < base ? base + value : value;
}

static void take_entry(struct exports *out, uint64_t tag, uint64_t value)
{
    taddr at = relocated(out->base, value);
    if (tag == TAG_GNU_HASH)
        out->hash = at;
    else if (tag == TAG_SYMBOLS)
        out->symbols = at;
    else if (tag == TAG_STRINGS)
        out->strings = at;
    else if (tag == TAG_VERSIONS)
        out->versions = at;
}

enum rc target_exports(const struct space *space, const struct listed_image *image,
                       struct exports *out)
{
    unsigned pointer = space->sizes.sizeof_pointer, stride = 2 * pointer;
    unsigned char bytes[PAGE];
    struct exports found = {.base = image->base};
    for (unsigned done = 0; done < DYNAMIC_MAX;) {
        /* Up to the end of a page: what lies behind the section may not exist. */
        taddr at = image->dynamic + (taddr)done * stride;
        unsigned now = (unsigned)(PAGE - at % PAGE) / stride;
        now = !now ? 1 : now < DYNAMIC_MAX - done ? now : DYNAMIC_MAX - done;
        enum rc rc = target_read(space, at, (size_t)now * stride, bytes);
        if (rc != RC_OK)
            return rc;
        for (unsigned i = 0; i < now; i++) {
            uint64_t tag = target_decode(space, bytes + (size_t)i * stride, pointer);
            if (tag == TAG_NULL) {
                if (!found.hash || !found.symbols || !found.strings)
                    return RC_UNAVAILABLE;
                *out = found;
                return RC_OK;
            }
            take_entry(&found, tag,
                       target_decode(space, bytes + (size_t)i * stride + pointer, pointer));
        }
        done += now;
    }
    return RC_NONSENSE;
}

static enum rc read_number(const struct space *space, taddr at, unsigned size, uint64_t *out)
{
    unsigned char bytes[8];
    enum rc rc = target_read(space, at, size, bytes);
    if (rc == RC_OK)
        *out = target_decode(space, bytes, size);
    return rc;
}

struct symbol {
    taddr address;  /* 0: it is none, or has another name */
    bool is_hidden; /* an older version of it, to which nothing new is bound */
};

/* Elf64_Sym and Elf32_Sym have the same members in another order. */
static enum rc read_symbol(const struct space *space, const struct exports *exports,
                           uint32_t number, const char *name, struct symbol *out)
{
    bool is_64 = space->sizes.sizeof_pointer == 8;
    unsigned char bytes[24];
    char found[NAME_BYTES_MAX];
    uint64_t version;
    unsigned size = is_64 ? 24 : 16;
    *out = (struct symbol){0};
    enum rc rc = target_read(space, exports->symbols + (taddr)number * size, size, bytes);
    if (rc != RC_OK)
        return rc;
    const unsigned char *info = bytes + (is_64 ? 4 : 12);
    bool is_defined = info[2] || info[3];
    if (!is_defined || (info[0] & 0xf) == TYPE_TLS)
        return RC_OK;
    rc = target_string(space, exports->strings + target_decode(space, bytes, 4), found,
                       strlen(name) + 1);
    if (rc != RC_OK || strcmp(found, name) != 0)
        return rc == RC_NONSENSE ? RC_OK : rc; /* it is longer */
    if (exports->versions) {
        rc = read_number(space, exports->versions + (taddr)number * 2, 2, &version);
        if (rc != RC_OK)
            return rc;
        out->is_hidden = version & VERSION_HIDDEN;
    }
    out->address = exports->base + (is_64 ? target_decode(space, bytes + 8, 8)
                                          : target_decode(space, bytes + 4, 4));
    return RC_OK;
}

static uint32_t hash_of(const char *name)
{
    uint32_t hash = 5381;
    while (*name)
        hash = hash * 33 + (unsigned char)*name++;
    return hash;
}

/* Symbols of one hash bucket: numbers from `number` on, and the hash of each in `hashes`. */
struct chain {
    uint64_t number;
    taddr hashes;
};

/* The header: how many buckets there are, the first symbol that is in one, how many words of a
 * Bloom filter, and its shift. Then the filter, the buckets, and the hashes. */
static enum rc find_chain(const struct space *space, taddr at, uint32_t hash, struct chain *out)
{
    unsigned char header[16];
    unsigned word = space->sizes.sizeof_pointer, bits = 8 * word;
    uint64_t filter, number;
    enum rc rc = target_read(space, at, sizeof header, header);
    if (rc != RC_OK)
        return rc;
    uint32_t buckets = (uint32_t)target_decode(space, header, 4);
    uint32_t first = (uint32_t)target_decode(space, header + 4, 4);
    uint32_t words = (uint32_t)target_decode(space, header + 8, 4);
    uint32_t shift = (uint32_t)target_decode(space, header + 12, 4);
    if (!buckets || !words || shift >= 32)
        return RC_NONSENSE;
    at += sizeof header;
    rc = read_number(space, at + (taddr)(hash / bits % words) * word, word, &filter);
    if (rc != RC_OK)
        return rc;
    if (!(filter >> hash % bits & filter >> (hash >> shift) % bits & 1))
        return RC_UNAVAILABLE;
    at += (taddr)words * word;
    rc = read_number(space, at + (taddr)(hash % buckets) * 4, 4, &number);
    if (rc != RC_OK)
        return rc;
    if (!number)
        return RC_UNAVAILABLE;
    if (number < first)
        return RC_NONSENSE;
    *out = (struct chain){number, at + (taddr)buckets * 4 + (number - first) * 4};
    return RC_OK;
}

enum rc target_export(const struct space *space, const struct exports *exports, const char *name,
                      taddr *out)
{
    uint32_t hash = hash_of(name);
    struct chain chain;
    struct symbol found = {0};
    if (strlen(name) >= NAME_BYTES_MAX)
        return RC_UNAVAILABLE;
    enum rc rc = find_chain(space, exports->hash, hash, &chain);
    for (unsigned i = 0; rc == RC_OK && i < CHAIN_MAX; i++) {
        uint64_t other; /* bit 0 ends the chain */
        struct symbol symbol = {0};
        rc = read_number(space, chain.hashes + 4 * (taddr)i, 4, &other);
        if (rc == RC_OK && (other | 1) == (hash | 1))
            rc = read_symbol(space, exports, (uint32_t)chain.number + i, name, &symbol);
        if (rc != RC_OK)
            return rc;
        if (symbol.address && (!found.address || found.is_hidden))
            found = symbol;
        if (other & 1) {
            *out = found.address;
            return found.address ? RC_OK : RC_UNAVAILABLE;
        }
    }
    return rc == RC_OK ? RC_NONSENSE : rc;
}

/* Without the image's own tables, a debugger that does not go by file names finds what other images
 * have. */
enum rc target_image_symbol(const struct instance *instance, const char *name, taddr *out)
{
    const struct image *image = &instance->image;
    taddr address;
    if (image->exports.hash)
        return target_export(instance->space, &image->exports, name, out);
    enum rc rc = target_symbol_in(instance->space, image->file, name, &address);
    if (rc != RC_OK)
        return rc;
    if (image->end && (address < image->start || address >= image->end))
        return RC_UNAVAILABLE;
    *out = address;
    return RC_OK;
}
