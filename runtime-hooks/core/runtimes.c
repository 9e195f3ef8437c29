/* SPDX-License-Identifier: MIT
 *
 * Finds the runtime that a caller is bound to; see runtimes.h. The hooks are not linked
 * to libgomp, which would load it into programs without OpenMP.
 *
 * Without the hooks, the loader binds a reference to the first definition in the global
 * scope, else in the dependencies of the caller's object. That is looked up once for each
 * calling object; a profiler between this library and a runtime stays interposed.
 *
 * While the process has one runtime, the object that contains the address is enough.
 * With several, it is not: after a tail call the return address is that of the caller's
 * caller, which may be in another object, so the call site is decoded as well.
 */
#include "core/runtimes.h"
#include "core/call-site.h"
#include "core/functions.h"
#include "core/images.h"
#include "core/lock.h"

#include <dlfcn.h>
#include <errno.h>

struct hooks_words hooks_words __attribute__((aligned(64))) = {MODE_UNRESOLVED, 0, 0};

#define MAX_RUNTIMES 16
#define MAX_OBJECTS 256 /* a full cache is emptied */

/* Both are exported by every runtime, UNWRAPPED not by this library. */
#define ENTRY "GOMP_parallel"
#define UNWRAPPED "omp_get_thread_num"

__thread struct route hooks_route;
const struct runtime *hooks_reporting;

/* The runtime that the thread used last, for calls whose lookup is inconclusive. */
static __thread const struct runtime *last;

/* Per-thread cache by address, for processes with several runtimes. */
#define SITES 8
static __thread struct site {
    uintptr_t address;
    const struct runtime *real;
    uint32_t generation;
} sites[SITES];

/* Recursion guard: dlsym() may allocate, and the program's allocator may use OpenMP. */
static __thread bool in_dlsym;

static struct {
    struct runtime real;
    bool loaded;
} runtimes[MAX_RUNTIMES];
static unsigned runtime_count;
static bool several; /* two were loaded at the same time; never reset */

/* Cache of objects and the runtimes that their references are bound to. */
struct object {
    uintptr_t start, size;
    const struct link_map *map, *runtime_map;
    const struct runtime *real; /* NULL: it has no references to a runtime */
    bool is_runtime;
};
static struct object objects[MAX_OBJECTS];
static unsigned object_count;

static unsigned unloading; /* calls of dlclose() in progress */

static void *global_scope; /* dlopen(NULL) */

/* The last object of the list at startup; NULL if this library is not in the global
 * scope. The objects from this library to that one stay in the global scope. */
static const struct link_map *last_at_start;

static void *global_lookup(const char *name)
{
    int saved_errno = errno;
    void *found = global_scope ? dlsym(global_scope, name) : NULL;
    if (!found)
        dlerror(); /* clears the error, which the program might read otherwise */
    errno = saved_errno;
    return found;
}

void runtimes_start(void)
{
    images_start();
    global_scope = dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD);
    if (!global_lookup("ompd_hooks_root"))
        return;
    last_at_start = _r_debug.r_map;
    while (last_at_start->l_next)
        last_at_start = last_at_start->l_next;
}

/* The lookup of an object in the loader's list. */
struct lookup {
    struct object object;
    bool refers;  /* it has undefined symbols GOMP_* or omp_* */
    bool found;   /* in a runtime: `real` */
    bool certain; /* nothing loaded into the global scope since can have changed it */
    struct runtime real;
};

/* In the objects loaded at startup, if they count, then in this one (or NULL) and its
 * dependencies. */
static bool find_for(bool at_start, const struct link_map *map, struct runtime *real)
{
    return functions_find(real, at_start ? last_at_start : NULL, map);
}

/* True if that is all there is to know: the object has no references to a runtime, or the
 * objects loaded at startup define them. */
static bool examine_at_start(const struct image *image, struct lookup *f)
{
    static const char *const prefixes[] = {"GOMP_", "omp_", NULL};
    struct image_symbols symbols;
    f->object = (struct object){.start = image->start, .size = image->size, .map = image->map};
    f->refers = image_symbols(image->map, &symbols) && image_refers(&symbols, prefixes);
    f->object.is_runtime =
        image_export(&symbols, ENTRY, NULL) && image_export(&symbols, UNWRAPPED, NULL);
    f->certain = true;
    f->found = !f->object.is_runtime && f->refers && find_for(true, NULL, &f->real);
    return f->found || (!f->refers && !f->object.is_runtime);
}

