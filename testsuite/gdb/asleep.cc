// SPDX-License-Identifier: MIT
//
// Two threads wait for a condition variable of the C++ library, whose wait() is the program's
// own code: a template of a header.
#include <condition_variable>
#include <cstdio>
#include <mutex>

static std::mutex mutex;
static std::condition_variable filled;
static bool is_full;

static void take()
{
    std::unique_lock<std::mutex> lock(mutex);
    filled.wait(lock, [] { return is_full; }); /* mark: take */
}

int main()
{
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
#pragma omp master
        std::puts("asleep"), std::fflush(stdout);
        take();
    }
}
