/* SPDX-License-Identifier: MIT
 *
 * Loaded ELF files: which there are, whether the file is the right one, and symbols.
 */
#define _GNU_SOURCE
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf-image.h"
#include "lines.h"
#include "target.h"

enum {
    MAX_PROGRAM_HEADERS = 4096,
    MAX_NOTE_BYTES = 1 << 16,
};

const char *images_sysroot;

static void image_clear(struct image *image)
{
    lines_destroy(image->lines);
    if (image->elf)
        elf_end(image->elf);
    if (image->fd >= 0)
        close(image->fd);
    free(image->path);
}

void images_forget(struct target *target)
{
    for (size_t i = 0; i < target->image_count; i++)
        image_clear(&target->images[i]);
    free(target->images);
    target->images = NULL;
    target->image_count = 0;
}

static struct image *same_image(struct image *images, size_t count, const struct mapping *m)
{
    for (size_t i = 0; i < count; i++)
        if (images[i].path && images[i].start == m->start && images[i].inode == m->inode &&
            images[i].device == m->device && !strcmp(images[i].path, m->path))
            return &images[i];
    return NULL;
}

bool images_refresh(struct target *target)
{
    size_t count = 0;
    for (size_t i = 0; i < target->mapping_count; i++)
        count += target->mappings[i].offset == 0;
    struct image *images = calloc(count ? count : 1, sizeof *images);
    if (!images)
        return false;
    count = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < target->mapping_count; i++) {
        const struct mapping *m = &target->mappings[i];
        if (m->offset)
            continue;
        struct image *image = &images[count];
        struct image *old = same_image(target->images, target->image_count, m);
        if (old) {
            *image = *old;
            old->path = NULL; /* moved */
            old->elf = NULL;
            old->lines = NULL;
            old->fd = -1;
        } else {
            *image = (struct image){.path = strdup(m->path),
                                    .device = m->device,
                                    .inode = m->inode,
                                    .start = m->start,
                                    .fd = -1};
            ok = image->path;
        }
        count++;
    }
    images_forget(target);
    target->images = images;
    target->image_count = count;
    return ok;
}

const unsigned char *find_build_id(const unsigned char *notes, size_t size, size_t *length)
{
    GElf_Nhdr note;
    for (size_t at = 0; size - at >= sizeof note;) {
        memcpy(&note, notes + at, sizeof note);
        size_t name = at + sizeof note;
        if (note.n_namesz > size - name)
            return NULL;
        size_t desc = name + ((note.n_namesz + (size_t)3) & ~(size_t)3);
        if (desc > size || note.n_descsz > size - desc)
            return NULL;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            !memcmp(notes + name, "GNU", 4)) {
            *length = note.n_descsz;
            return notes + desc;
        }
        size_t next = desc + ((note.n_descsz + (size_t)3) & ~(size_t)3);
        if (next <= at || next > size)
            return NULL;
        at = next;
    }
    return NULL;
}

/* 1 equal, 0 different, -1 nothing to compare. Only what the target itself holds counts:
 * a core's missing bytes come from the very file that is being checked. */
static int compare_bytes(struct target *target, int fd, uint64_t address, uint64_t offset,
                         size_t size, bool build_id_only)
{
    if (size == 0 || size > MAX_NOTE_BYTES || offset > INT64_MAX)
        return -1;
    unsigned char *mine = malloc(2 * size);
    if (!mine)
        return -1;
    unsigned char *theirs = mine + size;
    int result = -1;
    if (pread(fd, mine, size, (off_t)offset) == (ssize_t)size &&
        target->ops->read_held(target, address, theirs, size) == 0) {
        if (!build_id_only) {
            result = !memcmp(mine, theirs, size);
        } else {
            size_t length, length2 = 0;
            const unsigned char *id = find_build_id(mine, size, &length);
            if (id) {
                const unsigned char *id2 = find_build_id(theirs, size, &length2);
                result = id2 && length == length2 && !memcmp(id, id2, length);
            }
        }
    }
    free(mine);
    return result;
}

/* Never blocks on what a core says is a library. */
static int open_regular(const char *path, struct stat *st)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && (fstat(fd, st) < 0 || !S_ISREG(st->st_mode))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static int open_below(const char *root, const char *path, struct stat *st)
{
    const char *const parts[] = {path, strrchr(path, '/')};
    char name[8192];
    int fd = -1;
    for (size_t i = 0; fd < 0 && i < 2; i++)
        if (parts[i] && snprintf(name, sizeof name, "%s/%s", root, parts[i]) < (int)sizeof name)
            fd = open_regular(name, st);
    return fd;
}

static int open_file(struct target *target, const struct image *image)
{
    struct stat st;
    int fd = -1;
    if (images_sysroot && !target->ops->stop)
        fd = open_below(images_sysroot, image->path, &st);
    if (fd < 0)
        fd = open_regular(image->path, &st);
    /* The path of a live process may name a newer file by now; the kernel has the old. */
    if (image->inode && (fd < 0 || st.st_ino != image->inode)) {
        const struct mapping *m = target_mapping(target, image->start);
        char path[128];
        if (m) {
            snprintf(path, sizeof path, "/proc/%d/map_files/%llx-%llx", (int)target->pid,
                     (unsigned long long)m->start, (unsigned long long)m->end);
            int kept = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
            if (kept >= 0) {
                if (fd >= 0)
                    close(fd);
                return kept;
            }
        }
    }
    return fd;
}

