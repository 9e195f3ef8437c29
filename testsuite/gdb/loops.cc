// SPDX-License-Identifier: MIT
//
// A loop in a member of a template, and functions without a name that are written in
// constructs, and called in them or elsewhere.
#include <functional>
#include <omp.h>

static volatile int hits;

template <class T> struct Grid {
    T start;
    void each(std::function<void(T)> work)
    {
#pragma omp for /* mark: member */
        for (T i = start; i < 4; i++) {
            work(i); /* mark: in_member */
        }
    }
};

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

int main()
{
    Grid<int> grid{0};
#pragma omp parallel num_threads(2)
    grid.each([](int n) {
        hits = n; /* mark: lambda */
    });
#pragma omp parallel num_threads(2)
    written();
    return 0;
}
