/* SPDX-License-Identifier: MIT
 *
 * Captured data keeps its alignment in the task: 1 to 256 bytes, deferred and not, with
 * detach, and in taskloop.
 */
#include <omp.h>
#include <stdalign.h>
#include <stdint.h>
#include "check.h"

enum { N = 30 };

static int ran;

static void inspect(const void *p, unsigned alignment, int value, int expected)
{
    CHECK((uintptr_t)p % alignment == 0);
    CHECK(value == expected);
    __atomic_add_fetch(&ran, 1, __ATOMIC_RELAXED);
}

#define ALIGNED(n)                                                                     \
    static void aligned_##n(int i)                                                     \
    {                                                                                  \
        struct {                                                                       \
            char odd;                                                                  \
            alignas(n) int value;                                                      \
        } data = {1, i};                                                               \
        _Pragma("omp task firstprivate(data, i)")                                      \
            inspect(&data.value, n, data.value, i);                                    \
        _Pragma("omp task firstprivate(data, i) if (0)")                               \
            inspect(&data.value, n, data.value, i);                                    \
        _Pragma("omp task firstprivate(data, i) final(1) depend(inout : ran)")         \
            inspect(&data.value, n, data.value, i);                                    \
        _Pragma("omp taskloop firstprivate(data) num_tasks(2)")                        \
        for (int k = 0; k < 2; k++)                                                    \
            inspect(&data.value, n, data.value, i);                                    \
        omp_event_handle_t event;                                                      \
        _Pragma("omp task firstprivate(data, i) detach(event)")                        \
        {                                                                              \
            inspect(&data.value, n, data.value, i);                                    \
            omp_fulfill_event(event);                                                  \
        }                                                                              \
    }

ALIGNED(4)
ALIGNED(8)
ALIGNED(16)
ALIGNED(32)
ALIGNED(64)
ALIGNED(128)
ALIGNED(256)

static void byte_only(char c)
{
#pragma omp task firstprivate(c)
    inspect(&c, 1, c, c);
}

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < N; i++) {
        aligned_4(i);
        aligned_8(i);
        aligned_16(i);
        aligned_32(i);
        aligned_64(i);
        aligned_128(i);
        aligned_256(i);
        byte_only((char)i);
    }
    CHECK(ran == N * (7 * 6 + 1));
    printf("%d tasks\n", ran);
    return check_result("tasks_align");
}
