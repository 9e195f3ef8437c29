/* SPDX-License-Identifier: MIT
 *
 * Exceptions inside constructs, and out of them: exceptions HOW. Those that leave a
 * construct end the program, as the standard allows nothing else; "escape" and "task"
 * show how.
 */
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include "check.h"
#include "work.h"

static int thrown, caught, destroyed;

struct guard {
    ~guard()
    {
        __atomic_add_fetch(&destroyed, 1, __ATOMIC_RELAXED);
    }
};

static void throw_at(int depth)
{
    guard g;
    if (depth == 0) {
        __atomic_add_fetch(&thrown, 1, __ATOMIC_RELAXED);
        throw std::runtime_error("deep");
    }
    throw_at(depth - 1);
}

template <typename F> static void attempt(F body)
{
    try {
        body();
    } catch (const std::runtime_error &) {
        __atomic_add_fetch(&caught, 1, __ATOMIC_RELAXED);
    }
}

static void inside()
{
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(3)
    {
        attempt([] { throw_at(5); });
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 30; i++)
            attempt([] { throw_at(2); });
#pragma omp critical
        attempt([] { throw_at(1); });
        omp_set_lock(&lock);
        attempt([] { throw_at(1); });
        omp_unset_lock(&lock);
#pragma omp single
        for (int i = 0; i < 300; i++)
#pragma omp task
            attempt([] { throw_at(3); });
#pragma omp barrier
#pragma omp single
#pragma omp task if (0)
        attempt([] { throw_at(3); });
        attempt([] {
#pragma omp parallel num_threads(2)
            attempt([] { throw_at(4); });
            throw_at(0);
        });
    }
    omp_destroy_lock(&lock);
    /* Inner teams have one member: 3 of the first, 30 of the loop, 3 and 3 of the locks.
     */
    CHECK(thrown == 3 + 30 + 3 + 3 + 300 + 1 + 3 + 3 && caught == thrown);
    CHECK(destroyed == 3 * 6 + 30 * 3 + 6 * 2 + 300 * 4 + 4 + 3 * 5 + 3);
}

/* An exception from between constructs, through frames that called the runtime before. */
static void between()
{
    for (int i = 0; i < 100; i++)
        attempt([] {
            guard g;
            if (!small_work(2))
                std::exit(9);
            throw std::runtime_error("between");
        });
    CHECK(caught == 100 && destroyed == 100);
}

static void terminated()
{
    std::puts("terminated");
    std::fflush(stdout);
    std::_Exit(44);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    if (std::strcmp(argv[1], "inside") == 0)
        inside();
    else if (std::strcmp(argv[1], "between") == 0)
        between();
    else {
        std::set_terminate(terminated);
        bool task = std::strcmp(argv[1], "task") == 0;
        bool undeferred = std::strcmp(argv[1], "undeferred") == 0;
        bool section = std::strcmp(argv[1], "critical") == 0;
#pragma omp parallel num_threads(2)
#pragma omp single
        {
            if (task)
#pragma omp task
                throw_at(3);
            if (undeferred)
#pragma omp task if (0)
                throw_at(3);
            if (section)
#pragma omp critical
                throw_at(3);
            if (!task && !undeferred && !section)
                throw_at(3);
        }
    }
    return check_result(argv[1]);
}
