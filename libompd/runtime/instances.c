/* SPDX-License-Identifier: MIT
 *
 * The runtimes of a process. One is an image that exports the entry points, whatever its
 * file is called; LLVM's runtime exports libgomp's, too. The dynamic linker's list says which
 * images there are, and the debugger finds symbols in the one whose file has a name: nothing
 * is opened here. Where it does not go by file names, symbols are those of the image's own table in
 * memory, and it is asked for none: what another image has is not meant, and LLVM's plugin takes a
 * symbol that does not exist for an error of the next callback. Where neither can be had, there is
 * one runtime: the one whose symbols are found anywhere.
 */
#include <string.h>

#include "libompd/runtime/reader.h"
#include "libompd/target/target.h"

#define ENTRY_OF_GOMP "GOMP_parallel" /* what libgomp exports besides */

enum { NAME_BYTES_MAX = 4096 };

/* A runtime that was found. */
struct candidate {
    struct image image;
    bool has_place; /* as an instance */
};

struct finding {
    struct space *space;
    bool by_file;        /* the debugger finds symbols by names of files */
    struct array images; /* of struct listed_image */
    struct array found;  /* of struct candidate, in the order of the list */
    struct image_mark mark;
};

/* Of a candidate for a runtime. RC_UNSUPPORTED: it is another image's. */
static enum rc find_symbol(const struct finding *finding, const struct listed_image *listed,
                           const struct image *image, const char *file, const char *name,
                           taddr *out)
{
    if (!finding->by_file)
        return target_export(finding->space, &image->exports, name, out);
    enum rc rc = target_symbol_in(finding->space, file, name, out);
    return rc == RC_OK && images_owner(&finding->images, *out) != listed ? RC_UNSUPPORTED : rc;
}

static enum rc add_named(struct finding *finding, struct image image, const char *file)
{
    struct candidate candidate = {.image = image};
    size_t bytes = strlen(file) + 1;
    void *memory;
    enum rc rc = finding->space->ops->alloc(bytes, &memory);
    if (rc != RC_OK)
        return rc;
    candidate.image.file = memcpy(memory, file, bytes);
    rc = array_add(&finding->found, &candidate);
    if (rc != RC_OK)
        finding->space->ops->release(memory);
    return rc;
}

/* The first image is the program; one that has its name in itself is the kernel's. That one and
 * the dynamic linker, which counts images, are no runtimes: their names are not read. */
static enum rc read_name(const struct finding *finding, const struct listed_image *listed,
                         char file[NAME_BYTES_MAX])
{
    file[0] = '\0';
    if (listed == finding->images.elements)
        return RC_OK;
    if (listed->name - listed->base < NAME_BYTES_MAX ||
        listed == images_owner(&finding->images, finding->mark.counts))
        return RC_UNAVAILABLE;
    return target_string(finding->space, listed->name, file, NAME_BYTES_MAX);
}

/* RC_UNSUPPORTED: the debugger does not go by file names. */
static enum rc examine(struct finding *finding, const struct listed_image *listed)
{
    char file[NAME_BYTES_MAX];
    struct image image = {.node = listed->node, .start = listed->base};
    taddr unused;
    if (read_name(finding, listed, file) != RC_OK)
        return RC_OK;
    enum rc rc = finding->by_file ? RC_OK : target_exports(finding->space, listed, &image.exports);
    if (rc == RC_OK)
        rc = find_symbol(finding, listed, &image, file, RUNTIME_ENTRY, &image.entry);
    if (rc != RC_OK) {
        bool is_none = rc == RC_UNAVAILABLE || (!finding->by_file && rc_is_damage(rc));
        return is_none ? RC_OK : rc;
    }
    image.is_kmp =
        find_symbol(finding, listed, &image, file, RUNTIME_ENTRY_OF_KMP, &unused) == RC_OK;
    if (!image.is_kmp &&
        find_symbol(finding, listed, &image, file, ENTRY_OF_GOMP, &unused) != RC_OK)
        return RC_OK;
    image.end = images_end(&finding->images, listed);
    return add_named(finding, image, file);
}

static void forget(struct space *space, struct image *image)
{
    if (image->file)
        space->ops->release(image->file);
    memset(image, 0, sizeof *image);
}

static void forget_found(struct finding *finding)
{
    struct candidate *all = finding->found.elements;
    for (size_t i = 0; i < finding->found.count; i++)
        forget(finding->space, &all[i].image);
    finding->found.count = 0;
}

static void finding_free(struct finding *finding)
{
    forget_found(finding);
    array_free(&finding->found);
    array_free(&finding->images);
}

/* Where the list cannot be read, or is damaged, nothing is found. */
static enum rc find_named(struct finding *finding)
{
    enum rc rc = target_images(finding->space, &finding->images, &finding->mark);
    const struct listed_image *all = finding->images.elements;
    for (size_t i = 0; rc == RC_OK && i < finding->images.count; i++) {
        rc = examine(finding, &all[i]);
        if (rc == RC_UNSUPPORTED && finding->by_file) {
            finding->by_file = false;
            rc = examine(finding, &all[i]);
        }
    }
    if (rc == RC_OK)
        return rc;
    forget_found(finding);
    bool none = rc == RC_UNAVAILABLE || rc == RC_NONSENSE || rc == RC_UNSUPPORTED;
    return none ? RC_OK : rc;
}

