/* SPDX-License-Identifier: MIT
 *
 * The loaded objects of this process: which one holds an address, what it exports, what it
 * refers to, and which other objects it was linked against.
 *
 * Nothing here calls dlopen() or dlsym() or allocates: a wrapper may run while another
 * thread is inside a constructor, that is with the loader's lock held and perhaps waiting
 * for this thread. What is read is held in place by the lock of dl_iterate_phdr().
 */
#ifndef OMPD_HOOKS_IMAGES_H
#define OMPD_HOOKS_IMAGES_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* One object, valid only inside images_visit(). */
struct image {
    const struct link_map *map;
    uintptr_t start, size; /* from its first loaded byte to its last */
    const ElfW(Phdr) *phdr;
    size_t phnum;
};

/* Calls `visit` with the object that holds `address`; false if there is none. The list of
 * objects does not change meanwhile, and `visit` must not call the loader. */
typedef void image_visitor(const struct image *image, void *arg);
bool images_visit(uintptr_t address, image_visitor *visit, void *arg);

/* The dynamic symbols of an object. */
struct image_symbols {
    uintptr_t base;
    const ElfW(Sym) *symbol;
    const char *string;
    const ElfW(Half) *version;    /* NULL: the object has no versions */
    const ElfW(Verdef) *versions; /* what their numbers mean, NULL likewise */
    const uint32_t *gnu_hash, *hash;
};
bool image_symbols(const struct link_map *map, struct image_symbols *symbols);

/* The address of an exported symbol: of its default version, or of `version` if that is not
 * NULL. 0 if there is none. */
uintptr_t image_export(const struct image_symbols *symbols, const char *name,
                       const char *version);

/* How the object refers to symbols that it does not define. */
enum reference { REFERENCE_NONE, REFERENCE_WEAK, REFERENCE_STRONG };

/* Of the symbol `name`. */
enum reference image_reference(const struct image_symbols *symbols, const char *name);

/* Whether it refers to a symbol that begins with one of the prefixes, which NULL ends. */
bool image_refers(const struct image_symbols *symbols, const char *const *prefixes);

/* The next object of the list, this library apart, that exports `name` after `from` (NULL:
 * from the first). */
const struct link_map *images_exporting(const struct link_map *from, const char *name);

/* Objects in the order in which the loader searches them. */
#define MOST_IN_SCOPE 1024 /* what is behind is not searched */
struct image_scope {
    const struct link_map *map[MOST_IN_SCOPE];
    unsigned count;
};

/* Appends those of the list from the one behind this library to `last`. */
void image_scope_behind_us(struct image_scope *scope, const struct link_map *last);

/* Appends the object and those that it was linked against, directly or not. */
void image_scope_of(struct image_scope *scope, const struct link_map *map);

/* Whether this library is among those that the object was linked against, directly or not. */
bool image_needs_us(const struct link_map *map);

static inline bool image_is_ours(const struct link_map *map)
{
    return map->l_ld == _DYNAMIC;
}

/* Looks through what is only read in the object, a piece at a time. */
typedef void constants_visitor(const char *bytes, size_t size, void *arg);
void image_constants(const struct image *image, constants_visitor *visit, void *arg);

#pragma GCC visibility pop

#endif