enum image_file image_open(struct target *target, struct image *image)
{
    if (image->file != IMAGE_UNTRIED)
        return image->file;
    image->file = IMAGE_MISSING;
    elf_version(EV_CURRENT);
    image->fd = open_file(target, image);
    if (image->fd < 0)
        return image->file;
    image->elf = elf_begin(image->fd, ELF_C_READ, NULL);
    GElf_Ehdr ehdr;
    size_t count;
    if (!image->elf || elf_kind(image->elf) != ELF_K_ELF || !gelf_getehdr(image->elf, &ehdr) ||
        elf_getphdrnum(image->elf, &count) || ehdr.e_machine != target->machine ||
        count > MAX_PROGRAM_HEADERS)
        return image->file;

    bool placed = false;
    uint64_t last = 0;
    GElf_Phdr phdr;
    for (size_t i = 0; i < count; i++) {
        if (!gelf_getphdr(image->elf, (int)i, &phdr) || phdr.p_type != PT_LOAD)
            continue;
        if (!placed) {
            image->bias = image->start - (phdr.p_vaddr - phdr.p_offset);
            placed = true;
        }
        if (phdr.p_vaddr + phdr.p_memsz > last)
            last = phdr.p_vaddr + phdr.p_memsz;
    }
    if (!placed)
        return image->file;
    image->end = image->bias + last;

    int same = compare_bytes(target, image->fd, image->start, 0, ehdr.e_ehsize, false);
    for (size_t i = 0; same != 0 && i < count; i++) {
        if (!gelf_getphdr(image->elf, (int)i, &phdr))
            continue;
        if (phdr.p_type == PT_DYNAMIC)
            image->dynamic = image->bias + phdr.p_vaddr;
        if (phdr.p_type != PT_NOTE)
            continue;
        int id = compare_bytes(target, image->fd, image->bias + phdr.p_vaddr, phdr.p_offset,
                               phdr.p_filesz, true);
        if (id >= 0)
            same = id;
    }
    image->file = same > 0 ? IMAGE_SAME : same < 0 ? IMAGE_UNCHECKED : IMAGE_DIFFERENT;
    return image->file;
}

static bool usable(struct target *target, struct image *image)
{
    enum image_file file = image_open(target, image);
    return file == IMAGE_SAME || file == IMAGE_UNCHECKED;
}

struct image *image_of_mapping(struct target *target, const struct mapping *mapping)
{
    struct image *best = NULL;
    for (size_t i = 0; i < target->image_count; i++) {
        struct image *image = &target->images[i];
        if (image->start <= mapping->start && (!best || image->start > best->start) &&
            !strcmp(image->path, mapping->path))
            best = image;
    }
    return best;
}

struct image *image_at(struct target *target, uint64_t address)
{
    for (size_t i = 0; i < target->image_count; i++) {
        struct image *image = &target->images[i];
        if (address >= image->start && usable(target, image) && address < image->end)
            return image;
    }
    return NULL;
}

/* Calls visit for every defined symbol of one table until it answers true. */
static bool visit_symbols(struct image *image, GElf_Word table,
                          bool (*visit)(const GElf_Sym *, const char *, void *), void *arg)
{
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(image->elf, scn));) {
        GElf_Shdr shdr;
        if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != table || shdr.sh_entsize == 0)
            continue;
        Elf_Data *data = elf_getdata(scn, NULL);
        if (!data)
            continue;
        size_t count = data->d_size / shdr.sh_entsize;
        for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
            GElf_Sym sym;
            if (!gelf_getsym(data, (int)i, &sym) || sym.st_shndx == SHN_UNDEF)
                continue;
            int type = GELF_ST_TYPE(sym.st_info);
            if (type == STT_SECTION || type == STT_FILE)
                continue;
            const char *name = elf_strptr(image->elf, shdr.sh_link, sym.st_name);
            if (name && *name && visit(&sym, name, arg))
                return true;
        }
    }
    return false;
}

struct by_name {
    const char *wanted;
    GElf_Sym sym;
    const char *name;
};

static bool match_name(const GElf_Sym *sym, const char *name, void *arg)
{
    struct by_name *by = arg;
    if (strcmp(name, by->wanted))
        return false;
    by->sym = *sym;
    by->name = name;
    return true;
}

static void fill_symbol(struct image *image, const GElf_Sym *sym, const char *name,
                        struct symbol *symbol)
{
    bool tls = GELF_ST_TYPE(sym->st_info) == STT_TLS;
    *symbol = (struct symbol){
        .image = image,
        .thread_local_storage = tls,
        .address = tls || sym->st_shndx == SHN_ABS ? sym->st_value : image->bias + sym->st_value,
        .size = sym->st_size,
        .name = name,
    };
}

static bool is_program(const struct target *target, const struct image *image)
{
    return target->program_headers >= image->start && target->program_headers < image->end;
}

