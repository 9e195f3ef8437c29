/* SPDX-License-Identifier: MIT
 *
 * Follows struct r_debug and struct link_map, as the dynamic linker's <link.h> lays them
 * out for 64-bit programs, to the loaded files.
 */
#define _GNU_SOURCE
#include "config.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf-image.h"
#include "link-map.h"
#include "target.h"

enum { PAGE = 4096, MAX_LIBRARIES = 4096, MAX_DYNAMIC = 4096, MAX_PATH = 4096 };

struct file {
    int fd;
    Elf *elf;
    GElf_Ehdr head;
};

static void file_close(struct file *file)
{
    if (file->elf)
        elf_end(file->elf);
    if (file->fd >= 0)
        close(file->fd);
}

static bool file_open(struct target *target, const char *path, struct file *file)
{
    elf_version(EV_CURRENT);
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    file->elf = file->fd >= 0 ? elf_begin(file->fd, ELF_C_READ, NULL) : NULL;
    if (file->elf && elf_kind(file->elf) == ELF_K_ELF && gelf_getehdr(file->elf, &file->head) &&
        file->head.e_machine == target->machine)
        return true;
    file_close(file);
    return false;
}

static bool add_segments(struct target *target, struct file *file, const char *path, uint64_t bias)
{
    GElf_Phdr head;
    for (int i = 0; i < file->head.e_phnum && gelf_getphdr(file->elf, i, &head); i++) {
        uint64_t within = head.p_vaddr % PAGE;
        if (head.p_type != PT_LOAD || head.p_filesz == 0 || head.p_offset < within)
            continue;
        struct mapping m = {
            .start = bias + head.p_vaddr - within,
            .end = bias + ((head.p_vaddr + head.p_filesz + PAGE - 1) & ~(uint64_t)(PAGE - 1)),
            .offset = head.p_offset - within,
            .path = (char *)path,
        };
        if (m.start < m.end && !target_add_mapping(target, &m))
            return false;
    }
    return true;
}

/* A file that is not here is listed all the same: it is missed by name. */
static bool add_library(struct target *target, const char *path, uint64_t bias)
{
    struct file file;
    if (!file_open(target, path, &file)) {
        struct mapping m = {.start = bias, .end = bias + PAGE, .path = (char *)path};
        return m.end < m.start || target_add_mapping(target, &m);
    }
    bool ok = add_segments(target, &file, path, bias);
    file_close(&file);
    return ok;
}

static uint64_t first_link(struct target *target, uint64_t dynamic)
{
    uint64_t entry[2], link = 0;
    for (unsigned i = 0; i < MAX_DYNAMIC; i++) {
        if (target_read(target, dynamic + i * sizeof entry, entry, sizeof entry) ||
            entry[0] == DT_NULL)
            return 0;
        if (entry[0] == DT_DEBUG)
            return target_read(target, entry[1] + 8, &link, sizeof link) ? 0 : link;
    }
    return 0;
}

static bool add_libraries(struct target *target, uint64_t link)
{
    char path[MAX_PATH];
    for (unsigned i = 0; link && i < MAX_LIBRARIES; i++) {
        uint64_t entry[4]; /* l_addr, l_name, l_ld, l_next */
        if (target_read(target, link, entry, sizeof entry))
            return true;
        if (!target_read_string(target, entry[1], path, sizeof path) && path[0] == '/' &&
            !add_library(target, path, entry[0]))
            return false;
        link = entry[3];
    }
    return true;
}

static int by_address(const void *a, const void *b)
{
    const struct mapping *left = a, *right = b;
    return (left->start > right->start) - (left->start < right->start);
}

bool link_map_mappings(struct target *target, const struct program_place *program)
{
    char path[MAX_PATH];
    struct file file;
    GElf_Phdr head;
    uint64_t dynamic = 0, headers = 0;
    if (target->word_size != 8 || !program->entry || !program->name ||
        target_read_string(target, program->name, path, sizeof path) ||
        !file_open(target, path, &file))
        return true;
    uint64_t bias = program->entry - file.head.e_entry;
    for (int i = 0; i < file.head.e_phnum && gelf_getphdr(file.elf, i, &head); i++) {
        if (head.p_type == PT_DYNAMIC)
            dynamic = bias + head.p_vaddr;
        if (head.p_type == PT_PHDR)
            headers = bias + head.p_vaddr;
    }
    /* Two addresses that the kernel told agree with the file, or it is not the one. */
    bool ok = true;
    if (headers == program->headers && bias % PAGE == 0) {
        ok = add_segments(target, &file, path, bias);
        /* The name of the dynamic linker stands in the program's text, which is in its file. */
        ok = ok && images_refresh(target);
        if (ok && dynamic)
            ok = add_libraries(target, first_link(target, dynamic));
    }
    file_close(&file);
    if (target->mapping_count)
        qsort(target->mappings, target->mapping_count, sizeof *target->mappings, by_address);
    return ok;
}
