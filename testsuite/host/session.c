/* SPDX-License-Identifier: MIT
 *
 * Finds and loads an OMPD library, and does for it what a debugger must.
 */
#define _GNU_SOURCE
#include "config.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf-image.h"
#include "session.h"
#include "threads.h"

enum {
    MAX_PATH_BYTES = 4096,
    MAX_CALLBACK_READ = 1 << 24,
};

static const struct dialect *const dialects[] = {&dialect_abi2, &dialect_abi5};

/* The session whose library is being called: OMPD libraries need not be reentrant, and
 * their memory callbacks say not for whom they allocate. */
static struct session *current;

const char *session_hidden_symbol;

const char *answer_name(enum answer answer)
{
    static const char *const names[] = {
        [ANSWER_OK] = "ok",
        [ANSWER_UNAVAILABLE] = "unavailable",
        [ANSWER_STALE_HANDLE] = "stale_handle",
        [ANSWER_BAD_INPUT] = "bad_input",
        [ANSWER_ERROR] = "error",
        [ANSWER_UNSUPPORTED] = "unsupported",
        [ANSWER_NEEDS_STATE_TRACKING] = "needs_state_tracking",
        [ANSWER_INCOMPATIBLE] = "incompatible",
        [ANSWER_READ_ERROR] = "target_read_error",
        [ANSWER_WRITE_ERROR] = "target_write_error",
        [ANSWER_NOMEM] = "nomem",
        [ANSWER_INCOMPLETE] = "incomplete",
        [ANSWER_OTHER] = "unknown code",
    };
    return names[answer];
}

enum answer host_alloc(uint64_t bytes, void **pointer)
{
    void *memory = bytes <= SIZE_MAX ? malloc(bytes ? (size_t)bytes : 1) : NULL;
    if (!memory)
        return ANSWER_NOMEM;
    if (current)
        current->counts.allocations++;
    *pointer = memory;
    return ANSWER_OK;
}

enum answer host_free(void *pointer)
{
    if (current && pointer)
        current->counts.allocations--;
    free(pointer);
    return ANSWER_OK;
}

enum answer host_read(struct session *s, uint64_t address, uint64_t length, void *buffer)
{
    s->counts.reads++;
    s->counts.read_bytes += length;
    if (s->fail_read && --s->fail_read == 0)
        return ANSWER_READ_ERROR;
    if (length > MAX_CALLBACK_READ)
        return ANSWER_BAD_INPUT;
    return target_read(s->target, address, buffer, (size_t)length) ? ANSWER_READ_ERROR : ANSWER_OK;
}

enum answer host_write(struct session *s, uint64_t address, uint64_t length, const void *buffer)
{
    s->counts.writes++;
    if (length > MAX_CALLBACK_READ)
        return ANSWER_BAD_INPUT;
    return target_write(s->target, address, buffer, (size_t)length) ? ANSWER_WRITE_ERROR
                                                                    : ANSWER_OK;
}

enum answer host_symbol(struct session *s, pid_t lwp, const char *file, const char *name,
                        uint64_t *address)
{
    struct symbol symbol;
    struct image *image = file ? image_named(s->target, file) : NULL;
    s->counts.symbols++;
    if (session_hidden_symbol && !strcmp(name, session_hidden_symbol))
        return ANSWER_ERROR;
    if (file ? !image || !image_symbol(s->target, image, name, &symbol)
             : !images_symbol(s->target, NULL, name, &symbol))
        return ANSWER_ERROR;
    if (!symbol.thread_local_storage) {
        *address = symbol.address;
        return ANSWER_OK;
    }
    return lwp && thread_local_address(s->target, lwp, &symbol, address) ? ANSWER_OK
                                                                         : ANSWER_UNAVAILABLE;
}

enum answer settings_copy(const char *const *from, char ***list, size_t *count)
{
    size_t n = 0;
    while (from[n])
        n++;
    char **copy = calloc(n + 1, sizeof *copy);
    for (size_t i = 0; copy && i < n; i++) {
        if (!(copy[i] = strdup(from[i]))) {
            settings_free(copy, i);
            copy = NULL;
        }
    }
    if (!copy)
        return ANSWER_NOMEM;
    *list = copy;
    *count = n;
    return ANSWER_OK;
}

void settings_free(char **list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(list[i]);
    free(list);
}

/* The one that was built with this host: under $stage as in the tests, or in the tree that
 * `make stage` leaves. What the target names in ompd_dll_locations may be an attacker's: a
 * library runs in the debugger that loads it. */
static bool own_library(const char *name, char *path)
{
    const char *stage = getenv("stage");
    char self[MAX_PATH_BYTES];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    int used = stage ? snprintf(path, MAX_PATH_BYTES, "%s/lib/%s", stage, name)
                     : snprintf(path, MAX_PATH_BYTES, "%s/../../stage/lib/%s", self, name);
    return used < MAX_PATH_BYTES && access(path, R_OK) == 0;
}

struct session *session_open(struct target *target, int abi, const char *library,
                             enum answer *answer, struct why *why)
{
    char path[MAX_PATH_BYTES];
    const struct dialect *dialect = NULL;
    *answer = ANSWER_ERROR;
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++)
        if (dialects[i]->abi == abi)
            dialect = dialects[i];
    if (!dialect) {
        why_set(why, "This host does not speak version %d of the interface.", abi);
        return NULL;
    }
    if (!library) {
        struct symbol symbol;
        if (!images_symbol(target, NULL, "GOMP_parallel", &symbol) &&
            !images_symbol(target, NULL, "ompd_hooks_root", &symbol)) {
            bool has_symbols = images_symbol(target, NULL, "_r_debug", &symbol) ||
                               images_symbol(target, NULL, "main", &symbol);
            why_set(why,
                    has_symbols
                        ? "This %s has neither libgomp nor our hooks: name the OMPD library of "
                          "its runtime with --lib, if it has one."
                        : "This %s has no symbols, as a static program that is stripped: whether "
                          "it uses OpenMP cannot be known.",
                    target->ops->kind);
            return NULL;
        }
        if (!own_library(dialect->library, path)) {
            why_set(why, "%s is not there: name it with --lib.", path);
            return NULL;
        }
        library = path;
    }
    struct session *s = calloc(1, sizeof *s);
    if (!s || !(s->library = strdup(library))) {
        free(s);
        why_set(why, "Out of memory.");
        return NULL;
    }
    s->target = target;
    s->dialect = dialect;
    s->dl = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!s->dl) {
        why_set(why, "%s", dlerror());
    } else {
        current = s;
        *answer = dialect->open(s, why);
        if (*answer == ANSWER_OK) {
            s->opening_symbols = s->counts.symbols;
            return s;
        }
        current = NULL;
        dlclose(s->dl);
    }
    free(s->library);
    free(s);
    return NULL;
}

void session_close(struct session *s)
{
    if (!s)
        return;
    s->dialect->close(s);
    current = NULL;
    dlclose(s->dl);
    free(s->library);
    free(s);
}
