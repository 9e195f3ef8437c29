/* SPDX-License-Identifier: MIT
 *
 * Locates the hooks relative to ompd-run; see library.h.
 */
#include "run/library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
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

enum { SAID = 1 << 16 }; /* bytes */

/* Runs a command in a process of its own. The beginning of what it prints as errors, with a library to
 * PRELOAD all that it prints, and its status, as waitpid() has it; 0 if that is not known. */
static int run_quietly(char *const command[], const char *preload, char said[SAID])
{
    int ends[2], status = 0;
    *said = 0;
    if (pipe(ends) != 0)
        return 0;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        dup2(preload ? ends[1] : open("/dev/null", O_WRONLY), STDOUT_FILENO);
        unsetenv("LD_PRELOAD");
        if (preload)
            setenv("LD_PRELOAD", preload, 1);
        unsetenv("LD_AUDIT");
        unsetenv("LD_DEBUG");
        execv(command[0], command);
        _exit(EXIT_FAILURE);
    }
    close(ends[1]);
    char piece[PATH_MAX];
    size_t used = 0;
    for (ssize_t got; (got = read(ends[0], piece, sizeof(piece))) > 0;) {
        size_t room = SAID - 1 - used, kept = (size_t)got < room ? (size_t)got : room;
        memcpy(said + used, piece, kept);
        used += kept;
    }
    said[used] = 0;
    close(ends[0]);
    return child > 0 && waitpid(child, &status, 0) == child ? status : 0;
}

/* The version or the file that is not there, in what the dynamic linker of glibc says; NULL if it says
 * something else. */
static const char *missing_name(char *said)
{
    static const struct {
        const char *before;
        char behind;
    } forms[] = {{"version `", '\''}, {"loading shared libraries: ", ':'}};
    for (unsigned i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        char *found = strstr(said, forms[i].before);
        char *name = found ? found + strlen(forms[i].before) : NULL;
        char *end = name ? strchr(name, forms[i].behind) : NULL;
        if (!end)
            continue;
        *end = 0;
        char *slash = strrchr(name, '/');
        return slash ? slash + 1 : name;
    }
    return NULL;
}

/* Whether the dynamic linker loads the program with the hooks; it runs no code of either. A program may
 * have its own C library, and know where. */
static bool is_loaded(const struct program *program, const char *hooks, char said[SAID])
{
    char *const command[] = {(char *)program->interpreter, "--list", (char *)program->path, NULL};
    return run_quietly(command, hooks, said) == 0 && strlen(said) < SAID - 1 &&
           strstr(said, hooks) && !strstr(said, "not found") &&
           !strstr(said, "cannot be preloaded");
}

/* The dynamic linker ignores a preloaded library that it does not find, and ends a program if it does
 * not find what that one needs, or an older version. So the program's own is asked before: it loads
 * the hooks alone, and runs none of their code. */
static bool is_served(const struct program *program, const char *hooks, char text[PATH_MAX])
{
    static char said[SAID], listed[SAID];
    if (!*program->interpreter || access(program->interpreter, X_OK) != 0) {
        if (program->is_32bit || library_is_there(UNWINDER))
            return true;
        print(text, "The hooks need " UNWINDER ", which is missing, so nothing is recorded.");
        return false;
    }
    char *const command[] = {(char *)program->interpreter, "--list", (char *)hooks, NULL};
    int status = run_quietly(command, NULL, said);
    const char *name = missing_name(said); /* it ends with 0 where a version is missing */
    if ((status == 0 && !name) || is_loaded(program, hooks, listed))
        return true;
    if (name && strcmp(name, HOOKS) != 0)
        print(text, "The hooks need %s, which is missing, so nothing is recorded.", name);
    else
        print(text, "The hooks cannot be loaded by %s, so nothing is recorded.",
              program->interpreter);
    return false;
}

bool library_find(const struct program *program, struct preload *out)
{
    char directory[PATH_MAX], path[PATH_MAX];
    *out = (struct preload){.name = out->text};
    if (!find_directory(directory)) {
        print(out->text, "%s/" HOOKS " is missing, so nothing is recorded.", directory);
        return false;
    }
    const char *class = program->is_32bit ? "32/" : "";
    if (!print(path, "%s/%s" HOOKS, directory, class)) {
        print(out->text, "The path of the hooks library is too long to record anything.");
        return false;
    }
    if (program->is_32bit && access(path, R_OK) != 0) {
        print(out->text, "%s was not built, so nothing is recorded in a 32-bit program.", path);
        return false;
    }
    if (!is_served(program, path, out->text))
        return false;
    const char *separator = strpbrk(directory, strchr(directory, ' ') ? ":;" : ":");
    if (separator) {
        print(out->text,
              "Nothing can be preloaded from %s, as that has a '%c', so nothing is recorded.",
              directory, *separator);
        return false;
    }
    if (!name_both_classes(directory, out->text))
        strcpy(out->text, path);
    if (strchr(out->text, ' ')) {
        out->name = strrchr(out->text, '/');
        *out->name++ = 0;
        out->directory = out->text;
    }
    return true;
}
