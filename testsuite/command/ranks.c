// SPDX-License-Identifier: MIT
// A rank that hangs, with threads that its MPI library has made:
//   alone    in a call of MPI, and no other thread waits for it
//   team     the same, and its team does
//   lock     at a lock that it has acquired before
#include <mpi.h>
#include <omp.h>
#include <string.h>
#include <unistd.h>

static omp_lock_t table;

static void receive(void)
{
    int word;
    MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int level;
    const char *how = argc > 1 ? argv[1] : "alone";
    alarm(300);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
#pragma omp parallel num_threads(3)
    if (!strcmp(how, "team")) {
#pragma omp master
        receive();
#pragma omp barrier
    }
    if (!strcmp(how, "alone"))
        receive();
    omp_init_lock(&table);
    omp_set_lock(&table);
    omp_set_lock(&table);
    return MPI_Finalize();
}
