/* SPDX-License-Identifier: MIT
 *
 * exec replaces the program between regions, inside one, from a worker and in a child;
 * each image counts its argument down and uses OpenMP again.
 */
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"

static void again(const char *program, int step)
{
    char text[16];
    snprintf(text, sizeof(text), "%d", step);
    fflush(NULL);
    execl(program, program, text, (char *)NULL);
    _exit(99);
}

int main(int argc, char **argv)
{
    int step = argc > 1 ? atoi(argv[1]) : 0, members = 0;
#pragma omp parallel num_threads(3) reduction(+ : members)
    members++;
    printf("image %d: %d threads\n", step, members);
    switch (step) {
    case 0:
        again(argv[0], 1);
        break;
    case 1:
#pragma omp parallel num_threads(2)
#pragma omp masked
        again(argv[0], 2);
        break;
    case 2:
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 1)
            again(argv[0], 3);
        break;
    case 3: {
        fflush(NULL);
        pid_t child = fork();
        if (child == 0)
            again(argv[0], 4);
        int status;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        CHECK(system("exit 3") == 3 << 8);
        return check_result("execs");
    }
    case 4:
        return 0;
    }
    return 98;
}
