/* SPDX-License-Identifier: MIT
 *
 * The list of images that the dynamic linker keeps for debuggers: struct r_debug leads to the
 * first struct link_map (<link.h>). All of it is memory of the target.
 */
#include <string.h>

#include "libompd/target/target.h"

/* Words of struct link_map, and of struct r_debug. */
enum { LINK_ADDR, LINK_NAME, LINK_LD, LINK_NEXT, LINK_PREV, LINK_WORDS };
enum { DEBUG_MAP = 1 };

static enum rc read_words(const struct space *space, taddr at, unsigned count,
                          uint64_t *out)
{
    unsigned char bytes[LINK_WORDS * 8];
    unsigned size = space->sizes.sizeof_pointer;
    enum rc rc = target_read(space, at, (size_t)count * size, bytes);
    for (unsigned i = 0; rc == RC_OK && i < count; i++)
        out[i] = target_decode(space, bytes + (size_t)i * size, size);
    return rc;
}

/* glibc's _rtld_global begins with its first list: the first image, and how many there are. */
static enum rc read_counts(const struct space *space, taddr at, taddr *first,
                           uint64_t *count)
{
    uint64_t words[2];
    enum rc rc = read_words(space, at, 2, words);
    if (rc == RC_OK) {
        *first = words[0];
        *count = words[1] & UINT32_MAX;
    }
    return rc;
}

/* Believed where it agrees with the list. */
static void find_counts(const struct space *space, taddr first, size_t images,
                        struct image_mark *mark)
{
    taddr at, other;
    uint64_t count;
    if (target_symbol(space, "_rtld_global", &at) == RC_OK &&
        read_counts(space, at, &other, &count) == RC_OK && other == first &&
        count == images) {
        mark->counts = at;
        mark->count = count;
    }
}

enum rc target_images(const struct space *space, struct array *out,
                      struct image_mark *mark)
{
    *out = array_of(space->ops, sizeof(struct listed_image));
    struct image_mark found = {0};
    taddr debug, first;
    enum rc rc = target_symbol(space, "_r_debug", &debug);
    uint64_t word[LINK_WORDS];
    if (rc != RC_OK)
        return rc;
    if (read_words(space, debug, DEBUG_MAP + 1, word) != RC_OK || !word[DEBUG_MAP])
        return RC_UNAVAILABLE;
    first = word[DEBUG_MAP];
    struct cycle cycle = {0};
    for (taddr at = first; at; at = word[LINK_NEXT]) {
        if (!cycle_advance(&cycle, at, IMAGES_MAX))
            return RC_NONSENSE;
        if (read_words(space, at, LINK_WORDS, word) != RC_OK)
            return RC_UNAVAILABLE;
        struct listed_image image = {at, word[LINK_ADDR], word[LINK_NAME]};
        rc = array_add(out, &image);
        if (rc != RC_OK)
            return rc;
        found.tail = at;
    }
    found.head = first;
    memcpy(found.tail_word, word, sizeof word);
    find_counts(space, first, out->count, &found);
    *mark = found;
    return RC_OK;
}

/* The count does not see that as many have gone as have come, nor the last node that others
 * have gone. */
bool target_images_changed(const struct space *space, const struct image_mark *mark)
{
    uint64_t word[LINK_WORDS], count;
    taddr first;
    if (!mark->head)
        return false;
    if (mark->counts && (read_counts(space, mark->counts, &first, &count) != RC_OK ||
                         first != mark->head || count != mark->count))
        return true;
    return read_words(space, mark->tail, LINK_WORDS, word) != RC_OK ||
           memcmp(word, mark->tail_word, sizeof word) != 0;
}
