/* SPDX-License-Identifier: MIT
 *
 * Two regions, the first of which is the first use of OpenMP.
 */
static int members;

int main(void)
{
    members = 0; /* mark: before */
#pragma omp parallel num_threads(2) reduction(+ : members)
    members++;
#pragma omp parallel num_threads(2) reduction(+ : members)
    members++;
    return members != 4; /* mark: after */
}
