/* SPDX-License-Identifier: MIT
 *
 * Regions in a member function, in a lambda and in a template, with an exception on its
 * way in one of them.
 */
#include <atomic>
#include <omp.h>
#include <stdexcept>
#include <unistd.h>
#include <vector>

#include "../common/rest.h"

static std::atomic<int> arrived[3];
static int passed;

/* Number 1 goes on when the others have come; they stay until it lets them go. */
static void meet(int phase, int threads)
{
    if (omp_get_thread_num() == 1) {
        while (arrived[phase] < threads - 1)
            usleep(1000);
        until_others_rest();
        return;
    }
    arrived[phase]++;
    while (arrived[phase] < 100)
        usleep(1000);
}

static void pass(int phase)
{
    passed++;
    arrived[phase] = 100;
}

struct Ocean {
    int depth;
    std::vector<int> cells;
    int sum(int factor)
    {
        int local = factor * 2, unused = 6;
        int &alias = local;
#pragma omp parallel num_threads(3) firstprivate(factor)
        {
            int number = omp_get_thread_num();
            factor += number;
            cells[number] = local + alias + depth;
            meet(0, 3);
            if (number == 1)
                pass(0); /* mark: member */
        }
        return unused;
    }
    int blind(int factor)
    {
#pragma omp parallel num_threads(2)
        {
            int number = factor + omp_get_thread_num();
            meet(2, 2);
            if (number == 8)
                pass(2); /* mark: blind */
        }
        return depth;
    }
};

template <class T> T half(T whole)
{
    T part = whole / 2;
#pragma omp parallel num_threads(2) shared(part)
    try {
        if (omp_get_thread_num() == 1)
            throw std::runtime_error("on its way");
    } catch (const std::runtime_error &error) {
        part += 1; /* mark: caught */
        passed += error.what()[0] == 0;
    }
    return part;
}

int main()
{
    Ocean ocean{4, std::vector<int>(5)};
    ocean.sum(7);
    int copied = 11, referred = 3;
    auto lambda = [copied, &referred](int argument) {
#pragma omp parallel num_threads(2)
        {
            int number = omp_get_thread_num();
#pragma omp atomic
            referred += copied + argument;
            meet(1, 2);
            if (number == 1)
                pass(1); /* mark: lambda */
        }
    };
    lambda(2);
    half(5.0);
    ocean.blind(7);
    return 0;
}
