/* Threads acquire locks in orders that may deadlock, or in such as may not, one after the other, so that none
 * does: for lock_orders.py. */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static omp_lock_t a, b, c, d, e, guard, first, second, kept, tried;
static omp_nest_lock_t nest;
static int sum, turn;

static void both(omp_lock_t *outer, omp_lock_t *inner)
{
    omp_set_lock(outer);
    omp_set_lock(inner); /* mark: both */
    sum++;
    omp_unset_lock(inner);
    omp_unset_lock(outer);
}

static void begin(int me)
{
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) % 3 != me)
        usleep(1000);
}

static void end(void)
{
    __atomic_add_fetch(&turn, 1, __ATOMIC_RELEASE);
}

static void nested(int me)
{
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    if (me == 0) {
#pragma omp critical /* mark: section */
        sum++;
    }
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
#pragma omp critical
    if (me == 1) {
        omp_set_nest_lock(&nest); /* mark: inside */
        omp_unset_nest_lock(&nest);
    }
}

/* What may deadlock: two, three in a ring, a critical section and a nest lock. */
static void bad(int me)
{
    omp_lock_t *ring[] = {&c, &d, &e};
    if (me < 2)
        both(me ? &b : &a, me ? &a : &b);
    both(ring[me], ring[(me + 1) % 3]);
    nested(me);
}

static void with_tests(int me)
{
    omp_set_lock(me ? &tried : &c);
    if (me)
        omp_unset_lock(omp_test_lock(&c) ? &c : &tried);
    else
        both(&tried, &d);
    omp_unset_lock(me ? &tried : &c);
}

/* One order in all threads; two that a lock keeps apart; both in one thread alone; by a test, which does not
 * wait. */
static void good(int me)
{
    both(&a, &b);
    omp_set_lock(&guard);
    if (me < 2)
        both(me ? &c : &d, me ? &d : &c);
    omp_unset_lock(&guard);
    if (me == 2) {
        both(&a, &e);
        both(&e, &a);
    }
    if (me < 2)
        with_tests(me);
}

int main(int argc, char **argv)
{
    int is_bad = argc > 1 && !strcmp(argv[1], "bad");
    omp_lock_t *all[] = {&a, &b, &c, &d, &e, &guard, &first, &second, &kept, &tried};
    for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++)
        omp_init_lock(all[i]);
    omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(3)
    {
        int me = omp_get_thread_num();
        begin(me);
        (is_bad ? bad : good)(me);
        end();
#pragma omp barrier
        if (me == 0) /* before the barrier that parts them */
            both(&first, &second);
#pragma omp barrier
        if (me == 1)
            both(&second, &first);
        /* Explicit tasks are left out, as others may be ordered by dependences. */
        begin(me);
#pragma omp task if (me < 0)
        both(me ? &guard : &second, me ? &second : &guard);
        end();
#pragma omp for ordered schedule(static, 1)
        for (int i = 0; i < 2; i++) {
#pragma omp ordered
            both(i ? &first : &kept, i ? &kept : &first);
        }
    }
    puts("asleep");
    fflush(stdout);
    pause();
}
