/* SPDX-License-Identifier: MIT
 *
 * devices WORD uses one device if there is one, unless that is "none", says what its code finds there, and
 * waits.
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int procs = 0, devices = -1;
    void *copy = &procs;
    alarm(60);
    if (argc < 2 || strcmp(argv[1], "none") != 0) {
        devices = omp_get_num_devices();
#pragma omp target map(from : procs, copy)
        {
            procs = omp_get_num_procs();
            copy = &procs;
        }
    }
    printf("{\"devices\":%d,\"procs\":%d,\"on_host\":%d}\n", devices, procs, copy == &procs);
    fflush(stdout);
    pause();
    return 0;
}
