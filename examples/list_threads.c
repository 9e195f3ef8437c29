/* SPDX-License-Identifier: MIT
 *
 * A debugger in one file: stops a process, has libompd.so list its OpenMP threads, and lets it
 * go on. doc/debugger-authors.md explains it.
 *
 *   list_threads LIBRARY PID
 *
 * prints the kernel's id, the number in the team, the team's size and the state of each thread,
 * and "-" for what is not known. Of 64-bit processes of this machine.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <ompd/ompd-ext.h>
#include <ompd/ompd-types.h>

enum { MAX_THREADS = 1 << 12, MAX_IMAGES = 1 << 10, MAX_DYNAMIC = 1 << 9, MAX_CHAIN = 1 << 16 };
enum { MAX_STATES = 64, ROUNDS = 100, WRITTEN_FOR = 202411 /* OpenMP 6.0 */ };

/* The context of the address space: what the callbacks know of the process. */
struct _ompd_aspace_cont {
    pid_t pid;
    int threads, images;
    struct { pid_t id; int signal; } thread[MAX_THREADS];
    uint64_t image[MAX_IMAGES]; /* where files are mapped from their first byte on */
};

/* Memory. */

static bool get(const ompd_address_space_context_t *process, uint64_t at, void *to, size_t size)
{
    struct iovec here = {to, size}, there = {(void *)at, size};
    return process_vm_readv(process->pid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

/* Symbols: by the hash table of each image, as the dynamic linker does. */

struct tables {
    uint64_t bias, hash, symbols, strings;
};

static bool find_tables(const ompd_address_space_context_t *process, uint64_t image,
                        struct tables *out)
{
    Elf64_Ehdr head;
    uint64_t dynamic = 0;
    if (!get(process, image, &head, sizeof head) || memcmp(head.e_ident, ELFMAG, SELFMAG) ||
        head.e_ident[EI_CLASS] != ELFCLASS64)
        return false;
    *out = (struct tables){.bias = image};
    for (int i = 0; i < head.e_phnum; i++) {
        Elf64_Phdr part;
        if (!get(process, image + head.e_phoff + i * sizeof part, &part, sizeof part))
            return false;
        if (part.p_type == PT_LOAD && part.p_offset == 0)
            out->bias = image - part.p_vaddr;
        if (part.p_type == PT_DYNAMIC)
            dynamic = part.p_vaddr;
    }
    for (int i = 0; dynamic && i < MAX_DYNAMIC; i++) {
        Elf64_Dyn entry;
        if (!get(process, out->bias + dynamic + i * sizeof entry, &entry, sizeof entry) ||
            entry.d_tag == DT_NULL)
            break;
        /* The dynamic linker has added the bias to most of these. */
        uint64_t value = entry.d_un.d_ptr + (entry.d_un.d_ptr < out->bias ? out->bias : 0);
        if (entry.d_tag == DT_GNU_HASH)
            out->hash = value;
        else if (entry.d_tag == DT_SYMTAB)
            out->symbols = value;
        else if (entry.d_tag == DT_STRTAB)
            out->strings = value;
    }
    return out->hash && out->symbols && out->strings;
}

static uint64_t find_symbol(const ompd_address_space_context_t *process, uint64_t image,
                            const char *name)
{
    struct tables table;
    struct { uint32_t buckets, first, blooms, shift; } head;
    uint32_t hash = 5381, index, value = 0;
    char text[256];
    size_t size = strlen(name) + 1;
    if (size > sizeof text || !find_tables(process, image, &table) ||
        !get(process, table.hash, &head, sizeof head) || head.buckets == 0)
        return 0;
    for (const char *c = name; *c; c++)
        hash = hash * 33 + (unsigned char)*c;
    uint64_t buckets = table.hash + sizeof head + 8 * (uint64_t)head.blooms;
    uint64_t chains = buckets + 4 * (uint64_t)head.buckets;
    if (!get(process, buckets + 4 * (hash % head.buckets), &index, 4) || index < head.first)
        return 0;
    for (int i = 0; i < MAX_CHAIN && !(value & 1); i++, index++) {
        Elf64_Sym symbol;
        if (!get(process, chains + 4 * (uint64_t)(index - head.first), &value, 4))
            return 0;
        if ((value | 1) == (hash | 1) &&
            get(process, table.symbols + index * sizeof symbol, &symbol, sizeof symbol) &&
            get(process, table.strings + symbol.st_name, text, size) &&
            !memcmp(text, name, size) && symbol.st_shndx != SHN_UNDEF)
            return table.bias + symbol.st_value;
    }
    return 0;
}

/* The callbacks. */

static ompd_rc_t cb_alloc(ompd_size_t size, void **out)
{
    *out = malloc(size);
    return *out ? ompd_rc_ok : ompd_rc_nomem;
}

static ompd_rc_t cb_free(void *memory)
{
    free(memory);
    return ompd_rc_ok;
}

static ompd_rc_t cb_sizes(ompd_address_space_context_t *process, ompd_device_type_sizes_t *out)
{
    (void)process;
    *out = (ompd_device_type_sizes_t){1, 2, 4, 8, 8, 8};
    return ompd_rc_ok;
}

/* The file is not regarded: the library sees that an answer is another image's. */
static ompd_rc_t cb_symbol(ompd_address_space_context_t *process, ompd_thread_context_t *thread,
                           const char *name, ompd_address_t *out, const char *file)
{
    (void)thread, (void)file;
    for (int i = 0; i < process->images; i++) {
        uint64_t found = find_symbol(process, process->image[i], name);
        if (found) {
            *out = (ompd_address_t){OMPD_SEGMENT_UNSPECIFIED, found};
            return ompd_rc_ok;
        }
    }
    return ompd_rc_unavailable;
}

static ompd_rc_t cb_read(ompd_address_space_context_t *process, ompd_thread_context_t *thread,
                         const ompd_address_t *at, ompd_size_t size, void *to)
{
    (void)thread;
    return get(process, at->address, to, size) ? ompd_rc_ok : ompd_rc_device_read_error;
}

/* Both sides have one byte order. */
static ompd_rc_t cb_convert(ompd_address_space_context_t *process, const void *from,
                            ompd_size_t size, ompd_size_t count, void *to)
{
    (void)process;
    memmove(to, from, size * count);
    return ompd_rc_ok;
}

/* The process. */

static int known(const ompd_address_space_context_t *process, pid_t id)
{
    int i = 0;
    while (i < process->threads && process->thread[i].id != id)
        i++;
    return i < process->threads;
}

/* Stops what /proc lists and is not stopped yet; whether there was any. */
static bool stop_more(ompd_address_space_context_t *process, const char *folder)
{
    bool more = false;
    DIR *list = opendir(folder);
    for (struct dirent *one; list && (one = readdir(list));) {
        int status, id = atoi(one->d_name);
        if (id <= 0 || known(process, id) || process->threads == MAX_THREADS ||
            ptrace(PTRACE_SEIZE, id, 0, 0) || ptrace(PTRACE_INTERRUPT, id, 0, 0) ||
            waitpid(id, &status, __WALL) != id || !WIFSTOPPED(status))
            continue;
        /* A signal that the thread was about to receive is delivered when it goes on. */
        process->thread[process->threads].signal = status >> 16 ? 0 : WSTOPSIG(status);
        process->thread[process->threads++].id = id;
        more = true;
    }
    if (list)
        closedir(list);
    return more;
}

static void find_images(ompd_address_space_context_t *process, const char *maps)
{
    FILE *file = fopen(maps, "r");
    unsigned long start, offset;
    char *line = NULL;
    size_t room = 0;
    while (file && getline(&line, &room, file) > 0 && process->images < MAX_IMAGES)
        if (sscanf(line, "%lx-%*x %*s %lx", &start, &offset) == 2 && offset == 0 &&
            strchr(line, '/'))
            process->image[process->images++] = start;
    free(line);
    if (file)
        fclose(file);
}

static void resume(ompd_address_space_context_t *process)
{
    for (int i = 0; i < process->threads; i++)
        ptrace(PTRACE_DETACH, process->thread[i].id, 0, (long)process->thread[i].signal);
}

/* The library. */

#define ROUTINES(of) \
    of(ompd_initialize) of(ompd_process_initialize) of(ompd_enumerate_states) \
    of(ompd_rel_address_space_handle) of(ompd_finalize) of(ompd_ext_get_threads)
#define DECLARE(name) static __typeof__(name) *p_##name;
ROUTINES(DECLARE)
#define LOOK_UP(name) && (p_##name = (__typeof__(name) *)dlsym(library, #name))

static const ompd_callbacks_t callbacks = {
    .alloc_memory = cb_alloc, .free_memory = cb_free, .sizeof_type = cb_sizes,
    .symbol_addr_lookup = cb_symbol, .read_memory = cb_read, .device_to_host = cb_convert,
};

/* The library's name of a state, without ompt_state_. */
static const char *name_of(ompd_address_space_handle_t *space, uint32_t state)
{
    static char text[64];
    ompd_word_t at = ompt_state_undefined, more = 1;
    for (int i = 0; more && i < MAX_STATES; i++) {
        const char *name;
        if (p_ompd_enumerate_states(space, at, &at, &name, &more) != ompd_rc_ok)
            break;
        snprintf(text, sizeof text, "%s", strncmp(name, "ompt_state_", 11) ? name : name + 11);
        free((char *)name);
        if (at == state)
            return text;
    }
    return "-";
}

static void print_number(const ompd_ext_thread_t *thread, int field, uint64_t value)
{
    if (thread->known >> field & 1)
        printf("%lu ", (unsigned long)value);
    else
        printf("- ");
}

static int list(ompd_address_space_context_t *process)
{
    ompd_address_space_handle_t *space;
    ompd_ext_thread_t *threads;
    ompd_size_t count;
    ompd_rc_t rc = p_ompd_process_initialize(process, &space);
    if (rc != ompd_rc_ok)
        return fprintf(stderr, "There is no runtime that the library knows (%d).\n", rc), 1;
    rc = p_ompd_ext_get_threads(space, sizeof *threads, &threads, &count);
    if (rc == ompd_rc_ok || rc == ompd_rc_incomplete) {
        for (ompd_size_t i = 0; i < count; i++) {
            print_number(&threads[i], OMPD_EXT_THREAD_LWP, threads[i].lwp);
            print_number(&threads[i], OMPD_EXT_THREAD_THREAD_NUM, threads[i].thread_num);
            print_number(&threads[i], OMPD_EXT_THREAD_TEAM_SIZE, threads[i].team_size);
            puts(threads[i].known >> OMPD_EXT_THREAD_STATE & 1 ?
                 name_of(space, threads[i].state) : "-");
        }
        free(threads);
    }
    if (rc != ompd_rc_ok)
        fprintf(stderr, "The list is not complete (%d).\n", rc);
    p_ompd_rel_address_space_handle(space);
    return rc != ompd_rc_ok;
}

int main(int argc, char **argv)
{
    static ompd_address_space_context_t process;
    char folder[64], maps[64];
    void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library)
        return fprintf(stderr, "usage: %s LIBRARY PID\n%s\n", argv[0],
                       argc == 3 ? dlerror() : ""), 2;
    if (!(1 ROUTINES(LOOK_UP)) || p_ompd_initialize(WRITTEN_FOR, &callbacks) != ompd_rc_ok)
        return fputs("The library is of another version, or has no extension.\n", stderr), 2;
    process.pid = atoi(argv[2]);
    snprintf(folder, sizeof folder, "/proc/%d/task", process.pid);
    snprintf(maps, sizeof maps, "/proc/%d/maps", process.pid);
    /* A thread that is being made may be missing once: until two rounds have found none. */
    for (int round = 0, quiet = 0; quiet < 2 && round < ROUNDS; round++)
        quiet = stop_more(&process, folder) ? 0 : quiet + 1;
    if (process.threads == 0)
        return fprintf(stderr, "Process %d cannot be stopped.\n", process.pid), 2;
    find_images(&process, maps);
    int status = list(&process);
    resume(&process);
    p_ompd_finalize();
    return status;
}
