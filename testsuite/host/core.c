/* SPDX-License-Identifier: MIT
 *
 * A core file: memory from its program headers, threads and files from its notes.
 *
 * The kernel leaves out what it can find again, such as the text of libraries; those bytes
 * come from the files named in NT_FILE, provided they are the same builds (elf-image.h).
 * Nothing the file says is believed before it was compared with the file's size.
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
#include "link-map.h"
#include "target.h"
#include "threads.h"

#if defined __x86_64__
#define OWN_MACHINE_32 EM_386
#elif defined __aarch64__
#define OWN_MACHINE_32 EM_ARM
#else
#define OWN_MACHINE_32 EM_NONE
#endif

enum {
    MAX_SEGMENTS = 1 << 20,
    MAX_NOTES_SIZE = 1 << 30,
};

struct segment {
    uint64_t start;
    uint64_t held; /* bytes in the core; the rest up to `size` is not */
    uint64_t size;
    uint64_t offset;
};

struct core {
    int fd;
    Elf *elf;
    struct segment *segments;
    size_t segment_count;
    struct program_place program;
};

static const struct segment *segment_at(const struct core *core, uint64_t address)
{
    for (size_t i = 0; i < core->segment_count; i++)
        if (address >= core->segments[i].start &&
            address - core->segments[i].start < core->segments[i].size)
            return &core->segments[i];
    return NULL;
}

static int read_at(int fd, uint64_t offset, void *buffer, size_t length)
{
    char *to = buffer;
    while (length > 0) {
        if (offset > INT64_MAX)
            return EFAULT;
        ssize_t n = pread(fd, to, length, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : EFAULT;
        to += n;
        offset += (uint64_t)n;
        length -= (size_t)n;
    }
    return 0;
}

static int read_file(struct target *target, uint64_t address, void *buffer, size_t *length)
{
    const struct mapping *m = target_mapping(target, address);
    struct image *image = m ? image_of_mapping(target, m) : NULL;
    if (!image)
        return EFAULT;
    enum image_file file = image_open(target, image);
    if (file != IMAGE_SAME && file != IMAGE_UNCHECKED)
        return EFAULT;
    if (*length > m->end - address)
        *length = m->end - address;
    return read_at(image->fd, m->offset + (address - m->start), buffer, *length);
}

static int read_parts(struct target *target, uint64_t address, void *buffer, size_t length,
                      bool files)
{
    const struct core *core = target->state;
    char *to = buffer;
    while (length > 0) {
        const struct segment *segment = segment_at(core, address);
        size_t part = length;
        int error;
        uint64_t within = segment ? address - segment->start : 0;
        if (segment && within < segment->held) {
            if (part > segment->held - within)
                part = segment->held - within;
            error = read_at(core->fd, segment->offset + within, to, part);
        } else if (files) {
            if (segment && part > segment->size - within)
                part = segment->size - within;
            error = read_file(target, address, to, &part);
        } else {
            error = EFAULT;
        }
        if (error)
            return error;
        to += part;
        address += part;
        length -= part;
    }
    return 0;
}

static int core_read(struct target *target, uint64_t address, void *buffer, size_t length)
{
    return read_parts(target, address, buffer, length, true);
}

static int core_read_held(struct target *target, uint64_t address, void *buffer, size_t length)
{
    return read_parts(target, address, buffer, length, false);
}

static int core_write(struct target *target, uint64_t address, const void *buffer, size_t length)
{
    (void)target, (void)address, (void)buffer, (void)length;
    return EROFS;
}

static void core_close(struct target *target)
{
    struct core *core = target->state;
    if (core->elf)
        elf_end(core->elf);
    if (core->fd >= 0)
        close(core->fd);
    free(core->segments);
    free(core);
}

static const struct target_ops core_ops = {
    .kind = "core",
    .read = core_read,
    .read_held = core_read_held,
    .write = core_write,
    .close = core_close,
};

/* The notes of other 64-bit machines, too, tell which thread they are of behind the signal's
 * three words, two halves and two sets of 8 bytes. */
enum { PRSTATUS_64_PID = 32 };

/* The notes of 32-bit programs have shorter structures. Which thread a note is of stands
 * behind three words of a signal's, two halves and two sets of signals of a word each; the
 * registers are not looked at. */
enum { PRSTATUS_32_PID = 24, PRPSINFO_32_PID = 12 };

static bool take_lwp(struct target *target, int32_t id, struct lwp **lwp, struct why *why)
{
    *lwp = NULL;
    if (id <= 0 || target_lwp(target, id))
        return true; /* nothing a debugger could name */
    *lwp = target_add_lwp(target, id);
    return *lwp ? true : why_set(why, "The core names too many threads.");
}

static bool take_prstatus_foreign(struct target *target, const char *desc, size_t size,
                                  struct why *why)
{
    int32_t id;
    struct lwp *lwp;
    size_t at = target->word_size == 4 ? PRSTATUS_32_PID : PRSTATUS_64_PID;
    if (size < at + sizeof id)
        return why_set(why, "A thread note of the core has only %zu bytes.", size);
    memcpy(&id, desc + at, sizeof id);
    return take_lwp(target, id, &lwp, why);
}

static bool take_prstatus(struct target *target, const char *desc, size_t size, struct why *why)
{
    struct elf_prstatus status;
    if (target->word_size == 4 || target_is_foreign(target))
        return take_prstatus_foreign(target, desc, size, why);
    if (size != sizeof status)
        return why_set(why, "A thread note of the core has %zu bytes instead of %zu.", size,
                       sizeof status);
    memcpy(&status, desc, sizeof status);
    struct lwp *lwp;
    if (!take_lwp(target, status.pr_pid, &lwp, why))
        return false;
    if (!lwp)
        return true;
    memcpy(&lwp->registers, &status.pr_reg, sizeof lwp->registers);
    lwp->has_registers = true;
    return true;
}

/* NT_FILE: count, page size, `count` triples start, end, offset in pages; then the names. */
static bool take_files(struct target *target, const char *desc, size_t size, struct why *why)
{
    uint64_t head[2];
    const size_t word = target->word_size;
    if (size < 2 * word)
        return why_set(why, "The core's list of files is cut short.");
    target_decode_words(target, desc, 2, head);
    uint64_t count = head[0], page = head[1], room = size - 2 * word;
    if (count > room / (3 * word) || page == 0 || page > UINT32_MAX)
        return why_set(why, "The core's list of files is damaged.");
    const char *name = desc + (2 + count * 3) * word, *end = desc + size;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t triple[3];
        target_decode_words(target, desc + (2 + i * 3) * word, 3, triple);
        const char *nul = memchr(name, 0, (size_t)(end - name));
        if (!nul || triple[0] >= triple[1] || triple[2] > UINT64_MAX / page)
            return why_set(why, "The core's list of files is damaged.");
        struct mapping m = {
            .start = triple[0], .end = triple[1], .offset = triple[2] * page, .path = (char *)name};
        if (!target_add_mapping(target, &m))
            return why_set(why, "The core names too many files.");
        name = nul + 1;
    }
    return true;
}

