/* SPDX-License-Identifier: MIT
 *
 * Threads of the program's own are cancelled, and leave by pthread_exit, in and between
 * constructs: leaves HOW. What libgomp does not survive itself is left out: workers that
 * are cancelled, members of a team that leave without a task between.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <unistd.h>
#include "check.h"
#include "work.h"

enum { ROUNDS = 20 };

static sem_t ready, never;
static int cleaned;
static const char *how;

static void clean(void *data)
{
    (void)data;
    __atomic_add_fetch(&cleaned, 1, __ATOMIC_RELAXED);
#pragma omp critical(cleaning)
    cleaned += 0;
}

static void leave_or_wait(void)
{
    if (strncmp(how, "exit", 4) == 0)
        pthread_exit(NULL);
    sem_post(&ready);
    for (;;)
        sem_wait(&never); /* where it is cancelled */
}

/* A team of one has nobody who would wait for the member that goes. */
static void *in_construct(void *data)
{
    pthread_cleanup_push(clean, NULL);
    if (strstr(how, "task")) {
#pragma omp task if (0)
        leave_or_wait();
    } else if (strstr(how, "deferred")) {
#pragma omp parallel num_threads(1)
        {
#pragma omp task
            leave_or_wait();
#pragma omp taskwait
        }
    } else if (strstr(how, "group")) {
#pragma omp taskgroup
        leave_or_wait();
    } else if (strstr(how, "serial")) {
        CHECK(small_work(2));
        leave_or_wait();
    }
    pthread_cleanup_pop(0);
    return data;
}

/* Cancelled at a moment of its own choice, between regions that it enters all the time.
 */
static void *asks(void *data)
{
    pthread_cleanup_push(clean, NULL);
    for (;;) {
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
        CHECK(small_work(2));
        pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
        pthread_testcancel();
    }
    pthread_cleanup_pop(0);
    return data;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    how = argv[1];
    sem_init(&ready, 0, 0);
    sem_init(&never, 0, 0);
    CHECK(small_work(2));
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t thread[3];
        int between = strstr(how, "between") != NULL;
        for (int i = 0; i < 3; i++)
            CHECK(!pthread_create(&thread[i], NULL, between ? asks : in_construct, NULL));
        for (int i = 0; i < 3; i++) {
            if (between)
                usleep(1000);
            else if (strncmp(how, "cancel", 6) == 0)
                sem_wait(&ready);
        }
        for (int i = 0; i < 3 && strncmp(how, "cancel", 6) == 0; i++)
            CHECK(!pthread_cancel(thread[i]));
        for (int i = 0; i < 3; i++)
            pthread_join(thread[i], NULL);
        CHECK(small_work(3));
    }
    CHECK(cleaned == 3 * ROUNDS);
    return check_result(how);
}
