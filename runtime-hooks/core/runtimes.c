/* SPDX-License-Identifier: MIT
 *
 * Which runtime a caller is bound to; see runtimes.h. The hooks are not linked to libgomp:
 * a program that does not use OpenMP must not get it loaded.
 *
 * Without the hooks, the loader would have bound a reference to the first definition in the
 * global scope, else in what the caller's object was linked against. That is looked up
 * once for each object that calls; what stands between us and a runtime, as a profiler does,
 * stays between. While the process has one runtime, the object that an
 * address lies in tells all. With several, a call that its caller ends with (a tail call)
 * has the return address of somebody else, so the call site is decoded as well.
 */
#include "core/runtimes.h"
#include "core/call-site.h"
#include "core/functions.h"
#include "core/images.h"
#include "core/lock.h"

#include <dlfcn.h>
#include <errno.h>

#define MOST_RUNTIMES 16
#define MOST_OBJECTS 256 /* that are remembered; then all are looked up again */

/* What makes an object a runtime; the second we have not ourselves. */
#define ENTRY "GOMP_parallel"
#define UNWRAPPED "omp_get_thread_num"

__thread struct route hooks_route;

/* Of the thread's last call that was certain: the best guess where a call is not. */
static __thread const struct runtime *last;

/* What was found out of single addresses while there are several runtimes. */
#define SITES 8
static __thread struct site {
    uintptr_t address;
    const struct runtime *real;
    uint32_t generation;
} sites[SITES];

/* The loader allocates, and an allocator of the program's own may use OpenMP locks. */
static __thread bool asking_loader;

static struct {
    struct runtime real;
    bool loaded;
} runtimes[MOST_RUNTIMES];
static unsigned runtime_count;
static bool several; /* runtimes have been loaded at once; stays */

/* An object, with what binds its calls. */
struct object {
    uintptr_t start, size;
    const struct runtime *real; /* NULL: it refers to no runtime */
    bool is_runtime;
};
static struct object objects[MOST_OBJECTS];
static unsigned object_count;

static unsigned unloading; /* calls of dlclose() that have not returned */

static void *global_scope; /* a handle for it */

/* The last object that was loaded with the program, if we were: those from us to it are in
 * the global scope for good. */
static const struct link_map *last_at_start;

static void *in_global_scope(const char *name)
{
    int saved_errno = errno;
    void *found = global_scope ? dlsym(global_scope, name) : NULL;
    if (!found)
        dlerror(); /* what was looked for in vain is not the program's to find */
    errno = saved_errno;
    return found;
}

void runtimes_start(void)
{
    global_scope = dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD);
    if (!in_global_scope("ompd_hooks_root"))
        return;
    last_at_start = _r_debug.r_map;
    while (last_at_start->l_next)
        last_at_start = last_at_start->l_next;
}

/* What a visit of the list of objects has found. */
struct finding {
    struct object object;
    bool refers;         /* it has references to functions of a runtime */
    bool found;          /* what they are bound to: `real` */
    bool certain;        /* whatever was loaded into the global scope since the start */
    struct runtime real;
};

static bool find_at_start(struct runtime *real)
{
    struct image_scope scope = {.count = 0};
    if (last_at_start)
        image_scope_behind_us(&scope, last_at_start);
    return functions_find(real, &scope);
}

static void examine(const struct image *image, void *out)
{
    static const char *const prefixes[] = {"GOMP_", "omp_", NULL};
    struct finding *f = out;
    struct image_symbols symbols;
    f->object = (struct object){.start = image->start, .size = image->size};
    f->refers = image_symbols(image->map, &symbols) && image_refers(&symbols, prefixes);
    f->object.is_runtime = image_export(&symbols, ENTRY, NULL) &&
                           image_export(&symbols, UNWRAPPED, NULL);
    f->certain = true;
    f->found = !f->object.is_runtime && f->refers && find_at_start(&f->real);
    const struct link_map *first = images_exporting(NULL, UNWRAPPED);
    if (f->found || !first || (!f->refers && !f->object.is_runtime))
        return;
    struct image_scope scope = {.count = 0};
    if (last_at_start && !f->object.is_runtime)
        image_scope_behind_us(&scope, last_at_start);
    image_scope_of(&scope, image->map);
    f->found = functions_find(&f->real, &scope);
    f->certain = f->object.is_runtime || (f->found && !images_exporting(first, UNWRAPPED));
}

