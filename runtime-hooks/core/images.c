/* SPDX-License-Identifier: MIT
 *
 * Reads the loader's link maps and their dynamic sections; see images.h.
 */
#include "core/images.h"
#include "core/hooks.h"

#include <dlfcn.h>
#include <string.h>

#define HIDDEN_VERSION 0x8000

/* Each architecture has one kind of relocations. */
#if __ELF_NATIVE_CLASS == 64
typedef Elf64_Rela relocation;
enum { DT_OF_DATA = DT_RELA, DT_SIZE_OF_DATA = DT_RELASZ };
#define SYMBOL_OF ELF64_R_SYM
#else
typedef Elf32_Rel relocation;
enum { DT_OF_DATA = DT_REL, DT_SIZE_OF_DATA = DT_RELSZ };
#define SYMBOL_OF ELF32_R_SYM
#endif

struct visit {
    uintptr_t address;
    image_visitor *visit;
    void *arg;
};

static const struct link_map *map_of(const ElfW(Dyn) * dynamic)
{
    const struct link_map *map = _r_debug.r_map;
    while (map && map->l_ld != dynamic)
        map = map->l_next;
    return map;
}

static int visit_if_inside(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    const struct visit *visit = arg;
    uintptr_t first = UINTPTR_MAX, last = 0;
    const ElfW(Dyn) *dynamic = NULL;
    bool inside = false;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)start;
        if (part->p_type != PT_LOAD)
            continue;
        inside |= visit->address - start < part->p_memsz;
        first = start < first ? start : first;
        last = start + part->p_memsz > last ? start + part->p_memsz : last;
    }
    if (!inside)
        return 0;
    struct image image = {dynamic ? map_of(dynamic) : NULL, first, last - first, info->dlpi_phdr,
                          info->dlpi_phnum};
    if (!image.map)
        return 0;
    visit->visit(&image, visit->arg);
    return 1;
}

bool images_visit(uintptr_t address, image_visitor *visit, void *arg)
{
    struct visit it = {address, visit, arg};
    return dl_iterate_phdr(visit_if_inside, &it) == 1;
}

/* _dl_find_object(), if the C library has it. */
struct dl_find_object;
static int (*find_object)(void *, struct dl_find_object *);

void images_start(void)
{
    *(void **)&find_object = dlsym(RTLD_DEFAULT, "_dl_find_object");
    if (!find_object)
        dlerror(); /* clears the error, which the program might read otherwise */
}

bool image_at(uintptr_t address, struct image *image)
{
#if __GLIBC_PREREQ(2, 35)
    struct dl_find_object found;
    if (find_object && find_object((void *)address, &found) == 0) {
        uintptr_t start = (uintptr_t)found.dlfo_map_start;
        *image = (struct image){.map = found.dlfo_link_map,
                                .start = start,
                                .size = (uintptr_t)found.dlfo_map_end - start};
        return true;
    }
#endif
    (void)address, (void)image;
    return false;
}

/* The loader relocates d_ptr in place unless the dynamic section is read-only. */
static uintptr_t dynamic_address(const struct link_map *map, const ElfW(Dyn) * entry)
{
    uintptr_t address = entry->d_un.d_ptr;
    return address < map->l_addr ? map->l_addr + address : address;
}

bool image_symbols(const struct link_map *map, struct image_symbols *s)
{
    *s = (struct image_symbols){.base = map->l_addr};
    for (const ElfW(Dyn) *entry = map->l_ld; entry && entry->d_tag != DT_NULL; entry++) {
        const void *at = (const void *)dynamic_address(map, entry);
        switch (entry->d_tag) {
        case DT_SYMTAB:
            s->symbol = at;
            break;
        case DT_STRTAB:
            s->string = at;
            break;
        case DT_VERSYM:
            s->version = at;
            break;
        case DT_VERDEF:
            s->versions = at;
            break;
        case DT_GNU_HASH:
            s->gnu_hash = at;
            break;
        case DT_HASH:
            s->hash = at;
            break;
        case DT_OF_DATA:
            s->data.first = at;
            break;
        case DT_SIZE_OF_DATA:
            s->data.size = entry->d_un.d_val;
            break;
        case DT_JMPREL:
            s->calls.first = at;
            break;
        case DT_PLTRELSZ:
            s->calls.size = entry->d_un.d_val;
            break;
        }
    }
    return s->symbol && s->string && (s->gnu_hash || s->hash);
}

