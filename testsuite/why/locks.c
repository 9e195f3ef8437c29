/* SPDX-License-Identifier: MIT
 *
 * OpenMP's locks and critical sections, and mutexes beside them, of which one is never free again.
 * The first argument says in what way.
 */
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "hang.h"

static omp_lock_t table_lock, first, second, third;
static omp_nest_lock_t nest;
static pthread_mutex_t cache = PTHREAD_MUTEX_INITIALIZER;
static volatile int turn;
static int sum;

NOINLINE static void insert(int give_back)
{
    omp_set_lock(&table_lock); /* insert-wants */
    sum++;
    if (give_back)
        omp_unset_lock(&table_lock);
}

static void orphan(void)
{
#pragma omp parallel num_threads(4)
    insert(0);
}

NOINLINE static void transfer(omp_lock_t *from, omp_lock_t *to)
{
    omp_set_lock(from); /* order-holds */
    meet(2);
    omp_set_lock(to); /* order-wants */
    omp_unset_lock(to);
    omp_unset_lock(from);
}

static void order(void)
{
#pragma omp parallel num_threads(4)
    if (omp_get_thread_num() == 0)
        transfer(&first, &second);
    else if (omp_get_thread_num() == 1)
        transfer(&second, &first);
}

NOINLINE static void acquire(omp_lock_t *from, omp_lock_t *to)
{
    omp_set_lock(from);
    meet(2);
    omp_set_lock(to);
}

/* Optimised, the function that acquires both jumps to the second call, and is on no stack. */
static void jumping(void)
{
#pragma omp parallel num_threads(2)
    {
        acquire(omp_get_thread_num() ? &first : &second, omp_get_thread_num() ? &second : &first);
        sum++;
    }
}

/* Which lock a call is about depends on a branch before it. */
static void either(void)
{
#pragma omp parallel num_threads(2)
    {
        int one = omp_get_thread_num();
        omp_set_lock(one ? &first : &second);
        meet(2);
        omp_set_lock(one ? &second : &first); /* either-wants */
    }
}

static void order3(void)
{
    omp_lock_t *locks[3] = {&first, &second, &third};
#pragma omp parallel num_threads(3)
    {
        int me = omp_get_thread_num();
        omp_set_lock(locks[me]);
        meet(3);
        omp_set_lock(locks[(me + 1) % 3]); /* order3-wants */
    }
}

NOINLINE static void update(void)
{
#pragma omp critical(update)
    {
        meet(2);
        pthread_mutex_lock(&cache); /* mixed-wants-mutex */
        pthread_mutex_unlock(&cache);
    }
}

NOINLINE static void lookup(void)
{
    pthread_mutex_lock(&cache);
    meet(2);
#pragma omp critical(update) /* mixed-wants-critical */
    sum++;
    pthread_mutex_unlock(&cache);
}

static void mixed(void)
{
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0)
        update();
    else
        lookup();
}

/* The same with a lock, which the runtime keeps no owner of. */
NOINLINE static void store(void)
{
    omp_set_lock(&table_lock);
    meet(2);
    pthread_mutex_lock(&cache); /* crossed-wants-mutex */
    sum++;
    pthread_mutex_unlock(&cache);
    omp_unset_lock(&table_lock);
}

NOINLINE static void load(void)
{
    pthread_mutex_lock(&cache);
    meet(2);
    omp_set_lock(&table_lock); /* crossed-wants-lock */
    sum++;
    omp_unset_lock(&table_lock);
    pthread_mutex_unlock(&cache);
}

static void crossed(void)
{
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0)
        store();
    else
        load();
}

NOINLINE static void add(int value)
{
#pragma omp critical(sum_lock) /* self-wants */
    sum += value;
}

NOINLINE static void add_all(void)
{
#pragma omp critical(sum_lock)
    {
        sum = 0;
        add(1); /* self-in */
        sum++;
    }
}

static void self(void)
{
#pragma omp parallel num_threads(3)
    add_all();
}

/* A lock is a signal: another thread releases it, which only its owner may. */
static void lock_as_signal(void)
{
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
        omp_set_lock(&table_lock);
        omp_set_lock(&table_lock); /* signal-wants */
        sum++;
    } else {
        sleep(3600);
        omp_unset_lock(&table_lock);
    }
}

NOINLINE static void tally(void)
{
    omp_set_lock(&table_lock); /* again-wants */
    sum++;
    omp_unset_lock(&table_lock);
}