/* The runtime that was loaded into the global scope and holds this address. */
static void examine_runtime(const struct image *image, void *out)
{
    struct finding *f = out;
    struct runtime real;
    struct image_scope scope = {.count = 0};
    if (last_at_start)
        image_scope_behind_us(&scope, last_at_start);
    image_scope_of(&scope, image->map);
    if (functions_find(&real, &scope)) {
        f->real = real;
        f->found = true;
    }
}

/* The global scope goes before what an object was linked against. The loader is asked only
 * where the list of objects leaves a doubt. */
static void prefer_global_scope(struct finding *f)
{
    if (f->certain || asking_loader)
        return;
    asking_loader = true;
    uintptr_t global = (uintptr_t)in_global_scope(UNWRAPPED);
    asking_loader = false;
    if (global)
        images_visit(global, examine_runtime, f);
}

/* The hooks' lock is held. NULL when there are too many. */
static const struct runtime *runtime_add(const struct runtime *found)
{
    unsigned place = runtime_count, loaded = 0;
    for (unsigned i = 0; i < runtime_count; i++) {
        if (!runtimes[i].loaded)
            place = i;
        else if (runtimes[i].real.omp_get_thread_num == found->omp_get_thread_num)
            return &runtimes[i].real;
        loaded += runtimes[i].loaded;
    }
    if (place == MOST_RUNTIMES)
        return NULL;
    runtimes[place].real = *found;
    runtimes[place].loaded = true;
    if (place == runtime_count)
        runtime_count++;
    if (loaded) {
        several = true;
        __atomic_add_fetch(&hooks_words.generation, 1, __ATOMIC_RELEASE);
    }
    return &runtimes[place].real;
}

/* The hooks' lock is held. */
static const struct object *object_known(uintptr_t address)
{
    for (unsigned i = 0; i < object_count && !unloading; i++)
        if (address - objects[i].start < objects[i].size)
            return &objects[i];
    return NULL;
}

static void object_remember(const struct object *object)
{
    if (unloading)
        return;
    if (object_count == MOST_OBJECTS)
        object_count = 0;
    objects[object_count++] = *object;
}

/* Finds the object that holds the address; false if there is none. The lock is not held
 * while the loader's list is read: a program may call us inside dl_iterate_phdr(). */
static bool object_find(uintptr_t address, struct object *object)
{
    hooks_lock();
    const struct object *known = object_known(address);
    if (known)
        *object = *known;
    hooks_unlock();
    if (known)
        return true;

    struct finding f;
    if (!images_visit(address, examine, &f))
        return false;
    if (f.refers)
        prefer_global_scope(&f);
    hooks_lock();
    if (f.found && (f.refers || f.object.is_runtime))
        f.object.real = runtime_add(&f.real);
    if (f.object.real || !f.refers)
        object_remember(&f.object); /* else a runtime may come yet */
    else
        f.object.real = &functions_none;
    hooks_unlock();
    *object = f.object;
    return true;
}

static const struct runtime *first_loaded(bool recorded)
{
    const struct runtime *found = NULL;
    hooks_lock();
    for (unsigned i = 0; i < runtime_count && !found; i++)
        if (runtimes[i].loaded && (runtimes[i].real.recorded || !recorded))
            found = &runtimes[i].real;
    hooks_unlock();
    return found;
}

static bool is_loaded(const struct runtime *real)
{
    for (unsigned i = 0; i < runtime_count; i++)
        if (real == &runtimes[i].real)
            return runtimes[i].loaded;
    return false;
}

/* Where nothing tells: the runtime that the thread used last, or any. */
static const struct runtime *guess(uintptr_t address)
{
    const struct runtime *real = is_loaded(last) ? last : first_loaded(false);
    if (!real)
        real = &functions_none;
    functions_caller = address;
    return real;
}

/* Remembers what is certain of an address, and of its object if there is one runtime. */
static const struct runtime *certain(uintptr_t address, const struct object *object,
                                     const struct runtime *real, uint32_t generation)
{
    functions_caller = address;
    if (real == &functions_none)
        return real;
    last = real;
    if (__atomic_load_n(&several, __ATOMIC_ACQUIRE))
        sites[address / 4 % SITES] = (struct site){address, real, generation};
    else if (!__atomic_load_n(&unloading, __ATOMIC_ACQUIRE))
        hooks_route = (struct route){object->start, object->size, real, generation};
    return real;
}