static const GElf_Word tables[] = {SHT_DYNSYM, SHT_SYMTAB};

static bool symbol_of_table(struct image *image, GElf_Word table, const char *name,
                            struct symbol *symbol)
{
    struct by_name by = {.wanted = name};
    if (!visit_symbols(image, table, match_name, &by))
        return false;
    fill_symbol(image, &by.sym, by.name, symbol);
    return true;
}

bool image_symbol(struct target *target, struct image *image, const char *name,
                  struct symbol *symbol)
{
    return usable(target, image) && (symbol_of_table(image, SHT_DYNSYM, name, symbol) ||
                                     symbol_of_table(image, SHT_SYMTAB, name, symbol));
}

bool images_symbol(struct target *target, const char *object, const char *name,
                   struct symbol *symbol)
{
    for (size_t t = 0; t < 2; t++)
        for (int program = 1; program >= 0; program--)
            for (size_t i = 0; i < target->image_count; i++) {
                struct image *image = &target->images[i];
                const char *slash = strrchr(image->path, '/');
                if (object && strcmp(slash ? slash + 1 : image->path, object))
                    continue;
                if (!usable(target, image) || is_program(target, image) != program)
                    continue;
                if (symbol_of_table(image, tables[t], name, symbol))
                    return true;
            }
    return false;
}

struct by_address {
    uint64_t value;
    GElf_Sym sym;
    const char *name;
};

static bool match_address(const GElf_Sym *sym, const char *name, void *arg)
{
    struct by_address *by = arg;
    int type = GELF_ST_TYPE(sym->st_info);
    if (type == STT_TLS || sym->st_shndx == SHN_ABS || by->value < sym->st_value ||
        by->value - sym->st_value >= (sym->st_size ? sym->st_size : 1))
        return false;
    by->sym = *sym;
    by->name = name;
    return true;
}

bool images_symbol_at(struct target *target, uint64_t address, struct symbol *symbol)
{
    struct image *image = image_at(target, address);
    if (!image)
        return false;
    struct by_address by = {.value = address - image->bias};
    if (!visit_symbols(image, SHT_SYMTAB, match_address, &by) &&
        !visit_symbols(image, SHT_DYNSYM, match_address, &by))
        return false;
    fill_symbol(image, &by.sym, by.name, symbol);
    return true;
}

struct functions {
    struct image *image;
    bool (*visit)(const struct symbol *symbol, void *arg);
    void *arg;
};

static bool match_function(const GElf_Sym *sym, const char *name, void *arg)
{
    struct functions *functions = arg;
    struct symbol symbol;
    if (GELF_ST_TYPE(sym->st_info) != STT_FUNC)
        return false;
    fill_symbol(functions->image, sym, name, &symbol);
    return functions->visit(&symbol, functions->arg);
}

void image_functions(struct target *target, struct image *image,
                     bool (*visit)(const struct symbol *symbol, void *arg), void *arg)
{
    struct functions functions = {image, visit, arg};
    if (usable(target, image))
        visit_symbols(image, SHT_SYMTAB, match_function, &functions);
}

/* struct r_debug and struct link_map as the dynamic linker's <link.h> lays them out for a
 * 64-bit target: a version, padding, r_map; l_addr, l_name, l_ld, l_next. */
static uint64_t first_link_map(struct target *target)
{
    uint64_t map = 0;
    for (size_t i = 0; i < target->image_count && !map; i++) {
        struct image *image = &target->images[i];
        if (!usable(target, image) || !is_program(target, image) || !image->dynamic)
            continue;
        for (size_t entry = 0; entry < 4096; entry++) {
            uint64_t dyn[2];
            if (target_read(target, image->dynamic + entry * sizeof dyn, dyn, sizeof dyn) ||
                dyn[0] == DT_NULL)
                break;
            if (dyn[0] == DT_DEBUG && target_read(target, dyn[1] + 8, &map, sizeof map))
                return 0;
        }
    }
    return map;
}

uint64_t image_link_map(struct target *target, const struct image *wanted)
{
    uint64_t map = first_link_map(target);
    for (size_t steps = 0; map && steps < TARGET_MAX_MAPPINGS; steps++) {
        uint64_t entry[4];
        if (target_read(target, map, entry, sizeof entry))
            return 0;
        if (entry[0] == wanted->bias && entry[2] == wanted->dynamic)
            return map;
        map = entry[3];
    }
    return 0;
}

struct image *image_named(struct target *target, const char *file)
{
    char name[4096];
    uint64_t map = first_link_map(target);
    for (size_t steps = 0; map && steps < TARGET_MAX_MAPPINGS; steps++) {
        uint64_t entry[4];
        if (target_read(target, map, entry, sizeof entry))
            return NULL;
        bool found =
            !target_read_string(target, entry[1], name, sizeof name) && !strcmp(name, file);
        for (size_t i = 0; found && i < target->image_count; i++) {
            struct image *image = &target->images[i];
            if (usable(target, image) && image->bias == entry[0] && image->dynamic == entry[2])
                return image;
        }
        map = entry[3];
    }
    return NULL;
}
