/* SPDX-License-Identifier: MIT
 *
 * How long a debugger stops a process, as that sees it: "pauses THREADS FILE" has so many threads wait
 * at a barrier, but for one that wakes every tenth of a millisecond and keeps, in the first eight bytes
 * of FILE, the longest time in nanoseconds between two of these. Who measures sets them to 0.
 */
#include <fcntl.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { TICK_NS = 100000, SECOND_NS = 1000000000 };

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * SECOND_NS + t.tv_nsec;
}

static void tick(volatile int64_t *longest)
{
    for (int64_t last = now_ns(), now;; last = now) {
        struct timespec t = {0, TICK_NS};
        clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
        now = now_ns();
        if (now - last > *longest)
            *longest = now - last;
    }
}

int main(int argc, char **argv)
{
    int file = argc == 3 ? open(argv[2], O_RDWR | O_CREAT, 0600) : -1;
    if (file < 0 || ftruncate(file, sizeof(int64_t)))
        return 2;
    volatile int64_t *longest =
        mmap(NULL, sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (longest == MAP_FAILED)
        return 2;

#pragma omp parallel num_threads(atoi(argv[1]))
    {
        if (omp_get_thread_num() == 0)
            tick(longest);
#pragma omp barrier
    }
    return 0;
}
