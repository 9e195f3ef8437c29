/* SPDX-License-Identifier: MIT
 *
 * Locks, critical sections and mutexes of which one is never free again. The first argument
 * says in what way.
 */
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
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

/* The thread that encounters the region holds what its team wants. */
static void across(void)
{
    pthread_mutex_lock(&cache);
#pragma omp parallel num_threads(4) /* across-end */
    if (omp_get_thread_num()) {
        pthread_mutex_lock(&cache); /* across-wants */
        sum++;
        pthread_mutex_unlock(&cache);
    }
    pthread_mutex_unlock(&cache);
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

/* The thread that holds it has ended. */
static void *leave(void *unused)
{
    pthread_mutex_lock(&cache);
    return unused;
}

static void owner_ended(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, leave, NULL);
    pthread_join(thread, NULL);
#pragma omp parallel num_threads(3)
    {
        pthread_mutex_lock(&cache); /* ended-wants */
        pthread_mutex_unlock(&cache);
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

static pthread_rwlock_t rows = PTHREAD_RWLOCK_INITIALIZER;

/* The one that writes waits for those who want to. */
static void writes(void)
{
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0)
            pthread_rwlock_wrlock(&rows);
        meet(3);
        if (omp_get_thread_num() == 1)
            pthread_rwlock_rdlock(&rows); /* writes-wants */
        else if (omp_get_thread_num() == 2)
            pthread_rwlock_wrlock(&rows);
#pragma omp barrier
        sum++;
    }
}

static void prints(void)
{
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            flockfile(stderr);
        meet(2);
        if (omp_get_thread_num() == 1)
            fputs("line\n", stderr); /* prints-wants */
#pragma omp barrier
        sum++;
    }
}

static void with_attributes(int robustness, int protocol)
{
    static pthread_mutex_t cache;
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setrobust(&kind, robustness);
    pthread_mutexattr_setprotocol(&kind, protocol);
    pthread_mutex_init(&cache, &kind);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            pthread_mutex_lock(&cache);
        meet(2);
        if (omp_get_thread_num() == 1)
            pthread_mutex_lock(&cache); /* attributes-wants */
#pragma omp barrier
        sum++;
    }
}

static void robust(void)
{
    with_attributes(PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE);
}

/* In the kernel it waits for the lock itself, not for a word to change. */
static void inherits(void)
{
    with_attributes(PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_INHERIT);
}

/* A mutex that another process has acquired, which stays, or has ended. */
static void between_processes(int robustness, int stays)
{
    pthread_mutex_t *cache = mmap(NULL, sizeof *cache, PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setrobust(&kind, robustness);
    pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(cache, &kind);
    if (!fork()) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        pthread_mutex_lock(cache);
        while (stays)
            pause();
        _exit(0);
    }
    while (stays && pthread_mutex_trylock(cache) == 0) {
        pthread_mutex_unlock(cache);
        usleep(1000);
    }
    if (!stays)
        wait(NULL);
#pragma omp parallel num_threads(2)
    {
        pthread_mutex_lock(cache); /* between-wants */
        sum++;
    }
}

static void lost(void)
{
    between_processes(PTHREAD_MUTEX_STALLED, 0);
}

/* Who acquired it next never says that what it protects is in order again. */
static void inconsistent(void)
{
    between_processes(PTHREAD_MUTEX_ROBUST, 0);
}

static void elsewhere(void)
{
    between_processes(PTHREAD_MUTEX_STALLED, 1);
}

NOINLINE static void lock_file(int file, int range)
{
    if (range)
        lockf(file, F_LOCK, 0); /* range-waits */
    else
        flock(file, LOCK_EX); /* file-waits */
    sum++;
}

/* A file that another process has locked. */
static void lock_elsewhere(int range)
{
    char path[] = "locked-XXXXXX", byte;
    int ends[2], file = mkstemp(path);
    if (file < 0 || pipe(ends))
        return;
    if (!fork()) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        lock_file(open(path, O_RDWR), range);
        while (write(ends[1], "", 1) == 1)
            pause();
        _exit(0);
    }
    if (read(ends[0], &byte, 1) != 1)
        return;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1)
        lock_file(file, range);
}

static void locks_file(void)
{
    lock_elsewhere(0);
}

static void locks_range(void)
{
    lock_elsewhere(1);
}

/* The team polls a lock that the thread has which waits for the team. */
static void polls(void)
{
    omp_init_lock(&table_lock);
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0)
            omp_set_lock(&table_lock); /* polls-since */
#pragma omp barrier
        if (omp_get_thread_num())
            while (!omp_test_lock(&table_lock))
                usleep(1000); /* polls-naps */
#pragma omp barrier
        sum++; /* polls-behind */
    }
}

/* Each polls the lock that the other one has; a nest lock is one of them. */
static void polls_crossed(void)
{
    static omp_nest_lock_t nest_lock;
    omp_init_lock(&table_lock);
    omp_init_nest_lock(&nest_lock);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            omp_set_lock(&table_lock);
        else
            omp_set_nest_lock(&nest_lock); /* crossed-polls-since */
#pragma omp barrier
        if (omp_get_thread_num() == 1)
            while (!omp_test_lock(&table_lock))
                usleep(1000); /* crossed-polls */
        while (!omp_test_nest_lock(&nest_lock))
            usleep(1000);
        sum++;
    }
}

