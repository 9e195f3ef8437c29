/* SPDX-License-Identifier: MIT
 *
 * Locates the hooks relative to ompd-run; see library.h.
 */
#include "run/library.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define HOOKS "libompd-hooks.so"

/* What the hooks need, and a program of C may live without. */
#define UNWINDER "libgcc_s.so.1"

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

/* The path of ompd-run; without /proc as it was executed. */
static bool find_self(char self[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", self, PATH_MAX - 1);
    const char *executed = (const char *)getauxval(AT_EXECFN);
    if (length <= 0)
        return executed && realpath(executed, self);
    self[length] = 0;
    return true;
}

/* ../lib is tried first: it is also right after the installed tree was moved. `found` is in any
 * case a name for the sentence that says so. */
static bool find_directory(char found[PATH_MAX])
{
    static const char *const candidates[] = {"../lib", LIBDIR};
    char self[PATH_MAX], path[PATH_MAX];
    print(found, "%s", LIBDIR);
    if (!find_self(self))
        return false;
    *strrchr(self, '/') = 0;
    for (unsigned i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++) {
        if (!print(path, "%s/%s", self, candidates[i]) || !realpath(path, found))
            continue;
        if (print(path, "%s/" HOOKS, found) && access(path, R_OK) == 0)
            return true;
    }
    print(found, "%s/" LIBDIR, self);
    return false;
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

bool library_find(bool is_32bit, struct preload *out)
{
    char directory[PATH_MAX], path[PATH_MAX];
    *out = (struct preload){.name = out->text};
    if (!find_directory(directory)) {
        print(out->text, "%s/" HOOKS " is missing, so nothing is recorded.", directory);
        return false;
    }
    if (is_32bit &&
        (!print(path, "%s/32/" HOOKS, directory) || access(path, R_OK) != 0)) {
        print(out->text, "%s was not built, so nothing is recorded in a 32-bit program.",
              path);
        return false;
    }
    /* The dynamic linker ignores a preloaded library that it does not find, and ends a
     * program if it does not find what that one needs. */
    if (!is_32bit && !library_is_there(UNWINDER)) {
        print(out->text,
              "The hooks need " UNWINDER ", which is missing, so nothing is recorded.");
        return false;
    }
    const char *separator = strpbrk(directory, strchr(directory, ' ') ? ":;" : ":");
    if (separator) {
        print(out->text,
              "Nothing can be preloaded from %s, as that has a '%c', so nothing is recorded.",
              directory, *separator);
        return false;
    }
    if (!name_both_classes(directory, out->text) &&
        !print(out->text, "%s/%s" HOOKS, directory, is_32bit ? "32/" : "")) {
        print(out->text, "The path of the hooks library is too long to record anything.");
        return false;
    }
    if (strchr(out->text, ' ')) {
        out->name = strrchr(out->text, '/');
        *out->name++ = 0;
        out->directory = out->text;
    }
    return true;
}
