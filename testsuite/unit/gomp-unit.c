/* SPDX-License-Identifier: MIT
 *
 * gomp-unit.h.
 */
#include "gomp-unit.h"

struct gf *gf;
struct space *space;

void begin(int kind)
{
    gf = gf_new(LAYOUT(kind), MACHINE(kind));
    ck_assert_int_eq(space_create(&gf_ops, gf, &space), RC_OK);
}

void end(void)
{
    space_destroy(space);
    ck_assert_int_eq(gf->alive, 0);
    gf_free(gf);
}

struct ref thread_ref(unsigned which)
{
    return (struct ref){gf->thread[which], ID_IS_MADE + GF_TID_FIRST + which};
}

struct thread_facts thread(unsigned which)
{
    struct thread_facts facts;
    ck_assert_int_eq(ASK(thread, thread_ref(which), &facts), RC_OK);
    return facts;
}

struct task_facts task_of(struct ref ref)
{
    struct task_facts facts;
    ck_assert_int_eq(ASK(task, ref, &facts), RC_OK);
    return facts;
}

bool count_ref(void *arg, struct ref ref)
{
    (void)ref;
    ++*(unsigned *)arg;
    return true;
}

bool take(void *arg, struct ref ref)
{
    struct list *list = arg;
    ck_assert_uint_lt(list->count, 64);
    list->ref[list->count++] = ref;
    return true;
}
