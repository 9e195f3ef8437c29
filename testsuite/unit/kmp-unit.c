/* SPDX-License-Identifier: MIT
 *
 * A fake process of LLVM's runtime, opened and asked.
 */
#include "kmp-unit.h"

struct kf kf;
struct space *space;

void begin(int layout)
{
    kf = kf_new((unsigned)layout);
    ck_assert_int_eq(space_create(&gf_ops, kf.gf, &space), RC_OK);
    ck_assert_str_eq(the_instance()->reader->name, "kmp");
}

void end(void)
{
    space_destroy(space);
    ck_assert_int_eq(kf.gf->alive, 0);
    kf_free(&kf);
}

struct ref thread_ref(unsigned which)
{
    return (struct ref){kf.gf->thread[which], (GF_TID_FIRST + which) | ID_IS_MADE};
}

struct thread_facts thread(unsigned which)
{
    struct thread_facts facts;
    ck_assert_int_eq(ASK(thread, thread_ref(which), &facts), RC_OK);
    return facts;
}

struct region_facts region(struct ref ref)
{
    struct region_facts facts;
    ck_assert_int_eq(ASK(region, ref, &facts), RC_OK);
    return facts;
}

struct task_facts task(struct ref ref)
{
    struct task_facts facts;
    ck_assert_int_eq(ASK(task, ref, &facts), RC_OK);
    return facts;
}

bool take_depender(void *arg, const struct depender *depender)
{
    *(struct ref *)arg = depender->task;
    return true;
}
