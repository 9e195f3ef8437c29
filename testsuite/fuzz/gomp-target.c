/* SPDX-License-Identifier: MIT
 *
 * The process of the unit tests of the gomp or the kmp reader, changed as the input says; and the
 * debugger's callbacks, which fail when they are told to.
 */
#include <stdlib.h>
#include <string.h>

#include "gomp-target.h"

static size_t image_bytes(const struct gf *gf)
{
    return (size_t)(gf->end - gf->base);
}

static void list_objects(struct gomp_target *target)
{
    const struct gf *gf = target->image->origin;
    const taddr first[] = {gf->team,        gf->nested,     gf->running, gf->waiting, gf->blocked,
                           gf->grouped,     gf->undeferred, gf->pool,    gf->initial, gf->idle_team,
                           gf->serial_pool, gf->ring[0],    gf->ring[1], gf->slot};
    target->objects = gf->objects;
    memcpy(target->object, gf->object, gf->objects * sizeof *gf->object);
    for (size_t i = 0; gf->layout && i < sizeof first / sizeof *first; i++)
        target->object[target->objects++] = first[i];
    for (unsigned i = 0; i < GF_THREADS; i++) {
        target->object[target->objects++] = gf->thread[i];
        target->object[target->objects++] = gf->pthread[i];
    }
    for (unsigned i = 0; gf->layout && i < 4; i++)
        target->object[target->objects++] = gf_implicit(gf, gf->team, i);
}

static void list_second(struct gomp_target *target)
{
    const struct gf *gf = target->second_image->origin;
    const taddr more[] = {gf->team,
                          gf->nested,
                          gf->pool,
                          gf->running,
                          gf->thread[GF_MASTER],
                          gf->pthread[GF_MASTER],
                          gf->thread[GF_WAITS]};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        target->object[target->objects++] = more[i];
    for (unsigned i = 0; i < GF_IMAGES; i++)
        target->object[target->objects++] = target->image->origin->image[i];
}

enum {
    CHANGES_MAX = sizeof((struct gomp_image *)0)->change / sizeof *((struct gomp_image *)0)->change
};

/* All of the memory would take longer than most inputs do. */
static void restore(struct gf *gf, struct gomp_image *image)
{
    const struct gf *origin = image->origin;
    if (image->changes == CHANGES_MAX)
        memcpy(image->bytes, origin->bytes, image_bytes(origin));
    else
        for (unsigned i = 0; i < image->changes; i++) {
            taddr at = image->change[i].at - origin->base;
            memcpy(image->bytes + at, origin->bytes + at, image->change[i].size);
        }
    image->changes = 0;
    *gf = *origin;
    gf->bytes = image->bytes;
}

static void change(struct gf *gf, struct gomp_image *image, taddr at, unsigned size,
                   uint64_t number)
{
    if (image->changes < CHANGES_MAX) {
        image->change[image->changes].at = at;
        image->change[image->changes++].size = size;
    }
    gf_number(gf, at, size, number);
}

/* Memory ends where the image does: AddressSanitizer guards the end. */
static void image_of(struct gomp_image *image, struct gf *origin)
{
    image->origin = origin;
    image->bytes = malloc(image_bytes(origin));
    image->changes = CHANGES_MAX;
}

void gomp_target_restore(struct gomp_target *target)
{
    restore(&target->gf, target->image);
    if (target->second_image)
        restore(&target->second, target->second_image);
    target->mute = false;
    target->gone = 0;
}

static struct gf *new_process(unsigned kind)
{
    return kind < GOMP_KINDS_OF_GOMP ? gf_new(kind % GOMP_LAYOUTS, kind / GOMP_LAYOUTS)
                                     : kf_new(kind - GOMP_KINDS_OF_GOMP).gf;
}

void gomp_target_begin(struct gomp_target *target, unsigned kind)
{
    static struct gomp_image images[2][GOMP_KINDS], seconds[GOMP_KINDS];
    target->everywhere = kind & GOMP_EVERYWHERE;
    unsigned number = kind % GOMP_TWO % GOMP_KINDS;
    bool two = kind & GOMP_TWO && number < GOMP_KINDS_OF_GOMP;
    kind = number;
    struct gomp_image *image = &images[two][kind];
    if (!image->origin) {
        image->origin = new_process(kind);
        if (two) {
            image_of(&seconds[kind], gf_new_of((kind + 1) % GOMP_LAYOUTS, kind / GOMP_LAYOUTS, 1));
            gf_join(image->origin, seconds[kind].origin);
            gf_list_images(image->origin, seconds[kind].origin);
        }
        image_of(image, image->origin);
    }
    target->image = image;
    target->second_image = two ? &seconds[kind] : NULL;
    list_objects(target);
    if (two)
        list_second(target);
    gomp_target_restore(target);
}

static bool is_in(const struct gf *gf, taddr at, uint64_t bytes)
{
    return gf->bytes && at >= gf->base && at <= gf->end && bytes <= gf->end - at;
}

