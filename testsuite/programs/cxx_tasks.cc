// SPDX-License-Identifier: MIT
//
// Objects with copy constructors and destructors captured by tasks: as many copies are
// made and destroyed as without anybody watching, and each task sees its own.
#include <atomic>
#include <cstdint>
#include <memory>
#include <omp.h>
#include <string>
#include <vector>
#include "check.h"

namespace
{
std::atomic<int> copies, destroyed, seen;

class tracer
{
  public:
    explicit tracer(int v) : value(v), self(this)
    {
    }
    tracer(const tracer &other) : value(other.value), self(this)
    {
        copies++;
    }
    ~tracer()
    {
        destroyed++;
        self = nullptr;
    }
    // An object that was copied as bytes does not stand where it was made.
    bool whole(int expected) const
    {
        return self == this && value == expected;
    }

  private:
    int value;
    const tracer *self;
};

struct alignas(64) wide {
    wide() = default;
    wide(const wide &other) : text(other.text)
    {
        copies++;
    }
    std::string text = "a string that is too long for any small buffer inside";
};

void report(const char *what)
{
    printf("%s: %d copies, %d destroyed, %d seen\n", what, copies.exchange(0),
           destroyed.exchange(0), seen.exchange(0));
}

void deferred(int n)
{
    for (int i = 0; i < n; i++) {
        tracer t(i);
#pragma omp task firstprivate(t, i)
        {
            CHECK(t.whole(i));
            seen++;
        }
    }
#pragma omp taskwait
}

void undeferred(int n)
{
    for (int i = 0; i < n; i++) {
        tracer t(i);
#pragma omp task firstprivate(t, i) if (0)
        {
            CHECK(t.whole(i));
            seen++;
        }
    }
}

void dependent(int n)
{
    int chain = 0;
    for (int i = 0; i < n; i++) {
        tracer t(i);
        std::vector<int> numbers(100, i);
        auto shared = std::make_shared<int>(i);
#pragma omp task firstprivate(t, i, numbers, shared) shared(chain)     \
    depend(inout : chain)
        {
            CHECK(t.whole(i) && numbers[99] == i && *shared == i);
            CHECK(chain == i);
            chain++;
            seen++;
        }
    }
#pragma omp taskwait
    CHECK(chain == n);
}

void detached(int n)
{
    for (int i = 0; i < n; i++) {
        tracer t(i);
        omp_event_handle_t event;
#pragma omp task firstprivate(t, i) detach(event)
        {
            CHECK(t.whole(i));
            seen++;
            omp_fulfill_event(event);
        }
    }
#pragma omp taskwait
}

void aligned(int n)
{
    for (int i = 0; i < n; i++) {
        wide w;
#pragma omp task firstprivate(w)
        {
            CHECK(reinterpret_cast<std::uintptr_t>(&w) % 64 == 0);
            CHECK(w.text.size() > 40);
            seen++;
        }
    }
#pragma omp taskwait
}

void loops(int n)
{
    tracer t(7);
#pragma omp taskloop firstprivate(t) num_tasks(5)
    for (int i = 0; i < n; i++) {
        CHECK(t.whole(7));
        seen++;
    }
#pragma omp taskloop firstprivate(t) if (0) num_tasks(3)
    for (int i = 0; i < n; i++) {
        CHECK(t.whole(7));
        seen++;
    }
#pragma omp taskloop firstprivate(t) grainsize(4)
    for (unsigned long long i = 0; i < static_cast<unsigned long long>(n); i++) {
        CHECK(t.whole(7));
        seen++;
    }
}

void all(const char *where)
{
    puts(where);
    deferred(50);
    report("deferred");
    undeferred(50);
    report("undeferred");
    dependent(50);
    report("dependent");
    detached(20);
    report("detached");
    aligned(20);
    report("aligned");
    loops(20);
    report("taskloop");
}
} // namespace

int main()
{
    all("outside");
#pragma omp parallel num_threads(3)
#pragma omp single
    all("in a team of three");
#pragma omp parallel num_threads(1)
    all("in a team of one");
    return check_result("cxx_tasks");
}
