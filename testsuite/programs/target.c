/* SPDX-License-Identifier: MIT
 *
 * Target constructs that fall back to the host, in the form of today's compilers and in
 * that of OpenMP 4.0, and the error directive. With "error" the program is ended by it.
 */
#include <omp.h>
#include <string.h>
#include "check.h"

/* As compilers up to GCC 5 called them. */
void GOMP_target(int, void (*)(void *), const void *, size_t, void **, size_t *,
                 unsigned char *);
void GOMP_target_data(int, const void *, size_t, void **, size_t *, unsigned char *);
void GOMP_target_update(int, const void *, size_t, void **, size_t *, unsigned char *);
void GOMP_target_end_data(void);
void GOMP_teams(unsigned, unsigned);
int omp_get_num_devices_(void); /* which gfortran 16 no longer calls */

static int cell = 1;

static void body(void *data)
{
    int **host = data;
    **host += omp_get_num_threads();
}

static void old_calls(void)
{
    void *host[] = {&cell};
    size_t sizes[] = {sizeof(cell)};
    unsigned char kinds[] = {3};
    GOMP_target_data(-1, NULL, 1, host, sizes, kinds);
    GOMP_target(-1, body, NULL, 1, host, sizes, kinds);
    GOMP_target_update(-1, NULL, 1, host, sizes, kinds);
    GOMP_target_end_data();
    CHECK(cell == 2);
    CHECK(omp_get_num_devices_() == omp_get_num_devices());
}

/* Leagues on the host: a loop over teams, and up to GCC 11 a call before the only one. */
static void leagues(void)
{
    int teams = 0, threads = 0, sum = 0;
#pragma omp target teams map(tofrom : teams, threads) num_teams(3)
    {
        teams += omp_get_num_teams() * 10 + omp_get_team_num();
#pragma omp parallel num_threads(2) reduction(+ : threads)
        threads += omp_get_level();
    }
    CHECK(teams == 93 && threads == 6);
    for (int i = 0; i < 3; i++) {
#pragma omp target map(tofrom : threads)
        {
            GOMP_teams(1, 2);
#pragma omp parallel num_threads(2) reduction(+ : threads)
            threads += 1;
        }
    }
    CHECK(threads == 12);
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
#pragma omp target teams distribute parallel for map(tofrom : sum) reduction(+ : sum)
        for (int i = 0; i < 10; i++)
            sum += i;
#pragma omp target teams num_teams(2) map(tofrom : sum)
        sum += omp_get_num_teams();
    }
    CHECK(sum == 2 * (45 + 4));
}

static void constructs(void)
{
    int sum = 0, inside = 0;
#pragma omp target map(tofrom : sum, inside)
    {
        inside = omp_get_level() + 1;
#pragma omp parallel num_threads(2) reduction(+ : sum)
        sum += 1;
    }
    CHECK(sum == 2 && inside == 1);
#pragma omp target data map(tofrom : sum)
    {
#pragma omp target update to(sum)
#pragma omp target map(tofrom : sum)
        sum += 5;
    }
    CHECK(sum == 7);
#pragma omp target enter data map(to : sum)
#pragma omp target exit data map(from : sum)
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
#pragma omp target map(tofrom : sum) nowait depend(out : sum)
            sum += 1;
#pragma omp target map(tofrom : sum) depend(in : sum)
            sum *= 2;
#pragma omp taskwait
        }
    }
    CHECK(sum == 16);
}

/* Tasks: deferred, undeferred in a final task, with leagues and values that
 * are copied when they are created. */
static void nowait(void)
{
    struct large {
        long words[50];
    } large = {{[49] = 3}};
    char aligned[64] __attribute__((aligned(64))) = {[63] = 5};
    int sum = 0, level = -1, odd = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp target nowait map(tofrom : sum, odd) firstprivate(large, aligned) depend(out : sum)
        {
            sum += (int)large.words[49] + aligned[63];
            odd += (unsigned long)aligned % 64 != 0;
        }
        large.words[49] = aligned[63] = 100;
#pragma omp target update nowait to(sum) depend(inout : sum)
#pragma omp target enter data nowait map(to : sum) depend(inout : sum)
#pragma omp target exit data nowait map(from : sum)
#pragma omp target teams num_teams(2) nowait map(tofrom : sum) depend(inout : sum)
        sum += omp_get_num_teams();
#pragma omp target nowait map(tofrom : sum, level) depend(inout : sum)
        {
            level = omp_get_level();
#pragma omp parallel num_threads(2) reduction(+ : sum)
            sum += omp_get_level();
        }
#pragma omp taskwait
        CHECK(sum == 14 && level == 0 && !odd);
#pragma omp task final(1) shared(sum)
        {
#pragma omp target nowait map(tofrom : sum) depend(inout : sum)
            sum++;
            CHECK(sum == 15);
        }
    }
}

/* After that libgomp 12 may hang in a region. */
static void outside(void)
{
    int sum = 15;
#pragma omp target nowait map(tofrom : sum) depend(out : sum)
    sum *= 2;
#pragma omp target nowait map(tofrom : sum) depend(in : sum) if (0)
    sum++;
#pragma omp taskwait
    CHECK(sum == 31);
}

/* From host to host (GCC 13). */
static void copies(void)
{
#if __GNUC__ >= 13
    char from[8] = "copied", to[8] = "", corner[4] = "";
    size_t volume[] = {2, 2}, zero[] = {0, 0}, narrow[] = {2, 2}, wide[] = {2, 4};
    int host = omp_get_initial_device();
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        CHECK(!omp_target_memcpy_async(to, from, 7, 0, 0, host, host, 0, NULL));
        CHECK(!omp_target_memcpy_rect_async(corner, from, 1, 2, volume, zero, zero, narrow,
                                            wide, host, host, 0, NULL));
#pragma omp taskwait
    }
    CHECK(!strcmp(to, "copied") && !memcmp(corner, "coed", 4));
#endif
}

int main(int argc, char **argv)
{
    old_calls();
    constructs();
    nowait();
    copies();
    leagues();
#if __GNUC__ >= 12
    if (argc > 1 && strcmp(argv[1], "error") == 0) {
#pragma omp error at(execution) severity(fatal) message("as it should be")
    }
#pragma omp error at(execution) severity(warning) message("mind the target")
#endif
    outside();
    return check_result("target");
}
