// SPDX-License-Identifier: MIT
// A region in a lambda, a copy that a constructor makes, and a class with a template.
#include <omp.h>
#include <cstdio>

struct Counter {
    int value;
    explicit Counter(int v) : value(v) {}
    Counter(const Counter &other) : value(other.value) {} /* mark: constructor */
};

template <class T> struct Grid {
    T sum = 0;
    void relax(Counter c)
    {
        sum = 0; /* mark: plain_before */
#pragma omp parallel num_threads(2) firstprivate(c)
        {
            c.value++; /* mark: plain_first */
            c.value--; /* mark: plain_last */
        }
        sum += c.value; /* mark: plain_after */
    }
};

int main()
{
    Grid<int> grid;
    auto run = [&](int n) {
        grid.sum = n; /* mark: lambda_before */
#pragma omp parallel num_threads(2)
        {
            grid.sum++; /* mark: lambda_first */
        }
        grid.sum++; /* mark: lambda_after */
    };
    run(1);
    grid.relax(Counter(1));
    try {
        grid.sum = 1; /* mark: throw_before */
#pragma omp parallel num_threads(2)
        {
            grid.sum = 2; /* mark: throw_first */
            try {
                throw 1; /* mark: throw_last */
            } catch (int) {
            }
        }
        grid.sum++; /* mark: throw_after */
    } catch (int) {
    }
    std::printf("%d\n", grid.sum);
    return 0;
}