static const char *version_name(const struct image_symbols *s, unsigned number)
{
    for (const ElfW(Verdef) *def = s->versions; def;
         def = def->vd_next ? (const ElfW(Verdef) *)((const char *)def + def->vd_next) : NULL)
        if (def->vd_ndx == number)
            return s->string + ((const ElfW(Verdaux) *)((const char *)def + def->vd_aux))->vda_name;
    return "";
}

static bool matches(const struct image_symbols *s, uint32_t i, const char *name,
                    const char *version)
{
    const ElfW(Sym) *symbol = &s->symbol[i];
    if (symbol->st_shndx == SHN_UNDEF || strcmp(s->string + symbol->st_name, name) != 0)
        return false;
    unsigned number = s->version ? s->version[i] : 0;
    if (!version || !s->version) /* an unversioned definition matches any version */
        return !(number & HIDDEN_VERSION);
    return strcmp(version_name(s, number & ~HIDDEN_VERSION), version) == 0;
}

static uint32_t gnu_find(const struct image_symbols *s, const char *name, const char *version)
{
    uint32_t buckets = s->gnu_hash[0], first = s->gnu_hash[1], bloom = s->gnu_hash[2];
    const uint32_t *bucket = s->gnu_hash + 4 + bloom * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t *chain = bucket + buckets;
    uint32_t hash = 5381;
    for (const char *c = name; *c; c++)
        hash = hash * 33 + (unsigned char)*c;
    uint32_t i = buckets ? bucket[hash % buckets] : 0;
    for (; i >= first && i; i++) {
        if ((chain[i - first] | 1) == (hash | 1) && matches(s, i, name, version))
            return i;
        if (chain[i - first] & 1)
            break;
    }
    return 0;
}

static uint32_t hash_find(const struct image_symbols *s, const char *name, const char *version)
{
    for (uint32_t i = 1; i < s->hash[1]; i++)
        if (matches(s, i, name, version))
            return i;
    return 0;
}

uintptr_t image_export(const struct image_symbols *s, const char *name, const char *version)
{
    uint32_t i = s->gnu_hash ? gnu_find(s, name, version) : hash_find(s, name, version);
    return i ? s->base + s->symbol[i].st_value : 0;
}

static uint32_t end_of_relocated(const struct image_relocations *relocations)
{
    const relocation *first = relocations->first;
    uint32_t end = 0;
    for (size_t i = 0; first && i < relocations->size / sizeof(*first); i++) {
        uint32_t symbol = (uint32_t)SYMBOL_OF(first[i].r_info);
        end = symbol >= end ? symbol + 1 : end;
    }
    return end;
}

/* DT_HASH covers all symbols. Undefined ones precede those in the GNU hash table; where that is
 * empty, as in a library that exports nothing, GNU ld does not say how many they are. */
static uint32_t end_of_undefined(const struct image_symbols *s)
{
    if (s->hash)
        return s->hash[1];
    uint32_t buckets = s->gnu_hash[0], bloom = s->gnu_hash[2];
    const uint32_t *bucket = s->gnu_hash + 4 + bloom * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    for (uint32_t i = 0; i < buckets; i++)
        if (bucket[i])
            return s->gnu_hash[1];
    uint32_t data = end_of_relocated(&s->data), calls = end_of_relocated(&s->calls);
    return data > calls ? data : calls;
}

enum reference image_reference(const struct image_symbols *s, const char *name)
{
    uint32_t end = end_of_undefined(s);
    for (uint32_t i = 1; i < end; i++) {
        const ElfW(Sym) *symbol = &s->symbol[i];
        if (symbol->st_shndx == SHN_UNDEF && strcmp(s->string + symbol->st_name, name) == 0)
            return symbol->st_info >> 4 == STB_WEAK ? REFERENCE_WEAK : REFERENCE_STRONG;
    }
    return REFERENCE_NONE;
}

