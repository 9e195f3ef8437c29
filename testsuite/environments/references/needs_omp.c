/* SPDX-License-Identifier: MIT
 *
 * A plugin that was linked without an OpenMP runtime but needs one: it relies on the
 * program.
 */
void GOMP_barrier(void);
int omp_get_max_threads(void);
void omp_set_num_threads(int);
int plugin(void);

int plugin(void)
{
    GOMP_barrier();
    omp_set_num_threads(2);
    return omp_get_max_threads();
}
