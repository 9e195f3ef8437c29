// SPDX-License-Identifier: MIT
//
// Two threads wait for a condition variable of the C++ library, whose wait() is the program's
// own code: a template of a header. Or, with an argument, for a mutex in a loop whose body begins
// with a function of a header.
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <vector>

static std::mutex mutex;
static std::condition_variable filled;
static bool is_full;

static void take()
{
    std::unique_lock<std::mutex> lock(mutex);
    filled.wait(lock, [] { return is_full; }); /* mark: take */
}

static void lock(const std::vector<int> &all)
{
#pragma omp parallel for num_threads(2) /* mark: region */
    for (std::size_t i = 0; i < all.size(); i++)
        std::lock_guard<std::mutex> holder(mutex); /* mark: lock */
}

int main(int argc, char **)
{
    if (argc > 1) {
        mutex.lock();
        std::puts("asleep"), std::fflush(stdout);
        lock(std::vector<int>(2));
    }
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
#pragma omp master
        std::puts("asleep"), std::fflush(stdout);
        take();
    }
}
