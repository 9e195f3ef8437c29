/* SPDX-License-Identifier: MIT
 *
 * What the units of the gomp reader share: a fake process in every layout and for both
 * machines, opened.
 */
#ifndef GOMP_UNIT_H
#define GOMP_UNIT_H

#include "gomp-fake.h"
#include "libompd/runtime/gomp.h"
#include "reader-unit.h"

/* _i: the layout, and above it the machine. */
enum { KINDS = GOMP_LAYOUTS * PROBE_MACHINES };
#define LAYOUT(i) ((unsigned)(i) % GOMP_LAYOUTS)
#define MACHINE(i) ((enum probe_machine)((i) / GOMP_LAYOUTS))

extern struct gf *gf;

void begin(int kind);
/* Fails when anything is left allocated. */
void end(void);

/* EACH over these, between begin() and end(). */
#define OPENED(name) BETWEEN(name, KINDS, begin(_i), end())
struct ref thread_ref(unsigned which);
struct thread_facts thread(unsigned which);
struct task_facts task_of(struct ref ref);

/* References in the order in which a walk gives them. */
struct list {
    unsigned count;
    struct ref ref[64];
};
bool take(void *arg, struct ref ref);
bool count_ref(void *arg, struct ref ref); /* unsigned *arg */

#endif