bool image_refers(const struct image_symbols *s, const char *const *prefixes)
{
    uint32_t end = end_of_undefined(s);
    for (uint32_t i = 1; i < end; i++) {
        const ElfW(Sym) *symbol = &s->symbol[i];
        if (symbol->st_shndx != SHN_UNDEF)
            continue;
        for (const char *const *prefix = prefixes; *prefix; prefix++)
            if (strncmp(s->string + symbol->st_name, *prefix, strlen(*prefix)) == 0)
                return true;
    }
    return false;
}

/* False for this library, which exports some of the names that are searched for. */
static bool exports(const struct link_map *map, const char *name)
{
    struct image_symbols s;
    return !image_is_ours(map) && image_symbols(map, &s) && image_export(&s, name, NULL);
}

const struct link_map *images_exporting(const struct link_map *from, const char *name)
{
    const struct link_map *map = from ? from->l_next : _r_debug.r_map;
    while (map && !exports(map, name))
        map = map->l_next;
    return map;
}

void *images_next(const char *name)
{
    const struct link_map *ours = _r_debug.r_map;
    while (ours && !image_is_ours(ours))
        ours = ours->l_next;
    const struct link_map *map = ours ? images_exporting(ours, name) : NULL;
    struct image_symbols s;
    if (!map)
        map = images_exporting(NULL, name);
    return map && image_symbols(map, &s) ? (void *)image_export(&s, name, NULL) : NULL;
}

static const char *strings_of(const struct link_map *map)
{
    const ElfW(Dyn) *entry = map->l_ld;
    while (entry && entry->d_tag != DT_NULL && entry->d_tag != DT_STRTAB)
        entry++;
    return entry && entry->d_tag == DT_STRTAB ? (const char *)dynamic_address(map, entry) : NULL;
}

static const char *soname_of(const struct link_map *map)
{
    const ElfW(Dyn) *entry = map->l_ld;
    while (entry && entry->d_tag != DT_NULL && entry->d_tag != DT_SONAME)
        entry++;
    const char *strings = strings_of(map);
    return strings && entry->d_tag == DT_SONAME ? strings + entry->d_un.d_val : "";
}

/* The object that satisfies a DT_NEEDED entry: the loader matches it with the file names
 * of loaded objects and with their DT_SONAME. */
static const struct link_map *find_needed(const char *name)
{
    for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
        const char *file = strrchr(map->l_name, '/');
        if (strcmp(soname_of(map), name) == 0 || strcmp(map->l_name, name) == 0 ||
            (file && strcmp(file + 1, name) == 0))
            return map;
    }
    return NULL;
}

static void append(struct image_scope *scope, const struct link_map *map)
{
    if (!map || scope->count == MAX_SCOPE)
        return;
    for (unsigned i = 0; i < scope->count; i++)
        if (scope->map[i] == map)
            return;
    scope->map[scope->count++] = map;
}

void image_scope_after_us(struct image_scope *scope, const struct link_map *last)
{
    const struct link_map *map = _r_debug.r_map;
    while (map && !image_is_ours(map))
        map = map->l_next;
    while (map && map != last) {
        map = map->l_next;
        append(scope, map);
    }
}

void image_scope_of(struct image_scope *scope, const struct link_map *map)
{
    unsigned next = scope->count;
    append(scope, map);
    for (; next < scope->count; next++) {
        const char *strings = strings_of(scope->map[next]);
        for (const ElfW(Dyn) *entry = scope->map[next]->l_ld; strings && entry->d_tag != DT_NULL;
             entry++)
            if (entry->d_tag == DT_NEEDED)
                append(scope, find_needed(strings + entry->d_un.d_val));
    }
}

bool image_needs_us(const struct link_map *map)
{
    struct image_scope scope = {.count = 0};
    image_scope_of(&scope, map);
    bool found = false;
    for (unsigned i = 0; i < scope.count; i++)
        found |= image_is_ours(scope.map[i]);
    return found;
}

void image_constants(const struct image *image, constants_visitor *visit, void *arg)
{
    for (size_t i = 0; i < image->phnum; i++) {
        const ElfW(Phdr) *part = &image->phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & (PF_R | PF_W)) == PF_R)
            visit((const char *)(image->map->l_addr + part->p_vaddr), part->p_filesz, arg);
    }
}
