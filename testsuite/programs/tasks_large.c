/* SPDX-License-Identifier: MIT
 *
 * Tasks that capture a lot by value: 64 KB and 2 MB, deferred and undeferred, arrays whose
 * size is known only at run time. Workers run with the small stack that the manifest gives
 * them (OMP_STACKSIZE): a 2 MB block fits once beside the caller's, not twice more.
 */
#include <omp.h>
#include <string.h>
#include "check.h"

enum { SMALL = 64 << 10, BIG = 2 << 20 };

struct small {
    unsigned char byte[SMALL];
};
struct big {
    unsigned char byte[BIG];
};

static int sum;

static void inspect(const unsigned char *byte, size_t size, unsigned char value)
{
    CHECK(byte[0] == value && byte[size / 2] == value && byte[size - 1] == value);
    __atomic_add_fetch(&sum, value, __ATOMIC_RELAXED);
}

static __attribute__((noinline)) void make_small(int value)
{
    struct small s;
    memset(&s, value, sizeof(s));
#pragma omp task firstprivate(s, value)
    inspect(s.byte, sizeof(s), (unsigned char)value);
    memset(&s, 0xff, sizeof(s));
#pragma omp task firstprivate(s) if (0)
    inspect(s.byte, sizeof(s), 0xff);
}

static struct big model;

static __attribute__((noinline)) void make_big(int value)
{
#pragma omp task firstprivate(model, value)
    inspect(model.byte, sizeof(model), (unsigned char)value);
}

static __attribute__((noinline)) void make_big_now(int value)
{
#pragma omp task firstprivate(model, value) if (0)
    inspect(model.byte, sizeof(model), (unsigned char)value);
}

static __attribute__((noinline)) void make_variable(size_t size, int value)
{
    unsigned char array[size];
    memset(array, value, size);
#pragma omp task firstprivate(array, size, value)
    inspect(array, size, (unsigned char)value);
#pragma omp task firstprivate(array, size, value) if (0)
    inspect(array, size, (unsigned char)value);
}

int main(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        for (int i = 1; i <= 20; i++)
            make_small(i);
#pragma omp single
        for (int i = 1; i <= 20; i++)
            make_variable((size_t)i * 3001, i);
        /* One thread after the other, so that each of them, with its own stack, makes one. */
        for (int turn = 0; turn < omp_get_num_threads(); turn++) {
#pragma omp barrier
            if (turn == omp_get_thread_num()) {
                memset(&model, turn + 1, sizeof(model));
                make_big_now(turn + 1);
                make_big(turn + 1);
                make_big(turn + 1);
#pragma omp taskwait
            }
        }
    }
    printf("sum %d\n", sum);
    CHECK(sum == 210 + 20 * 0xff + 2 * 210 + 3 * (1 + 2));
    return check_result("tasks_large");
}
