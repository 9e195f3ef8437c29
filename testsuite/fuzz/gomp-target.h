/* SPDX-License-Identifier: MIT
 *
 * A hostile process with a stock libgomp or libomp, and the debugger's callbacks over it.
 */
#ifndef FUZZ_GOMP_TARGET_H
#define FUZZ_GOMP_TARGET_H

#include "input.h"
#include "target.h"
#include "testsuite/unit/gomp-fake.h"
#include "testsuite/unit/kmp-fake.h"

/* Operations of the input besides calls. */
enum gomp_op {
    GOMP_OP_CHANGE,
    GOMP_OP_CHANGE_2, /* twice as often as the others */
    GOMP_OP_FAIL,
    GOMP_OP_HIDE,
    GOMP_OP_THREADS,
    GOMP_OP_RESTORE,
    GOMP_OP_REOPEN,
    GOMP_OPS,
};

/* Layouts of libgomp for each machine, then those of LLVM's runtime. */
enum {
    GOMP_KINDS_OF_GOMP = GOMP_LAYOUTS * PROBE_MACHINES,
    GOMP_KINDS = GOMP_KINDS_OF_GOMP + KMP_LAYOUTS,
    GOMP_OBJECTS = 80
};

/* A process as it is at first, and memory for what inputs make of it. */
struct gomp_image {
    struct gf *origin;
    unsigned char *bytes;
    unsigned changes; /* of the bytes so far; CHANGES_MAX: all may be changed */
    struct {
        taddr at;
        unsigned size;
    } change[1 << 10];
};

struct gomp_target {
    struct gf gf;
    struct gf second; /* bytes NULL: there is one runtime */
    struct gomp_image *image, *second_image;
    taddr object[GOMP_OBJECTS];
    unsigned objects;
    bool everywhere; /* where the process has no memory its own stands again */
    bool mute;       /* the debugger does not say which threads exist */
    unsigned gone;   /* bits of threads that it does not know */
};

/* Added to the kind: memory has no end. */
enum { GOMP_EVERYWHERE = 0x80, GOMP_TWO = 0x40 }; /* and there are two runtimes */
void gomp_target_begin(struct gomp_target *target, unsigned kind);
void gomp_target_restore(struct gomp_target *target);

/* Stores a value of the input's at a place of the input's. */
void gomp_target_change(struct gomp_target *target, struct input *in);
void gomp_target_hide(struct gomp_target *target, unsigned symbol);

#endif
