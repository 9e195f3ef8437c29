/* SPDX-License-Identifier: MIT
 *
 * Fills a struct runtime from symbol tables, and replaces a missing one; see functions.h.
 */
#include "core/functions.h"
#include "core/images.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { OPTIONAL = 0, REQUIRED = 1 };

/* Sets the functions that the object exports, unless `real` is NULL; false if a REQUIRED one is
 * missing. */
static bool fill(struct runtime *real, const struct image_symbols *symbols)
{
    bool complete = true;
    uintptr_t address;
#define FILL(need, name, symbol, version)                                                          \
    address = image_export(symbols, symbol, version);                                              \
    if (!address)                                                                                  \
        complete &= !need;                                                                         \
    else if (real)                                                                                 \
        memcpy(&real->name, &address, sizeof(address));
#define HOOKED(need, type, name, parameters) FILL(need, name, #name, NULL)
#define HOOKED_AS(type, name, symbol, version, parameters) FILL(OPTIONAL, name, #symbol, version)
#define CALLED HOOKED
#include "functions.def"
#undef HOOKED
#undef HOOKED_AS
#undef CALLED
    return complete;
}

static bool is_runtime(const struct image_symbols *symbols)
{
    return image_export(symbols, "GOMP_parallel", NULL) &&
           (image_export(symbols, "__kmpc_fork_call", NULL) || fill(NULL, symbols));
}

/* Sets the wrapped functions that the object exports: it interposes the runtime's. */
static void fill_interposed(struct runtime *real, const struct image_symbols *symbols)
{
    uintptr_t address;
#define HOOKED(need, type, name, parameters)                                                       \
    if ((address = image_export(symbols, #name, NULL)))                                            \
        memcpy(&real->name, &address, sizeof(address));
#define HOOKED_AS(type, name, symbol, version, parameters)                                         \
    if ((address = image_export(symbols, #symbol, version)))                                       \
        memcpy(&real->name, &address, sizeof(address));
#define CALLED(need, type, name, parameters)
#include "functions.def"
#undef HOOKED
#undef HOOKED_AS
#undef CALLED
}

static bool find_within(struct image_scope *scope, struct runtime *real,
                        const struct link_map *last, const struct link_map *map)
{
    scope->count = 0;
    if (last)
        image_scope_after_us(scope, last);
    image_scope_of(scope, map);
    struct image_symbols symbols;
    unsigned end = 0;
    while (end < scope->count &&
           (image_is_ours(scope->map[end]) || !image_symbols(scope->map[end], &symbols) ||
            !is_runtime(&symbols)))
        end++;
    if (end == scope->count)
        return false;
    *real = functions_none;
    /* LLVM's runtime exports GCC's entry points too, and is not recorded; nor is a
     * runtime that supports OMPD itself. */
    real->recorded = fill(real, &symbols) && !image_export(&symbols, "__kmpc_fork_call", NULL) &&
                     !image_export(&symbols, "ompd_dll_locations", NULL);
    while (end-- > 0)
        if (!image_is_ours(scope->map[end]) && image_symbols(scope->map[end], &symbols))
            fill_interposed(real, &symbols);
    return true;
}

static bool __attribute__((noinline))
find_on_stack(struct runtime *real, const struct link_map *last, const struct link_map *map)
{
    struct image_scope scope;
    return find_within(&scope, real, last, map);
}

/* The least stack of a thread has no room for a scope: one is static, which a second thread that
 * looks for something meanwhile, or a handler, goes without. */
bool functions_find(struct runtime *real, const struct link_map *last, const struct link_map *map)
{
    static struct image_scope scope;
    static bool is_used;
    if (__atomic_exchange_n(&is_used, true, __ATOMIC_ACQUIRE))
        return find_on_stack(real, last, map);
    bool found = find_within(&scope, real, last, map);
    __atomic_store_n(&is_used, false, __ATOMIC_RELEASE);
    return found;
}

__thread uintptr_t functions_caller;

struct reference_query {
    const char *name;
    enum reference reference;
    const char *object;
};

static void find_reference(const struct image *image, void *arg)
{
    struct reference_query *query = arg;
    struct image_symbols symbols;
    if (image_symbols(image->map, &symbols))
        query->reference = image_reference(&symbols, query->name);
    query->object = image->map->l_name;
}

/* Called in place of a function that no runtime defines. If the caller's reference is
 * strong, the process ends as it does when the dynamic linker fails to bind lazily. */
static void __attribute__((cold)) called_unresolved(const char *name)
{
    struct reference_query query = {name, REFERENCE_NONE, ""};
    images_visit(functions_caller, find_reference, &query);
    if (query.reference != REFERENCE_STRONG)
        return;
    const char *object = *query.object ? query.object : program_invocation_name;
    const char *part[] = {program_invocation_name,
                          ": symbol lookup error: ",
                          object,
                          ": undefined symbol: ",
                          name,
                          "\n"};
    for (unsigned i = 0; i < sizeof(part) / sizeof(part[0]); i++)
        if (write(STDERR_FILENO, part[i], strlen(part[i])) < 0)
            break;
    _exit(127);
}

/* Whatever the declared type, 0 is returned in the integer return register. */
#define HOOKED(need, type, name, parameters)                                                       \
    static uintptr_t __attribute__((cold)) none_##name(void)                                       \
    {                                                                                              \
        called_unresolved(#name);                                                                  \
        return 0;                                                                                  \
    }
#define HOOKED_AS(type, name, symbol, version, parameters) HOOKED(0, type, name, parameters)
#define CALLED(need, type, name, parameters)
#include "functions.def"
#undef HOOKED
#undef HOOKED_AS
#undef CALLED

/* Replaces the CALLED functions of a runtime that has been unloaded. */
static uintptr_t unloaded(void)
{
    return 0;
}

/* Without a runtime the calling thread runs the outlined function. */
static void none_parallel(body_fn fn, void *data, unsigned num_threads, unsigned flags)
{
    (void)num_threads, (void)flags;
    none_GOMP_parallel();
    fn(data);
}

static void none_task(body_fn fn, void *data, copy_fn copy, long size, long align, bool if_clause,
                      unsigned flags, void **depend, int priority, void *detach)
{
    (void)if_clause, (void)flags, (void)depend, (void)priority, (void)detach;
    none_GOMP_task();
    if (copy) {
        char *block = __builtin_alloca((size_t)(size + align));
        block += -(uintptr_t)block & (uintptr_t)(align - 1);
        copy(block, data);
        data = block;
    }
    fn(data);
}

typedef void (*any_fn)(void);

#define HOOKED(need, type, name, parameters) .name = (type(*) parameters)(any_fn)none_##name,
#define HOOKED_AS(type, name, symbol, version, parameters) HOOKED(0, type, name, parameters)
#define CALLED(need, type, name, parameters)                                                       \
    .name = (need) ? (type(*) parameters)(any_fn)unloaded : NULL,
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-function-type"
#pragma GCC diagnostic ignored "-Woverride-init"
const struct runtime functions_none = {
#include "functions.def"
    .GOMP_parallel = none_parallel,
    .GOMP_task = none_task,
};
#pragma GCC diagnostic pop
#undef HOOKED
#undef HOOKED_AS
#undef CALLED
