/* SPDX-License-Identifier: MIT
 *
 * What the units of the reader of LLVM's runtime share: a fake process in every layout, opened.
 */
#ifndef KMP_UNIT_H
#define KMP_UNIT_H

#define TEST_SECONDS 120
#include "kmp-fake.h"
#include "libompd/runtime/kmp.h"
#include "reader-unit.h"

extern struct kf kf;

void begin(int layout);
/* Fails when anything is left allocated. */
void end(void);

/* EACH over the layouts, between begin() and end(). */
#define OPENED(name) BETWEEN(name, KMP_LAYOUTS, begin(_i), end())
struct ref thread_ref(unsigned which);
struct thread_facts thread(unsigned which);
struct region_facts region(struct ref ref);
struct task_facts task(struct ref ref);
bool take_depender(void *arg, const struct depender *depender); /* struct ref *arg */

#endif
