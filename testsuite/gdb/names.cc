/* SPDX-License-Identifier: MIT
 *
 * Functions and objects whose C++ names a debugger should show as the source has them.
 * The threads of a team stand in a critical section and at a lock of a class.
 */
#include <atomic>
#include <omp.h>
#include <unistd.h>

#include "../common/rest.h"

namespace grid
{
struct Cell {
    double value;
    omp_lock_t lock;
};
struct Grid {
    int size;
    Cell cells[3];
};
Grid ocean;
static omp_lock_t locks[4];
omp_lock_t lock;
std::atomic<int> near;
int sum;

template <class T> void relax(T start)
{
#pragma omp parallel num_threads(5) /* mark: template */
    {
        while (omp_get_thread_num() != 0 && near == 0)
            usleep(1000);
        switch (omp_get_thread_num()) {
        case 0:
#pragma omp critical(update)
        {
            omp_set_lock(&ocean.cells[2].lock);
            omp_set_lock(&locks[3]);
            omp_set_lock(&lock);
            near++;
            while (near < 5)
                usleep(1000);
            until_others_rest();
            sum += start; /* mark: held */
            omp_unset_lock(&ocean.cells[2].lock);
            omp_unset_lock(&locks[3]);
            omp_unset_lock(&lock);
        } break;
        case 1:
            near++;
            omp_set_lock(&ocean.cells[2].lock);
            omp_unset_lock(&ocean.cells[2].lock);
            break;
        case 2:
            near++;
            omp_set_lock(&locks[3]);
            omp_unset_lock(&locks[3]);
            break;
        case 3:
            [](int n) {
                near++;
#pragma omp critical(update) /* mark: lambda */
                sum += n;
            }(1);
            break;
        case 4:
            near++;
            omp_set_lock(&lock);
            omp_unset_lock(&lock);
            break;
        }
    }
}
}

int main()
{
    omp_init_lock(&grid::ocean.cells[2].lock);
    omp_init_lock(&grid::locks[3]);
    omp_init_lock(&grid::lock);
    grid::relax(3);
    auto region = [](int n) {
#pragma omp parallel num_threads(2) /* mark: in_lambda */
        {
#pragma omp master
            grid::sum += n; /* mark: lambda_body */
#pragma omp barrier
            ;
        }
    };
    region(2);
    return 0;
}
