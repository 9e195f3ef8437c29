/* SPDX-License-Identifier: MIT
 *
 * A program that hangs: threads 0 and 1 each hold the lock of an account that the other
 * wants. Of threads 2 and 3 one comes into a critical section, at `inside`, while the other
 * waits for it, and stays there. Thread 4 waits at the barrier. Says so when all sleep.
 */
#include <omp.h>
#include <stdatomic.h>

#include "../common/rest.h"

struct account {
    double balance;
    omp_lock_t lock;
};

static struct account accounts[2];
static atomic_int holding, near, rounds;

static void transfer(struct account *from, struct account *to, double amount)
{
    omp_set_lock(&from->lock);
    holding++;
    while (holding < 3)
        usleep(1000);
    near++;
    omp_set_lock(&to->lock); /* mark: second */
    from->balance -= amount;
    to->balance += amount;
    omp_unset_lock(&to->lock);
    omp_unset_lock(&from->lock);
}

static void book(void)
{
#pragma omp critical(ledger) /* mark: ledger */
    {
        rounds++; /* mark: inside */
        until_others_rest();
        puts("stuck");
        fflush(stdout);
        while (rounds)
            pause();
    }
}

static void settle(void)
{
#pragma omp critical(ledger)
    {
        holding++;
        while (near < 4)
            usleep(1000);
        until_others_rest();
    }
}

int main(void)
{
    for (int i = 0; i < 2; i++)
        omp_init_lock(&accounts[i].lock);
#pragma omp parallel num_threads(5) /* mark: region */
    {
        switch (omp_get_thread_num()) {
        case 0:
            transfer(&accounts[0], &accounts[1], 10);
            break;
        case 1:
            transfer(&accounts[1], &accounts[0], 5);
            break;
        case 2:
        case 3:
            while (holding < 3)
                usleep(1000);
            near++;
            book();
            break;
        default:
            settle();
        }
#pragma omp barrier /* mark: barrier */
    }
    return 0;
}