static void take_auxv(struct target *target, const char *desc, size_t size)
{
    struct core *core = target->state;
    uint64_t pair[2];
    const size_t step = 2 * target->word_size;
    for (; size >= step; desc += step, size -= step) {
        target_decode_words(target, desc, 2, pair);
        if (pair[0] == AT_PHDR)
            target->program_headers = core->program.headers = pair[1];
        if (pair[0] == AT_ENTRY)
            core->program.entry = pair[1];
        if (pair[0] == AT_EXECFN)
            core->program.name = pair[1];
    }
}

/* It follows the registers of its thread. */
static void take_thread_pointer(struct target *target, const char *desc, size_t size)
{
    if (target->lwp_count && size >= sizeof(uint64_t))
        memcpy(&target->lwps[target->lwp_count - 1].thread_pointer, desc, sizeof(uint64_t));
}

static bool take_notes(struct target *target, const GElf_Phdr *phdr, struct why *why)
{
    struct core *core = target->state;
    if (phdr->p_filesz > MAX_NOTES_SIZE)
        return why_set(why, "The core's notes are implausibly large.");
    Elf_Data *data =
        elf_getdata_rawchunk(core->elf, (int64_t)phdr->p_offset, phdr->p_filesz, ELF_T_NHDR);
    if (!data)
        return why_set(why, "The core's notes cannot be read.");
    GElf_Nhdr note;
    size_t name, desc;
    for (size_t at = 0, next; (next = gelf_getnote(data, at, &note, &name, &desc)) > 0; at = next) {
        const char *bytes = (const char *)data->d_buf;
        if (note.n_type == NT_ARM_TLS && note.n_namesz == 6 && !memcmp(bytes + name, "LINUX", 6)) {
            take_thread_pointer(target, bytes + desc, note.n_descsz);
            continue;
        }
        if (note.n_namesz != 5 || memcmp(bytes + name, "CORE", 5))
            continue;
        bool ok = true;
        if (note.n_type == NT_PRSTATUS)
            ok = take_prstatus(target, bytes + desc, note.n_descsz, why);
        else if (note.n_type == NT_FILE)
            ok = take_files(target, bytes + desc, note.n_descsz, why);
        else if (note.n_type == NT_AUXV)
            take_auxv(target, bytes + desc, note.n_descsz);
        else if (note.n_type == NT_PRPSINFO && target->word_size == 4 &&
                 note.n_descsz >= PRPSINFO_32_PID + sizeof(int32_t)) {
            int32_t id;
            memcpy(&id, bytes + desc + PRPSINFO_32_PID, sizeof id);
            target->pid = id;
        } else if (note.n_type == NT_PRPSINFO && target->word_size == 8 &&
                   note.n_descsz == sizeof(struct elf_prpsinfo)) {
            struct elf_prpsinfo info;
            memcpy(&info, bytes + desc, sizeof info);
            target->pid = info.pr_pid;
        }
        if (!ok)
            return false;
    }
    return true;
}

