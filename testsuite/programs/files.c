/* SPDX-License-Identifier: MIT
 *
 * OpenMP leaves the program's open files and signal mask alone, and so must what watches
 * it: the next free descriptor stays the same before, inside and after regions.
 */
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "check.h"

static int next_fd(void)
{
    int fd = open("/dev/null", O_RDONLY);
    close(fd);
    return fd;
}

int main(void)
{
    printf("next file %d\n", next_fd());
    sigset_t before, after;
    sigemptyset(&before);
    sigaddset(&before, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &before, NULL);
#pragma omp parallel num_threads(3)
    {
        sigset_t mine;
        pthread_sigmask(SIG_BLOCK, NULL, &mine);
        CHECK(sigismember(&mine, SIGUSR1) && !sigismember(&mine, SIGUSR2));
#pragma omp critical
        CHECK(next_fd() == 3);
#pragma omp single
#pragma omp task
        CHECK(omp_get_num_threads() == 3);
    }
    pthread_sigmask(SIG_BLOCK, NULL, &after);
    CHECK(sigismember(&after, SIGUSR1));
    for (int number = 1; number < 32; number++) {
        struct sigaction action;
        memset(&action, 0, sizeof(action));
        if (sigaction(number, NULL, &action) != 0)
            continue;
        /* Whoever starts us may have signals ignored, as nohup has. */
        if (action.sa_handler == SIG_IGN)
            printf("ignored signal %d\n", number);
        else
            CHECK(action.sa_handler == SIG_DFL);
    }
    printf("next file %d\n", next_fd());
    /* A daemon closes everything it does not know. */
    for (int fd = 3; fd < 64; fd++)
        close(fd);
    int n = 0;
#pragma omp parallel num_threads(4) reduction(+ : n)
    n++;
    CHECK(n == 4);
    return check_result("files");
}
