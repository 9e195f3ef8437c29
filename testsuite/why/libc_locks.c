/* SPDX-License-Identifier: MIT
 *
 * Locks of glibc and of the kernel, condition variables and barriers, of which one is never free
 * again, or reached by all. The first argument says in what way.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "hang.h"

/* One of a team waits in a CALL, the other one for that. */
#define OUTSIDE(call)                                                                    \
    _Pragma("omp parallel num_threads(2)")                                               \
    {                                                                                    \
        if (omp_get_thread_num() == 1)                                                   \
            __atomic_fetch_add(&sum, call, __ATOMIC_RELAXED);                            \
        _Pragma("omp barrier") sum++;                                                    \
    }

static pthread_mutex_t cache = PTHREAD_MUTEX_INITIALIZER;
static int sum;

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

/* The same in what is called by its address, and leaves its frame to the runtime. */
static void fill(void)
{
#pragma omp parallel num_threads(3) /* called-region */
    if (omp_get_thread_num()) {
        pthread_mutex_lock(&cache); /* called-wants */
        sum--;
        pthread_mutex_unlock(&cache);
    }
}

static void across_call(void)
{
    void (*volatile called)(void) = fill;
    pthread_mutex_lock(&cache);
    called();
    pthread_mutex_unlock(&cache);
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

static void *want(void *unused)
{
    pthread_mutex_lock(&cache); /* forked-wants */
    pthread_mutex_unlock(&cache);
    return unused;
}

/* The thread that forks has a mutex, and releases it in the child some time. */
static void forked(void)
{
    pthread_t thread;
    pthread_mutex_lock(&cache);
    pid_t child = fork();
    if (!child) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        pthread_create(&thread, NULL, want, NULL);
        sleep(3600);
        pthread_mutex_unlock(&cache);
        _exit(0);
    }
    printf("%d\n", (int)child);
    fflush(stdout);
    waitpid(child, NULL, 0);
}

static pthread_cond_t called = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static int calls;

static void *serve(void *unused)
{
    pthread_mutex_lock(&cache);
    for (;;) {
        while (!calls)
            pthread_cond_wait(&called, &cache);
        calls = 0;
        pthread_cond_broadcast(&done);
    }
    return unused;
}

/* What a library's own thread is to do. */
static void call_server(void)
{
    pthread_mutex_lock(&cache);
    calls = 1;
    pthread_cond_broadcast(&called);
    while (calls)
        pthread_cond_wait(&done, &cache); /* server-gone */
    pthread_mutex_unlock(&cache);
}

/* A child of fork() calls a library whose threads only the parent has. */
static void forked_server(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, serve, NULL);
    call_server();
    pid_t child = fork();
    if (!child) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
#pragma omp parallel num_threads(2)
#pragma omp single
        call_server();
        _exit(0);
    }
    printf("%d\n", (int)child);
    fflush(stdout);
    waitpid(child, NULL, 0);
}

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

/* What the kernel knows: a child, a pipe with a name, one without, a signal. */
static void waits_for_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execlp("sleep", "sleep", "60", (char *)NULL);
    }
    OUTSIDE(waitpid(child, NULL, 0)); /* for-child */
}

static void opens_fifo(void)
{
    mkfifo("waits.fifo", 0600);
    OUTSIDE(open("waits.fifo", O_RDONLY)); /* opens-fifo */
}

static void reads_pipe(void)
{
    int ends[2];
    char byte;
    sum += pipe(ends);
    OUTSIDE(read(ends[0], &byte, 1)); /* reads-pipe */
}

/* A child has the other end, and does not read. */
NOINLINE static int fill_pipe(int end)
{
    static char page[4096];
    for (;;)
        if (write(end, page, sizeof page) < 0) /* writes-pipe */
            return 1;
}

static void writes_pipe(void)
{
    int ends[2];
    sum += pipe(ends);
    pid_t parent = getpid();
    if (!fork()) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(ends[1]);
        while (getppid() == parent)
            pause();
        _exit(0);
    }
    close(ends[0]);
    OUTSIDE(fill_pipe(ends[1]));
}

static void waits_signal(void)
{
    sigset_t set;
    int number;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    OUTSIDE(sigwait(&set, &number)); /* waits-signal */
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

/* A thread of a pool cannot do the job for which a critical section's thread waits: it needs the section. */
static void *do_job(void *unused)
{
#pragma omp critical(total) /* pooled-job */
    sum++;
    pthread_mutex_lock(&jobs.mutex);
    pthread_cond_broadcast(&jobs.filled);
    pthread_mutex_unlock(&jobs.mutex);
    return unused;
}

static void pooled(void)
{
#pragma omp parallel num_threads(3)
    {
#pragma omp critical(total) /* pooled-team */
        {
            pthread_t thread;
            pthread_mutex_lock(&jobs.mutex);
            pthread_create(&thread, NULL, do_job, NULL);
            pthread_cond_wait(&jobs.filled, &jobs.mutex); /* pooled-waits */
            pthread_mutex_unlock(&jobs.mutex);
        }
    }
}

static pthread_rwlock_t entries = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

/* A reader waits behind a writer, which waits for the first reading of that reader. Each jumps to
 * where it waits if it is optimised, from one place. */
static void both_kinds(void)
{
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            pthread_rwlock_rdlock(&entries);
        meet(2);
        if (omp_get_thread_num() == 1) {
            pthread_rwlock_wrlock(&entries);
        } else {
            usleep(100000);
            pthread_rwlock_rdlock(&entries);
        }
    }
}

static void spins(void)
{
    static pthread_spinlock_t spin;
    pthread_spin_init(&spin, 0);
#pragma omp parallel num_threads(2)
    {
        pthread_spin_lock(&spin); /* spins-in */
#pragma omp barrier
        pthread_spin_unlock(&spin);
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

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    CASE(across)
    CASE(across_call)
    CASE(owner_ended)
    CASE(forked)
    CASE(forked_server)
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
    CASE(waits_for_child)
    CASE(opens_fifo)
    CASE(reads_pipe)
    CASE(writes_pipe)
    CASE(waits_signal)
    CASE(pool)
    CASE(too_many)
    CASE(reads)
    CASE(condition)
    CASE(pooled)
    CASE(both_kinds)
    CASE(spins)
    return 1;
}
