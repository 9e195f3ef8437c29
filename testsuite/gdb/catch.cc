// SPDX-License-Identifier: MIT
#include <omp.h>

#include <stdexcept>
#include <string>
#include <vector>

template <class T> class Store {
public:
    Store()
    {
        omp_init_nest_lock(&lock_);
    }

    void add(const T &value)
    {
        Hold hold(lock_);
        all_.push_back(value); /* mark: held */
    }

private:
    struct Hold {
        explicit Hold(omp_nest_lock_t &lock) : lock_(lock)
        {
            omp_set_nest_lock(&lock_); /* mark: lock */
        }
        ~Hold()
        {
            omp_unset_nest_lock(&lock_);
        }
        omp_nest_lock_t &lock_;
    };
    std::vector<T> all_;
    omp_nest_lock_t lock_;
};

static int caught;

int main()
{
    Store<std::string> store;
    auto visit = [&](int who) {
        try {
            store.add(std::to_string(who));
            throw std::runtime_error("who");
        } catch (const std::exception &) {
#pragma omp critical(counts) /* mark: critical */
            caught++;
        }
    };
#pragma omp parallel num_threads(2) /* mark: region */
    {
        visit(omp_get_thread_num());
#pragma omp barrier /* mark: barrier */
#pragma omp single
        {
            for (int i = 0; i < 2; i++) {
#pragma omp task firstprivate(i) /* mark: task */
                visit(10 + i);
            }
#pragma omp taskwait /* mark: taskwait */
        }
    }
    return caught != 4;
}
