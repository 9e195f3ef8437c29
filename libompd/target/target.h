/* SPDX-License-Identifier: MIT
 *
 * Reading the target: memory, symbols, and bytes turned into numbers. Everything above
 * asks here, so that bounds are checked once.
 */
#ifndef LIBOMPD_TARGET_H
#define LIBOMPD_TARGET_H

#include "libompd/array.h"
#include "libompd/core.h"

/* No read is larger than this; arrays are read in pieces. */
#define TARGET_BULK_BYTES 16384

/* Learns the sizes of types and the byte order. RC_CALLBACK_ERROR: the debugger gives
 * none or impossible ones. */
enum rc target_describe(struct space *space);

/* RC_UNAVAILABLE: no such symbol in the image with this file name; NULL: in none. */
enum rc target_symbol_in(const struct space *space, const char *file, const char *name, taddr *out);
static inline enum rc target_symbol(const struct space *space, const char *name, taddr *out)
{
    return target_symbol_in(space, NULL, name, out);
}

/* The same of an instance's image. */
enum rc target_image_symbol(const struct instance *instance, const char *name, taddr *out);

/* One read of the debugger. RC_NONSENSE, without reading: the range is empty, larger than
 * TARGET_BULK_BYTES, begins at 0 or wraps around the end of the target's memory. */
enum rc target_read(const struct space *space, taddr address, size_t bytes, void *out);

/* An unsigned number of the target of 4 or 8 bytes. */
uint64_t target_decode(const struct space *space, const void *bytes, unsigned size);
void target_encode(const struct space *space, uint64_t value, void *bytes, unsigned size);

/* False ends the walk. */
typedef bool element_visitor(void *arg, uint32_t index, taddr address, const void *bytes);

/* Visits `count` elements of `stride` bytes, read in pieces of whole elements.
 * RC_NONSENSE: an element is larger than TARGET_BULK_BYTES. The caller bounds `count`. */
enum rc target_each(const struct space *space, taddr first, uint32_t stride, uint32_t count,
                    element_visitor *visit, void *arg);

/* Finds a cycle in a walk along pointers of the target, by Brent's algorithm. Begins as
 * {0}. False: `at` has been visited, or it is the visit after `max`. */
struct cycle {
    taddr kept;
    uint32_t count, keep_at;
};
static inline bool cycle_advance(struct cycle *cycle, taddr at, uint32_t max)
{
    if (at == cycle->kept || cycle->count++ >= max)
        return false;
    if (cycle->count >= cycle->keep_at) {
        cycle->kept = at;
        cycle->keep_at = 2 * cycle->count;
    }
    return true;
}

/* A string that ends with NUL, at most `room` bytes with it. No read crosses the end of a
 * page, because what lies behind the string may not exist. RC_NONSENSE: it is longer. */
enum rc target_string(const struct space *space, taddr address, char *out, size_t room);

/* images.c: the images that the dynamic linker has loaded, by its own list, the program
 * first. */
enum { IMAGES_MAX = 1 << 12 };

struct listed_image {
    taddr node;
    taddr base;    /* address of what the file has at 0 */
    taddr name;    /* address of the file's name, empty for the program */
    taddr dynamic; /* address of its dynamic section */
};

/* Of struct listed_image, in an array that the caller frees, also when it fails; with what
 * says when the list changes. RC_UNAVAILABLE: there is no list, or it cannot be read.
 * RC_NONSENSE: it has a cycle, or more than IMAGES_MAX images. */
enum rc target_images(const struct space *space, struct array *out, struct image_mark *mark);

/* The image that an address can be in, by where images begin, or NULL; and where it ends at most. */
const struct listed_image *images_owner(const struct array *images, taddr address);
taddr images_end(const struct array *images, const struct listed_image *image);

/* Two reads, where the dynamic linker is glibc's, else one for each image. True where it cannot be
 * known. */
bool target_images_changed(const struct space *space, const struct image_mark *mark);

/* exports.c: what an image exports, by its own tables. RC_UNAVAILABLE: it has no GNU hash table. */
enum rc target_exports(const struct space *space, const struct listed_image *image,
                       struct exports *out);

/* RC_UNAVAILABLE: it exports no such symbol. */
enum rc target_export(const struct space *space, const struct exports *exports, const char *name,
                      taddr *out);

#endif
