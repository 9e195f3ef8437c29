/* SPDX-License-Identifier: MIT
 *
 * The objects behind the data words, and what must be over when all is over.
 */
#include "checker.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static struct object *newest;

/* From pages of our own: the program may have a malloc of its own, and watch it. */
void *memory(size_t size)
{
    static _Thread_local char *at, *end;
    enum { PIECE = 1 << 18 };
    size = (size + 15) & ~(size_t)15;
    if (size > PIECE / 4 || (size_t)(end - at) < size) {
        size_t wanted = size > PIECE / 4 ? size : PIECE;
        char *pages = mmap(NULL, wanted, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (pages == MAP_FAILED)
            abort();
        if (wanted == size)
            return pages;
        at = pages;
        end = pages + wanted;
    }
    void *result = at;
    at += size;
    return result;
}

void *object_new(enum kind kind, size_t size, ompt_data_t *word, const char *event)
{
    struct object *object = memory(size);
    object->kind = kind;
    object->generation = generation;
    object->id = ask.get_unique_id();
    if (!word) {
        contradiction("data", event, "there is no data word");
        return object;
    }
    if (word->ptr)
        contradiction("data_clean", event, "the data word is %p at the beginning",
                      word->ptr);
    word->ptr = object;
    object->older = __atomic_load_n(&newest, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&newest, &object->older, object, true,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
    return object;
}

/* NULL, and told, unless the word is one that such an object was made for. */
void *object_of(enum kind kind, const ompt_data_t *word, const char *event)
{
    struct object *object = word ? word->ptr : NULL;
    if (object && object->kind == kind && object->generation == generation)
        return object;
    contradiction("data", event, "the data word is %s",
                  !word     ? "NULL"
                  : !object ? "0"
                            : "another object's");
    return NULL;
}

static int by_id(const void *a, const void *b)
{
    const struct object *const *x = a, *const *y = b;
    return ((*x)->id > (*y)->id) - ((*x)->id < (*y)->id);
}

static void on_ids(void)
{
    size_t count = 0;
    for (struct object *o = newest; o; o = o->older)
        count += o->generation == generation;
    struct object **all = count ? memory(count * sizeof(struct object *)) : NULL;
    count = 0;
    for (struct object *o = newest; o; o = o->older)
        if (o->generation == generation)
            all[count++] = o;
    if (count)
        qsort(all, count, sizeof(*all), by_id);
    for (size_t i = 0; i < count; i++) {
        HOLDS(unique_id, all[i]->id, "an id is 0");
        HOLDS(unique_id, !i || all[i]->id != all[i - 1]->id, "%lu is given twice",
              id_of(all[i]));
    }
}

/* The program may have called exit() in the middle of something. */
static bool all_is_quiet(void)
{
    for (struct object *o = newest; o; o = o->older) {
        const struct thread *thread = (const struct thread *)o;
        if (o->generation != generation || o->kind != THREAD || thread->over)
            continue;
        if (thread->type != ompt_thread_worker && thread->current &&
            ((thread->current->flags & 0xff) != ompt_task_initial ||
             thread->current->depth))
            return false;
    }
    return true;
}

static void on_the_end(void)
{
    for (struct object *o = newest; o; o = o->older) {
        if (o->generation != generation)
            continue;
        if (o->kind == REGION)
            HOLDS(region_ends, ((struct region *)o)->ended, "region %lu does not",
                  id_of(o));
        if (o->kind != TASK)
            continue;
        struct task *task = (struct task *)o;
        if (task->flags & ompt_task_explicit)
            HOLDS(task_completes, task->life == COMPLETED, "task %lu is left, life %d",
                  id_of(o), (int)task->life);
    }
}

void objects_check(void)
{
    on_ids();
    if (all_is_quiet())
        on_the_end();
}