/* The runtime whose memory this is, or NULL. */
static const struct gf *owner(const struct gomp_target *target, taddr at, uint64_t bytes)
{
    return is_in(&target->gf, at, bytes)       ? &target->gf
           : is_in(&target->second, at, bytes) ? &target->second
                                               : NULL;
}

static void read_again(const struct gomp_target *target, taddr at, uint64_t bytes,
                       unsigned char *out)
{
    size_t size = image_bytes(target->image->origin);
    for (uint64_t i = 0; i < bytes; i++)
        out[i] = target->gf.bytes[(at + i) % size];
}

static taddr place(const struct gomp_target *target, struct input *in)
{
    unsigned number = input_u8(in);
    taddr from = target->object[number % target->objects];
    /* Most objects have less than 64 words; a team's barrier and tasks stand further in.
     */
    return from + 4 * (taddr)(number & 0x80 ? input_number(in, 2) % 512 : input_u8(in) % 64);
}

static uint64_t value(const struct gomp_target *target, struct input *in)
{
    static const uint64_t odd[] = {0,
                                   1,
                                   2,
                                   3,
                                   4,
                                   7,
                                   8,
                                   INT32_MAX,
                                   UINT32_MAX,
                                   UINT64_MAX,
                                   1u << 16,
                                   (1u << 16) + 1,
                                   1u << 20,
                                   INT64_MIN,
                                   INT64_MAX,
                                   0xffff800000000000,
                                   UINT64_MAX - 7,
                                   UINT64_MAX - 255};
    taddr from;
    switch (input_u8(in) % 6) {
    case 0:
        return input_u8(in);
    case 1:
        return input_number(in, 8);
    case 2:
        return odd[input_u8(in) % (sizeof odd / sizeof *odd)];
    case 3:
        return target->object[input_u8(in) % target->objects];
    case 4:
        from = place(target, in) & ~(taddr)7;
        uint64_t word = 0;
        const struct gf *gf = owner(target, from, 8);
        if (gf)
            memcpy(&word, gf->bytes + (from - gf->base), 8);
        return word;
    default:
        return place(target, in);
    }
}

void gomp_target_change(struct gomp_target *target, struct input *in)
{
    unsigned size = 1u << input_u8(in) % 4;
    taddr at = place(target, in);
    uint64_t number = value(target, in);
    if (is_in(&target->gf, at, size))
        change(&target->gf, target->image, at, size, number);
    else if (is_in(&target->second, at, size))
        change(&target->second, target->second_image, at, size, number);
}

void gomp_target_hide(struct gomp_target *target, unsigned symbol)
{
    target->gf.symbol[symbol % target->gf.symbols].address = 0;
}

int callback_sizes(void *context, int *sizeof_long, int *sizeof_pointer)
{
    (void)context;
    *sizeof_long = *sizeof_pointer = 8;
    return callback_fails() ? RC_error : RC_ok;
}

static int symbol_of(const struct gf *gf, const char *name, uint64_t *out)
{
    for (unsigned i = 0; i < gf->symbols; i++) {
        if (!strcmp(gf->symbol[i].name, name) && gf->symbol[i].address) {
            *out = gf->symbol[i].address;
            return RC_ok;
        }
    }
    return RC_unavailable;
}

int callback_symbol(void *context, const char *file, const char *name, uint64_t *out)
{
    const struct gomp_target *target = context;
    watch.lookups++;
    if (callback_fails())
        return RC_error;
    if (file && target->second.bytes && !strcmp(file, gf_image_file[GF_SECOND]))
        return symbol_of(&target->second, name, out);
    if (file && strcmp(file, gf_image_file[GF_FIRST]) != 0)
        return RC_unavailable;
    return symbol_of(&target->gf, name, out);
}

int callback_read(void *context, uint64_t address, uint64_t bytes, void *out)
{
    const struct gomp_target *target = context;
    callback_count_read(address, bytes, out);
    const struct gf *own = owner(target, address, bytes);
    int rc = callback_read_fails(callback_fails() || !(own || target->everywhere));
    if (rc != RC_ok) {
        memset(out, 0xEE, bytes / 2);
        return rc;
    }
    if (own)
        memcpy(out, own->bytes + (address - own->base), bytes);
    else
        read_again(target, address, bytes, out);
    return RC_ok;
}

int callback_to_host(void *context, const void *in, int unit, int count, void *out)
{
    (void)context;
    memcpy(out, in, (size_t)unit * (size_t)count);
    return callback_fails() ? RC_error : RC_ok;
}

int callback_thread(void *context, uint64_t bytes, const void *lwp, void **out)
{
    const struct gomp_target *target = context;
    uint64_t id = 0;
    if (bytes != 8 || !lwp || !out)
        fuzz_fail("a thread id of %llu bytes", (unsigned long long)bytes);
    memcpy(&id, lwp, 8);
    if (callback_fails())
        return RC_error;
    if (target->mute)
        return RC_unsupported;
    if (id < GF_TID_FIRST || id >= GF_TID_FIRST + GF_THREADS ||
        target->gone >> (id - GF_TID_FIRST) & 1)
        return RC_bad_input;
    *out = &watch;
    return RC_ok;
}