static void examine(const struct image *image, void *out)
{
    struct lookup *f = out;
    if (examine_at_start(image, f))
        return;
    const struct link_map *first = images_exporting(NULL, UNWRAPPED);
    if (!first)
        return;
    f->found = find_for(!f->object.is_runtime, image->map, &f->real);
    f->certain = f->object.is_runtime || (f->found && !images_exporting(first, UNWRAPPED));
}

/* Visits the runtime that defines UNWRAPPED in the global scope. */
static void examine_runtime(const struct image *image, void *out)
{
    struct lookup *f = out;
    f->found |= find_for(true, image->map, &f->real);
}

/* The global scope precedes the dependencies of an object. dlsym(), which acquires the
 * loader lock, is called only if the link maps do not decide what is in that scope. */
static void prefer_global_scope(struct lookup *f)
{
    if (f->certain || in_dlsym)
        return;
    in_dlsym = true;
    uintptr_t global = (uintptr_t)global_lookup(UNWRAPPED);
    in_dlsym = false;
    if (global)
        images_visit(global, examine_runtime, f);
}

/* The entry of this runtime, which is added if it is new; NULL if the table is full. The
 * hooks' lock is held. */
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
    if (place == MAX_RUNTIMES)
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

static const struct link_map *map_at(uintptr_t address)
{
    struct image image;
    return image_at(address, &image) ? image.map : NULL;
}

static const struct link_map *map_of_runtime(const struct runtime *real)
{
    return map_at((uintptr_t)real->omp_get_thread_num);
}

/* During a dlclose() the entry may be that of an object that has been replaced at its
 * address, or its runtime. That is tested without a lock: the thread in dlclose() may
 * hold those that a lookup acquires, and wait for this thread. */
static bool is_current(const struct object *object)
{
    return !unloading || (map_at(object->start) == object->map &&
                          (!object->real || map_of_runtime(object->real) == object->runtime_map));
}

/* The hooks' lock is held. */
static const struct object *object_cached(uintptr_t address)
{
    for (unsigned i = 0; i < object_count; i++)
        if (address - objects[i].start < objects[i].size && is_current(&objects[i]))
            return &objects[i];
    return NULL;
}

static void object_cache(const struct object *object)
{
    if (object_count == MAX_OBJECTS)
        object_count = 0;
    objects[object_count++] = *object;
}

/* Finds the object that contains the address, which is in use; false if there is none. A
 * program may call us from its own dl_iterate_phdr() callback, so the order is that
 * function's lock, then ours: the hooks' lock is not held while the list is read. */
static bool object_find(uintptr_t address, struct object *object)
{
    hooks_lock();
    const struct object *cached = object_cached(address);
    if (cached)
        *object = *cached;
    hooks_unlock();
    if (cached)
        return true;

    struct lookup f;
    struct image image;
    if (!(image_at(address, &image) && examine_at_start(&image, &f)) &&
        !images_visit(address, examine, &f))
        return false;
    if (f.refers)
        prefer_global_scope(&f);
    hooks_lock();
    if (f.found && (f.refers || f.object.is_runtime))
        f.object.real = runtime_add(&f.real);
    if (f.object.real)
        f.object.runtime_map = map_of_runtime(f.object.real);
    if (f.object.real || !f.refers)
        object_cache(&f.object); /* else a runtime may be loaded later */
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

/* The runtime that `visit` finds in the list of objects, which cannot change meanwhile;
 * NULL if it finds none. */
static const struct runtime *found_by(image_visitor *visit)
{
    struct lookup f = {.found = false};
    images_visit((uintptr_t)found_by, visit, &f);
    if (!f.found)
        return NULL;
    hooks_lock();
    const struct runtime *real = runtime_add(&f.real);
    hooks_unlock();
    return real;
}

static void examine_first(const struct image *image, void *out)
{
    (void)image;
    struct lookup *f = out;
    const struct link_map *first = images_exporting(NULL, UNWRAPPED);
    f->found = first && find_for(true, first, &f->real);
}

/* For an inconclusive lookup, and for callers without references, whose code was
 * generated or has asked dlsym(): the runtime that the thread used last, else the first
 * that was used, else the first there is, else none. */
static const struct runtime *guess(uintptr_t address)
{
    const struct runtime *real = is_loaded(last) ? last : first_loaded(false);
    if (!real)
        real = found_by(examine_first);
    if (!real)
        real = &functions_none;
    functions_caller = address;
    if (real->recorded)
        hooks_in_use();
    return real;
}

/* Caches a conclusive lookup: by object while there is one runtime, else by address. */
static const struct runtime *cache(uintptr_t address, const struct object *object,
                                   const struct runtime *real, uint32_t generation)
{
    functions_caller = address;
    if (real == &functions_none)
        return real;
    last = real;
    if (real->recorded)
        hooks_in_use();
    if (__atomic_load_n(&unloading, __ATOMIC_ACQUIRE))
        return real;
    if (__atomic_load_n(&several, __ATOMIC_ACQUIRE))
        sites[address / 4 % SITES] = (struct site){address, real, generation};
    else
        hooks_route = (struct route){object->start, object->size, real, generation};
    return real;
}

/* The cached lookup of this address, or NULL. `*generation` is read before the lookup
 * that then follows: a change during the lookup invalidates what that caches. */
static const struct site *site_cached(uintptr_t address, uint32_t *generation)
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
    const struct site *site = site_cached(function, &generation);
    if (site)
        return site->real;
    struct object object;
    if (!object_find(function, &object) || !object.real)
        return guess(function);
    return cache(function, &object, object.real, generation);
}

