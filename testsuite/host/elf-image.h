/* SPDX-License-Identifier: MIT
 *
 * The ELF files that are loaded in a target, and their symbols.
 *
 * An image begins where a file is mapped from its start. The file on this machine counts
 * only when it is the one that the target has loaded: its header and build-id are compared
 * with what stands in the target's memory.
 */
#ifndef HOST_ELF_IMAGE_H
#define HOST_ELF_IMAGE_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

struct target;
struct mapping;

enum image_file {
    IMAGE_UNTRIED,
    IMAGE_SAME,      /* header and build-id equal those in memory */
    IMAGE_UNCHECKED, /* opened, but the target holds nothing to compare it with */
    IMAGE_DIFFERENT, /* another build of the file */
    IMAGE_MISSING,   /* cannot be opened, or is no ELF file for the program's machine */
};

/* Pointers to images are good until the next target_stop(); what hangs off an image stays
 * as long as the file is loaded. */
struct image {
    char *path;
    uint64_t device, inode;
    uint64_t start; /* where offset 0 of the file is mapped */
    /* Valid once the file has been opened: */
    enum image_file file;
    int fd;
    Elf *elf;
    uint64_t bias;       /* address in the target minus address in the file */
    uint64_t end;        /* behind the last segment */
    uint64_t dynamic;    /* address of PT_DYNAMIC, 0 when there is none */
    struct lines *lines; /* lines.h */
};

/* A symbol found. For a thread-local one `address` is its offset in the TLS block. */
struct symbol {
    struct image *image;
    uint64_t address;
    uint64_t size;
    bool thread_local_storage;
    const char *name; /* lives as long as the image */
};

/* Where files of cores are looked for before the places that the core names: under their
 * whole path there, then directly in it. NULL: nowhere. */
extern const char *images_sysroot;

/* The build-id among notes, or NULL. */
const unsigned char *find_build_id(const unsigned char *notes, size_t size, size_t *length);

/* Brings target->images in line with target->mappings; images that stay keep their state.
 * False when memory runs out. */
bool images_refresh(struct target *target);
void images_forget(struct target *target);

/* Opens and checks the file if that has not been tried. */
enum image_file image_open(struct target *target, struct image *image);

/* The image that a stretch of a file belongs to, or NULL. */
struct image *image_of_mapping(struct target *target, const struct mapping *mapping);
/* The image whose segments cover an address, or NULL. */
struct image *image_at(struct target *target, uint64_t address);

/* The definition of `name`: dynamic symbols of all images first, the program's before the
 * libraries', then symbols that only debuggers see. `object` restricts it to the image with
 * that file name; NULL does not. */
bool images_symbol(struct target *target, const char *object, const char *name,
                   struct symbol *symbol);
/* The same of one image. */
bool image_symbol(struct target *target, struct image *image, const char *name,
                  struct symbol *symbol);
/* The symbol that covers an address. */
bool images_symbol_at(struct target *target, uint64_t address, struct symbol *symbol);

/* Calls visit for each function that an image defines, until it answers true. */
void image_functions(struct target *target, struct image *image,
                     bool (*visit)(const struct symbol *symbol, void *arg), void *arg);

/* Address of the dynamic linker's link_map of an image, 0 when it is not found. */
uint64_t image_link_map(struct target *target, const struct image *image);

/* The image that the dynamic linker has under a file name, which is "" for the program; NULL
 * if there is none. It is one of those that the target has mapped: the name opens nothing. */
struct image *image_named(struct target *target, const char *file);

#endif
