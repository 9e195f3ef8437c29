/* SPDX-License-Identifier: MIT
 *
 * How the units of a reader ask the one of the process that they have opened.
 */
#ifndef READER_UNIT_H
#define READER_UNIT_H

#include "frame.h"
#include "libompd/handle/handle.h"

extern struct space *space;
static inline struct instance *the_instance(void)
{
    return space->instances;
}

#define ASK(question, ...) the_instance()->reader->question(the_instance(), __VA_ARGS__)

#define assert_known(fact, expected)                                                               \
    do {                                                                                           \
        ck_assert_int_eq((fact).known, KNOWN);                                                     \
        ck_assert_uint_eq((fact).value, expected);                                                 \
    } while (0)

/* For questions that go through many. */
static inline bool ignore(void *arg, struct ref ref)
{
    (void)arg, (void)ref;
    return true;
}

static inline bool ignore_task(void *arg, struct ref ref, const struct task_facts *facts)
{
    (void)arg, (void)ref, (void)facts;
    return true;
}

static inline bool ignore_lock(void *arg, struct ref ref, const struct lock_facts *facts)
{
    (void)arg, (void)ref, (void)facts;
    return true;
}

/* ARG: an unsigned. */
static inline bool count_thread(void *arg, struct ref ref, const struct thread_facts *facts)
{
    (void)ref, (void)facts;
    ++*(unsigned *)arg;
    return true;
}

#endif