/* Who has the lock calls a function that acquires it, too. */
static void again(void)
{
#pragma omp parallel num_threads(2)
    {
        omp_set_lock(&table_lock);
        tally();
        omp_unset_lock(&table_lock);
    }
}

/* The body of a team of one thread jumps to where it waits if it is optimised. */
static void alone(void)
{
    omp_set_lock(&table_lock);
#pragma omp parallel if (0)
    omp_set_lock(&table_lock);
}

static void nested(void)
{
#pragma omp parallel num_threads(3)
    {
        omp_set_nest_lock(&nest); /* nest-wants */
        omp_set_nest_lock(&nest);
        sum++;
        omp_unset_nest_lock(&nest);
    }
}

/* A task holds a lock that its child wants, which the same thread executes at once. */
static void suspended(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
    {
        omp_set_nest_lock(&nest);
#pragma omp task if (0)
        {
            omp_set_nest_lock(&nest); /* child-wants */
            sum++;
            omp_unset_nest_lock(&nest);
        }
        omp_unset_nest_lock(&nest);
    }
}

/* A thread of the pool has acquired what the initial thread wants. */
static void left_held(void)
{
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1)
        omp_set_lock(&table_lock);
    omp_set_lock(&table_lock); /* initial-wants */
    sum++;
}

/* For a target task LLVM's runtime makes hidden helper threads, which wait for further ones, and GCC's
 * a team of one thread, which the initial thread is in from then on. */
static void helpers(void)
{
#pragma omp target nowait map(tofrom : sum)
    sum++;
#pragma omp taskwait
    left_held();
}

/* The holder waits at a barrier that those who want the lock will not come to. */
static void at_barrier(void)
{
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0)
            omp_set_lock(&table_lock);
        meet(3);
        if (omp_get_thread_num())
            omp_set_lock(&table_lock); /* at-barrier-wants */
#pragma omp barrier /* at-barrier-holder */
        omp_unset_lock(&table_lock);
    }
}

NOINLINE static void count(void)
{
#pragma omp critical(counts)
    sum++;
}

/* A child task wants the section that its creator waits in. */
static void taskwait_in_critical(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp critical(counts)
    {
#pragma omp task
        {
            turn = 1;
            count(); /* child-wants */
        }
        while (!turn)
            usleep(1000);
#pragma omp taskwait /* taskwait-in */
        sum++;
    }
}

/* Somebody holds the section and reads what never comes. */
static void holder_reads(void)
{
    int ends[2];
    char byte;
    if (pipe(ends))
        return;
#pragma omp parallel num_threads(3)
#pragma omp critical(input)
    sum += (int)read(ends[0], &byte, 1); /* reads */
}

NOINLINE static void pauses(void)
{
    for (;;)
        pause(); /* pauses-at */
}

/* The section's end, which is never reached, is on the line of its last statement. */
static void braces(void)
{
#pragma omp parallel num_threads(3)
    {
#pragma omp critical(deepest)
        { pauses(); } } }

/* Holds it most of the time, while others wait. Without an end it would make a main.cold, and lldb
 * finds nothing that is inlined into such a main(). */
static void naps(void)
{
#pragma omp parallel num_threads(3)
    while (sum >= 0) {
        omp_set_lock(&table_lock);
        usleep(3000000);
        omp_unset_lock(&table_lock);
    }
}

/* A lock that another process has acquired. */
static void shared(void)
{
    omp_lock_t *lock = mmap(NULL, sizeof *lock, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                            -1, 0);
    omp_init_lock(lock);
    if (!fork()) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        omp_set_lock(lock);
        pauses();
    }
    while (omp_test_lock(lock)) {
        omp_unset_lock(lock);
        usleep(1000);
    }
#pragma omp parallel num_threads(2)
    {
        omp_set_lock(lock);
        sum++;
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    omp_init_lock(&table_lock);
    omp_init_lock(&first);
    omp_init_lock(&second);
    omp_init_lock(&third);
    omp_init_nest_lock(&nest);
    CASE(orphan)
    CASE(order)
    CASE(order3)
    CASE(mixed)
    CASE(crossed)
    CASE(self)
    CASE(lock_as_signal)
    CASE(again)
    CASE(alone)
    CASE(nested)
    CASE(suspended)
    CASE(left_held)
    CASE(helpers)
    CASE(at_barrier)
    CASE(taskwait_in_critical)
    CASE(holder_reads)
    CASE(braces)
    CASE(naps)
    CASE(shared)
    CASE(jumping)
    CASE(either)
    return 1;
}
