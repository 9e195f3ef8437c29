/* SPDX-License-Identifier: MIT
 *
 * Binds references of runtimes to functions of ours, where recording is wanted. A program's own
 * ompt_start_tool is in front of that of the hooks, also if they are preloaded: that reference is
 * bound to ours, which starts the program's. Where a log of the search is requested, getenv() is
 * bound to ours. Only in runtimes that are loaded at startup.
 */
#include "ompt-source/source.h"
#include "core/images.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define OF_RUNTIME "__kmpc_fork_call"

/* Relocations of a function's address. */
#if defined(__x86_64__) || defined(__i386__)
enum { SLOT = R_X86_64_JUMP_SLOT, ADDRESS = R_X86_64_GLOB_DAT }; /* as R_386_* */
#elif defined(__aarch64__)
enum { SLOT = R_AARCH64_JUMP_SLOT, ADDRESS = R_AARCH64_GLOB_DAT };
#else
enum { SLOT = -1, ADDRESS = -1 };
#endif

#ifdef __LP64__
#define TYPE(info) ELF64_R_TYPE(info)
#define SYMBOL(info) ELF64_R_SYM(info)
#else
#define TYPE(info) ELF32_R_TYPE(info)
#define SYMBOL(info) ELF32_R_SYM(info)
#endif

struct part {
    uintptr_t start, size;
};

static uintptr_t dynamic_value(const struct link_map *map, int tag)
{
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == tag)
            return entry->d_un.d_val;
    return 0;
}

/* What the loader has made read-only. */
static void find_relro(const struct image *image, void *out)
{
    for (size_t i = 0; i < image->phnum; i++)
        if (image->phdr[i].p_type == PT_GNU_RELRO)
            *(struct part *)out =
                (struct part){image->map->l_addr + image->phdr[i].p_vaddr, image->phdr[i].p_memsz};
}

struct binding {
    const char *symbol;
    uintptr_t function;
};

static void write_slot(uintptr_t slot, const struct part *relro, uintptr_t function)
{
    uintptr_t page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *page = (void *)(slot & ~(page_size - 1));
    /* The loader has protected whole pages only. */
    uintptr_t end = (relro->start + relro->size) & ~(page_size - 1);
    bool is_read_only = slot >= relro->start && slot < end;
    if (is_read_only && mprotect(page, page_size, PROT_READ | PROT_WRITE) != 0)
        return;
    __atomic_store_n((uintptr_t *)slot, function, __ATOMIC_RELEASE);
    if (is_read_only)
        mprotect(page, page_size, PROT_READ);
}

static void bind_in(const struct link_map *map, const struct image_symbols *symbols,
                    const struct binding *binding, int table_tag, int size_tag, size_t entry_size)
{
    uintptr_t start = dynamic_value(map, table_tag);
    const char *table = (const char *)(start < map->l_addr ? map->l_addr + start : start);
    size_t count = dynamic_value(map, size_tag) / entry_size;
    struct part relro = {0, 0};
    images_visit((uintptr_t)map->l_ld, find_relro, &relro);
    for (size_t i = 0; start && i < count; i++) {
        const ElfW(Rel) *entry = (const ElfW(Rel) *)(table + i * entry_size);
        const ElfW(Sym) *symbol = &symbols->symbol[SYMBOL(entry->r_info)];
        int type = (int)TYPE(entry->r_info);
        if ((type == SLOT || type == ADDRESS) &&
            !strcmp(symbols->string + symbol->st_name, binding->symbol))
            write_slot(map->l_addr + entry->r_offset, &relro, binding->function);
    }
}

static void bind_runtime(const struct link_map *map, const struct binding *binding)
{
    struct image_symbols symbols;
    if (!image_symbols(map, &symbols) || !image_export(&symbols, OF_RUNTIME, NULL))
        return;
    bool has_addends = dynamic_value(map, DT_PLTREL) == DT_RELA;
    bind_in(map, &symbols, binding, DT_JMPREL, DT_PLTRELSZ,
            has_addends ? sizeof(ElfW(Rela)) : sizeof(ElfW(Rel)));
    bind_in(map, &symbols, binding, DT_RELA, DT_RELASZ, sizeof(ElfW(Rela)));
    bind_in(map, &symbols, binding, DT_REL, DT_RELSZ, sizeof(ElfW(Rel)));
}

static void bind_runtimes(const char *symbol, uintptr_t function)
{
    const struct binding binding = {symbol, function};
    for (const struct link_map *map = images_exporting(NULL, OF_RUNTIME); map;
         map = images_exporting(map, OF_RUNTIME))
        bind_runtime(map, &binding);
}

static void __attribute__((constructor)) bind_to_source(void)
{
    Dl_info first, ours;
    if (!images_exporting(NULL, OF_RUNTIME) || !hooks_wanted())
        return;
    if (secure_getenv(SOURCE_LOG))
        bind_runtimes("getenv", (uintptr_t)source_getenv);
    if (dladdr(dlsym(RTLD_DEFAULT, SOURCE_START), &first) &&
        dladdr((void *)source_start_tool, &ours) && first.dli_fbase != ours.dli_fbase)
        bind_runtimes(SOURCE_START, (uintptr_t)source_start_tool);
}