/* The answer is remembered for the generation of objects that was before it was looked for. */
static const struct site *site_known(uintptr_t address, uint32_t *generation)
{
    *generation = __atomic_load_n(&hooks_words.generation, __ATOMIC_ACQUIRE);
    struct site *site = &sites[address / 4 % SITES];
    if (site->address != address || site->generation != *generation)
        return NULL;
    last = site->real;
    return site;
}

const struct runtime *runtime_of_body(uintptr_t function)
{
    uint32_t generation;
    const struct site *site = site_known(function, &generation);
    if (site)
        return site->real;
    struct object object;
    if (!object_find(function, &object) || !object.real)
        return guess(function);
    return certain(function, &object, object.real, generation);
}

const struct runtime *runtime_of_call(uintptr_t return_address)
{
    uint32_t generation;
    const struct site *site = site_known(return_address, &generation);
    if (site)
        return site->real;
    struct object caller, callee;
    if (!object_find(return_address, &caller))
        return guess(return_address);
    if (!several && !caller.real)
        caller.real = first_loaded(false); /* it has called what ends with this call */
    if (!caller.real)
        return guess(return_address);
    if (!several || caller.is_runtime)
        return certain(return_address, &caller, caller.real, generation);

    uintptr_t target;
    if (call_site(return_address, caller.start, &target) == CALL_UNKNOWN)
        return guess(return_address);
    if (object_find(target, &callee) && callee.real)
        caller.real = callee.real; /* the function there has ended with this call */
    return certain(return_address, &caller, caller.real, generation);
}

void runtime_entered(const struct runtime *real)
{
    last = real;
}

static void examine_start(const struct image *image, void *out)
{
    (void)image;
    struct finding *f = out;
    f->found = find_at_start(&f->real);
}

/* A runtime that nobody has called yet may not be relocated, unless the program started
 * with it. */
const struct runtime *runtime_first(void)
{
    const struct runtime *real = first_loaded(true);
    struct finding f = {.found = false};
    if (real || !last_at_start)
        return real;
    images_visit((uintptr_t)runtime_first, examine_start, &f);
    if (!f.found || !f.real.recorded)
        return NULL;
    hooks_lock();
    real = runtime_add(&f.real);
    hooks_unlock();
    return real;
}

struct constants {
    constants_visitor *visit;
    void *arg;
};

static void visit_constants(const struct image *image, void *arg)
{
    const struct constants *constants = arg;
    image_constants(image, constants->visit, constants->arg);
}

void runtime_constants(const struct runtime *real, constants_visitor *visit, void *arg)
{
    struct constants constants = {visit, arg};
    images_visit((uintptr_t)real->omp_get_thread_num, visit_constants, &constants);
}

struct wanted_symbol {
    const char *name;
    uintptr_t address;
};

static void find_symbol(const struct image *image, void *arg)
{
    (void)image;
    struct wanted_symbol *wanted = arg;
    struct image_symbols symbols;
    const struct link_map *map = images_exporting(NULL, wanted->name);
    if (map && image_symbols(map, &symbols))
        wanted->address = image_export(&symbols, wanted->name, NULL);
}

void *runtimes_symbol(const char *name)
{
    struct wanted_symbol wanted = {name, 0};
    images_visit((uintptr_t)runtime_first, find_symbol, &wanted);
    return (void *)wanted.address;
}

void *runtimes_global_symbol(const char *name)
{
    return runtimes_symbol(name) ? dlsym(RTLD_DEFAULT, name) : NULL;
}

static void objects_changed(int calls)
{
    hooks_lock();
    unloading += (unsigned)calls;
    object_count = 0;
    __atomic_add_fetch(&hooks_words.generation, 1, __ATOMIC_RELEASE);
    hooks_unlock();
}

void runtimes_unloading(void)
{
    objects_changed(1);
}

static void examine_entry(const struct image *image, void *out)
{
    struct image_symbols symbols;
    *(uintptr_t *)out = image_symbols(image->map, &symbols)
                            ? image_export(&symbols, UNWRAPPED, NULL)
                            : 0;
}

/* What is loaded at the place of a runtime may be another one by now, or no runtime. */
void runtimes_unloaded(void)
{
    for (unsigned i = 0; i < runtime_count; i++) {
        uintptr_t entry = (uintptr_t)runtimes[i].real.omp_get_thread_num, now = 0;
        if (!runtimes[i].loaded || (images_visit(entry, examine_entry, &now) && now == entry))
            continue;
        runtimes[i].loaded = false;
        runtimes[i].real = functions_none; /* threads may still refer to it */
    }
    objects_changed(-1);
}