/* One polls two locks, and goes on with either; the team waits for it. */
static void polls_either(void)
{
    static omp_lock_t second_lock;
    omp_init_lock(&table_lock);
    omp_init_lock(&second_lock);
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0)
            omp_set_lock(&table_lock);
        if (omp_get_thread_num() == 1)
            omp_set_lock(&second_lock);
#pragma omp barrier
        if (omp_get_thread_num() == 2)
            while (!omp_test_lock(&table_lock) && !omp_test_lock(&second_lock))
                usleep(1000); /* either-polls */
#pragma omp barrier
        sum++;
    }
}

/* Who has polled a lock in vain has it at last, and waits for the others, which poll it. */
static void polls_last(void)
{
    omp_init_lock(&table_lock);
#pragma omp parallel num_threads(3)
    {
        while (!omp_test_lock(&table_lock))
            usleep(1000); /* last-polls */
#pragma omp barrier
        omp_unset_lock(&table_lock);
    }
}

/* The only thread polls a lock that it has itself. */
static void polls_own(void)
{
    omp_init_lock(&table_lock);
    omp_set_lock(&table_lock); /* own-polls-since */
    while (!omp_test_lock(&table_lock))
        usleep(1000); /* own-polls */
    sum++;
}

/* Of a nested team one thread polls what the primary thread of the outer team has, which waits for
 * the inner team's. */
static void polls_nested(void)
{
    omp_init_lock(&table_lock);
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            omp_set_lock(&table_lock);
#pragma omp barrier
        if (omp_get_thread_num() == 1) {
#pragma omp parallel num_threads(2)
            {
                if (omp_get_thread_num() == 1)
                    while (!omp_test_lock(&table_lock))
                        usleep(1000); /* nested-polls */
                sum++;
            }
        }
    }
}

/* One that gives up after an hour. */
static void timed(void)
{
    static pthread_mutex_t cache = PTHREAD_MUTEX_INITIALIZER;
#pragma omp parallel num_threads(2)
    {
        struct timespec end = {time(NULL) + 3600, 0};
        if (omp_get_thread_num() == 0)
            pthread_mutex_lock(&cache);
        meet(2);
        if (omp_get_thread_num() == 1)
            pthread_mutex_timedlock(&cache, &end); /* timed-wants */
#pragma omp barrier
        sum++;
    }
}

/* One waits for the other's signal, which waits for who forgot to unlock and has gone on. */
static void pool(void)
{
    static pthread_mutex_t cache = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t freed = PTHREAD_COND_INITIALIZER;
    static volatile int waits;
#pragma omp parallel num_threads(3)
    {
        int me = omp_get_thread_num();
        while (waits < me)
            usleep(1000);
        pthread_mutex_lock(&cache); /* pool-wants */
        waits++;
        if (me == 0)
            pthread_cond_wait(&freed, &cache);
        if (me == 2)
            pthread_cond_signal(&freed);
        if (me != 1)
            pthread_mutex_unlock(&cache);
    }
}

/* Two have it for reading, and wait for the one that wants to write. */
static void reads(void)
{
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() != 1)
            pthread_rwlock_rdlock(&rows);
        meet(3);
        if (omp_get_thread_num() == 1)
            pthread_rwlock_wrlock(&rows); /* reads-wants */
#pragma omp barrier
        sum++;
    }
}

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t filled;
} jobs = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};

/* Nobody is left to signal it. */
static void condition(void)
{
#pragma omp parallel num_threads(3)
    {
        pthread_mutex_lock(&jobs.mutex);
        pthread_cond_wait(&jobs.filled, &jobs.mutex); /* condition-waits */
        pthread_mutex_unlock(&jobs.mutex);
    }
}

/* It was made for one more than there are. */
static void too_many(void)
{
    static pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, 4);
#pragma omp parallel num_threads(3)
    {
        pthread_barrier_wait(&barrier); /* too-many-wait */
        sum++;
    }
}

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
    CASE(nested)
    CASE(suspended)
    CASE(left_held)
    CASE(across)
    CASE(at_barrier)
    CASE(taskwait_in_critical)
    CASE(owner_ended)
    CASE(holder_reads)
    CASE(braces)
    CASE(writes)
    CASE(prints)
    CASE(robust)
    CASE(inherits)
    CASE(timed)
    CASE(lost)
    CASE(inconsistent)
    CASE(elsewhere)
    CASE(locks_file)
    CASE(locks_range)
    CASE(polls)
    CASE(polls_crossed)
    CASE(polls_either)
    CASE(polls_last)
    CASE(polls_own)
    CASE(polls_nested)
    CASE(pool)
    CASE(too_many)
    CASE(reads)
    CASE(condition)
    CASE(naps)
    return 1;
}
