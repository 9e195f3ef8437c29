/* SPDX-License-Identifier: MIT
 *
 * Names that a test changes in the program's file, and threads that wait for something with
 * such a name.
 */
#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

#include "../common/rest.h"

static omp_lock_t some_lock_of_that_name;
static atomic_int arrived, entered;

void here(void)
{
    usleep(1); /* mark: stop */
}

void somebody_called_me_so(void)
{
    here(); /* mark: call */
}

int main(void)
{
    omp_init_lock(&some_lock_of_that_name);
    omp_set_lock(&some_lock_of_that_name);
#pragma omp parallel num_threads(3)
    {
        int number = omp_get_thread_num();
        arrived++;
        if (number == 1) {
            omp_set_lock(&some_lock_of_that_name);
        } else if (number == 0) {
#pragma omp critical(some_critical_name_)
            {
                entered = 1;
                while (arrived < 3)
                    usleep(1000);
                until_others_rest();
                somebody_called_me_so();
            }
        } else {
            while (!entered)
                usleep(1000);
#pragma omp critical(some_critical_name_)
            number++;
        }
    }
    return 0;
}
