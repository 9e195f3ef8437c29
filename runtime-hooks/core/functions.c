/* SPDX-License-Identifier: MIT
 *
 * Filling a struct runtime; see functions.h.
 */
#include "core/functions.h"
#include "core/images.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { OPTIONAL = 0, REQUIRED = 1 };

/* Fills in what the object exports. Whether it has all that a runtime must have. */
static bool take(struct runtime *real, const struct image_symbols *symbols)
{
    bool complete = true;
    uintptr_t address;
#define TAKE(need, name, symbol, version)                                                \
    address = image_export(symbols, symbol, version);                                    \
    if (address)                                                                         \
        memcpy(&real->name, &address, sizeof(address));                                  \
    else if (need)                                                                       \
        complete = false;
#define HOOKED(need, type, name, parameters) TAKE(need, name, #name, NULL)
#define HOOKED_AS(type, name, symbol, version, parameters)                               \
    TAKE(OPTIONAL, name, #symbol, version)
#define CALLED HOOKED
#include "functions.def"
#undef HOOKED
#undef HOOKED_AS
#undef CALLED
    return complete;
}

static bool is_runtime(const struct image_symbols *symbols)
{
    struct runtime unused;
    return image_export(symbols, "GOMP_parallel", NULL) &&
           (image_export(symbols, "__kmpc_fork_call", NULL) || take(&unused, symbols));
}

/* Fills in what the object has of the functions that a program calls by way of us. */
static void take_before(struct runtime *real, const struct image_symbols *symbols)
{
    uintptr_t address;
#define HOOKED(need, type, name, parameters)                                             \
    if ((address = image_export(symbols, #name, NULL)))                                  \
        memcpy(&real->name, &address, sizeof(address));
#define HOOKED_AS(type, name, symbol, version, parameters)                               \
    if ((address = image_export(symbols, #symbol, version)))                             \
        memcpy(&real->name, &address, sizeof(address));
#define CALLED(need, type, name, parameters)
#include "functions.def"
#undef HOOKED
#undef HOOKED_AS
#undef CALLED
}

bool functions_find(struct runtime *real, const struct image_scope *scope)
{
    struct image_symbols symbols;
    unsigned end = 0;
    while (end < scope->count && (image_is_ours(scope->map[end]) ||
                                  !image_symbols(scope->map[end], &symbols) ||
                                  !is_runtime(&symbols)))
        end++;
    if (end == scope->count)
        return false;
    *real = functions_none;
    /* LLVM's runtime has the entry points, too; and one that describes itself to debuggers
     * does not need us. */
    real->recorded = take(real, &symbols) &&
                     !image_export(&symbols, "__kmpc_fork_call", NULL) &&
                     !image_export(&symbols, "ompd_dll_locations", NULL);
    while (end-- > 0)
        if (!image_is_ours(scope->map[end]) && image_symbols(scope->map[end], &symbols))
            take_before(real, &symbols);
    return true;
}

__thread uintptr_t functions_caller;

struct question {
    const char *name;
    enum reference reference;
    const char *object;
};

static void ask_reference(const struct image *image, void *arg)
{
    struct question *question = arg;
    struct image_symbols symbols;
    if (image_symbols(image->map, &symbols))
        question->reference = image_reference(&symbols, question->name);
    question->object = image->map->l_name;
}

/* The end is that of a program whose lazy reference the dynamic linker cannot bind. */
static void __attribute__((cold)) called_in_vain(const char *name)
{
    struct question question = {name, REFERENCE_NONE, ""};
    images_visit(functions_caller, ask_reference, &question);
    if (question.reference != REFERENCE_STRONG)
        return;
    const char *object = *question.object ? question.object : program_invocation_name;
    const char *part[] = {program_invocation_name, ": symbol lookup error: ", object,
                          ": undefined symbol: ", name, "\n"};
    for (unsigned i = 0; i < sizeof(part) / sizeof(part[0]); i++)
        if (write(STDERR_FILENO, part[i], strlen(part[i])) < 0)
            break;
    _exit(127);
}

/* An integer register that is 0 is the answer of each, whatever its type. */
#define HOOKED(need, type, name, parameters)                                             \
    static uintptr_t __attribute__((cold)) none_##name(void)                             \
    {                                                                                    \
        called_in_vain(#name);                                                           \
        return 0;                                                                        \
    }
#define HOOKED_AS(type, name, symbol, version, parameters)                               \
    HOOKED(0, type, name, parameters)
#define CALLED(need, type, name, parameters)
#include "functions.def"
#undef HOOKED
#undef HOOKED_AS
#undef CALLED

/* What we call ourselves of a runtime that has been unloaded. */
static uintptr_t unloaded(void)
{
    return 0;
}

/* A body that was given to nobody is run, on one thread. */
static void none_parallel(body_fn fn, void *data, unsigned num_threads, unsigned flags)
{
    (void)num_threads, (void)flags;
    none_GOMP_parallel();
    fn(data);
}

static void none_task(body_fn fn, void *data, copy_fn copy, long size, long align,
                      bool if_clause, unsigned flags, void **depend, int priority,
                      void *detach)
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

#define HOOKED(need, type, name, parameters)                                             \
    .name = (type(*) parameters)(any_fn)none_##name,
#define HOOKED_AS(type, name, symbol, version, parameters)                               \
    HOOKED(0, type, name, parameters)
#define CALLED(need, type, name, parameters)                                             \
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
