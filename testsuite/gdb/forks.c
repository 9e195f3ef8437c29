/* SPDX-License-Identifier: MIT
 *
 * A process and its child, each in a region of its own: the parent's has three threads,
 * the child's two. No region before the fork: libgomp's pool would not survive it.
 */
#include <omp.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int hits;

int main(void)
{
    pid_t child = fork();
    if (child == 0) {
#pragma omp parallel num_threads(2)
        {
#pragma omp barrier
            if (omp_get_thread_num() == 0)
                hits++; /* mark: in_child */
        }
        exit(0);
    }
#pragma omp parallel num_threads(3)
    {
#pragma omp barrier
        if (omp_get_thread_num() == 0)
            hits++; /* mark: in_parent */
    }
    int status;
    return waitpid(child, &status, 0) == child ? status : 1;
}
