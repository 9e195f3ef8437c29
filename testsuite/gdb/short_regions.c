/* SPDX-License-Identifier: MIT
 *
 * Regions one after the other, so short that most of the time the runtime is between two. Each
 * thread says where it is: in the body of the region numbered `entered`, until `left` has that
 * number, too. The primary thread is in the construct numbered `started` until `ended` has it.
 *
 * Usage: short_regions MODE THREADS AMOUNT, where MODE is "short", "barrier", "serial" (with
 * work between regions) or "grow" (teams of changing size) */
#include <omp.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SLOTS = 64 };
struct {
    volatile long tid, entered, left, unused[5];
} slots[SLOTS];
volatile long started, ended, size;
static __thread long tid;

static void work(int amount)
{
    for (volatile int i = 0; i < amount; i++)
        ;
}

static void enter(long number)
{
    int slot = omp_get_thread_num() % SLOTS;
    if (!tid)
        tid = syscall(SYS_gettid);
    slots[slot].tid = tid;
    __atomic_store_n(&slots[slot].entered, number, __ATOMIC_SEQ_CST);
}

static void leave(long number)
{
    __atomic_store_n(&slots[omp_get_thread_num() % SLOTS].left, number, __ATOMIC_SEQ_CST);
}

static void region(int threads, int amount, char mode)
{
    long number = started + 1;
    size = threads;
    __atomic_store_n(&started, number, __ATOMIC_SEQ_CST);
#pragma omp parallel num_threads(threads)
    {
        enter(number);
        work(amount * (omp_get_thread_num() + 1));
        if (mode == 'b') {
#pragma omp barrier
            work(amount);
        }
        leave(number);
    }
    __atomic_store_n(&ended, number, __ATOMIC_SEQ_CST);
}

int main(int argc, char **argv)
{
    char mode = argc > 1 ? *argv[1] : 's';
    int threads = argc > 2 ? atoi(argv[2]) : 4;
    int amount = argc > 3 ? atoi(argv[3]) : 10;
    if (write(1, "\n", 1) != 1)
        return 1;
    for (int i = 0;; i++) {
        region(mode == 'g' ? 2 + i % (threads - 1) : threads, amount, mode);
        if (argc > 1 && argv[1][1] == 'e')
            work(amount * 5);
    }
}
