/* SPDX-License-Identifier: MIT
 *
 * Threads that wait for what the OpenMP runtime does not know, each for something else, while
 * thread 0 holds a mutex and a lock. Thread 8 waits for the lock by way of a function that leaves
 * its frame to the runtime's, and a plain thread waits for the lock, too. Says so when all sleep.
 */
#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

#include "../common/rest.h"

#define TEAM 9

static pthread_mutex_t cache = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static omp_lock_t grid_lock;
static pthread_t reader, writer;
static atomic_int ready;
static int ends[2];

/* What an MPI library would have. */
__attribute__((noinline)) int MPI_Recv(void *to)
{
    return (int) read(ends[0], to, 1);
}

__attribute__((noinline, optimize("O2"))) static void acquire(omp_lock_t *lock)
{
    omp_set_lock(lock); /* a jump */
}

static void *reads(void *none)
{
    char byte;
    read(ends[0], &byte, 1);
    return none;
}

static void *acquires(void *none)
{
    while (!ready)
        usleep(1000);
    omp_set_lock(&grid_lock); /* mark: plain */
    return none;
}

static void hold(void)
{
    pthread_mutex_lock(&cache);
    omp_set_lock(&grid_lock); /* mark: lock */
    ready = 1;
    until_others_rest();
    puts("asleep");
    fflush(stdout);
    for (;;)
        pause();
}

static void wait_for(int what)
{
    struct pollfd end = {ends[0], POLLIN, 0};
    struct timespec long_time = {1000000, 0};
    char byte;

    while (!ready)
        usleep(1000);
    switch (what) {
    case 1:
        pthread_mutex_lock(&cache);
        break;
    case 2:
        pthread_join(reader, NULL);
        break;
    case 3:
        pthread_mutex_lock(&other);
        pthread_cond_wait(&filled, &other);
        break;
    case 4:
        read(ends[0], &byte, 1);
        break;
    case 5:
        poll(&end, 1, -1);
        break;
    case 6:
        nanosleep(&long_time, NULL);
        break;
    case 7:
        MPI_Recv(&byte);
        break;
    case 8:
        acquire(&grid_lock);
        break;
    }
}

int main(void)
{
    omp_init_lock(&grid_lock);
    pipe(ends);
    pthread_create(&reader, NULL, reads, NULL);
    pthread_create(&writer, NULL, acquires, NULL);
#pragma omp parallel num_threads(TEAM)
    {
        if (omp_get_thread_num() == 0)
            hold();
        wait_for(omp_get_thread_num());
    }
    return 0;
}