const struct runtime *runtime_of_call(uintptr_t return_address)
{
    uint32_t generation;
    const struct site *site = site_cached(return_address, &generation);
    if (site)
        return site->real;
    struct object caller, callee;
    if (!object_find(return_address, &caller))
        return guess(return_address);
    if (!several && !caller.real)
        caller.real = first_loaded(false); /* its callee made this tail call */
    if (!caller.real)
        return guess(return_address);
    if (!several || caller.is_runtime)
        return cache(return_address, &caller, caller.real, generation);

    uintptr_t target;
    if (call_site(return_address, caller.start, &target) == CALL_UNKNOWN)
        return guess(return_address);
    if (object_find(target, &callee) && callee.real)
        caller.real = callee.real; /* the callee made this tail call */
    return cache(return_address, &caller, caller.real, generation);
}

const struct runtime *runtime_reporting(uintptr_t address)
{
    struct object object;
    return object_find(address, &object) && object.is_runtime && object.real &&
                   !object.real->recorded && object.real->omp_get_thread_num
               ? object.real
               : NULL;
}

void runtime_entered(const struct runtime *real)
{
    last = real;
}

static void examine_start(const struct image *image, void *out)
{
    (void)image;
    struct lookup *f = out;
    f->found = find_for(true, NULL, &f->real) && f->real.recorded;
}

/* Of runtimes that were not called yet only those loaded at startup are considered: one
 * that is being loaded may not be relocated. */
const struct runtime *runtime_first(void)
{
    const struct runtime *real = first_loaded(true);
    return real || !last_at_start ? real : found_by(examine_start);
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

/* In front of ours, which the program's may be, or behind it. */
void *runtimes_global_symbol(const char *name)
{
    if (!runtimes_symbol(name))
        return NULL;
    void *found = dlsym(RTLD_DEFAULT, name);
    const struct link_map *map = map_at((uintptr_t)found);
    return map && image_is_ours(map) ? dlsym(RTLD_NEXT, name) : found;
}

static void objects_changed(int calls)
{
    hooks_lock();
    unloading += (unsigned)calls;
    if (calls < 0)
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
    *(uintptr_t *)out =
        image_symbols(image->map, &symbols) ? image_export(&symbols, UNWRAPPED, NULL) : 0;
}

/* Drops each runtime that is no longer loaded at its address. */
void runtimes_unloaded(void)
{
    for (unsigned i = 0; i < runtime_count; i++) {
        uintptr_t entry = (uintptr_t)runtimes[i].real.omp_get_thread_num, now = 0;
        if (!runtimes[i].loaded || (images_visit(entry, examine_entry, &now) && now == entry))
            continue;
        runtimes[i].loaded = false;
        runtimes[i].real = functions_none; /* for threads that still point to it */
    }
    objects_changed(-1);
}
