/* SPDX-License-Identifier: MIT
 *
 * What the units of the reader of LLVM's runtime share: a fake process in every layout, opened.
 */
#ifndef KMP_UNIT_H
#define KMP_UNIT_H

#define TEST_SECONDS 120
#include "frame.h"
#include "kmp-fake.h"
#include "libompd/handle/handle.h"
#include "libompd/runtime/kmp.h"

extern struct kf kf;
extern struct space *space;

static inline struct instance *the_instance(void)
{
    return space->instances;
}

#define ASK(question, ...) the_instance()->reader->question(the_instance(), __VA_ARGS__)

#define assert_known(fact, expected)                                                     \
    do {                                                                                 \
        ck_assert_int_eq((fact).known, KNOWN);                                           \
        ck_assert_uint_eq((fact).value, expected);                                       \
    } while (0)

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
