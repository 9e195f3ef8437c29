/* SPDX-License-Identifier: MIT
 *
 * A process with a stock libgomp that exists only here: glibc's thread lists, libgomp's
 * structures in any of the layouts, and the code of its accessors for either machine, all
 * made from the layout tables. Not a byte of it is libgomp's own.
 */
#ifndef GOMP_FAKE_H
#define GOMP_FAKE_H

#include "libompd/core.h"
#include "libompd/runtime/gomp-layout.h"
#include "libompd/runtime/probe.h"

enum {
    GF_BASE = 0x100000,
    GF_BYTES = 1 << 21,
    GF_SYMBOLS = 64,
    GF_THREADS = 9,
    GF_PTHREAD_BYTES = 2304,
    GF_LIST_OFFSET = 704,
    GF_TID_OFFSET = 720,
};

/* What the threads are. The first four are a team of four; of these number 1 leads a
 * nested team with GF_NESTED. */
enum {
    GF_MASTER,
    GF_LEADS,
    GF_RUNS, /* an explicit task */
    GF_WAITS,
    GF_NESTED,
    GF_FOREIGN,
    GF_RELEASED,
    GF_IDLE,
    GF_SERIAL, /* in a pool of its own */
};

enum { GF_OBJECTS = 48 };

struct gf {
    const struct gomp_layout *layout;
    taddr object[GF_OBJECTS]; /* of another runtime than libgomp, for who changes memory */
    unsigned objects;
    enum probe_machine machine;
    int number; /* of the runtime in its process */
    taddr base;
    unsigned char *bytes;
    taddr end;
    struct {
        const char *name;
        taddr address;
    } symbol[GF_SYMBOLS];
    unsigned symbols;

    taddr ring[2];
    taddr pthread[GF_THREADS];
    taddr thread[GF_THREADS]; /* struct gomp_thread */
    taddr pool, serial_pool, team, nested, idle_team;
    taddr running, waiting, blocked, grouped, undeferred; /* explicit tasks of `team` */
    taddr initial;                                        /* task of GF_SERIAL */
    taddr slot, global_icv, loader;
    taddr image[4]; /* nodes of the list of images */

    bool tells;     /* the debugger says which threads exist */
    unsigned gone;  /* bits of those that do not */
    unsigned asked; /* how often */
    taddr hole;     /* reads of this byte fail */
    enum rc why;    /* with this code; RC_OK: RC_READ_ERROR */
    unsigned reads, lookups, fail_at, callbacks, said;
    size_t largest;
    int alive; /* allocations */
};

enum { GF_TID_FIRST = 1000 };
static inline uint64_t gf_tid(const struct gf *gf, unsigned which)
{
    return GF_TID_FIRST + 1000 * (uint64_t)gf->number + which;
}

struct gf *gf_new(unsigned layout, enum probe_machine machine);

/* A further runtime, with threads and memory of its own, and its thread-local data at another
 * place. gf_join() makes one process of two: the threads of the second are in the lists of the
 * first. gf_data_of() is where a runtime has its data of any thread. */
struct gf *gf_new_of(unsigned layout, enum probe_machine machine, int number);
void gf_join(struct gf *gf, struct gf *other);
taddr gf_data_of(const struct gf *gf, taddr pthread);

/* The dynamic linker's list of both, in the memory of the first. */
enum { GF_PROGRAM, GF_FIRST, GF_LOADER, GF_SECOND, GF_IMAGES };
extern const char *const gf_image_file[GF_IMAGES];
void gf_list_images(struct gf *gf, const struct gf *second);
void gf_free(struct gf *gf);

void gf_put(struct gf *gf, taddr object, enum gomp_field field, uint64_t value);
uint64_t gf_get(const struct gf *gf, taddr object, enum gomp_field field);
void gf_number(struct gf *gf, taddr at, unsigned size, uint64_t value);

/* What a process of another runtime is made of: nothing yet, room in it, glibc's threads. */
struct gf *gf_blank(enum probe_machine machine, int number);
taddr gf_memory(struct gf *gf, size_t bytes);
void gf_symbol(struct gf *gf, const char *name, taddr address);
void gf_glibc(struct gf *gf);
taddr gf_implicit(const struct gf *gf, taddr team, unsigned number);
void gf_hide(struct gf *gf, const char *symbol);

extern const struct target_ops gf_ops;

#endif
