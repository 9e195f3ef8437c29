/* SPDX-License-Identifier: MIT
 *
 * Opens a region, then starts the command that it is given.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
#pragma omp parallel num_threads(2)
    fflush(stdout);
    if (argc < 2)
        return 0;
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    return waitpid(child, NULL, 0) != child;
}
