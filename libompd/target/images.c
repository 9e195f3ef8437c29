/* SPDX-License-Identifier: MIT
 *
 * The list of images that the dynamic linker keeps for debuggers: of struct link_map (<link.h>),
 * to which struct r_debug leads. All of it is memory of the target.
 */
#include <string.h>

#include "libompd/target/target.h"

/* Words of struct link_map, and of struct r_debug. */
enum { LINK_ADDR, LINK_NAME, LINK_LD, LINK_NEXT, LINK_PREV, LINK_WORDS };
enum { DEBUG_MAP = 1 };

static enum rc read_words(const struct space *space, taddr at, unsigned count, uint64_t *out)
{
    unsigned char bytes[LINK_WORDS * 8];
    unsigned size = space->sizes.sizeof_pointer;
    enum rc rc = target_read(space, at, (size_t)count * size, bytes);
    for (unsigned i = 0; rc == RC_OK && i < count; i++)
        out[i] = target_decode(space, bytes + (size_t)i * size, size);
    return rc;
}

/* glibc's _rtld_global begins with its first list: the first image, and how many there are. */
static enum rc read_counts(const struct space *space, taddr at, taddr *first, uint64_t *count)
{
    uint64_t words[2];
    enum rc rc = read_words(space, at, 2, words);
    if (rc == RC_OK) {
        *first = words[0];
        *count = words[1] & UINT32_MAX;
    }
    return rc;
}

static enum rc walk(const struct space *space, struct array *out, struct image_mark *mark)
{
    uint64_t word[LINK_WORDS] = {0};
    struct cycle cycle = {0};
    out->count = 0;
    for (taddr at = mark->head; at; at = word[LINK_NEXT]) {
        if (!cycle_advance(&cycle, at, IMAGES_MAX))
            return RC_NONSENSE;
        if (read_words(space, at, LINK_WORDS, word) != RC_OK)
            return RC_UNAVAILABLE;
        struct listed_image image = {at, word[LINK_ADDR], word[LINK_NAME], word[LINK_LD]};
        enum rc rc = array_add(out, &image);
        if (rc != RC_OK)
            return rc;
        mark->tail = at;
    }
    memcpy(mark->tail_word, word, sizeof word);
    return out->count ? RC_OK : RC_UNAVAILABLE;
}

/* By glibc's own head of the list, which is believed where its count is right. */
static enum rc walk_counted(const struct space *space, struct array *out, struct image_mark *mark)
{
    *mark = (struct image_mark){0};
    enum rc rc = target_symbol(space, "_rtld_global", &mark->counts);
    if (rc != RC_OK)
        return rc;
    if (read_counts(space, mark->counts, &mark->head, &mark->count) != RC_OK ||
        mark->count > IMAGES_MAX)
        return RC_UNAVAILABLE;
    rc = walk(space, out, mark);
    return rc == RC_OK && mark->count != out->count ? RC_NONSENSE : rc;
}

static enum rc walk_debug(const struct space *space, struct array *out, struct image_mark *mark)
{
    *mark = (struct image_mark){0};
    taddr debug;
    uint64_t word[DEBUG_MAP + 1];
    enum rc rc = target_symbol(space, "_r_debug", &debug);
    if (rc != RC_OK)
        return rc;
    if (read_words(space, debug, DEBUG_MAP + 1, word) != RC_OK)
        return RC_UNAVAILABLE;
    mark->head = word[DEBUG_MAP];
    rc = walk(space, out, mark);
    mark->count = out->count;
    return rc;
}

enum rc target_images(const struct space *space, struct array *out, struct image_mark *mark)
{
    struct image_mark found;
    *out = array_of(space->ops, sizeof(struct listed_image));
    enum rc rc = walk_counted(space, out, &found);
    if (rc == RC_UNAVAILABLE || rc == RC_NONSENSE)
        rc = walk_debug(space, out, &found);
    if (rc == RC_OK)
        *mark = found;
    return rc;
}

/* How many there are now, where they are not counted. */
static bool recount(const struct space *space, taddr at, uint64_t *count)
{
    uint64_t word[LINK_WORDS];
    struct cycle cycle = {0};
    for (*count = 0; at; at = word[LINK_NEXT], ++*count)
        if (!cycle_advance(&cycle, at, IMAGES_MAX) ||
            read_words(space, at, LINK_WORDS, word) != RC_OK)
            return false;
    return true;
}

/* The count is the same where as many images were unloaded as loaded, the last node where others
 * were. */
bool target_images_changed(const struct space *space, const struct image_mark *mark)
{
    uint64_t word[LINK_WORDS], count;
    taddr first = mark->head;
    if (!mark->head)
        return false;
    bool is_known = mark->counts ? read_counts(space, mark->counts, &first, &count) == RC_OK
                                 : recount(space, mark->head, &count);
    if (!is_known || first != mark->head || count != mark->count)
        return true;
    return read_words(space, mark->tail, LINK_WORDS, word) != RC_OK ||
           memcmp(word, mark->tail_word, sizeof word) != 0;
}

const struct listed_image *images_owner(const struct array *images, taddr address)
{
    const struct listed_image *all = images->elements, *owner = NULL;
    for (size_t i = 0; i < images->count; i++)
        if (all[i].base <= address && (!owner || all[i].base > owner->base))
            owner = &all[i];
    return owner;
}

taddr images_end(const struct array *images, const struct listed_image *image)
{
    const struct listed_image *all = images->elements;
    taddr end = UINT64_MAX;
    for (size_t i = 0; i < images->count; i++)
        if (all[i].base > image->base && all[i].base < end)
            end = all[i].base;
    return end;
}
