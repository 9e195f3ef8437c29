/* SPDX-License-Identifier: MIT */
#include <omp.h>
static int own = 7;
#pragma omp threadprivate(own)
int main(int argc, char **argv)
{
    double vla[argc + 1];
    vla[0] = vla[1] = 1.5;
    own = argv[0] ? 70 : 7;
#pragma omp parallel num_threads(2) copyin(own)
    {
        own += omp_get_thread_num();
#pragma omp critical
        vla[0] += 1;
#pragma omp barrier
        vla[1] += own; /* mark: here */
#pragma omp barrier
    }
    return 0;
}
