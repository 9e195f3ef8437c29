/* SPDX-License-Identifier: MIT
 *
 * Two regions, a task and a league, the first of which is the first use of OpenMP: what clang calls
 * for the function that has them comes before its first line.
 */
static int members;

static void use(void)
{
#pragma omp parallel num_threads(2) reduction(+ : members)
    members++;
#pragma omp parallel num_threads(2) reduction(+ : members)
    {
        members++;
#pragma omp single
#pragma omp task
        ;
    }
#pragma omp teams num_teams(1)
    ;
}

int main(void)
{
    members = 0; /* mark: before */
    use();
    return members != 4; /* mark: after */
}