static enum rc find(struct space *space, struct finding *finding)
{
    *finding = (struct finding){
        .space = space,
        .by_file = space->ops->goes_by_file,
        .images = array_of(space->ops, sizeof(struct listed_image)),
        .found = array_of(space->ops, sizeof(struct candidate)),
    };
    enum rc rc = find_named(finding);
    const struct candidate unnamed = {0};
    if (rc == RC_OK && !finding->found.count)
        rc = array_add(&finding->found, &unnamed);
    if (rc != RC_OK)
        finding_free(finding);
    return rc;
}

static void close_instance(struct instance *instance)
{
    if (instance->reader)
        reader_close(instance);
    forget(instance->space, &instance->image);
    *instance = (struct instance){.space = instance->space}; /* handles lead here */
}

static void open_readers(struct instance *instance)
{
    bool is_first = instance == instance->space->instances;
    instance->opened = is_first ? reader_detect(instance) : reader_open(instance);
}

/* The file's name is the instance's from here on. */
static void open_instance(struct space *space, unsigned place, struct image image)
{
    struct instance *instance = &space->instances[place];
    *instance = (struct instance){
        .space = space, .serial = ++space->serials, .place = place, .image = image};
    open_readers(instance);
}

/* Is the image that of the instance? Without a name it is, unless the runtime is still awaited. */
static bool is_same(const struct image *image, const struct instance *instance)
{
    const struct image *own = &instance->image;
    return image->node ? image->node == own->node && image->start == own->start &&
                             image->entry == own->entry
                       : !own->node && instance->awaited != AWAITS_RUNTIME;
}

/* Closes the instances that are not among those found. */
static void match(struct space *space, struct finding *finding)
{
    struct candidate *all = finding->found.elements;
    for (unsigned place = 0; place < INSTANCES_MAX; place++) {
        struct instance *instance = &space->instances[place];
        bool is_there = false;
        for (size_t i = 0; i < finding->found.count && instance->serial; i++) {
            bool same = is_same(&all[i].image, instance);
            all[i].has_place |= same;
            is_there |= same;
        }
        if (instance->serial && !is_there)
            close_instance(instance);
    }
}

/* The next one without a place, LLVM's after those that can be read. */
static struct candidate *next_candidate(struct finding *finding)
{
    struct candidate *all = finding->found.elements, *kmp = NULL;
    for (size_t i = 0; i < finding->found.count; i++) {
        if (all[i].has_place)
            continue;
        if (!all[i].image.is_kmp)
            return &all[i];
        kmp = kmp ? kmp : &all[i];
    }
    return kmp;
}

static void open_found(struct space *space, struct finding *finding)
{
    for (unsigned place = 0; place < INSTANCES_MAX; place++) {
        /* Records are read at place 0, even if there is no runtime. */
        struct image image = {.absent = true};
        struct candidate *candidate = next_candidate(finding);
        if (space->instances[place].serial || (!candidate && place))
            continue;
        if (candidate) {
            candidate->has_place = true;
            image = candidate->image;
            candidate->image.file = NULL; /* it is the instance's */
        }
        open_instance(space, place, image);
    }
    space->images = finding->mark;
}

enum rc instances_open(struct space *space)
{
    struct finding finding;
    enum rc rc = find(space, &finding);
    if (rc != RC_OK)
        return rc;
    open_found(space, &finding);
    finding_free(&finding);
    rc = space->instances[0].opened;
    for (struct instance *i = NULL; (i = instance_next(space, i));)
        rc = RC_OK;
    for (unsigned place = 0; place < INSTANCES_MAX; place++)
        if (space->instances[place].opened == RC_NOMEM)
            rc = RC_NOMEM;
    if (rc != RC_OK)
        instances_close(space);
    return rc;
}

void instances_close(struct space *space)
{
    for (unsigned place = 0; place < INSTANCES_MAX; place++)
        if (space->instances[place].serial)
            close_instance(&space->instances[place]);
}

/* What cannot be found out stays as it is. A debugger that ends a query refuses all that is asked
 * in it from then on, and a lookup that is refused looks like a symbol that is not there: what
 * was found counts if the list can still be read, and is the same, afterwards. */
static void find_again(struct space *space)
{
    struct finding finding;
    if (find(space, &finding) != RC_OK)
        return;
    if (finding.mark.head && !target_images_changed(space, &finding.mark)) {
        match(space, &finding);
        open_found(space, &finding);
    }
    finding_free(&finding);
}

bool instances_refresh(struct space *space)
{
    for (unsigned place = 0; place < INSTANCES_MAX; place++)
        if (!space->instances[place].reader && rc_is_unreadable(space->instances[place].opened))
            open_readers(&space->instances[place]);
    if (!target_images_changed(space, &space->images))
        return false;
    find_again(space);
    return true;
}

bool instance_is_closed(struct instance *instance)
{
    uint32_t serial = instance->serial;
    if (instance->space->images.head)
        find_again(instance->space);
    return instance->serial != serial;
}

struct instance *instance_next(struct space *space, const struct instance *last)
{
    struct instance *end = space->instances + INSTANCES_MAX;
    for (struct instance *i = last ? space->instances + (last - space->instances) + 1
                                   : space->instances;
         i < end; i++)
        if (i->reader && !instance_is_recorded(i))
            return i;
    return NULL;
}
