/* SPDX-License-Identifier: MIT
 *
 * Stops, at `all_wait`, while thread 0 of a team works and every other one waits for a
 * different thing, and a thread that is none of OpenMP's sleeps. With the argument "core"
 * it dies there, with "hold" it stays there. `ended` is reached when all were let go.
 */
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/rest.h"

#define WAITERS 5

omp_lock_t grid_lock;
struct {
    int used;
    omp_nest_lock_t nest[3];
} table;

static atomic_int near;
static int pipe_ends[2];
static int sum;
static int dies, holds;

static void hold(void)
{
    if (dies)
        abort();
    if (holds) {
        puts("holding");
        fflush(stdout);
        while (holds)
            pause();
    }
    sum++; /* mark: all_wait */
}

static void add_up(void)
{
    near++;
#pragma omp critical(update) /* mark: critical */
    sum++;
}

static void anonymous(void)
{
    near++;
#pragma omp critical /* mark: unnamed */
    sum++;
}

static void compute(void)
{
#pragma omp parallel num_threads(WAITERS + 1) /* mark: region */
    {
        /* The waiters go ahead once thread 0 holds everything. */
        while (omp_get_thread_num() != 0 && near < 1)
            usleep(1000);
        switch (omp_get_thread_num()) {
        case 0:
            omp_set_lock(&grid_lock);
            omp_set_nest_lock(&table.nest[1]);
#pragma omp critical(update)
#pragma omp critical
            {
                near++;
                while (near <= WAITERS)
                    usleep(1000);
                until_others_rest();
                hold();
            }
            omp_unset_nest_lock(&table.nest[1]);
            omp_unset_lock(&grid_lock);
            break;
        case 1:
            add_up();
            break;
        case 2:
            anonymous();
            break;
        case 3:
            near++;
            omp_set_lock(&grid_lock); /* mark: lock */
            omp_unset_lock(&grid_lock);
            break;
        case 4:
            near++;
            omp_set_nest_lock(&table.nest[1]); /* mark: nest_lock */
            omp_unset_nest_lock(&table.nest[1]);
            break;
        default:
            near++;
            break;
        }
#pragma omp barrier /* mark: barrier */
        ;
    }
}

static void *poll_net(void *unused)
{
    char c;
    if (read(pipe_ends[0], &c, 1) < 0) /* mark: net */
        perror("read");
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t net;
    dies = argc > 1 && strcmp(argv[1], "core") == 0;
    holds = argc > 1 && strcmp(argv[1], "hold") == 0;
    omp_init_lock(&grid_lock);
    for (int i = 0; i < 3; i++)
        omp_init_nest_lock(&table.nest[i]);
    if (pipe(pipe_ends) != 0 || pthread_create(&net, NULL, poll_net, NULL) != 0)
        return 1;
    compute();
    printf("%d\n", sum); /* mark: ended */
    if (write(pipe_ends[1], "", 1) != 1)
        return 1;
    pthread_join(net, NULL);
    return 0;
}
