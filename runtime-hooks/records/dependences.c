/* SPDX-License-Identifier: MIT
 *
 * Decodes the depend clauses of a task as GCC emits them; see dependences.h.
 *
 * The array of pointers has one of two forms. Up to GCC 8, and later while that suffices:
 *
 *   count, count of out/inout, addresses: those of out/inout, then those of in
 *
 * and when its first word is 0:
 *
 *   0, count, count of out/inout, of mutexinoutset, of in, their addresses in that order,
 *   then, for the rest, addresses of depend objects, which are pairs of address and kind
 */
#include "records/dependences.h"
#include "core/lock.h"
#include "records/memory.h"

#include <stddef.h>

/* Kinds in a depend object. */
enum {
    GOMP_IN = 1,
    GOMP_OUT = 2,
    GOMP_INOUT = 3,
    GOMP_MUTEXINOUTSET = 4,
    GOMP_INOUTSET = 5,
};

/* Arrays that are not `near`, in two sizes; free ones are linked by their first word. */
#define SMALLER 16
static struct rec_dependence *free_arrays[2];

static unsigned size_class(uint32_t held)
{
    return held > SMALLER;
}

static struct rec_dependence *array_take(uint32_t held)
{
    unsigned class = size_class(held);
    hooks_lock();
    struct rec_dependence *array = free_arrays[class];
    if (array)
        free_arrays[class] = (struct rec_dependence *)(uintptr_t)array->address;
    else
        array = memory_piece((class ? DEPENDENCES_MOST : SMALLER) * sizeof(*array));
    hooks_unlock();
    return array;
}

void dependences_release(struct rec_task *task)
{
    if (task->dependences_held <= DEPENDENCES_NEAR)
        return;
    unsigned class = size_class(task->dependences_held);
    struct rec_dependence *array = (struct rec_dependence *)task->dependences;
    hooks_lock();
    array->address = (uintptr_t)free_arrays[class];
    free_arrays[class] = array;
    hooks_unlock();
}

static uint32_t object_kind(uintptr_t gomp_kind)
{
    switch (gomp_kind) {
    case GOMP_IN:
        return DEPENDENCE_IN;
    case GOMP_OUT:
    case GOMP_INOUT:
        return DEPENDENCE_OUT;
    case GOMP_MUTEXINOUTSET:
        return DEPENDENCE_MUTEXINOUTSET;
    case GOMP_INOUTSET:
        return DEPENDENCE_INOUTSET;
    default:
        return DEPENDENCE_UNKNOWN;
    }
}

static void decode(struct rec_dependence *to, void *const *depend, uintptr_t i)
{
    uintptr_t out, mutex = 0, in;
    void *const *item;
    if (depend[0]) {
        out = (uintptr_t)depend[1];
        in = (uintptr_t)depend[0] - out;
        item = depend + 2;
    } else {
        out = (uintptr_t)depend[2];
        mutex = (uintptr_t)depend[3];
        in = (uintptr_t)depend[4];
        item = depend + 5;
    }
    to->address = (uintptr_t)item[i];
    if (i < out) {
        to->kind = DEPENDENCE_OUT;
    } else if (i < out + mutex) {
        to->kind = DEPENDENCE_MUTEXINOUTSET;
    } else if (i < out + mutex + in) {
        to->kind = DEPENDENCE_IN;
    } else {
        void *const *object = item[i];
        to->address = (uintptr_t)object[0];
        to->kind = object_kind((uintptr_t)object[1]);
    }
}

struct rec_dependence *dependences_room(struct rec_task *task, uint32_t count,
                                        struct rec_dependence *near, uint32_t *held)
{
    *held = count < DEPENDENCES_MOST ? count : DEPENDENCES_MOST;
    task->dependence_count = count;
    return !*held ? NULL : *held > DEPENDENCES_NEAR ? array_take(*held) : near;
}

void dependences_record(struct rec_task *task, void *const *depend, struct rec_dependence *near)
{
    uintptr_t count = (uintptr_t)(depend[0] ? depend[0] : depend[1]);
    uint32_t held;
    struct rec_dependence *array = dependences_room(task, (uint32_t)count, near, &held);
    if (!array)
        return;
    for (uint32_t i = 0; i < held; i++)
        decode(&array[i], depend, i);
    dependences_publish(task, array, held);
}
