/* SPDX-License-Identifier: MIT
 *
 * Money goes from account to account. Each transfer locks two of them, in the order of their
 * addresses.
 *
 *   ./transfer        runs to its end
 *   ./transfer hang   locks the payer's account first: a deadlock
 */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ACCOUNTS = 2, TRANSFERS = 2 };

struct account {
    omp_lock_t lock;
    long balance;
};

static struct account bank[ACCOUNTS];
static const struct {
    int from, to;
} orders[TRANSFERS] = {{0, 1}, {1, 0}};
static atomic_int holding;
static int hangs;

static void transfer(struct account *from, struct account *to, long amount)
{
    int is_first = hangs || from < to;
    omp_set_lock(is_first ? &from->lock : &to->lock);
    holding++;
    while (hangs && holding < TRANSFERS)
        usleep(1000); /* until both have their first lock */
    omp_set_lock(is_first ? &to->lock : &from->lock);
    from->balance -= amount;
    to->balance += amount;
    omp_unset_lock(&to->lock);
    omp_unset_lock(&from->lock);
}

int main(int argc, char **argv)
{
    hangs = argc > 1 && strcmp(argv[1], "hang") == 0;
    for (int i = 0; i < ACCOUNTS; i++) {
        omp_init_lock(&bank[i].lock);
        bank[i].balance = 100;
    }
#pragma omp parallel for num_threads(TRANSFERS) schedule(static, 1)
    for (int i = 0; i < TRANSFERS; i++)
        transfer(&bank[orders[i].from], &bank[orders[i].to], 10);
    for (int i = 0; i < ACCOUNTS; i++)
        printf("%ld\n", bank[i].balance);
    return 0;
}
