/* SPDX-License-Identifier: MIT
 *
 * Programs that are well, in which one thread works for minutes in one function while others
 * wait for it. The first argument says at what.
 */
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "hang.h"

enum { SIZE = 160, NODES = 1 << 12 };

static double a[SIZE][SIZE], b[SIZE][SIZE], c[SIZE][SIZE];
static double residual = 1;
static long rounds;
static volatile int ready;
static struct node {
    struct node *next;
    int visits;
} nodes[NODES];

NOINLINE static void multiply(void)
{
    for (long round = 0; round < 1L << 40; round++)
        for (int i = 0; i < SIZE; i++)
            for (int j = 0; j < SIZE; j++)
                for (int k = 0; k < SIZE; k++)
                    c[i][j] += a[i][k] * b[k][j];
}

static void matrix(void)
{
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1)
            multiply();
#pragma omp barrier
        residual += c[1][1];
    }
}

/* All that tells one round from another is in memory that all threads may change. */
static void relax(void)
{
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            while (residual > 1e-300) {
                residual *= 0.9999999999;
                for (int i = 1; i < SIZE - 1; i++)
                    a[0][i] = (a[0][i - 1] + a[0][i + 1]) * 0.5;
            }
#pragma omp barrier
        ready = 1;
    }
}

static void count(void)
{
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1)
            for (rounds = 0; rounds < 1L << 50; rounds++)
                __asm__ volatile("" ::: "memory");
#pragma omp barrier
        ready = 1;
    }
}

/* One iteration is longer than all others. */
static void loop(void)
{
#pragma omp parallel num_threads(3)
#pragma omp for
    for (int i = 0; i < NODES; i++)
        if (i == 1500)
            multiply();
}

NOINLINE static void item(int i)
{
    if (i == 1500)
        multiply();
    rounds += i;
}

/* Optimised, the variable is in a register, in which the next iteration is already: in one that
 * callees preserve, as the compiler does not know which one is called. */
static void (*volatile called)(int) = item;
static void loop_called(void)
{
#pragma omp parallel for num_threads(3)
    for (int i = 0; i < NODES; i++)
        called(i);
}

static void loop_dynamic(void)
{
    int last = 99;
#pragma omp parallel for num_threads(3) schedule(dynamic, 4)
    for (long at = last; at >= 0; at -= 3)
        if (at == 60)
            multiply();
}

NOINLINE static void visit(struct node *list, long times)
{
    while (times--)
        for (struct node *at = list; at; at = at->next)
            at->visits++;
}

static void list(void)
{
    for (int i = 0; i < NODES - 1; i++)
        nodes[i * 37 % NODES].next = &nodes[(i + 1) * 37 % NODES];
#pragma omp parallel for num_threads(3) schedule(dynamic)
    for (int i = 0; i < 3; i++)
        visit(nodes, i == 1 ? 1L << 40 : 1);
}

/* It asks for the time, which changes once in a second. */
static void until(void)
{
    time_t end = time(NULL) + 600;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1)
            while (time(NULL) < end)
                ;
#pragma omp barrier
        ready = 1;
    }
}

/* One waits in a loop for another one that works. */
static void handshake(void)
{
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0)
            while (!ready)
                ;
        if (omp_get_thread_num() == 1) {
            multiply();
            ready = 1;
        }
#pragma omp barrier
        residual++;
    }
}

/* One reads what another process sends it, piece by piece. */
static void receives(void)
{
    int ends[2];
    char byte;
    if (pipe(ends))
        return;
    if (!fork()) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        while (write(ends[1], "", 1) == 1)
            usleep(30000);
        _exit(0);
    }
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1)
            for (int i = 0; i < 1 << 20; i++)
                rounds += read(ends[0], &byte, 1);
#pragma omp barrier
        residual++;
    }
}

/* More sections than threads, each of which takes minutes. */
static void sections(void)
{
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        multiply();
#pragma omp section
        visit(nodes, 1L << 50);
#pragma omp section
        residual++;
    }
}

/* More tasks than threads, likewise. */
static void tasks(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 50; i++)
#pragma omp task
        multiply();
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    CASE(matrix)
    CASE(relax)
    CASE(count)
    CASE(loop)
    CASE(loop_called)
    CASE(loop_dynamic)
    CASE(list)
    CASE(until)
    CASE(handshake)
    CASE(receives)
    CASE(sections)
    CASE(tasks)
    return 1;
}
