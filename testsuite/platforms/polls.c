/* SPDX-License-Identifier: MIT
 *
 * Stops at `all_poll`, while thread 0 of a team has two locks and is in a critical section, and each
 * other thread polls a variable or a lock in another way, or waits for what thread 0 has: the four ways
 * from that on which the argument says.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { AT_ONCE = 4 };

struct stage {
    int number, done;
    omp_lock_t lock;
};

static struct stage stages[4];
static omp_lock_t table_lock;
static volatile int flag, counts[4];
static volatile short small;
static volatile unsigned char letter;
static volatile long wide;
static volatile unsigned rank = 3;
static int published, sum, near;

static void hold(struct stage *mine)
{
    omp_set_lock(&mine->lock);
    omp_set_lock(&table_lock);
#pragma omp critical(update)
    {
        __atomic_store_n(&near, 1, __ATOMIC_SEQ_CST);
        while (__atomic_load_n(&near, __ATOMIC_SEQ_CST) <= AT_ONCE)
            usleep(1000);
        usleep(500000);
        puts("all poll"); /* mark: all_poll */
        sum++;
    }
    omp_unset_lock(&table_lock);
    omp_unset_lock(&mine->lock);
}

static void poll_flag(struct stage *mine)
{
    (void)mine;
    while (!flag)
        ;
}

static void poll_count(struct stage *mine)
{
    while (counts[mine->number] < 7)
        ;
}

static void poll_small(struct stage *mine)
{
    (void)mine;
    while (small != -3)
        ;
}

static void poll_letter(struct stage *mine)
{
    (void)mine;
    while (letter != 'b')
        ;
}

static void poll_wide(struct stage *mine)
{
    (void)mine;
    while (wide != -1)
        ;
}

static void poll_rank(struct stage *mine)
{
    (void)mine;
    while (rank <= 4)
        ;
}

static void poll_stage(struct stage *mine)
{
    while (!*(volatile int *)&mine->done)
        ;
}

static void poll_published(struct stage *mine)
{
    (void)mine;
    while (!__atomic_load_n(&published, __ATOMIC_ACQUIRE))
        ;
}

static void test_lock(struct stage *mine)
{
    (void)mine;
    while (!omp_test_lock(&table_lock))
        usleep(1000);
}

static void test_stage(struct stage *mine)
{
    while (!omp_test_lock(&mine->lock))
        usleep(1000);
}

static void set_lock(struct stage *mine)
{
    omp_set_lock(&table_lock);
    mine->number = 0;
}

static void update(struct stage *mine)
{
    (void)mine;
#pragma omp critical(update)
    sum++;
}

static void (*const ways[])(struct stage *) = {poll_flag, poll_count, poll_small, poll_letter,
                                               poll_wide, poll_rank,  poll_stage, poll_published,
                                               test_lock, test_stage, set_lock,   update};

int main(int argc, char **argv)
{
    int first = argc > 1 ? atoi(argv[1]) : 0;
    omp_init_lock(&table_lock);
    omp_init_lock(&stages[2].lock);
    stages[2].number = 1;
    alarm(600);
#pragma omp parallel num_threads(AT_ONCE + 1)
    {
        int me = omp_get_thread_num();
        while (me > 0 && !__atomic_load_n(&near, __ATOMIC_SEQ_CST))
            usleep(1000);
        if (me > 0)
            __atomic_add_fetch(&near, 1, __ATOMIC_SEQ_CST);
        (me > 0 ? ways[first + me - 1] : hold)(&stages[2]);
    }
    __atomic_store_n(&published, 1, __ATOMIC_RELEASE);
    return 0;
}
