/* SPDX-License-Identifier: MIT
 *
 * The loader's list of objects: lookup by address, exported symbols, undefined symbols
 * and DT_NEEDED dependencies.
 *
 * Nothing here calls dlopen() or dlsym() or allocates: a wrapper may run while another
 * thread is inside a constructor, which holds the loader lock and may wait for this
 * thread. The list is kept in place by the lock of dl_iterate_phdr(), which constructors
 * run without; the part that was there at startup never changes.
 */
#ifndef OMPD_HOOKS_IMAGES_H
#define OMPD_HOOKS_IMAGES_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* One object. */
struct image {
    const struct link_map *map;
    uintptr_t start, size; /* from its first loaded byte to its last */
    const ElfW(Phdr) * phdr;
    size_t phnum;
};

/* Calls `visit` with the object whose segments contain `address`; false if there is none.
 * The list cannot change meanwhile, and `visit` must not call the loader. */
typedef void image_visitor(const struct image *image, void *arg);
bool images_visit(uintptr_t address, image_visitor *visit, void *arg);

/* The object that contains `address`, but for its program headers, found without a lock.
 * The caller must know that it cannot be unloaded, or only compare it. False before
 * images_start(), and with a glibc before 2.35. */
bool image_at(uintptr_t address, struct image *image);

/* From the constructor: calls dlsym(). */
void images_start(void);

/* The dynamic symbols of an object, and what refers to them. */
struct image_symbols {
    uintptr_t base;
    const ElfW(Sym) * symbol;
    const char *string;
    const ElfW(Half) * version;    /* by symbol; NULL in an object without versions */
    const ElfW(Verdef) * versions; /* definitions of these; NULL if there are none */
    const uint32_t *gnu_hash, *hash;
    struct image_relocations {
        const void *first;
        size_t size; /* in bytes */
    } data, calls;
};
bool image_symbols(const struct link_map *map, struct image_symbols *symbols);

/* The address of an exported symbol in `version`, or in its default version if that is
 * NULL; 0 if it is not exported. */
uintptr_t image_export(const struct image_symbols *symbols, const char *name, const char *version);

/* The binding of the object's undefined symbol `name`. */
enum reference { REFERENCE_NONE, REFERENCE_WEAK, REFERENCE_STRONG };
enum reference image_reference(const struct image_symbols *symbols, const char *name);

/* True if an undefined symbol begins with one of the prefixes (NULL-terminated). */
bool image_refers(const struct image_symbols *symbols, const char *const *prefixes);

/* The next object after `from` (NULL: the first) that exports `name`, this library
 * excepted. */
const struct link_map *images_exporting(const struct link_map *from, const char *name);

/* What the first object behind this library exports as `name`, else the first of all; NULL if
 * none does. While the list does not change: before main(), or in a constructor. */
void *images_next(const char *name);

/* Objects in the loader's search order; those beyond MAX_SCOPE are not searched. */
#define MAX_SCOPE 1024
struct image_scope {
    const struct link_map *map[MAX_SCOPE];
    unsigned count;
};

/* Appends the objects of the list that follow this library, up to `last`. */
void image_scope_after_us(struct image_scope *scope, const struct link_map *last);

/* Appends the object, if it is not NULL, and its direct and indirect dependencies, breadth
 * first. */
void image_scope_of(struct image_scope *scope, const struct link_map *map);

/* True if this library is a direct or indirect dependency of the object. */
bool image_needs_us(const struct link_map *map);

static inline bool image_is_ours(const struct link_map *map)
{
    return map->l_ld == _DYNAMIC;
}

/* Calls `visit` with each read-only segment of the object. */
typedef void constants_visitor(const char *bytes, size_t size, void *arg);
void image_constants(const struct image *image, constants_visitor *visit, void *arg);

#pragma GCC visibility pop

#endif
