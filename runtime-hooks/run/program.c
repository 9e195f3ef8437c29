/* SPDX-License-Identifier: MIT
 *
 * Finds a program on PATH and reads its ELF headers and file mode; see program.h.
 */
#include "run/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

static bool is_executable(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return false;
    if (!S_ISREG(status.st_mode)) {
        errno = EACCES;
        return false;
    }
    return access(path, X_OK) == 0;
}

static bool find_on_path(const char *name, char *found)
{
    char system_path[256] = "/bin:/usr/bin";
    const char *list = getenv("PATH");
    if (!list) {
        confstr(_CS_PATH, system_path, sizeof(system_path));
        list = system_path;
    }
    int error = ENOENT;
    while (list) {
        const char *end = strchrnul(list, ':');
        int length = (int)(end - list);
        int size = snprintf(found, PATH_MAX, "%.*s%s%s", length, list, length ? "/" : "", name);
        if (size < PATH_MAX && is_executable(found))
            return true;
        if (errno == EACCES)
            error = EACCES;
        list = *end ? end + 1 : NULL;
    }
    errno = error;
    return false;
}

/* Finds PT_INTERP in at most 64 KiB of program headers, which is the kernel's limit. */
static bool read_interpreter(int fd, off_t table, unsigned size, unsigned count,
                             struct program *program)
{
    union {
        Elf32_Phdr small;
        Elf64_Phdr wide;
    } header;
    size_t wanted = program->is_32bit ? sizeof(header.small) : sizeof(header.wide);
    for (unsigned i = 0; i < count && i * size < 65536; i++) {
        if (pread(fd, &header, wanted, table + (off_t)(i * size)) != (ssize_t)wanted)
            return false;
        if (header.small.p_type != PT_INTERP) /* the first field in both classes */
            continue;
        off_t at = program->is_32bit ? header.small.p_offset : (off_t)header.wide.p_offset;
        size_t length = program->is_32bit ? header.small.p_filesz : header.wide.p_filesz;
        if (length < sizeof(program->interpreter) &&
            pread(fd, program->interpreter, length, at) != (ssize_t)length)
            *program->interpreter = 0;
        return true;
    }
    return false;
}

static void read_elf(int fd, struct program *program)
{
    union {
        unsigned char ident[EI_NIDENT];
        Elf32_Ehdr small;
        Elf64_Ehdr wide;
    } header;
    if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
        memcmp(header.ident, ELFMAG, SELFMAG) != 0)
        return;
    program->is_elf = true;
    program->is_32bit = header.ident[EI_CLASS] == ELFCLASS32;
    bool has_interpreter =
        program->is_32bit
            ? read_interpreter(fd, (off_t)header.small.e_phoff, header.small.e_phentsize,
                               header.small.e_phnum, program)
            : read_interpreter(fd, (off_t)header.wide.e_phoff, header.wide.e_phentsize,
                               header.wide.e_phnum, program);
    program->is_static = !has_interpreter && fnmatch("*/ld[-.0-9]*", program->path, 0) != 0;
}

/* True if the file grants privileges that the user lacks, as the kernel decides. */
static bool is_secure(const char *path)
{
    struct stat status;
    struct statvfs mounted;
    char capabilities[64];
    if (stat(path, &status) != 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
        (statvfs(path, &mounted) == 0 && mounted.f_flag & ST_NOSUID))
        return false;
    return (status.st_mode & S_ISUID && status.st_uid != getuid()) ||
           ((status.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
            status.st_gid != getgid()) ||
           (getuid() != 0 &&
            getxattr(path, "security.capability", capabilities, sizeof(capabilities)) > 0);
}

bool program_find(const char *name, struct program *program)
{
    memset(program, 0, sizeof(*program));
    if (strchr(name, '/')) {
        int size = snprintf(program->path, sizeof(program->path), "%s", name);
        if (size >= (int)sizeof(program->path)) {
            errno = ENAMETOOLONG;
            return false;
        }
        if (!is_executable(name))
            return false;
    } else if (!find_on_path(name, program->path)) {
        return false;
    }
    int fd = open(program->path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) { /* else the file is executable but not readable */
        read_elf(fd, program);
        close(fd);
    }
    program->is_secure = is_secure(program->path);
    return true;
}
