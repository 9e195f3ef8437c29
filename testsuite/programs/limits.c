/* SPDX-License-Identifier: MIT
 *
 * Under OMP_THREAD_LIMIT=3 and OMP_NUM_THREADS=8 (the manifest sets them) regions get
 * fewer threads than they ask for.
 */
#include <omp.h>
#include "check.h"

int main(void)
{
    CHECK(omp_get_thread_limit() == 3);
    int first = 0, asked = 0, nested = 0;
#pragma omp parallel reduction(+ : first)
    first++;
    CHECK(first <= 3);
#pragma omp parallel num_threads(7) reduction(+ : asked)
    asked++;
    CHECK(asked <= 3);
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(4)
    {
        CHECK(omp_get_num_threads() <= 2);
        __atomic_add_fetch(&nested, 1, __ATOMIC_RELAXED);
    }
    /* One inner team may end before the other asks. */
    CHECK(nested >= 2 && nested <= 4);
    printf("%d %d\n", first, asked);
    return check_result("limits");
}
