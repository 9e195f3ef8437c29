// SPDX-License-Identifier: MIT
//
// A loop and a region in members of a template, functions without a name that are written in
// constructs, and called in them or elsewhere, and an exception that is thrown and caught inside of a
// region.
#include <functional>
#include <omp.h>
#include <stdexcept>

static volatile int hits;

namespace grid
{
template <class T> struct Grid {
    T start;
    void each(std::function<void(T)> work)
    {
#pragma omp for /* mark: member */
        for (T i = start; i < 4; i++) {
            work(i); /* mark: in_member */
        }
    }
    void relax(std::function<void(T)> work)
    {
#pragma omp parallel num_threads(2) /* mark: member_region */
        if (omp_get_thread_num() == 1)
            work(start);
    }
};
}

static void written()
{
    std::function<void()> later;
#pragma omp critical /* mark: outer */
    {
        later = [] {
            hits = 1; /* mark: elsewhere */
#pragma omp critical(inner) /* mark: inner */
            hits = 2; /* mark: in_inner */
        };
    }
    later();
}

static void fails()
{
    throw std::runtime_error("no");
}

static void survives()
{
#pragma omp parallel num_threads(2) /* mark: catch_region */
    {
        try {
            if (omp_get_thread_num() == 1)
                fails();
        } catch (const std::exception &) {
            hits = 3; /* mark: caught */
        }
    }
}

int main()
{
    grid::Grid<int>{3}.relax([](int n) {
        hits = n; /* mark: relaxed */
    });
    grid::Grid<int> grid{0};
#pragma omp parallel num_threads(2)
    grid.each([](int n) {
        hits = n; /* mark: lambda */
    });
#pragma omp parallel num_threads(2)
    written();
    survives();
    return 0;
}
