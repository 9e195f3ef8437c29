/* SPDX-License-Identifier: MIT
 *
 * Regions in C++: in a member function of a template with a lambda in it (`member`), and
 * with an exception that is thrown and caught inside (`thrown`, `caught`).
 */
#include <functional>
#include <omp.h>
#include <stdexcept>

static int hits;

namespace grid
{
template <class T> struct Solver {
    T start;
    void relax(std::function<void(T)> each)
    {
#pragma omp parallel num_threads(2) /* mark: member_region */
        if (omp_get_thread_num() == 1)
            each(start);
    }
};
}

static void fails()
{
    throw std::runtime_error("no"); /* mark: thrown */
}

static void survives()
{
#pragma omp parallel num_threads(2) /* mark: catch_region */
    {
        try {
            if (omp_get_thread_num() == 1)
                fails();
        } catch (const std::exception &) {
            hits++; /* mark: caught */
        }
    }
}

int main()
{
    grid::Solver<int>{3}.relax([](int n) {
        hits += n; /* mark: member */
    });
    survives();
    return 0;
}