static bool read_headers(struct target *target, const char *path, struct why *why)
{
    struct core *core = target->state;
    struct stat st;
    if (fstat(core->fd, &st) < 0 || !S_ISREG(st.st_mode))
        return why_set(why, "%s is not a file.", path);
    uint64_t file_size = (uint64_t)st.st_size;
    elf_version(EV_CURRENT);
    core->elf = elf_begin(core->fd, ELF_C_READ, NULL);
    GElf_Ehdr ehdr;
    if (!core->elf || elf_kind(core->elf) != ELF_K_ELF || !gelf_getehdr(core->elf, &ehdr))
        return why_set(why, "%s is neither a process id nor a core file.", path);
    if (ehdr.e_type != ET_CORE)
        return why_set(why, "%s is an ELF file, but no core.", path);
    bool is_64 = ehdr.e_ident[EI_CLASS] == ELFCLASS64;
    target->word_size = is_64 ? 8 : 4;
    target->machine = ehdr.e_machine;
    if (is_64 ? ehdr.e_machine != EM_X86_64 && ehdr.e_machine != EM_AARCH64
              : ehdr.e_machine != OWN_MACHINE_32)
        return why_set(why, "%s is a core of another kind of machine (%u, %s-bit).", path,
                       ehdr.e_machine, is_64 ? "64" : "32");
    size_t count;
    if (elf_getphdrnum(core->elf, &count) || count == 0 || count > MAX_SEGMENTS ||
        ehdr.e_phentsize != gelf_fsize(core->elf, ELF_T_PHDR, 1, EV_CURRENT) ||
        ehdr.e_phoff > file_size || count > (file_size - ehdr.e_phoff) / ehdr.e_phentsize)
        return why_set(why, "%s is truncated or damaged: its program headers are not there.", path);
    core->segments = calloc(count, sizeof *core->segments);
    if (!core->segments)
        return why_set(why, "Out of memory.");

    for (size_t i = 0; i < count; i++) {
        GElf_Phdr phdr;
        if (!gelf_getphdr(core->elf, (int)i, &phdr))
            return why_set(why, "%s is damaged: program header %zu cannot be read.", path, i);
        if (phdr.p_type != PT_LOAD && phdr.p_type != PT_NOTE)
            continue;
        if (phdr.p_offset > file_size || phdr.p_filesz > file_size - phdr.p_offset)
            return why_set(why,
                           "%s is truncated: it ends at byte %llu, but its program headers "
                           "promise %llu bytes from byte %llu on.",
                           path, (unsigned long long)file_size, (unsigned long long)phdr.p_filesz,
                           (unsigned long long)phdr.p_offset);
        if (phdr.p_type == PT_NOTE) {
            if (!take_notes(target, &phdr, why))
                return false;
        } else if (phdr.p_vaddr + phdr.p_memsz < phdr.p_vaddr || phdr.p_filesz > phdr.p_memsz) {
            return why_set(why, "%s is damaged: segment %zu makes no sense.", path, i);
        } else {
            core->segments[core->segment_count++] =
                (struct segment){phdr.p_vaddr, phdr.p_filesz, phdr.p_memsz, phdr.p_offset};
        }
    }
    if (target->lwp_count == 0)
        return why_set(why, "%s names no thread.", path);
    /* Emulators name no files. */
    if (target->mapping_count == 0 && !link_map_mappings(target, &core->program))
        return why_set(why, "Out of memory.");
    if (!images_refresh(target))
        return why_set(why, "Out of memory.");
    return true;
}

struct target *core_open(const char *path, struct why *why)
{
    struct core *core = calloc(1, sizeof *core);
    struct target *target = core ? target_new(&core_ops, core) : NULL;
    if (!target) {
        free(core);
        why_set(why, "Out of memory.");
        return NULL;
    }
    core->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (core->fd < 0) {
        why_set(why, "%s cannot be opened: %s.", path, strerror(errno));
        target_close(target);
        return NULL;
    }
    if (!read_headers(target, path, why)) {
        target_close(target);
        return NULL;
    }
    threads_refresh(target);
    return target;
}
