// SPDX-License-Identifier: MIT
//
// Exceptions thrown and caught inside regions, tasks, critical sections and loops; what
// escapes a region ends the program (argument "escape").
#include <atomic>
#include <cstring>
#include <exception>
#include <omp.h>
#include <stdexcept>
#include <string>
#include <cstdlib>
#include "check.h"

namespace
{
std::atomic<int> caught, unwound;

struct guard {
    ~guard()
    {
        unwound++;
    }
};

[[gnu::noinline]] void thrower(int depth)
{
    guard g;
    if (depth == 0)
        throw std::runtime_error("from below");
    thrower(depth - 1);
}

void inside_constructs()
{
#pragma omp parallel num_threads(3)
    {
        try {
            thrower(3);
        } catch (const std::exception &e) {
            CHECK(std::string(e.what()) == "from below");
            caught++;
        }
#pragma omp critical
        try {
            thrower(0);
        } catch (...) {
            caught++;
        }
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 30; i++)
            try {
                thrower(i % 3);
            } catch (const std::runtime_error &) {
                caught++;
            }
#pragma omp single
        for (int i = 0; i < 10; i++)
#pragma omp task
            try {
                thrower(1);
            } catch (const std::runtime_error &) {
                caught++;
            }
    }
    CHECK(caught == 3 + 3 + 30 + 10);
}

void rethrown_outside()
{
    std::exception_ptr first;
#pragma omp parallel num_threads(2)
    try {
        thrower(2);
    } catch (...) {
#pragma omp critical
        if (!first)
            first = std::current_exception();
    }
    bool again = false;
    try {
        std::rethrow_exception(first);
    } catch (const std::runtime_error &) {
        again = true;
    }
    CHECK(again);
}

// Nested regions and exceptions that cross none of them.
void around_a_region()
{
    bool reached = false;
    try {
        int n = 0;
#pragma omp parallel num_threads(2) reduction(+ : n)
        n++;
        if (n == 2)
            throw n;
    } catch (int n) {
        reached = n == 2;
    }
    CHECK(reached);
}
} // namespace

int main(int argc, char **argv)
{
    inside_constructs();
    rethrown_outside();
    around_a_region();
    printf("caught %d unwound %d\n", caught.load(), unwound.load());
    if (argc > 1 && !std::strcmp(argv[1], "escape")) {
        std::fflush(stdout);
        std::set_terminate([] {
            std::puts("terminated");
            std::fflush(stdout);
            std::_Exit(44);
        });
#pragma omp parallel num_threads(1)
        thrower(1);
    }
    return check_result("cxx_exceptions");
}
