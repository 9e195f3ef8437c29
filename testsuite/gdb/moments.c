/* SPDX-License-Identifier: MIT
 *
 * A team is made, the process forks, the program exits: nothing else happens, so that
 * what is seen in the middle of these is known.
 */
#include <omp.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int total;

int main(void)
{
#pragma omp parallel num_threads(4) reduction(+ : total) /* mark: region */
    total += omp_get_thread_num();
    pid_t child = fork(); /* mark: fork */
    if (child == 0)
        _exit(0); /* mark: in_child */
    int status;
    waitpid(child, &status, 0);
    exit(total == 6 ? status : 1); /* mark: exit */
}
