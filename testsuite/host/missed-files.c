/* SPDX-License-Identifier: MIT
 *
 * Libraries that a core was made with and this machine has not. What the core holds of a
 * file is its first page, which has the build-id.
 */
#include "config.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "elf-image.h"
#include "missed-files.h"
#include "target.h"

enum { HELD = 4096, ID_BYTES = 20, RANKS = 3 };

static const char *base_name(const struct image *image)
{
    const char *slash = strrchr(image->path, '/');
    return slash ? slash + 1 : image->path;
}

/* The runtime first, then what tells threads; programs map other files as well. */
static int rank_of(const struct image *image)
{
    static const char *const names[][4] = {{"libgomp", "libompd-hooks", "libomp", "libiomp5"},
                                           {"libc.so", "libc-", "libpthread", "ld-"}};
    for (int rank = 0; rank < RANKS - 1; rank++)
        for (size_t i = 0; i < 4; i++)
            if (!strncmp(base_name(image), names[rank][i], strlen(names[rank][i])))
                return rank;
    return RANKS - 1;
}

/* The first page, as far as the core itself holds it. */
static bool read_head(struct target *target, const struct image *image, unsigned char *page)
{
    return target->ops->read_held(target, image->start, page, HELD) == 0 &&
           !memcmp(page, ELFMAG, SELFMAG);
}

/* " (build-id 0123...)", or nothing where the core does not hold it. */
static void tell_build_id(struct target *target, const struct image *image, char *text, size_t size)
{
    unsigned char page[HELD];
    Elf64_Ehdr head;
    text[0] = '\0';
    if (target->word_size != 8 || !read_head(target, image, page))
        return;
    memcpy(&head, page, sizeof head);
    for (unsigned i = 0; i < head.e_phnum; i++) {
        Elf64_Phdr phdr;
        uint64_t at = head.e_phoff + (uint64_t)i * sizeof phdr;
        if (at < head.e_phoff || at > HELD - sizeof phdr)
            return;
        memcpy(&phdr, page + at, sizeof phdr);
        if (phdr.p_type != PT_NOTE || phdr.p_offset > HELD || phdr.p_filesz > HELD - phdr.p_offset)
            continue;
        size_t length;
        const unsigned char *id = find_build_id(page + phdr.p_offset, phdr.p_filesz, &length);
        if (!id || length > ID_BYTES)
            continue;
        int used = snprintf(text, size, " (build-id ");
        for (size_t k = 0; k < length; k++)
            used += snprintf(text + used, size - (size_t)used, "%02x", id[k]);
        snprintf(text + used, size - (size_t)used, ")");
        return;
    }
}

bool missed_files(struct target *target, struct why *why)
{
    const struct image *first = NULL;
    size_t missed = 0;
    if (target->ops->stop)
        return false; /* the kernel keeps the files of a process */
    for (size_t i = 0; i < target->image_count; i++) {
        struct image *image = &target->images[i];
        unsigned char page[HELD];
        enum image_file file = image_open(target, image);
        if (file != IMAGE_MISSING && file != IMAGE_DIFFERENT)
            continue;
        if (!strstr(base_name(image), ".so") && !read_head(target, image, page))
            continue;
        missed++;
        if (!first || rank_of(image) < rank_of(first))
            first = image;
    }
    if (!first)
        return false;
    char id[16 + 2 * ID_BYTES], others[64] = "";
    tell_build_id(target, first, id, sizeof id);
    if (missed > 1)
        snprintf(others, sizeof others, ", as %zu more of its files", missed - 1);
    why_set(why, "%s of this core is %s%s%s: --sysroot DIR says where it is.", base_name(first),
            first->file == IMAGE_MISSING ? "not on this machine" : "another build on this machine",
            id, others);
    return true;
}
