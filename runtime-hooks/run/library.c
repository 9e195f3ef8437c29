/* SPDX-License-Identifier: MIT
 *
 * Locates the hooks relative to ompd-run, and makes a name for them that LD_PRELOAD can
 * hold; see library.h.
 */
#include "run/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOOKS "libompd-hooks.so"

/* The configured path from bindir to libdir. */
#ifndef LIBDIR
#define LIBDIR "../lib"
#endif

static bool __attribute__((format(printf, 2, 3)))
print(char text[PATH_MAX], const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int size = vsnprintf(text, PATH_MAX, format, list);
    va_end(list);
    return size < PATH_MAX;
}

/* ../lib is tried first: it is also right after the installed tree was moved. */
static bool find_directory(char found[PATH_MAX])
{
    static const char *const candidates[] = {"../lib", LIBDIR};
    char self[PATH_MAX], path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (length <= 0)
        return false;
    self[length] = 0;
    *strrchr(self, '/') = 0;
    for (unsigned i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++) {
        if (!print(path, "%s/%s", self, candidates[i]) || !realpath(path, found))
            continue;
        if (print(path, "%s/" HOOKS, found) && access(path, R_OK) == 0)
            return true;
    }
    if (!print(found, "%s/" LIBDIR, self))
        *found = 0;
    return false;
}

static bool is_private(const char *directory)
{
    struct stat status;
    return directory[0] == '/' && !strpbrk(directory, ": ") &&
           lstat(directory, &status) == 0 && S_ISDIR(status.st_mode) &&
           status.st_uid == geteuid() && !(status.st_mode & (S_IWGRP | S_IWOTH));
}

/* Space and colon separate the names in LD_PRELOAD. A directory whose name has one is
 * reached through a symbolic link in XDG_RUNTIME_DIR, if only the user can write
 * there. */
static bool make_link(char directory[PATH_MAX])
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    struct stat status;
    char name[PATH_MAX], there[PATH_MAX];
    if (!runtime || !is_private(runtime) || stat(directory, &status) != 0 ||
        !print(name, "%s/ompd-run-%lx-%lx", runtime, (unsigned long)status.st_dev,
               (unsigned long)status.st_ino))
        return false;
    if (symlink(directory, name) != 0 && errno != EEXIST)
        return false;
    if (!realpath(name, there) || strcmp(there, directory) != 0) {
        /* A stale link: the installed tree was moved. */
        if (unlink(name) != 0 || symlink(directory, name) != 0)
            return false;
    }
    return print(directory, "%s", name);
}

/* RTLD_NOLOAD returns NULL without an error if the file exists but is not loaded. */
bool library_is_there(const char *name)
{
    dlerror();
    void *handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    bool is_there = handle || !dlerror();
    if (handle)
        dlclose(handle);
    return is_there;
}

/* A name that is valid in processes of both ELF classes: the dynamic linker expands $LIB
 * by class, and there are links of all its usual expansions. */
static bool name_both_classes(const char *directory, char name[PATH_MAX])
{
    return print(name, "%s/ompd/$LIB/" HOOKS, directory) && library_is_there(name);
}

enum library library_find(bool is_32bit, char name[PATH_MAX])
{
    char directory[PATH_MAX], path[PATH_MAX];
    if (!find_directory(directory)) {
        print(name,
              "%s/" HOOKS " is missing, so run ompd-run from where it was installed.",
              directory);
        return LIBRARY_MISSING;
    }
    if (is_32bit &&
        (!print(path, "%s/32/" HOOKS, directory) || access(path, R_OK) != 0)) {
        print(name, "%s was not built, so nothing is recorded in a 32-bit program.",
              path);
        return LIBRARY_OTHER_CLASS;
    }
    print(path, "%s", directory);
    if (strpbrk(directory, ": ") && !make_link(directory)) {
        print(name,
              "LD_PRELOAD cannot name a directory with a space or a colon (%s), and "
              "there is no XDG_RUNTIME_DIR for a link to it.",
              path);
        return LIBRARY_MISSING;
    }
    if (!name_both_classes(directory, name) &&
        !print(name, "%s/%s" HOOKS, directory, is_32bit ? "32/" : "")) {
        print(name, "The path of the hooks library is too long.");
        return LIBRARY_MISSING;
    }
    return LIBRARY_FOUND;
}
