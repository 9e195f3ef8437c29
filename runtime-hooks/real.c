/* SPDX-License-Identifier: MIT
 *
 * Finds the functions that our wrappers stand in front of. The hooks are not linked to
 * libgomp: a program that does not use OpenMP must not get it loaded.
 */
#include "hooks.h"
#include "lock.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

/* A program that reaches one of these would not have got past the dynamic linker without
 * the hooks, so it ends as it would have there. */
static void __attribute__((noreturn, cold)) missing(const char *name)
{
    const char *part[] = {program_invocation_name,
                          ": symbol lookup error: undefined symbol: ", name, "\n"};
    for (unsigned i = 0; i < sizeof(part) / sizeof(part[0]); i++)
        if (write(STDERR_FILENO, part[i], strlen(part[i])) < 0)
            break;
    _exit(127);
}

#define HOOKED(need, type, name, parameters)                                             \
    static void __attribute__((cold)) missing_##name(void)                               \
    {                                                                                    \
        missing(#name);                                                                  \
    }
#define HOOKED_AS(type, name, symbol, version, parameters)                               \
    HOOKED(0, type, name, parameters)
#define CALLED(need, type, name, parameters)
#include "functions.def"
#undef HOOKED
#undef HOOKED_AS
#undef CALLED

typedef void (*any_fn)(void);

#define HOOKED(need, type, name, parameters)                                             \
    .name = (type(*) parameters)(any_fn)missing_##name,
#define HOOKED_AS(type, name, symbol, version, parameters)                               \
    HOOKED(0, type, name, parameters)
#define CALLED(need, type, name, parameters)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-function-type"
struct real_functions real = {
#include "functions.def"
};
#pragma GCC diagnostic pop
#undef HOOKED
#undef HOOKED_AS
#undef CALLED

/* A runtime that was loaded for one plugin only is in no scope of ours: look into each
 * loaded object. Its own dependencies come first there, ours never. */
static int find_in_object(struct dl_phdr_info *info, size_t size, void *out)
{
    (void)size;
    if (!info->dlpi_name || !info->dlpi_name[0])
        return 0;
    void *handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
        return 0;
    void *found = dlsym(handle, "GOMP_parallel");
    if (!found || found == (void *)(uintptr_t)GOMP_parallel) {
        dlclose(handle);
        return 0;
    }
    *(void **)out = handle; /* kept: the runtime must outlive our pointers into it */
    return 1;
}

static void *find_runtime(void)
{
    if (dlsym(RTLD_NEXT, "GOMP_parallel"))
        return RTLD_NEXT;
    void *handle = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
        dl_iterate_phdr(find_in_object, &handle);
    return handle;
}

enum { REQUIRED = 1, OPTIONAL = 0 };

/* No lock is held around the dynamic linker's functions: a constructor that runs under
 * its lock may be waiting for ours. Two threads may resolve at once, with one result. */
static enum runtime_kind resolve(void)
{
    void *scope = find_runtime();
    if (!scope)
        return RUNTIME_NONE;

    /* First what is always there: a failing lookup allocates memory, and that may bring
     * us back here in need of real functions. */
    bool complete = true;
    hooks_lock();
    struct real_functions found = real;
    hooks_unlock();
    for (int need_now = REQUIRED; need_now >= OPTIONAL; need_now--) {
        void *address;
#define TAKE(name, need, lookup)                                                         \
    if ((need) == need_now) {                                                            \
        address = lookup;                                                                \
        if (address)                                                                     \
            memcpy(&found.name, &address, sizeof(address));                              \
        else if (need)                                                                   \
            complete = false;                                                            \
    }
#define HOOKED(need, type, name, parameters) TAKE(name, need, dlsym(scope, #name))
#define HOOKED_AS(type, name, symbol, version, parameters)                               \
    TAKE(name, OPTIONAL, dlvsym(scope, #symbol, version))
#define CALLED HOOKED
#include "functions.def"
#undef HOOKED
#undef HOOKED_AS
#undef CALLED
        hooks_lock();
        real = found;
        hooks_unlock();
    }

    const char ***other = dlsym(RTLD_NEXT, "ompd_dll_locations");
    bool foreign = other || dlsym(RTLD_DEFAULT, "__kmpc_fork_call");
    if (other)
        locations_hand_on(*other);
    return foreign || !complete ? RUNTIME_FOREIGN : RUNTIME_LIBGOMP;
}

enum runtime_kind real_resolve(void)
{
    int saved_errno = errno;
    enum runtime_kind kind = resolve();
    dlerror(); /* what we tried in vain is not the program's to find */
    errno = saved_errno;
    return kind;
}

struct constants {
    constants_visitor *visit;
    void *arg;
};

static bool holds(const struct dl_phdr_info *object, uintptr_t address)
{
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_LOAD &&
            address - (object->dlpi_addr + part->p_vaddr) < part->p_memsz)
            return true;
    }
    return false;
}

static int visit_constants(struct dl_phdr_info *object, size_t size, void *arg)
{
    (void)size;
    const struct constants *constants = arg;
    if (!holds(object, (uintptr_t)real.GOMP_parallel))
        return 0;
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & (PF_R | PF_W)) == PF_R)
            constants->visit((const char *)(object->dlpi_addr + part->p_vaddr),
                             part->p_filesz, constants->arg);
    }
    return 1;
}

void real_constants(constants_visitor *visit, void *arg)
{
    struct constants constants = {visit, arg};
    dl_iterate_phdr(visit_constants, &constants);
}
