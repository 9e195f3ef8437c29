// SPDX-License-Identifier: MIT
//
// Classes, lambdas, templates and static objects around OpenMP constructs.
#include <algorithm>
#include <atomic>
#include <functional>
#include <numeric>
#include <omp.h>
#include <vector>
#include "check.h"

namespace
{
class omp_mutex
{
  public:
    omp_mutex()
    {
        omp_init_lock(&lock_);
    }
    ~omp_mutex()
    {
        omp_destroy_lock(&lock_);
    }
    omp_mutex(const omp_mutex &) = delete;
    omp_mutex &operator=(const omp_mutex &) = delete;
    template <class F> auto with(F &&f)
    {
        omp_set_lock(&lock_);
        struct unlocker {
            omp_lock_t *l;
            ~unlocker()
            {
                omp_unset_lock(l);
            }
        } u{&lock_};
        return f();
    }

  private:
    omp_lock_t lock_;
};

omp_mutex global_mutex;

class histogram
{
  public:
    explicit histogram(std::size_t n) : bins_(n)
    {
    }
    void fill(const std::vector<int> &data)
    {
#pragma omp parallel for schedule(guided) num_threads(4)
        for (std::size_t i = 0; i < data.size(); i++)
            global_mutex.with([&] { return ++bins_[static_cast<std::size_t>(data[i])]; });
    }
    int total() const
    {
        return std::accumulate(bins_.begin(), bins_.end(), 0);
    }

  private:
    std::vector<int> bins_;
};

template <class It> long tree_sum(It first, It last)
{
    if (last - first < 100)
        return std::accumulate(first, last, 0L);
    It middle = first + (last - first) / 2;
    long left = 0, right = 0;
#pragma omp task shared(left)
    left = tree_sum(first, middle);
    right = tree_sum(middle, last);
#pragma omp taskwait
    return left + right;
}

template <class T> struct extent {
    T low, high;
};
} // namespace

#pragma omp declare reduction(join : extent<int> :                                        \
        omp_out = (extent<int>{std::min(omp_out.low, omp_in.low),                         \
                               std::max(omp_out.high, omp_in.high)}))                     \
    initializer(omp_priv = extent<int>{1 << 30, -(1 << 30)})

int main()
{
    std::vector<int> data(2000);
    for (std::size_t i = 0; i < data.size(); i++)
        data[i] = static_cast<int>(i * 7 % 10);
    histogram h(10);
    h.fill(data);
    CHECK(h.total() == 2000);

    long sum = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    sum = tree_sum(data.begin(), data.end());
    CHECK(sum == 9000);

    extent<int> e{1 << 30, -(1 << 30)};
#pragma omp parallel for num_threads(3) reduction(join : e)
    for (int i = -50; i < 70; i++)
        e = {std::min(e.low, i), std::max(e.high, i)};
    CHECK(e.low == -50 && e.high == 69);

    std::atomic<int> calls{0};
    std::function<void(int)> recurse = [&](int n) {
        calls++;
        if (n == 0)
            return;
#pragma omp task
        recurse(n - 1);
#pragma omp task
        recurse(n - 1);
#pragma omp taskwait
    };
#pragma omp parallel num_threads(2)
#pragma omp single
    recurse(6);
    CHECK(calls == 127);

    auto in_lambda = [&](int n) {
        int members = 0;
#pragma omp parallel num_threads(n) reduction(+ : members)
        members++;
        return members;
    };
    CHECK(in_lambda(3) == 3);
    printf("%ld %d\n", sum, calls.load());
    return check_result("cxx_objects");
}
